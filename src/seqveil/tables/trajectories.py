"""TrajectoryTable: where people were and when, with sensitive values each. Raw: only fenced methods hold it, never the wall."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError
from seqveil.tables.flat import Flat


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TrajectoryTable:
    """A trajectory per record, as codes of (location, time) pairs, and for each attribute the code of its value among those that
    are listed as sensitive (-1: none of them).

    Pair codes ascend with time, and the times of a record strictly increase; so a record is an ascending list of codes, and a
    subsequence of a trajectory is simply a subset of its pairs. Pairs are taken from the data, which a differentially private
    method may not do: no vault opens this table.

    >>> trajectories_of([[("a", 1), ("d", 2)], [("d", 2)]], ["HIV", "Flu"], sensitive=["HIV"])
    TrajectoryTable(1 sensitive values)
    """

    kind: ClassVar[str] = "trajectories"

    pairs: Sequence[tuple[str, str]]
    flat: Flat
    sensitive: NDArray[np.int64]
    values: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        items, starts = self.flat.items, self.flat.offsets[:-1]
        if self.sensitive.shape != (len(self.flat), len(self.values)):
            raise CallError(
                "the number of sensitive codes differs from that of records and attributes: give one for each of both."
            )
        if (self.sensitive >= [len(listed) for listed in self.values]).any():
            raise CallError("a sensitive code names no listed value: make tables with trajectories_of.")
        if len(items) and (items.min() < 0 or items.max() >= len(self.pairs)):
            raise CallError("a trajectory has codes that name no pair: make tables with trajectories_of.")
        rises = np.diff(items) > 0
        rises[starts[(starts > 0) & (starts < len(items))] - 1] = True
        if not rises.all():
            raise CallError("the times of a trajectory do not strictly increase: sort its points, and keep one point per time.")

    def __len__(self) -> int:
        return len(self.flat)

    @property
    def codes(self) -> NDArray[np.int64]:
        """Sensitive codes, counted through the values of all attributes; -1 stays -1.

        >>> trajectories_of([[("a", 1)]], [("Flu", "low")], sensitive=[["HIV", "Flu"], ["low"]]).codes.tolist()
        [[1, 2]]
        """
        before = np.cumsum([0, *(len(listed) for listed in self.values)])[:-1]
        return np.where(self.sensitive < 0, -1, self.sensitive + before)

    @property
    def owners(self) -> None:
        """Every record stands for itself."""
        return None

    def take(self, rows: NDArray[np.integer]) -> TrajectoryTable:
        """The chosen records."""
        return TrajectoryTable(self.pairs, self.flat.take(rows), self.sensitive[rows], self.values)

    def keeping(self, alive: NDArray[np.bool_]) -> TrajectoryTable:
        """The same records with only the marked points; records may become empty."""
        kept = np.concatenate([[0], np.cumsum(alive)])[self.flat.offsets]
        return TrajectoryTable(self.pairs, Flat(self.flat.items[alive], kept.astype(np.int64)), self.sensitive, self.values)

    def __repr__(self) -> str:
        return f"TrajectoryTable({sum(map(len, self.values))} sensitive values)"


def trajectories_of(
    paths: Iterable[Iterable[tuple[str, float]]],
    values: Sequence[str] | Sequence[Sequence[str]],
    sensitive: Sequence[str] | Sequence[Sequence[str]],
) -> TrajectoryTable:
    """A table from plain lists of (location, time), for examples and small data.

    `values` has one value per record; or one list per record with a value for each attribute, when `sensitive` has one list of
    values for each attribute.

    >>> table = trajectories_of([[("b", 3), ("c", 7)], [("a", 1), ("b", 3)]], ["Flu", "HIV"], sensitive=["HIV"])
    >>> table.pairs, [path.tolist() for path in table.flat], table.sensitive.tolist()
    ([('a', '1'), ('b', '3'), ('c', '7')], [[1, 2], [0, 1]], [[-1], [0]])
    """
    rows = [list(path) for path in paths]
    if any(earlier[1] >= later[1] for row in rows for earlier, later in pairwise(row)):
        raise CallError("the times of a trajectory do not strictly increase: sort its points, and keep one point per time.")
    points = sorted({point for row in rows for point in row}, key=lambda point: (point[1], point[0]))
    code = {point: i for i, point in enumerate(points)}
    listed = _by_attribute(sensitive)
    given = [(value,) if isinstance(value, str) else tuple(value) for value in values]
    if any(len(one) != len(listed) for one in given):
        raise CallError("a record has more or fewer values than there are sensitive attributes: give one for each attribute.")
    return TrajectoryTable(
        [(place, f"{time:g}") for place, time in points],
        Flat.of([code[point] for point in row] for row in rows),
        np.array(
            [[among.index(v) if v in among else -1 for v, among in zip(one, listed, strict=True)] for one in given], np.int64
        ).reshape(len(given), len(listed)),
        listed,
    )


def _by_attribute(sensitive: Sequence[str] | Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """A plain list of values belongs to the only attribute."""
    plain = [value for value in sensitive if isinstance(value, str)]
    return (tuple(plain),) if len(plain) == len(sensitive) else tuple(tuple(listed) for listed in sensitive)
