"""LabelRelease: labels that were discovered in data of which no list is public, and which are a domain from then on."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError
from seqveil.release.answers import Answer, Ranking
from seqveil.release.answers.ranking import check_range
from seqveil.release.capabilities import Countable, Ranked
from seqveil.release.discovery.bars import bars
from seqveil.release.labels import codes_of, refuse_no_query
from seqveil.release.limits import MOST_COUNT, MOST_SCALE, refuse_odd_noise
from seqveil.release.manifest import Manifest, stated_facts
from seqveil.release.parquet import label_codes
from seqveil.release.release import Release
from seqveil.release.saved import Saved
from seqveil.release.schema import Fields, Number, Whole
from seqveil.tables.discovery import Discovery

if TYPE_CHECKING:
    import pyarrow as pa

    from seqveil.facts import Facts
    from seqveil.tables.domain import Domain


class LabelRelease(Release, Countable, Ranked):
    """The labels that passed the threshold: they are its domain. Each has a noisy weight, `noisy / grid`.

    A user (or a record) with t labels, of at most `most`, gives 1/√t to each. So a weight is at most the number of users with
    the label. `sigma` is the width of the noise, and nothing below `threshold` was released; both are in steps of the grid.

    >>> from seqveil.tables.domain import Domain
    >>> found = LabelRelease(Domain.of(["Ely", "Ware"]), noisy=np.array([900, 260]), grid=10, sigma=50.0, threshold=250, most=100)
    >>> found.count(["Ely"]), found.count(["Ware"]), [row["pattern"] for row in found.top(1)]
    (Answer(value=90, ±=10), Answer(value=26, low=0, high=36), [['Ely']])
    """

    content: ClassVar[str] = "labels"
    description: ClassVar[str] = "labels that enough users or records have, with noisy weights"

    def __init__(self, domain: Domain, *, noisy: NDArray[np.int64], grid: int, sigma: float, threshold: int, most: int) -> None:
        super().__init__(domain)
        if len(noisy) != len(domain):
            raise CallError(f"{len(noisy):,} weights for {len(domain):,} labels: give one for each.")
        self.noisy, self.grid, self.sigma, self.threshold, self.most = noisy, grid, sigma, threshold, most

    def __len__(self) -> int:
        return len(self.noisy)

    @property
    def weights(self) -> NDArray[np.float64]:
        """The noisy weight of every label, in the order of the domain."""
        return self.noisy / self.grid

    @property
    def about(self) -> str:
        """What is counted."""
        unit = "record" if self._manifest is None or self._manifest.whom.name == "record" else "user"
        return f"weights, at most the number of {unit}s that have the label: each gives its labels 1/√(number of its labels)"

    def count(self, query: Sequence[str]) -> Answer:
        """The weight of one label."""
        refuse_no_query(query, "['A']")
        if len(query) != 1:
            raise CallError(f"{list(query)!r}: this release has weights of single labels; give one label.")
        return self._answers(codes_of(query, self.domain))[0]

    def top(self, k: int, *, longest: int | None = None, shortest: int = 1) -> list[Ranking]:
        """The k labels with the largest weights; of equal ones the first of the domain comes first."""
        check_range(k, shortest, longest)
        best = [] if shortest > 1 else np.argsort(-self.noisy, kind="stable")[:k].tolist()
        return [answer.ranked([self.domain.label(row)]) for row, answer in zip(best, self._answers(best), strict=True)]

    def _answers(self, rows: Iterable[int]) -> list[Answer]:
        at = np.asarray(list(rows), np.int64)
        low, high = bars(self.noisy[at], self.sigma, self.threshold)
        ends = zip(self.weights[at].tolist(), (low / self.grid).tolist(), (high / self.grid).tolist(), strict=True)
        return [Answer(value, math.floor(lo), math.ceil(hi), "count", self.about) for value, lo, hi in ends]

    def seal(self, facts: Facts) -> None:
        """Attach what the wall vouches for; from here on the domain knows how it came about."""
        super().seal(facts)
        self.domain = _remembering(self.domain, self.manifest)

    def sizes(self) -> dict[str, int]:
        return {"labels": len(self)}

    def facts(self) -> dict[str, Any]:
        return {"grid": self.grid, "sigma": self.sigma, "threshold": self.threshold, "most": self.most}

    def tables(self) -> dict[str, pa.Table]:
        import pyarrow as pa

        low, high = bars(self.noisy, self.sigma, self.threshold)
        columns = {
            "label": self.domain.strings(np.arange(len(self))).cast(pa.string()),
            "weight": self.weights,
            "low": low / self.grid,
            "high": high / self.grid,
            "noisy": self.noisy,
        }
        return {"labels": pa.table(columns)}

    @classmethod
    def from_saved(cls, saved: Saved) -> Self:
        facts = stated_facts(saved.manifest, _FACTS)
        columns = saved.table("labels", {"label": "label", "noisy": "whole"})
        noisy = np.asarray(columns["noisy"]).astype(np.int64)
        if not np.array_equal(label_codes(columns["label"], saved.domain), np.arange(len(saved.domain))):
            raise CallError("not a table of labels: it does not hold the domain.")
        refuse_odd_noise(noisy, np.array([facts["sigma"]]))
        if (noisy < facts["threshold"]).any():
            raise CallError("not a table of labels: a weight is below the threshold.")
        return cls(_remembering(saved.domain, saved.manifest), noisy=noisy, **facts)


def _remembering(domain: Domain, manifest: Manifest) -> Domain:
    """The labels that were found, with how they were found and what that cost."""
    zcdp = manifest.zcdp
    if zcdp is None:
        raise CallError("not a release of labels: it states no δ.")
    discovery = Discovery(manifest.release, manifest.epsilon, zcdp.delta, zcdp.rho, manifest.holder.account)
    return replace(domain, public_because=str(discovery), discovered=discovery)


_FACTS = Fields(
    {"grid": Whole(1, 1 << 40), "sigma": Number(0, MOST_SCALE), "threshold": Whole(1, MOST_COUNT), "most": Whole(1, 1 << 40)}
)
