"""What `seqveil bench quality` measures, with the true answers of one table worked out once. INTERNAL: reads raw data."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.evaluate.contiguous import top_contiguous
from seqveil.evaluate.count_queries import per_size, relative_error, workload
from seqveil.evaluate.mining import true_positive_ratio
from seqveil.evaluate.patterns import Patterns
from seqveil.evaluate.quality.drawn import drawn_queries
from seqveil.evaluate.quality.ends import table_errors
from seqveil.evaluate.quality.strong import SHORTEST, STRONGEST, counts_occurrences, strong_errors
from seqveil.evaluate.ranking import released_patterns
from seqveil.evaluate.shape import size_and_ends
from seqveil.evaluate.trie import occurrences
from seqveil.tables.flat import Flat

KS = (20, 100)
"""The K of the top K."""


class QualityYard:
    """Measures releases against raw sequences; the truth is the raw data cut to `l_max` items, but for the errors named F.

    >>> raw = Flat.of([[0, 1, 2], [0, 1]] * 50)
    >>> same = QualityYard(raw, labels=3, l_max=3, n_max=5).measure(raw)
    >>> same["records"], same["lengths"], same["uniform.T.4"], same["drawn.T"], same["top.records.20"]
    (1.0, 0.0, 0.0, 0.0, 1.0)
    """

    def __init__(self, raw: Flat, labels: int, l_max: int, n_max: int) -> None:
        self.raw, self.labels, self.l_max, self.n_max = raw, labels, l_max, n_max
        self.cut = raw.truncate(l_max)

    def measure(self, records: Flat, release: Any = None) -> dict[str, float]:
        """All numbers of a release, by name (docs/results/quality.md); without a release, those of its records."""
        return {
            **size_and_ends(self.cut, records, self.labels),
            **table_errors(release, self.cut, self.labels),
            **self._counts(records),
            **{f"strong.{name}": error for name, error in strong_errors(self._strong, records, self.labels, release).items()},
            **self._tops(records, release),
        }

    @cached_property
    def _uniform(self) -> tuple[Flat, NDArray[np.int64], NDArray[np.int64]]:
        return self._answered(workload(self.labels))

    @cached_property
    def _drawn(self) -> tuple[Flat, NDArray[np.int64], NDArray[np.int64]]:
        return self._answered(drawn_queries(self.cut))

    def _answered(self, queries: Flat) -> tuple[Flat, NDArray[np.int64], NDArray[np.int64]]:
        cut = occurrences(self.cut, queries, self.labels)
        return queries, cut, cut if self.cut is self.raw else occurrences(self.raw, queries, self.labels)

    def _counts(self, records: Flat) -> dict[str, float]:
        out: dict[str, float] = {}
        for kind, (queries, *truths) in {"uniform": self._uniform, "drawn": self._drawn}.items():
            answers = occurrences(records, queries, self.labels)
            for name, truth in zip("TF", truths, strict=True):
                errors = relative_error(answers, truth, len(self.raw))
                if kind == "uniform":
                    out |= {f"uniform.{name}.{size}": error for size, error in per_size(errors).items()}
                elif len(errors):
                    out[f"drawn.{name}"] = float(errors.mean())
        return out

    @cached_property
    def _strong(self) -> Patterns:
        return top_contiguous(self.cut, self.labels, STRONGEST, shortest=SHORTEST, longest=self.n_max)

    def _readings(self) -> dict[str, int | None]:
        """The two readings of "the most frequent patterns": of 2..n_max items, or of 2 items and more."""
        return {"top": self.n_max, "top_any": None}

    @cached_property
    def _true_tops(self) -> dict[str, Patterns]:
        return {
            name: top_contiguous(self.cut, self.labels, max(KS), longest=longest) for name, longest in self._readings().items()
        }

    def _tops(self, records: Flat, release: Any) -> dict[str, float]:
        out: dict[str, float] = {}
        for name, longest in self._readings().items():
            sides = {"records": top_contiguous(records, self.labels, max(KS), longest=longest)}
            if counts_occurrences(release):
                sides["release"] = released_patterns(release, max(KS), shortest=2, longest=longest)
            for side, patterns in sides.items():
                out |= {f"{name}.{side}.{k}": true_positive_ratio(self._true_tops[name], patterns, k) for k in KS}
        return out
