"""What is asked about trips over a grid, and with which share of ε. All of it follows from public parameters."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.models.gridtrips.grid import Grid
from seqveil.wall import GRAINS, Alphabet, Firsts, Lasts, Lengths, Steps, Trips, Wall

BLOCKS, FLOWS = 6, 15
"""Parts of each side of the grid: for trips between blocks and coarse steps, and for fine steps."""

CROSSINGS = Fraction(5, 3)
"""Of a trip as many steps from block to block count as a grid has blocks on a side, times this."""

SHARES = {
    "number of trips": 2,
    "lengths": 5,
    "first cells": 8,
    "last cells": 8,
    "moves": 2,
    "trips between blocks": 30,
    "steps between blocks": 30,
    "steps between small blocks": 15,
}
"""Shares of ε, in parts. The parts of what a small grid has no question for go to trips between blocks."""


@dataclass(frozen=True, eq=False)
class Noisy:
    """Noisy counts, each with independent discrete Laplace noise of this scale."""

    answer: NDArray[np.int64]
    scale: float

    @property
    def variance(self) -> float:
        return 2 * self.scale**2


def questions(grid: Grid, l_max: int) -> dict[str, Any]:
    """A question for every stage."""
    cells, block = Alphabet.identity(grid.labels), coded(grid, BLOCKS)
    asked: dict[str, Any] = {
        "number of trips": Firsts(Alphabet(np.zeros(grid.labels, np.int32), 1)),
        "lengths": Lengths(l_max),
        "first cells": Firsts(cells),
        "last cells": Lasts(cells),
        "trips between blocks": Trips(block),
    }
    if l_max > 1 and grid.labels > 1:
        asked["moves"] = Steps(cells, grid.moves.listed(cells.codes, within=True), 1, "first moves")
        for stage, side in flows(grid):
            codes = coded(grid, side)
            most = min(max(ceil(CROSSINGS * side), 1), l_max - 1)
            asked[stage] = Steps(codes, grid.moves.listed(codes.codes, within=False), most, stage)
    return asked


def flows(grid: Grid) -> list[tuple[str, int]]:
    """The stages about steps between blocks, and how many blocks a side has: only those that differ on this grid."""
    longest = max(grid.rows, grid.columns)
    stages = [("steps between blocks", min(BLOCKS, longest))]
    return stages if longest <= BLOCKS else [*stages, ("steps between small blocks", min(FLOWS, longest))]


def coded(grid: Grid, side: int) -> Alphabet:
    """Every cell as its block."""
    codes = grid.blocks(side)
    return Alphabet(codes, int(codes.max()) + 1)


def divided(epsilon: int, stages: dict[str, Any]) -> dict[str, int]:
    """Grains for every stage; together they are all of ε.

    >>> divided(1000, questions(Grid(1, 1), 5))
    {'number of trips': 20, 'lengths': 50, 'first cells': 80, 'last cells': 80, 'trips between blocks': 770}
    """
    paid = {stage: max(epsilon * SHARES[stage] // 100, 1) for stage in stages if stage != "trips between blocks"}
    return {stage: paid.get(stage, epsilon - sum(paid.values())) for stage in stages}


def asked(wall: Wall, grid: Grid, l_max: int) -> dict[str, Noisy]:
    """All answers."""
    stages = questions(grid, l_max)
    answers = {}
    for stage, grains in divided(wall.epsilon, stages).items():
        with wall.stage(stage):
            scale = float(stages[stage].influence(wall.unit)) * GRAINS / grains
            answers[stage] = Noisy(wall.ask(stages[stage], grains), scale)
    return answers
