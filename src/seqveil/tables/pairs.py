"""Pairs: the labels of a timed domain, every place at every bin of a calendar, without a list of them in memory.

>>> from seqveil.tables.calendar import Calendar
>>> from seqveil.tables.domain import Domain
>>> pairs = Pairs(Domain.of(["Ely", "Ware"]), Calendar.parse("12h"))
>>> len(pairs), pairs[1:3].to_pylist(), pairs.take(pa.array([3])).to_pylist()
(4, ['Ely@12', 'Ware@00'], ['Ware@12'])
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from seqveil.tables.calendar import MARK, Calendar

if TYPE_CHECKING:
    from seqveil.tables.domain import Domain
    from seqveil.tables.flat import Flat


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Places times bins, in the order of the places, those of one place in the order of time: place · bins + bin is the code.

    A label is `place@bin`. No bin has an @ in its name, so that its last one divides a label, whatever places are called.
    """

    places: Domain
    calendar: Calendar

    def __len__(self) -> int:
        return len(self.places) * len(self.calendar)

    def __getitem__(self, part: slice) -> Any:
        return self.take(pa.array(np.arange(*part.indices(len(self)))))

    def take(self, codes: Any) -> Any:
        """The labels of some codes, as an Arrow array of large strings."""
        place, bin_ = np.divmod(codes.to_numpy(zero_copy_only=False).astype(np.int64), len(self.calendar))
        names = pa.array(self.calendar.names, pa.large_string()).take(pa.array(bin_))
        return pc.binary_join_element_wise(self.places.strings(place), names, pa.scalar(MARK, pa.large_string()))


def in_time(domain: Domain, flat: Flat) -> Flat:
    """Records over a timed domain with their items in the order of time, those of one bin as they stand; others stay as they are.

    >>> from seqveil.tables.domain import Domain
    >>> from seqveil.tables.flat import Flat
    >>> [record.tolist() for record in in_time(Domain.range(1, 2).at_times(Calendar.parse("12h")), Flat.of([[3, 0, 2], [1]]))]
    [[0, 2, 3], [1]]
    """
    if domain.calendar is None:
        return flat
    owner = np.repeat(np.arange(len(flat)), flat.lengths)
    return replace(flat, items=flat.items[np.lexsort((flat.items % len(domain.calendar), owner))])


def wraps(flat: Flat, bins: int) -> tuple[NDArray[np.int64], int]:
    """The records in which time runs backwards, and how many of their items come from there on.

    >>> from seqveil.tables.flat import Flat
    >>> rows, after = wraps(Flat.of([[0, 1], [1, 0, 1], [1]]), 2)
    >>> rows.tolist(), after
    ([1], 2)
    """
    when = flat.items % bins
    owner = np.repeat(np.arange(len(flat)), flat.lengths)
    falls = np.flatnonzero((when[1:] < when[:-1]) & (owner[1:] == owner[:-1])) + 1
    rows, first = np.unique(owner[falls], return_index=True)
    return rows, int((flat.offsets[rows + 1] - falls[first]).sum())
