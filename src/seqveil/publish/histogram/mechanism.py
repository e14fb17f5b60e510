"""Histogram: a noisy count for every cell of small tables (docs/mechanisms/histogram.md). Asks `wall.ask` once per table."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from seqveil.errors import CallError
from seqveil.parameters import described, unfit
from seqveil.publish.histogram.order import divided, shares_in, tables_in, too_wide, width
from seqveil.release.histogram import Cells, HistogramRelease
from seqveil.release.histogram.axes import Table, shape_of
from seqveil.release.histogram.cells import reach_of
from seqveil.surface import parameter
from seqveil.tables.domain import Domain
from seqveil.tables.units import Record, Unit, User
from seqveil.wall import Alphabet, Firsts, Labels, Lasts, Lengths, Measure, Plan, Trips, Wall

MOST_CELLS = 4_000_000
"""Cells of all tables together: pairs of 2,000 labels. Every one is drawn and written down, whatever the data."""

MOST_LENGTH = 1_000

ABOUT: dict[Table, str] = {
    "first": "records by their first label",
    "last": "records by their last label",
    "od": "records by their first and last label",
    "label": "occurrences of every label",
    "length": "records by their number of items",
    "hour": "records by the time bin of their first item",
}


@dataclass(frozen=True, slots=True)
class Histogram:
    """Tables of which every cell has noise and an error bar; nothing is left out, and nothing is modelled.

    >>> Histogram(of="od").name
    'histogram'
    >>> Histogram(l_max=0)
    Traceback (most recent call last):
    seqveil.errors.CallError: l_max=0: give a whole number from 1 to 1,000; 20 is usual.
    """

    kind: ClassVar[str] = "sequences"
    units: ClassVar[tuple[type[Unit], ...]] = (Record, User)
    measures: ClassVar[tuple[Measure, ...]] = ("pure", "zcdp")
    version: ClassVar[str] = "1"
    paper: ClassVar[str] = "Dwork, McSherry, Nissim, Smith, TCC 2006"
    name: ClassVar[str] = "histogram"

    of: str = described(
        "first,last,length",
        "Tables, separated by commas: first, last, od (first and last label), label (occurrences), length, hour (time bin of the "
        "first item).",
    )
    shares: str | None = described(
        None, "How ε (ρ with a delta) is divided over the tables, in the same order, e.g. 2,1,1. Default: the same for each."
    )
    l_max: int = described(
        20,
        "Longest length that is told apart. For label, records are cut to this many items and noise grows with it.",
    )

    def __post_init__(self) -> None:
        shares_in(self.shares, len(tables_in(self.of)))
        if not isinstance(self.l_max, int) or isinstance(self.l_max, bool) or not 1 <= self.l_max <= MOST_LENGTH:
            raise unfit(f"give a whole number from 1 to {MOST_LENGTH:,}; 20 is usual.", l_max=self.l_max)

    def parameters(self) -> dict[str, Any]:
        """The public parameters, ready for a manifest."""
        return asdict(self)

    def precheck(self, epsilon: int, domain: Domain, unit: Unit, measure: Measure = "pure") -> None:
        """Refuse what cannot be counted before anything is spent: too many cells, bins without times, too little ε."""
        tables = tables_in(self.of)
        if "hour" in tables and domain.calendar is None:
            raise CallError(
                f"{parameter('of', self.of)}: the labels have no times to count by: add {parameter('time_bins', '60m')} and the "
                "column of times, or leave out hour."
            )
        cells = {table: math.prod(shape_of(table, domain, self.l_max)) for table in tables}
        if sum(cells.values()) > MOST_CELLS:
            most = max(cells, key=lambda table: cells[table])
            raise CallError(
                f"{parameter('of', self.of)}: {most} has {cells[most]:,} cells over this domain; a histogram has at most "
                f"{MOST_CELLS:,} in all. Leave {most} out, group labels, or use the method record-model, which asks only where "
                "records are."
            )
        for table, question, paid in self._ordered(epsilon, domain):
            if too_wide(question, unit, paid, measure):
                raise CallError(
                    f"{parameter('of', self.of)}: the part of ε that {table} gets is so small that noise would hide any data: "
                    "give more ε, fewer tables, or other shares."
                )

    def plan(self, epsilon: int, domain: Domain, unit: Unit, records: int | None = None, measure: Measure = "pure") -> Plan:
        """A stage per table, and the error bar of its cells, which is known beforehand."""
        self.precheck(epsilon, domain, unit, measure)
        gaussian = measure == "zcdp"
        stages: list[tuple[str, int, str]] = []
        predictions, warnings = [], []
        for table, question, paid in self._ordered(epsilon, domain):
            cells, scale = math.prod(shape_of(table, domain, self.l_max)), width(question, unit, paid, measure)
            z = reach_of(scale, 1, gaussian)
            stages.append((table, paid, f"{ABOUT[table]}: {cells:,} cells"))
            largest = f"; the largest of all {cells:,} noises ±{_furthest(scale, cells, gaussian):,}" if cells > 1 else ""
            predictions.append(f"{table}: every cell within ±{z:,} (95 %){largest}")
            if records is not None and records < z * cells and table != "label":
                warnings.append(
                    f"{table}: {records:,} records over {cells:,} cells are fewer per cell than the error bar of ±{z:,}: only "
                    "cells well above it, and sums of cells, will say something. Use more ε, or group labels."
                )
        return Plan(stages, predictions, warnings)

    def run(self, wall: Wall) -> HistogramRelease:
        """Ask for every table; what was drawn is the release."""
        cells: dict[Table, Cells] = {}
        for table, question, paid in self._ordered(wall.epsilon, wall.domain):
            with wall.stage(table):
                noisy = wall.ask(question, paid)
            scale = width(question, wall.unit, paid, wall.measure)
            cells[table] = Cells(noisy.reshape(shape_of(table, wall.domain, self.l_max)), scale, wall.measure == "zcdp")
        return HistogramRelease(wall.domain, cells=cells, l_max=self.l_max)

    def _ordered(self, epsilon: int, domain: Domain) -> Iterator[tuple[Table, Any, int]]:
        """Every table with its question and its ε."""
        tables = tables_in(self.of)
        for table, paid in zip(tables, divided(epsilon, shares_in(self.shares, len(tables))), strict=True):
            yield table, self._question(table, domain), paid

    def _question(self, table: Table, domain: Domain) -> Any:
        if table == "length":
            return Lengths(self.l_max)
        if table == "label":
            return Labels(self.l_max, Alphabet.identity(len(domain)))
        if table == "hour":
            return Firsts(_coded(domain, by_place=False))
        if table == "od":
            return Trips(_coded(domain, by_place=True))
        return {"first": Firsts, "last": Lasts}[table](Alphabet.identity(len(domain)))


def _coded(domain: Domain, by_place: bool) -> Alphabet:
    """Labels of a timed domain by their place, or by their time bin; a label without a time is its own place."""
    bins = 1 if domain.calendar is None else len(domain.calendar)
    place, time = np.divmod(np.arange(len(domain), dtype=np.int32), np.int32(bins))
    return Alphabet(place, len(domain.untimed)) if by_place else Alphabet(time, bins)


def _furthest(scale: float, cells: int, gaussian: bool) -> int:
    """A bound that all noises of so many cells stay within, with probability 95 % or more: each has its part of the 5 %.

    Discrete Gaussian noise is beyond ±t with a probability of at most 2·exp(−t²/2σ²) [Canonne 2020, Corollary 9].
    """
    if gaussian:
        return math.ceil(scale * math.sqrt(2 * math.log(2 * cells / 0.05)))
    return math.ceil(scale * math.log(cells / 0.05))
