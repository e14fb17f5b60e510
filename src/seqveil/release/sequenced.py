"""SequenceRelease: what all releases with synthetic records of sequences share."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from seqveil.release.answers import Answer
from seqveil.release.capabilities import Drawable, Form
from seqveil.release.lines import lines_to
from seqveil.release.release import Release
from seqveil.release.timed import Timed
from seqveil.tables.flat import Flat

if TYPE_CHECKING:
    from seqveil.release.answers import Ranking
    from seqveil.tables.domain import Domain


class SequenceRelease(Release, Drawable, Timed):
    """A release with synthetic records, which are read from their file when first wanted."""

    form: ClassVar[Form] = "sequences"

    def __init__(self, domain: Domain, synthetic: Flat | Callable[[], Flat]) -> None:
        super().__init__(domain)
        self._synthetic = synthetic

    @property
    def synthetic(self) -> Flat:
        """The published records, as codes."""
        if not isinstance(self._synthetic, Flat):
            self._synthetic = self._synthetic()
        return self._synthetic

    def directly_follows(self, k: int | None = None) -> list[Ranking]:
        """How often one label comes right after another, most frequent pairs first; all of them, or the first k.

        Here they are counted in the synthetic records. Releases that measured pairs answer with what they measured.
        """
        steps, counts = np.unique(self.synthetic.steps(len(self.domain)), return_counts=True)
        best = np.argsort(-counts, kind="stable")[:k]
        labels = (self.domain.labels(divmod(step, len(self.domain))) for step in steps[best].tolist())
        answers = (Answer(float(n), None, None, "estimate", self.about_steps) for n in counts[best].tolist())
        return [answer.ranked(pair) for pair, answer in zip(labels, answers, strict=True)]

    @property
    def about_steps(self) -> str:
        """What `directly_follows` counts, in words that follow "Counts are"."""
        return f"occurrences in {self.whole_records}"

    @property
    def whole_records(self) -> str:
        return f"{self._cut_to(self.cut)}{self._per_user}"

    def sizes(self) -> dict[str, int]:
        return {"synthetic records": len(self.synthetic)}

    @property
    def empty(self) -> bool:
        return not len(self.synthetic)

    def extras(self) -> dict[str, bytes]:
        return {"synthetic.txt.gz": gzip.compress(lines_to(self.domain, self.synthetic), 6, mtime=0)}
