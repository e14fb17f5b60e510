"""GridTrips: publish trips over a grid of cells, and trips drawn from a model of them (docs/mechanisms/grid-trips.md).

Raw data is touched by `wall.ask` only; everything else is post-processing.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from seqveil.errors import CallError
from seqveil.models.gridtrips.draw import drawn
from seqveil.models.gridtrips.fit import fitted
from seqveil.models.gridtrips.grid import Grid
from seqveil.models.records.denoise import denoised
from seqveil.parameters import described, unfit
from seqveil.publish.gridtrips.asking import BLOCKS, Noisy, asked, coded, divided, questions
from seqveil.publish.gridtrips.estimates import evidence, number
from seqveil.publish.records.room import room
from seqveil.release.model import Counted, RecordRelease, SequenceCounts
from seqveil.surface import parameter
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.units import Record, Unit, User
from seqveil.wall import GRAINS, Plan, Wall

MOST_LENGTH, MOST_CELLS = 200, 2_500
"""Longest trips, and most cells: together they bound what a fit keeps to about 1 GB."""

MOST_DRAWN = 30_000_000
"""Items that are drawn at most. With very little ε noise alone asks for more."""

LEAST = 0.5
"""Rows with a smaller count are left out: the release estimates them from its records."""


@dataclass(frozen=True, slots=True)
class GridTrips:
    """Trips over a grid: ends, lengths and steps between neighbouring blocks are measured, and trips drawn that meet them.

    >>> GridTrips(columns=30).name
    'grid-trips'
    >>> GridTrips(l_max=0)
    Traceback (most recent call last):
    seqveil.errors.CallError: l_max=0: give a whole number from 1 to 200.
    """

    kind: ClassVar[str] = "sequences"
    units: ClassVar[tuple[type[Unit], ...]] = (Record, User)
    version: ClassVar[str] = "1"
    paper: ClassVar[str] = ""
    name: ClassVar[str] = "grid-trips"

    columns: int | None = described(
        None, "Cells in a row of the grid: labels are its cells, row by row. Default: a grid as near to a square as can be."
    )
    l_max: int = described(60, "Records are cut to this many items.")

    def __post_init__(self) -> None:
        if self.columns is not None and not _whole(self.columns, MOST_CELLS):
            raise unfit(f"a row of the grid has from 1 to {MOST_CELLS:,} cells.", columns=self.columns)
        if not _whole(self.l_max, MOST_LENGTH):
            raise unfit(f"give a whole number from 1 to {MOST_LENGTH:,}.", l_max=self.l_max)

    def parameters(self) -> dict[str, Any]:
        """The public parameters, ready for a manifest."""
        return asdict(self)

    def grid(self, domain: Domain) -> Grid:
        """The labels as a grid."""
        return Grid.square(len(domain)) if self.columns is None else Grid(len(domain), self.columns)

    def precheck(self, epsilon: int, domain: Domain, unit: Unit) -> None:
        """Refuse labels that are no grid of cells, grids that are too large, and too little ε, before anything is spent."""
        if domain.calendar is not None:
            raise CallError(
                f"grid-trips takes places without times: leave out {parameter('time_bins')}, or use the method record-model."
            )
        if len(domain) > MOST_CELLS:
            raise CallError(
                f"the domain has {len(domain):,} cells; grid-trips takes at most {MOST_CELLS:,}: use larger cells, or the method "
                "record-model."
            )
        grid = self.grid(domain)
        if epsilon < 100 * len(questions(grid, self.l_max)):
            raise CallError("this ε is too small to be divided over the questions of grid-trips: give more ε.")

    def plan(self, epsilon: int, domain: Domain, unit: Unit, records: int | None = None) -> Plan:
        """The stages, their ε and their noise."""
        self.precheck(epsilon, domain, unit)
        grid = self.grid(domain)
        asking = questions(grid, self.l_max)
        stages, predictions = [], [f"the labels are taken as a grid of {grid.rows:,} rows of {grid.columns:,} cells"]
        scales = {}
        for stage, paid in divided(epsilon, asking).items():
            slots, influence = asking[stage].slots(len(domain)), asking[stage].influence(unit)
            scales[stage] = influence * GRAINS / paid
            stages.append((stage, paid, f"{slots:,} counts; a unit moves {influence:,}"))
            predictions.append(f"{stage}: a count has a standard deviation of {2**0.5 * scales[stage]:,.1f}")
        cells, warnings = coded(grid, BLOCKS).size ** 2, []
        if records is not None and records < cells * scales["trips between blocks"] / 2:
            warnings.append(
                f"{records:,} trips are few for this ε: most pairs of blocks have fewer trips than noise. Where trips begin and "
                "end together will hardly be seen. Use more ε."
            )
        return Plan(stages, predictions, warnings)

    def run(self, wall: Wall) -> RecordRelease:
        """Ask, fit, draw."""
        wall.cut(self.l_max)
        grid = self.grid(wall.domain)
        answers = asked(wall, grid, self.l_max)
        trips = number(answers)
        with wall.stage("synthesis"):
            records = Flat.of([])
            if trips >= 1.0:
                law = fitted(evidence(grid, answers, trips), trips / answers["trips between blocks"].scale)
                items = float((law.expected.sum(axis=(1, 2)) * np.arange(1, self.l_max + 1)).sum())
                records = drawn(law, min(1.0, min(MOST_DRAWN, room(wall.domain)) / max(items, 1.0)))
        none = SequenceCounts.of([], Counted.of([]))
        return RecordRelease(
            wall.domain,
            grams=none,
            firsts=_table(answers["first cells"], trips),
            lasts=_table(answers["last cells"], trips),
            trips=none,
            lengths=_counted(answers["lengths"], trips),
            synthetic=records,
            l_max=self.l_max,
            n_max=1,
        )


def _counted(noisy: Noisy, trips: float) -> Counted:
    """Noisy counts, and what they most likely are."""
    even = np.full(len(noisy.answer), trips / len(noisy.answer))
    return Counted.of(denoised(noisy.answer, even, noisy.scale, total=trips)[0], noisy.answer, [noisy.scale])


def _table(noisy: Noisy, trips: float) -> SequenceCounts:
    counted = _counted(noisy, trips)
    rows = np.flatnonzero(counted.count >= LEAST)
    return SequenceCounts.blocks([(rows[:, None], counted.take(rows))])


def _whole(value: object, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most
