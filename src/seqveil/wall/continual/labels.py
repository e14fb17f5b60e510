"""Counts per label: how many events have each label of a public list.

An event has one label, or none of them. Replacing it takes 1 from one count and gives 1 to another: the L1 distance between the
counts of any stretch is at most **2**, whatever the number of labels, and the L2 distance at most √2. (1 would do only if an
event could merely vanish.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from seqveil.engines.protocol import Exact, StreamEngine
from seqveil.errors import CallError
from seqveil.surface import parameter
from seqveil.wall.continual.statistics import Events
from seqveil.wall.continual.where import compared, text_of

MOST_LABELS = 1000
"""Every answer draws once per label, and a batch of answers must fit in one entry of the journal."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How many events have each label; events with another label, or none, are null and count nowhere.

    >>> Counts(("home", "5")).numbers(["home", 5.0, "work", None]).tolist()
    [0.0, 1.0, nan, nan]
    >>> Counts(("a", "b")).steps(np.array([1.0, np.nan])).tolist()
    [[0, 1], [0, 0]]
    """

    name: ClassVar[str] = "counts"
    by: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "by", tuple(self.by))  # a state file has a list
        named, example = parameter("by"), parameter("by", "home,work,shop")
        if not all(isinstance(label, str) and label and label.isprintable() for label in self.by):
            raise CallError(f"{named}: labels are printable text that is not empty, for example {example}.")
        if not 1 <= len(self.by) <= MOST_LABELS:
            raise CallError(f"{named}: {len(self.by):,} labels given; give from 1 to {MOST_LABELS:,}, for example {example}.")
        if len(self._codes) < len(self.by):
            raise CallError(f"{named}: two labels are the same (numbers are compared as numbers); give each label once.")

    @property
    def _codes(self) -> dict[float | str, int]:
        return {compared(label, label): code for code, label in enumerate(self.by)}

    @property
    def values(self) -> int:
        return len(self.by)

    @property
    def sensitivity(self) -> int:
        return 2

    @property
    def square(self) -> int:
        return 2

    @property
    def shortest(self) -> int:
        return 1

    def describe(self) -> dict[str, Any]:
        return {"statistic": self.name, "by": list(self.by)}

    def numbers(self, events: Sequence[object]) -> NDArray[np.float64]:
        codes = self._codes
        texts = [(event, text_of(event)) for event in events]
        return np.array(
            [np.nan if text is None else codes.get(compared(event, text), np.nan) for event, text in texts], np.float64
        )

    def steps(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        return np.asarray(values[:, np.newaxis] == np.arange(len(self.by)), np.int64)

    def bounds(self, events: Events) -> tuple[Events, Events]:
        return events * 0, events

    def shown(self, values: list[int]) -> list[Any]:
        return values

    def prefix(self, engine: StreamEngine) -> Exact:
        raise self._refused()

    def window(self, engine: StreamEngine, width: int) -> Exact:
        raise self._refused()

    def blocks(self, engine: StreamEngine, levels: int, every: bool) -> Exact:
        raise self._refused()

    def _refused(self) -> CallError:
        return CallError(f"counts per label need {parameter('method', 'blocks')} without a window: leave both out.")
