"""Published records before they are written out: every gram once, with its number of copies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Copies:
    """Grams one after the other in `items`. Record numbers run through them: first all copies of the first gram, and so on.

    >>> pair, single = (Copies(np.arange(n), np.array([n]), np.array([times])) for n, times in ((2, 3), (1, 1)))
    >>> both = Copies.joined([pair, single])
    >>> both.grams.tolist(), both.records.tolist()
    ([0, 2, 3], [0, 3, 4])
    """

    items: NDArray[np.int32]
    lengths: NDArray[np.int64]
    copies: NDArray[np.int64]

    @classmethod
    def joined(cls, parts: list[Copies]) -> Copies:
        """Several in one."""
        return cls(
            np.concatenate([part.items for part in parts]),
            np.concatenate([part.lengths for part in parts]),
            np.concatenate([part.copies for part in parts]),
        )

    @property
    def grams(self) -> NDArray[np.int64]:
        """Gram g is items[grams[g]:grams[g + 1]]."""
        return np.concatenate([[0], np.cumsum(self.lengths)]).astype(np.int64)

    @property
    def records(self) -> NDArray[np.int64]:
        """The copies of gram g are the records from records[g] up to records[g + 1]."""
        return np.concatenate([[0], np.cumsum(self.copies)]).astype(np.int64)
