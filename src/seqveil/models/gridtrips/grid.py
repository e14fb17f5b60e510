"""A grid: labels are cells, row by row. Blocks of cells, and the moves from a cell to those near it. All of it is public."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from seqveil.models.gridtrips.messages import DIRECTIONS

Codes = NDArray[np.int32]

REACH = 2
"""A move leads to a cell at most so many rows and columns away."""


@dataclass(frozen=True)
class Grid:
    """`labels` cells in rows of `columns`; the last row may have fewer."""

    labels: int
    columns: int

    @classmethod
    def square(cls, labels: int) -> Grid:
        """As near to a square as that many cells can be.

        >>> Grid.square(900).columns, Grid.square(5).columns
        (30, 3)
        """
        return cls(labels, isqrt(max(labels - 1, 0)) + 1)

    @property
    def rows(self) -> int:
        return -(-self.labels // self.columns)

    @cached_property
    def place(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Row and column of every cell."""
        row, column = np.divmod(np.arange(self.labels, dtype=np.int64), self.columns)
        return row, column

    def blocks(self, side: int) -> Codes:
        """The block of every cell, if every side of the grid is divided into so many parts, or as many as it has cells.

        >>> Grid(6, 3).blocks(2).tolist()
        [0, 0, 1, 2, 2, 3]
        """
        row, column = self.place
        down, across = min(side, self.rows), min(side, self.columns)
        block = (row * down // max(self.rows, 1)) * across + column * across // self.columns
        return np.asarray(np.unique(block, return_inverse=True)[1], np.int32)

    @cached_property
    def moves(self) -> Moves:
        """All moves there are on a grid of this size, the one that stays among them."""
        row, column = self.place
        span = range(-REACH, REACH + 1)
        steps = [(0, 0), *((dy, dx) for dy in span for dx in span if (dy, dx) != (0, 0))]
        leads, kept = [], []
        for dy, dx in steps:
            to = (row + dy) * self.columns + column + dx
            there = (row + dy >= 0) & (column + dx >= 0) & (column + dx < self.columns) & (to < self.labels)
            if there.any():
                leads.append(np.where(there, to, -1))
                kept.append((dy, dx))
        steps_kept = np.array(kept, np.int64).reshape(-1, 2)
        return Moves(np.stack(leads, axis=1), steps_kept)


@dataclass(frozen=True, eq=False)
class Moves:
    """`cell[x, k]` is where move k leads from cell x, -1 where it leaves the grid; `step[k]` are its rows and columns.

    Move 0 stays in the cell.
    """

    cell: NDArray[np.int64]
    step: NDArray[np.int64]

    @property
    def direction(self) -> NDArray[np.int64]:
        """The nearest of eight directions of every move; that of move 0 means nothing."""
        turns = np.arctan2(self.step[:, 0], self.step[:, 1]) / (2 * np.pi) * DIRECTIONS
        return np.rint(turns).astype(np.int64) % DIRECTIONS

    def taken(self, which: NDArray[np.bool_]) -> Moves:
        """Some of the moves; the one that stays is always among them."""
        which = which.copy()
        which[0] = True
        return Moves(np.ascontiguousarray(self.cell[:, which]), self.step[which])

    def listed(self, codes: Codes, within: bool) -> Codes:
        """A table of codes × codes: which steps are asked about, and in which slot.

        `within`: every pair of cells that a move joins, all pairs of one move in one slot. Otherwise: every pair of different
        codes that some move joins, each in a slot of its own.
        """
        size = int(codes.max(initial=0)) + 1
        table = np.full((size, size), -1, np.int32)
        origin, move = np.nonzero(self.cell >= 0)
        pairs = codes[origin], codes[self.cell[origin, move]]
        if within:
            table[pairs] = move
            return table
        apart = pairs[0] != pairs[1]
        table[pairs[0][apart], pairs[1][apart]] = 0
        table[table == 0] = np.arange(int((table == 0).sum()), dtype=np.int32)
        return table
