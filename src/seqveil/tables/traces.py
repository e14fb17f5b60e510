"""Traces: trips as points in a plane, and the cells of a grid over a declared box. Points may be longitude and latitude.

The box is public: it is declared, and never taken from the points.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError
from seqveil.tables.flat import Flat

Points = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Box:
    """A declared rectangle, by its lowest and highest x and y.

    >>> Box(0, 0, 3, 2).width
    3
    >>> Box(0, 0, 0, 2)
    Traceback (most recent call last):
    seqveil.errors.CallError: a box goes from west, south to east, north: Box(0, 0, 0, 2) is empty.
    """

    west: float
    south: float
    east: float
    north: float

    def __post_init__(self) -> None:
        if not (self.west < self.east and self.south < self.north):
            given = f"Box({self.west}, {self.south}, {self.east}, {self.north})"
            raise CallError(f"a box goes from west, south to east, north: {given} is empty.")

    @property
    def width(self) -> float:
        return self.east - self.west

    @property
    def height(self) -> float:
        return self.north - self.south

    def cells(self, points: Points, rows: int, columns: int) -> NDArray[np.int32]:
        """The cell of every point, row by row from the south-west; points outside of the box are in the nearest cell.

        >>> Box(0, 0, 3, 2).cells(np.array([[0.5, 0.5], [2.5, 1.5], [9.0, 0.0]]), rows=2, columns=3).tolist()
        [0, 5, 2]
        """
        column = np.floor((points[:, 0] - self.west) / self.width * columns)
        row = np.floor((points[:, 1] - self.south) / self.height * rows)
        at = np.clip(row, 0, rows - 1) * columns + np.clip(column, 0, columns - 1)
        return np.asarray(at, np.int32)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Traces:
    """Trips of points: those of trip k are `points[offsets[k]:offsets[k + 1]]`, two numbers each (x, y)."""

    points: Points
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, trips: Iterable[Sequence[tuple[float, float]]]) -> Traces:
        """From lists of points.

        >>> Traces.of([[(0, 0), (1, 2)], [(3, 4)]]).offsets.tolist()
        [0, 2, 3]
        """
        rows = [np.asarray(trip, np.float64).reshape(-1, 2) for trip in trips]
        offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
        return cls(np.concatenate([np.zeros((0, 2)), *rows]), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        return "Traces(…)"

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many points every trip has."""
        return np.diff(self.offsets)

    @property
    def trip(self) -> NDArray[np.int64]:
        """The trip of every point."""
        return np.repeat(np.arange(len(self), dtype=np.int64), self.lengths)

    def on(self, box: Box, rows: int, columns: int) -> Flat:
        """The trips as sequences of cells."""
        return Flat(box.cells(self.points, rows, columns), self.offsets)
