"""The true answers of one raw table of sequences, computed once for any number of releases. INTERNAL: reads raw data."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seqveil.evaluate.contiguous import top_contiguous
from seqveil.evaluate.count_queries import per_size, relative_error, workload
from seqveil.evaluate.gapped import top_gapped
from seqveil.evaluate.mining import f_score, support_error
from seqveil.evaluate.paths import paths
from seqveil.evaluate.patterns import Patterns
from seqveil.evaluate.presence import beginning_with, visited_all
from seqveil.evaluate.ranking import agreement, released_patterns
from seqveil.evaluate.shape import shape, size_and_ends
from seqveil.evaluate.trie import occurrences
from seqveil.tables.flat import Flat

if TYPE_CHECKING:
    from seqveil.release.capabilities import Ranked

KS = (20, 40, 60, 80, 100)
"""The K of the tables of [Chen 2012]."""

SHORT = 5
"""The n_max of [Chen 2012]: n-grams say nothing of longer patterns, which synthetic records have by chance only."""

VISITED = (3, 6, 9, 12)
"""Maximal sizes of the unordered queries: i·h/4 for h = 12 [Chen thesis, §6.3.2]."""

FREQUENT = 0.02
"""Relative support from which a gapped pattern counts as frequent; [Xu 2015, Fig. 2] shows 0.005 to 0.025 on MSNBC."""


class Yardstick:
    """Measures synthetic records against raw ones; `l_max` is where "truncated" cuts, to `cut` where this is not the first part.

    >>> raw = Flat.of([[0, 1, 2], [0, 1]] * 50)
    >>> yard = Yardstick(raw, labels=3, l_max=2)
    >>> round(yard.count_error(raw.truncate(2))["truncated"][4], 6), yard.top_k(raw)["documents_full"][20]["true_positive_ratio"]
    (0.0, 1.0)
    """

    def __init__(self, raw: Flat, labels: int, l_max: int, seed: int = 0, cut: Flat | None = None) -> None:
        self.raw = raw
        self.labels = labels
        self.l_max = l_max
        self.cut = raw.truncate(l_max) if cut is None else cut
        self.queries = workload(labels, seed=seed)
        self.visits = workload(labels, VISITED, number=2_500, seed=seed)

    @cached_property
    def full_answers(self) -> NDArray[np.int64]:
        """Occurrences of the workload in the full data."""
        return occurrences(self.raw, self.queries, self.labels)

    @cached_property
    def cut_answers(self) -> NDArray[np.int64]:
        """Occurrences of the workload in the truncated data."""
        return occurrences(self.cut, self.queries, self.labels)

    @cached_property
    def _presence(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return visited_all(self.raw, self.visits, self.labels), beginning_with(self.raw, self.queries, self.labels)

    def count_error(self, synthetic: Flat) -> dict[str, dict[int, float]]:
        """Mean relative error of 10,000 random queries per maximal size, against full and truncated data [Chen 2012, §6.2.1]."""
        answers = occurrences(synthetic, self.queries, self.labels)
        n = len(self.raw)
        return {
            "full": per_size(relative_error(answers, self.full_answers, n)),
            "truncated": per_size(relative_error(answers, self.cut_answers, n)),
        }

    def other_queries(self, synthetic: Flat) -> dict[str, dict[int, float]]:
        """The same error for "visited all of these" [Chen thesis, Def. 6.5] and for "began like this" [Chen thesis, §6.3]."""
        visited, begun = self._presence
        n = len(self.raw)
        return {
            "visited_all": per_size(relative_error(visited_all(synthetic, self.visits, self.labels), visited, n), VISITED),
            "prefix": per_size(relative_error(beginning_with(synthetic, self.queries, self.labels), begun, n)),
        }

    def _miners(self) -> dict[str, tuple[Flat, Callable[[Flat], Patterns]]]:
        most = max(KS)
        return {
            "occurrences_truncated": (self.cut, lambda data: top_contiguous(data, self.labels, most, "occurrences")),
            "documents_full": (self.raw, lambda data: top_contiguous(data, self.labels, most, "documents")),
            "gapped_documents": (self.raw, lambda data: top_gapped(data, self.labels, most)),
        }

    @cached_property
    def true_patterns(self) -> dict[str, Patterns]:
        """The true top K under each of the three readings."""
        return {name: mine(data) for name, (data, mine) in self._miners().items()}

    def top_k(self, synthetic: Flat) -> dict[str, dict[int, dict[str, float]]]:
        """True positive ratio, utility loss and false positives of the top K patterns of 2 items and more [Chen 2012, §6.2.2]."""
        out: dict[str, dict[int, dict[str, float]]] = {}
        for name, (_, mine) in self._miners().items():
            out[name] = agreement(self.true_patterns[name], mine(synthetic), KS)
        return out

    @cached_property
    def _short(self) -> Patterns:
        return top_contiguous(self.cut, self.labels, max(KS), "occurrences", longest=SHORT)

    def top_k_short(self, synthetic: Flat) -> dict[int, dict[str, float]]:
        """The same by occurrences in truncated data, for patterns of at most n_max items."""
        return agreement(self._short, top_contiguous(synthetic, self.labels, max(KS), "occurrences", longest=SHORT), KS)

    def top_k_released(self, release: Ranked) -> dict[str, dict[int, dict[str, float]]]:
        """The same for the list that the release itself ranks, by occurrences in truncated data: of any length, and short."""
        most = max(KS)
        return {
            "any": agreement(self.true_patterns["occurrences_truncated"], released_patterns(release, most, shortest=2), KS),
            "short": agreement(self._short, released_patterns(release, most, shortest=2, longest=SHORT), KS),
        }

    @cached_property
    def _frequent(self) -> Patterns:
        return self._mined_at_support(self.raw)

    def _mined_at_support(self, flat: Flat) -> Patterns:
        # The threshold is relative to the raw data on both sides [Xu 2015, §VII-A]. The bound on k is for tiny raw data only.
        least = max(int(np.ceil(FREQUENT * len(self.raw))), 1)
        return top_gapped(flat, self.labels, k=2_000, least=least)

    def shape(self, synthetic: Flat) -> dict[str, float]:
        """The measures of shape.py, and how well the frequent gapped patterns agree [Xu 2015, §VII]."""
        mined = self._mined_at_support(synthetic)
        return {
            **shape(self.raw, synthetic, self.labels),
            "frequent_f_score": f_score(self._frequent, mined),
            # Where no pattern is frequent there is no support to be wrong about; the F-score says whether some were made up.
            "frequent_support_error": support_error(self._frequent, mined) if self._frequent else 0.0,
        }

    def whole_records(self, synthetic: Flat) -> dict[str, float]:
        """Number and mean length of records, out over in; total variation of lengths and ends. Against truncated data."""
        return size_and_ends(self.cut, synthetic, self.labels)

    def paths(self, synthetic: Flat) -> dict[str, float]:
        """Steps and whole records that only one side has."""
        return paths(self.raw, self.cut, synthetic, self.labels)

    def error_sources(self, synthetic: Flat, exact: Flat) -> dict[int, dict[str, float]]:
        """How much of the count error is truncation, model and noise [Chen 2012, §6.1]; `exact` is the model without noise.

        All three are measured over the same max(Q, s) of the full data, so they sum to at least `total`. Without noise, and
        with a model that loses nothing, truncation is all there is:

        >>> yard = Yardstick(Flat.of([[0, 0, 0, 0]] * 100), labels=1, l_max=2)
        >>> sources = yard.error_sources(yard.cut, exact=yard.cut)[4]
        >>> sources["truncation"] == sources["total"] > 0, sources["model"], sources["noise"]
        (True, 0.0, 0.0)
        """
        model, release = (occurrences(records, self.queries, self.labels) for records in (exact, synthetic))
        full, cut = self.full_answers, self.cut_answers
        steps = {
            "truncation": (cut, full),
            "model": (model, cut),
            "noise": (release, model),
            "total": (release, full),
        }
        errors = {name: per_size(relative_error(got, of, len(self.raw), over=full)) for name, (got, of) in steps.items()}
        return {size: {name: errors[name][size] for name in steps} for size in errors["total"]}

    def measure(self, synthetic: Flat, on_step: Callable[[str], None] = lambda step: None) -> dict[str, Any]:
        """Everything that needs only the synthetic records."""
        out: dict[str, Any] = {}
        for name in ("count_error", "whole_records", "paths", "other_queries", "top_k", "shape"):
            on_step(name.replace("_", " "))
            out[name] = getattr(self, name)(synthetic)
        return out
