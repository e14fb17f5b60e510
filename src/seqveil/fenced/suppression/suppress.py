"""From a table to a suppressed table that is checked once more, and what it cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError, RunFailed
from seqveil.fenced.suppression.breaking import Board
from seqveil.fenced.suppression.frequent import MaximalFrequent, find_maximal_frequent
from seqveil.fenced.suppression.greedy import suppress_greedily
from seqveil.fenced.suppression.mining import find_violations
from seqveil.fenced.suppression.model import KCL
from seqveil.fenced.suppression.rounds import suppress_in_rounds
from seqveil.fenced.suppression.state import State, state_of
from seqveil.surface import parameter
from seqveil.tables.trajectories import TrajectoryTable

Score = Literal["instances", "mfs"]
Strategy = Literal["local", "thesis", "global"]


@dataclass(frozen=True, slots=True, eq=False)
class Suppressed:
    """What is left (`alive`, by point of the raw table), and what was done. INTERNAL until the data holder publishes it."""

    table: TrajectoryTable
    alive: NDArray[np.bool_]
    violations: int
    local_suppressions: int
    global_suppressions: int
    rounds: int
    repairs: int
    frequent: int | None
    frequent_lost: int | None

    @property
    def instances(self) -> int:
        """N(T): points of the raw table."""
        return len(self.alive)

    @property
    def removed(self) -> int:
        """N(T) - N(T')."""
        return int(len(self.alive) - self.alive.sum())

    @property
    def instance_loss(self) -> float:
        """The share of points that were suppressed."""
        return self.removed / max(self.instances, 1)

    @property
    def frequent_loss(self) -> float | None:
        """The share of maximal frequent sequences that are no longer frequent."""
        return None if self.frequent is None or self.frequent_lost is None else self.frequent_lost / max(self.frequent, 1)


def suppress(
    table: TrajectoryTable, model: KCL, score: Score = "instances", mfs_support: int | None = None, strategy: Strategy = "local"
) -> Suppressed:
    """The table with points suppressed until it has (K, C)_L-privacy; RunFailed rather than a table that has it not.

    `local` breaks each record's violating sequences in rounds. `thesis` is Algorithm 5.3 with a correct validity test; `global`
    is the same with global suppressions only.

    >>> from seqveil.tables.trajectories import trajectories_of
    >>> paths = [[("a", 1), ("b", 2)], [("a", 1), ("b", 2)], [("a", 1), ("c", 3)]]
    >>> done = suppress(trajectories_of(paths, ["x", "y", "y"], sensitive=["x"]), KCL.of(2, "0.5", 2))
    >>> [[done.table.pairs[p][0] for p in path] for path in done.table.flat]
    [['a', 'b'], ['a', 'b'], ['a']]
    """
    _refuse_wrong_calls(table, model, score, mfs_support, strategy)
    frequent = MaximalFrequent.none(len(table.pairs)) if mfs_support is None else find_maximal_frequent(table, mfs_support)
    violations, tree = find_violations(table, model)
    done: Board | State
    if strategy == "local":
        done, rounds = suppress_in_rounds(table, model, violations, tree, frequent)
        local, everywhere = int((~done.alive).sum()), 0
    else:
        done, rounds = state_of(table, model, violations, tree, frequent), 0
        local, everywhere = suppress_greedily(done, strategy == "thesis", score == "mfs")
    alive, repairs = without_violations(table, done.alive, model)
    return Suppressed(
        table.keeping(alive),
        alive,
        len(violations),
        int(local),
        int(everywhere),
        rounds,
        repairs,
        None if mfs_support is None else len(frequent.support),
        None if mfs_support is None else int((done.mfs_support < frequent.least).sum()),
    )


def _refuse_wrong_calls(table: TrajectoryTable, model: KCL, score: str, mfs_support: int | None, strategy: str) -> None:
    if score not in get_args(Score):
        raise CallError(f"unknown score {score!r}: choose instances or mfs.")
    if strategy not in get_args(Strategy):
        raise CallError(f"unknown strategy {strategy!r}: choose local, thesis or global, e.g. {parameter('strategy', 'local')}.")
    if (mfs_support is not None) != (score == "mfs"):
        raise CallError(
            "the score mfs needs a minimum support, and no other score has one: "
            f"give {parameter('score', 'mfs')} and {parameter('mfs_support', '800')}, or neither."
        )
    if mfs_support is not None and mfs_support < 1:
        raise CallError(f"K' is {mfs_support}: it is the minimum support of a frequent sequence, at least 1.")
    if model.k > len(table):
        raise CallError(f"K is {model.k}, but there are fewer records than that: choose a smaller {parameter('k')}.")


def without_violations(table: TrajectoryTable, alive: NDArray[np.bool_], model: KCL) -> tuple[NDArray[np.bool_], int]:
    """The final check: what is left after it has no violation, and how many pairs had to go globally for that (0, by the proof).

    Global suppression makes no new violation [Chen thesis, Theorem 5.3], so one round of it is enough; a second look makes sure.
    """
    left = table.keeping(alive)
    violations, tree = find_violations(left, model)
    if not len(violations):
        return alive, 0
    state = state_of(left, model, violations, tree, MaximalFrequent.none(len(table.pairs)))
    _, pairs = suppress_greedily(state, False, False)
    again, _ = find_violations(left.keeping(state.alive), model)
    if len(again):
        raise RunFailed("internal error: the suppressed table still had a violation, so nothing was written. Please report it.")
    repaired = alive.copy()
    repaired[alive] = state.alive
    return repaired, int(pairs)
