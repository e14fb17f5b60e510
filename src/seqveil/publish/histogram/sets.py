"""SetHistogram: labels of sets, or values of attributes of rows and pairs of them, every cell with noise. Asks once per table."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError
from seqveil.parameters import described, unfit
from seqveil.publish.histogram.order import MOST_SCALE, divided, shares_in
from seqveil.release.histogram.cells import reach_of
from seqveil.release.patterns import PatternRelease, PatternTable
from seqveil.surface import parameter
from seqveil.tables.attributes import values_of
from seqveil.tables.domain import Domain
from seqveil.tables.units import Record, Unit, User
from seqveil.wall import GRAINS, ClippedSupports, Plan, Wall

MOST_CELLS = 200_000
"""Cells of all tables together: every one is looked for in every set."""

LABEL = "label"


@dataclass(frozen=True, slots=True)
class SetHistogram:
    """How many sets contain every label; or, of rows, how many have every value of an attribute, or every pair of two values.

    >>> SetHistogram(of="sex,sex*income").name
    'histogram-sets'
    >>> SetHistogram(of="label,sex")
    Traceback (most recent call last):
    seqveil.errors.CallError: of='label,sex': label counts all values of all attributes: give it alone, or leave it out.
    """

    kind: ClassVar[str] = "sets"
    units: ClassVar[tuple[type[Unit], ...]] = (Record, User)
    version: ClassVar[str] = "1"
    paper: ClassVar[str] = "Dwork, McSherry, Nissim, Smith, TCC 2006"
    name: ClassVar[str] = "histogram-sets"

    of: str = described(
        LABEL, "Tables, separated by commas: label (all labels); of rows also attributes (sex) and pairs of them (sex*income)."
    )
    shares: str | None = described(
        None, "How ε is divided over the tables, in the same order, e.g. 2,1. Default: the same for each."
    )
    l_max: int = described(10, "For label: a set counts for at most this many of its labels, and noise grows with it.")

    def __post_init__(self) -> None:
        tables = self._tables()
        if LABEL in tables and len(tables) > 1:
            raise unfit("label counts all values of all attributes: give it alone, or leave it out.", of=self.of)
        shares_in(self.shares, len(tables))
        if not isinstance(self.l_max, int) or isinstance(self.l_max, bool) or not 1 <= self.l_max <= 1_000:
            raise unfit("give a whole number from 1 to 1,000; 10 is usual.", l_max=self.l_max)

    def _tables(self) -> list[str]:
        words = [word.strip() for word in self.of.split(",")] if isinstance(self.of, str) else []
        halves = [frozenset(part.strip() for part in word.split("*")) for word in words]
        if not words or "" in words or len(set(halves)) < len(words):
            raise unfit("give each table once, separated by commas: label, or attributes such as sex,sex*income.", of=self.of)
        return words

    def parameters(self) -> dict[str, Any]:
        """The public parameters, ready for a manifest."""
        return asdict(self)

    def precheck(self, epsilon: int, domain: Domain, unit: Unit) -> None:
        """Refuse what cannot be counted before anything is spent: unknown attributes, too many cells, too little ε."""
        tables = [(table, self._axes(table, domain)) for table in self._tables()]
        cells = sum(math.prod(map(len, axes)) for _, axes in tables)
        if cells > MOST_CELLS:
            raise CallError(
                f"{parameter('of', self.of)}: {cells:,} cells over this domain; a histogram of sets has at most {MOST_CELLS:,}. "
                "Give fewer tables, or group labels."
            )
        for table, question, paid in self._ordered(epsilon, domain):
            if question.influence(unit) * GRAINS > MOST_SCALE * paid:
                raise CallError(
                    f"{parameter('of', self.of)}: the part of ε that {table} gets is so small that noise would hide any data: "
                    "give more ε, fewer tables, or other shares."
                )

    def plan(self, epsilon: int, domain: Domain, unit: Unit, records: int | None = None) -> Plan:
        """A stage per table, and the error bar of its cells, which is known beforehand."""
        self.precheck(epsilon, domain, unit)
        stages: list[tuple[str, int, str]] = []
        predictions = []
        for table, question, paid in self._ordered(epsilon, domain):
            z = reach_of(question.influence(unit) * GRAINS / paid, 1)
            stages.append((table, paid, f"{len(question.patterns):,} cells"))
            predictions.append(f"{table}: every cell within ±{z:,} (95 %)")
        return Plan(stages, predictions)

    def run(self, wall: Wall) -> PatternRelease:
        """Ask for every table; what was drawn is the release, the largest counts first."""
        patterns: list[tuple[int, ...]] = []
        noisy, scales = [], []
        for table, question, paid in self._ordered(wall.epsilon, wall.domain):
            with wall.stage(table):
                answers = wall.ask(question, paid)
            patterns += map(tuple, question.patterns.tolist())
            noisy.append(answers)
            scales.append(np.full(len(answers), question.influence(wall.unit) * GRAINS / paid))
        counts, scale = np.concatenate(noisy), np.concatenate(scales)
        order = np.argsort(-counts, kind="stable")
        listed = PatternTable.of([patterns[at] for at in order.tolist()], counts[order], scale[order])
        most = f", each counted for at most {self.l_max:,} labels" if self.of.strip() == LABEL else ""
        return PatternRelease(wall.domain, patterns=listed, kind="itemset", about=f"records that contain all of the labels{most}")

    def _ordered(self, epsilon: int, domain: Domain) -> Iterator[tuple[str, ClippedSupports, int]]:
        """Every table with its question and its ε."""
        tables = self._tables()
        for table, paid in zip(tables, divided(epsilon, shares_in(self.shares, len(tables))), strict=True):
            patterns = _crossed(self._axes(table, domain))
            if table == LABEL:
                yield table, ClippedSupports(patterns, min(self.l_max, len(patterns)), fair=True), paid
            else:
                yield table, ClippedSupports(patterns, 1), paid

    def _axes(self, table: str, domain: Domain) -> list[NDArray[np.int64]]:
        """The codes along each axis of a table."""
        if table == LABEL:
            return [np.arange(len(domain))]
        values = values_of(domain)
        parts = [part.strip() for part in table.split("*")]
        if not 1 <= len(parts) <= 2 or any(part not in values for part in parts) or len(set(parts)) < len(parts):
            names = list(values)
            some = ", ".join(names[:5]) or "none"
            raise CallError(
                f"{parameter('of', self.of)}: {table} is not an attribute of this domain or a pair of two: its attributes are "
                f"{some}{', …' if names[5:] else ''}; labels of attributes are written attribute=value."
            )
        return [np.array(values[part], np.int64) for part in parts]


def _crossed(axes: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Every cell as a row of codes, ascending, as sets are held.

    >>> _crossed([np.array([4, 5]), np.array([1])]).tolist()
    [[1, 4], [1, 5]]
    """
    return np.sort(np.array(list(product(*(axis.tolist() for axis in axes))), np.int64), axis=1)
