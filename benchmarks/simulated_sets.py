"""Made-up sets of visited places: nobody's, reproducible, free to tune on.

A visitor has a home, drawn by popularity (rank^-spread), and a geometric number of further visits. A visit goes, with the chance
`habit`, to one of six companions of the home (some near it in the public order, some popular anywhere), else anywhere by
popularity. So sets repeat among people with the same home, as they do among commuters and shoppers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.sequences import SequenceTable
from seqveil.tables.sets import SetTable

COMPANIONS = 6


@dataclass(frozen=True)
class World:
    """Public parameters of a simulation; `labels` of the domain may be more than the `used` ones."""

    name: str
    records: int
    used: int
    visits: float
    spread: float
    habit: float
    labels: int | None = None

    def table(self, seed: int = 0) -> SetTable:
        """The sets of all visitors."""
        rng = np.random.default_rng([seed, self.records, self.used])
        popularity = rng.permutation((np.arange(self.used) + 2.0) ** -self.spread)
        edges = np.cumsum(popularity / popularity.sum())

        def anywhere(n: int) -> np.ndarray:
            return np.minimum(np.searchsorted(edges, rng.random(n)), self.used - 1)

        here = np.arange(self.used)[:, None]
        near = (here + rng.integers(1, 4, (self.used, COMPANIONS))) % self.used
        far = anywhere(self.used * COMPANIONS).reshape(self.used, COMPANIONS)
        company = np.where(rng.random((self.used, COMPANIONS)) < 0.5, far, near)

        visits = np.minimum(rng.geometric(1 / self.visits, self.records), 64)
        offsets = np.concatenate([[0], np.cumsum(visits)]).astype(np.int64)
        home = anywhere(self.records)
        which = np.minimum(rng.geometric(0.45, offsets[-1]) - 1, COMPANIONS - 1)
        usual = company[np.repeat(home, visits), which]
        items = np.where(rng.random(offsets[-1]) < self.habit, usual, anywhere(int(offsets[-1])))
        items[offsets[:-1]] = home
        domain = Domain.range(1, self.labels or self.used)
        return SetTable.of(SequenceTable(domain, Flat(items.astype(np.int32), offsets)))


STATIONS = World("stations", 1_210_096, 1_012, 8.4, 1.3, 0.8)
"""Like STM: 1,210,096 sets over 1,012 labels, 4.8 on average."""
PORTAL = World("portal", 500_000, 17, 2.0, 0.9, 0.5)
"""Like a portal's sections: 500,000 sets over 17 labels, 1.8 on average."""
BASKETS = World("baskets", 100_000, 870, 10.0, 0.9, 0.85)
"""Like a shop's baskets: 100,000 sets over 870 labels, 4.8 on average."""
