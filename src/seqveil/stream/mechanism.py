"""The methods of a stream: which stretches each one asks the wall for, and how it combines the released values.

| method      | asks for                                  | noise scale · ε / Δ     | answer                       |
|-------------|-------------------------------------------|-------------------------|------------------------------|
| blocks      | blocks by digits (with a window: of k^j)  | d (⌊log_k W⌋+1)         | the sum of a prefix's blocks |
| baseline    | every prefix                              | T                       | the newest value             |
| binary      | dyadic blocks (with a window: at most W)  | ⌊log2 T⌋+1 (⌊log2 W⌋+1) | the sum of a prefix's blocks |
| window      | the last W events, every time             | W                       | the newest value             |
| checkpoints | R prefixes                                | R                       | the newest value, grown      |
| hierarchy   | layers (lis only, experiments only)       | T·m·b                   | the sum of the layers        |
| sqrt        | weighted prefixes (counts and sums only)  | Gaussian: needs δ       | the weights are undone       |

`blocks` is not for `lis`, and with a window for counts and sums only. Prefixes, windows and blocks that are too short for the
statistic do not count in the noise (see `Stretches.touched`). Where the unit is more than one event, the noise is that many
times as large.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np

from seqveil.errors import CallError
from seqveil.stream.answers import Combiner
from seqveil.stream.block_sums import BlockSums
from seqveil.stream.growing import POWERS, Growing
from seqveil.stream.held import Held
from seqveil.stream.layer_sums import LayerSums
from seqveil.stream.prefix_sums import PrefixSums
from seqveil.stream.root_sums import RootSums
from seqveil.stream.stream import Stream
from seqveil.stream.window_sums import WindowSums
from seqveil.surface import parameter
from seqveil.tables.units import Event, Run, Unit, UserDay
from seqveil.wall import Measure
from seqveil.wall.continual import (
    MOST_ANSWERS,
    MOST_EVENTS,
    OPEN_OVERLAP,
    SPACINGS,
    Blocks,
    Bursts,
    Checkpoints,
    Continual,
    ContinualQuestion,
    Count,
    Counts,
    LayerCounts,
    Lis,
    Matches,
    Packing,
    PrefixBlocks,
    Prefixes,
    Promise,
    SquareRoot,
    Statistic,
    Stretches,
    Sum,
    WindowBlocks,
    Windows,
    adds_up,
    best_arity,
    best_overlap,
)

TAKES = {
    "blocks": {"window": False, "overlap": False, "arity": False, "every": False},
    "baseline": {},
    "binary": {"window": False},
    "window": {"window": True},
    "checkpoints": {"checkpoints": True, "spacing": False, "between": False},
    "hierarchy": {"buckets": True},
    "sqrt": {"every": False},
}
"""The parameters that each method takes beside the length, and whether it needs them."""

STATISTICS: dict[str, Any] = {one.name: one for one in (Lis, Count, Counts, Sum, Matches, Bursts)}
"""What can be computed over a stream, by name."""

_EXAMPLES = {"window": 1000, "checkpoints": 12, "buckets": 16, "overlap": 4, "arity": 8, "every": 100}
_UNITS = {"consecutive": 24, "max_per_day": 5}
_CHOICES = {"spacing": SPACINGS, "between": tuple(POWERS)}


@dataclass(frozen=True, slots=True)
class StreamMethod:
    """A statistic, a method and its public parameters.

    >>> StreamMethod(Lis(), "binary", 1_000_000).question.stretches.influence(Lis())
    20
    >>> StreamMethod(Lis(), "window", 1000)
    Traceback (most recent call last):
    seqveil.errors.CallError: method=window needs window, for example window=1000.
    """

    kind: ClassVar[str] = "events"
    units: ClassVar[tuple[type[Unit], ...]] = (Event, Run, UserDay)
    measures: ClassVar[tuple[Measure, ...]] = ("pure", "zcdp")

    version: ClassVar[str] = "2"
    paper: ClassVar[str] = (
        "Bonomi, Xiong, EDBT/ICDT workshops 2015; Chan, Shi, Song, TISSEC 2011; Andersson, Pagh, NeurIPS 2023; "
        "Fichtenberger, Henzinger, Upadhyay, ICML 2023"
    )

    statistic: Statistic = field(metadata={"help": "What is computed: lis, count, counts (per label), sum, matches or bursts."})
    method: str = field(metadata={"help": "Which segments of the stream are measured, and how answers are computed from them."})
    length: int | None = field(
        default=None, metadata={"help": "T: maximum number of events in the stream; public. Not needed for blocks and windows."}
    )
    window: int | None = field(default=None, metadata={"help": "W: answer for the last W events; method window needs it."})
    checkpoints: int | None = field(default=None, metadata={"help": "R: number of answers; method checkpoints needs it."})
    buckets: int | None = field(default=None, metadata={"help": "Buckets per layer (b); method hierarchy needs it."})
    spacing: str | None = field(default=None, metadata={"help": "Spacing of checkpoints: even or quadratic (denser at first)."})
    between: str | None = field(
        default=None, metadata={"help": "Answers between checkpoints: hold the last value, or let it grow: root (√t) or linear."}
    )

    overlap: int | None = field(
        default=None, metadata={"help": "Blocks that one event lies in, at most (d); chosen from the length if left out."}
    )
    arity: int | None = field(
        default=None, metadata={"help": "Blocks of a window have 1, k, k², … events; k is chosen from the window if left out."}
    )
    every: int | None = field(default=None, metadata={"help": "Answer after every so many events only; less noise."})
    consecutive: int | None = field(default=None, metadata={"help": "Unit of privacy: any run of so many consecutive events."})
    max_per_day: int | None = field(
        default=None, metadata={"help": "Unit of privacy: one user on one day, of whose events so many are used."}
    )

    def __post_init__(self) -> None:
        if self.method not in TAKES:
            raise CallError(f"{parameter('method', repr(self.method))}: choose one of {', '.join(TAKES)}.")
        self._check_fitting()
        if self.length is not None or not self._endless:
            _whole("length", self.length, None)
        for name in (*_EXAMPLES, *_CHOICES):
            value = getattr(self, name)
            if value is None and TAKES[self.method].get(name):
                needed = f"{parameter(name)}, for example {parameter(name, str(_EXAMPLES[name]))}"
                raise CallError(f"{parameter('method', self.method)} needs {needed}.")
            if value is not None and name not in TAKES[self.method]:
                raise CallError(f"{parameter('method', self.method)} takes no {parameter(name)}: leave it out{_instead(name)}.")
            if value is not None and name in _CHOICES and value not in _CHOICES[name]:
                raise CallError(f"{parameter(name, repr(value))}: choose one of {', '.join(_CHOICES[name])}.")
            if value is not None and name in _EXAMPLES:
                _whole(name, value, self.length if name == "checkpoints" else None)
        if self.method == "blocks":
            self._choose_blocks()
        elif self.method == "sqrt":
            object.__setattr__(self, "every", self.every or 1)
            object.__setattr__(self, "length", self.length or MOST_ANSWERS * (self.every or 1))
        self._check_unit()
        self._check_room()

    def _check_fitting(self) -> None:
        """Refuse statistics that the method cannot compute."""
        only = {"hierarchy": isinstance(self.statistic, Lis), "sqrt": hasattr(self.statistic, "steps")}
        if not only.get(self.method, True):
            fitting = "lis" if self.method == "hierarchy" else "counts and sums"
            raise CallError(
                f"{parameter('method', self.method)} works for {fitting} only, not for {self.statistic.name}: "
                f"use {parameter('method', 'binary')}."
            )
        if isinstance(self.statistic, Counts) and self.method not in ("blocks", "sqrt"):
            raise CallError(f"counts per label need {parameter('method', 'blocks')}: leave {parameter('method')} out.")

    @property
    def _endless(self) -> bool:
        """Whether nothing depends on the length."""
        return self.method in ("blocks", "sqrt") or (self.method in ("binary", "window") and self.window is not None)

    @property
    def _most_events(self) -> int:
        return MOST_EVENTS if self.length is None else self.length

    def _choose_blocks(self) -> None:
        """The sizes of the blocks, where they were left out: a choice that goes into the promise, so that it stays."""
        others = ("overlap", "every") if self.window is not None else ("arity",)
        for name in others:
            if getattr(self, name) is not None:
                without = "without" if self.window is not None else "with"
                raise CallError(f"{parameter(name)} is for blocks {without} {parameter('window')}: leave one of them out.")
        if self.window is not None or not isinstance(self.statistic, Packing):
            adds_up(self.statistic)
        elif self.every is None:
            object.__setattr__(self, "every", self.statistic.shortest)  # shorter blocks would be empty
        if self.window is not None:
            if isinstance(self.statistic, Counts):
                raise CallError(f"counts per label have no {parameter('window')} yet: leave it out.")
            if self.arity is None:
                object.__setattr__(self, "arity", best_arity(min(self.window, self._most_events)))
            if (self.arity or 0) < 2:
                raise CallError(f"{parameter('arity', str(self.arity))}: give a whole number of at least 2.")
        elif self.overlap is None:
            steps = 0 if self.length is None else self.length // (self.every or 1)
            object.__setattr__(self, "overlap", OPEN_OVERLAP if self.length is None else best_overlap(max(1, steps)))

    def _check_unit(self) -> None:
        for name in _UNITS:
            if (value := getattr(self, name)) is not None:
                _whole(name, value, None)
        if self.consecutive is not None and self.max_per_day is not None:
            raise CallError(
                f"{parameter('consecutive')} with {parameter('max_per_day')}: a stream has one unit of privacy; leave one out."
            )

    def _check_room(self) -> None:
        """Refuse what could never be anything but 0."""
        shortest = self.statistic.shortest
        if self._stretches().touched(shortest) < 1:
            # Blocks have powers of two of events.
            needed = 1 << (shortest - 1).bit_length() if self.method == "binary" else shortest
            named, value = ("window", self.window) if (self.window or needed) < needed else ("length", self.length)
            raise CallError(
                f"{parameter(named, str(value))}: {self.statistic.name} of at least {shortest:,} events do not fit into what "
                f"{parameter('method', self.method)} measures. Give at least {parameter(named, str(needed))}."
            )

    @property
    def experimental(self) -> str | None:
        """Why this method may only be run with a seed."""
        if self.method != "hierarchy":
            return None
        return (
            f"{parameter('method', 'hierarchy')} is for experiments only: its published guarantee is false, and with the noise "
            f"that can be proved (T·m·b/ε) it is worse than baseline. Add {parameter('seed', '1')} to try it, or use "
            f"{parameter('method', 'binary')} or checkpoints."
        )

    @property
    def question(self) -> ContinualQuestion:
        """What the wall is asked."""
        return ContinualQuestion(self.statistic, self._stretches(), self.unit)

    @property
    def unit(self) -> Unit:
        """What the guarantee protects."""
        if self.consecutive is not None:
            return Run(self.consecutive)
        return Event() if self.max_per_day is None else UserDay(self.max_per_day)

    def combiner(self) -> Combiner:
        """What turns released values into answers."""
        stretches = self._stretches()
        if isinstance(stretches, Blocks):
            return BlockSums(stretches, self.statistic.values)
        if isinstance(stretches, SquareRoot):
            return RootSums(stretches, adds_up(self.statistic).steps(np.array([np.nan]))[0].tolist())
        if isinstance(stretches, PrefixBlocks):
            return PrefixSums(stretches.overlap, self.statistic.shortest)
        if isinstance(stretches, WindowBlocks):
            width = min(stretches.width, stretches.length)
            return WindowSums(width, stretches.overlap, self.statistic.shortest, stretches.arity)
        if isinstance(stretches, LayerCounts):
            return LayerSums(stretches.layers, stretches.grid)
        if isinstance(stretches, Checkpoints):
            return Growing(POWERS[self.between or "hold"])
        return Held(stretches.width if isinstance(stretches, Windows) else self._most_events)

    def stream(self, continual: Continual, promise: Promise) -> Stream:
        """The stream of answers over the raw side of one."""
        return Stream(self.question, self.combiner(), continual, promise)

    def parameters(self) -> dict[str, Any]:
        """Everything public, ready for a promise."""
        names = (*_EXAMPLES, *_CHOICES, *_UNITS)
        chosen = {name: getattr(self, name) for name in names if getattr(self, name) is not None}
        return {**self.statistic.describe(), "method": self.method, "length": self.length, **chosen}

    def _stretches(self) -> Stretches:
        if self.method == "blocks" and self.window is None:
            return Blocks(self.length, self.overlap or 1, self.every or 1)
        length = self._most_events
        if self.method == "sqrt":
            return SquareRoot(length, self.every or 1)
        if self.method == "checkpoints":
            return Checkpoints(length, self.checkpoints or 1, self.spacing or "even")
        if self.method == "hierarchy":
            return LayerCounts(length, self.buckets or 1)
        if self.method == "window":
            return Windows(length, self.window or 1)
        if self.window is not None:
            return WindowBlocks(length, self.window, self.arity or 2)
        return PrefixBlocks(length) if self.method == "binary" else Prefixes(length)


def method_from(parameters: dict[str, Any]) -> StreamMethod:
    """The method that `parameters` described.

    >>> method = StreamMethod(Sum("0", "10", "0.5"), "binary", 100, window=10)
    >>> method_from(method.parameters()) == method
    True
    """
    rest = dict(parameters)
    statistic = STATISTICS[rest.pop("statistic")]
    own = {one.name: rest.pop(one.name) for one in fields(statistic) if one.name in rest}
    return StreamMethod(statistic(**own), **rest)


def _whole(name: str, value: object, most: int | None) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1 or (most is not None and value > most):
        upto = f" and at most the length, {most:,}" if most is not None else ""
        raise CallError(f"{parameter(name, str(value))}: give a whole number of at least 1{upto}.")


def _instead(name: str) -> str:
    fitting = [method for method, takes in TAKES.items() if name in takes]
    return f", or use {parameter('method', fitting[0])}{''.join(f' or {each}' for each in fitting[1:])}"
