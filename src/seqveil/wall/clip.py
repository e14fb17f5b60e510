"""The clip: what makes a stated sensitivity true, in one place.

A question states how far one unit of privacy can move its exact answer. That is true only because a user owns at most so many
records, a record has at most so many items, and a record adds at most so much to all counts together. Engines do the work, where
the records are; what they are ordered to do stands here, and what came of it is verified here, on sums and maxima alone:

    users     `bounded` has the records of every user reduced to m. `owned`: no wall opens on a table in which one owns more.
    records   `cut` has every record cut to l_max items. No counter of n-grams sees a table with a longer record. `excerpted`
              keeps another part than the first, drawn for each record by itself.
    counts    `tallied`: no record added more, to all counts together, than the question states; and the counts hold no more, in
              all, than so many records can add. The same of the sum of squares, and of all that one owner added where counts are
              capped.
    trees     `opened`: the root holds no more paths than so many records can walk. `within`: the children of a node hold,
              together, no more than the node, and no unit more often than the tree's cap. A record that was counted on two
              branches would show in these sums.
    weights   `weighed`: no unit gave weight to more labels than the question states, nor more weight, in squares; and the weights
              hold no more, in all, than so many units can give.
    ladders   `laddered`: rungs are never narrower than the one before, and counts are not below 0.
    parts     `parted`: the parts hold as many records as the whole, so none lies in two of them.
    strata    `stratified`: a stratum holds as many records of each of its lengths as the whole has, once cut, and none of others.
              So no record is longer than the bound of its stratum, and none lies in two.

A failed check is a defect of an engine, never of the data, and ends the run before anything is released. Its sentence names the
check and nothing else. What is left to trust in an engine is that it counts the records it holds correctly; tests/engines/ holds
every engine to that, against brute force.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from seqveil.engines.protocol import Counter, Counts, Excerpt, Tally, Weighed, engine_of
from seqveil.errors import RunFailed
from seqveil.tables.units import Edge, Record, Unit, User
from seqveil.wall.noise import Noise
from seqveil.wall.questions.protocol import LabelQuestion, Ladder, LadderQuestion, square_of


class ClipFailed(RunFailed):
    """An engine returned what its own bounds do not allow."""


def require(passed: bool, defect: str) -> None:
    """End the run unless a check passed."""
    if not passed:
        raise ClipFailed(f"internal error: the engine {defect}, so nothing was released. Please report this as a defect.")


class _Bounded(Protocol):
    """Whatever states how far one unit can move it."""

    def influence(self, unit: Unit) -> int: ...


class _Counted(_Bounded, Protocol):
    def tally(self, table: Any, unit: Unit) -> Tally: ...


class _Opened(_Bounded, Protocol):
    def open(self, table: Any, unit: Unit) -> Counter: ...


def bounded(table: Any, unit: Unit, noise: Noise) -> Any:
    """The table with at most as many records of each user as the unit allows, drawn by the secret randomness of the run."""
    if not isinstance(unit, User):
        return table
    return engine_of(table).bounded(table, unit.max_sequences, noise.below)


def owned(table: Any, unit: Unit) -> Any:
    """The table, once it is sure that no user owns more of it than the unit allows. A record and an edge own themselves."""
    if isinstance(unit, User):
        engine = engine_of(table)
        require(engine.most_owned(table) <= unit.max_sequences, "kept more records of a user than the bound allows")
    return table


def cut(table: Any, l_max: int) -> Any:
    """The table with every record cut to l_max items, once it is sure that none is longer."""
    engine = engine_of(table)
    shortened = engine.cut(table, l_max)
    require(engine.longest(shortened) <= l_max, "kept a record longer than l_max")
    return shortened


def excerpted(table: Any, l_max: int, how: Excerpt, noise: Noise) -> Any:
    """The table with an excerpt of every longer record, once it is sure that none is longer and none is lost or added."""
    engine = engine_of(table)
    shortened = engine.excerpts(table, l_max, how, noise.below)
    require(engine.longest(shortened) <= l_max, "kept a record longer than l_max")
    require(engine.size(shortened) == engine.size(table), "lost or added records while it cut them")
    return shortened


def parted(table: Any, n: int, noise: Noise) -> list[Any]:
    """n parts of the table, into which users (or records) fall independently, once it is sure that no record lies in two."""
    engine = engine_of(table)
    parts = engine.parts(table, n, noise.below)
    whole = sum(engine.size(part) for part in parts) == engine.size(table)
    require(len(parts) == n and whole, "made parts that are not a partition of the records")
    return parts


def stratified(table: Any, bounds: Sequence[int]) -> list[Any]:
    """The records by their length, cut to the last bound, once it is sure that each lies in its own stratum and no other."""
    engine = engine_of(table)
    strata, longest = engine.strata(table, bounds), bounds[-1]
    # A slot more than there are lengths: a record that was not cut would be counted there.
    has = engine.lengths(table, longest).dense(longest + 1)
    own = [engine.lengths(stratum, longest + 1).dense(longest + 2) for stratum in strata]
    expected = np.zeros((len(bounds), longest + 2), np.int64)
    for stratum, (low, high) in enumerate(zip([0, *bounds[:-1]], bounds, strict=True)):
        expected[stratum, low + 1 : high + 1] = has[low + 1 : high + 1]
    require(len(strata) == len(bounds) and np.array_equal(own, expected), "put records into strata that are not theirs")
    require(all(engine.size(s) == n for s, n in zip(strata, expected.sum(1), strict=True)), "miscounted the records of a stratum")
    return strata


def tallied(question: _Counted, table: Any, unit: Unit) -> Tally:
    """The exact counts of a question, once it is sure that no record adds more than the question states, in L1 and in L2."""
    tally = checked(question.tally(table, unit), table, question.influence(unit), unit)
    if not hasattr(question, "square"):
        return tally  # its square is that of what was just verified
    if tally.owner_square is not None:
        require(tally.owner_square <= square_of(question, unit), "let one unit add more to a count than its cap")
    elif tally.heaviest is not None:
        square = tally.heaviest**2 if tally.heaviest_square is None else tally.heaviest_square
        require(square <= square_of(question, _single(unit)), "let one record add more, in squares, than the question states")
    return tally


def _single(unit: Unit) -> Unit:
    """One record, or one edge: what an engine measures. Questions answer for several (tests/wall/questions/)."""
    return Edge() if isinstance(unit, Edge) else Record()


def checked(tally: Tally, table: Any, influence: int, unit: Unit) -> Tally:
    """A tally, once it is sure that a unit adds at most `influence` to all of its counts together."""
    if tally.heaviest is not None:
        engine = engine_of(table)
        require(tally.heaviest * unit.sequences <= influence, "let one record add more than the question states")
        everything = int(tally.count.sum()) * unit.sequences
        require(everything <= influence * engine.size(table), "counted more than its records can add")
    return tally


def weighed(question: LabelQuestion, table: Any, unit: Unit, noise: Noise) -> Weighed:
    """The exact weights of labels, once it is sure that no unit gave more, or to more labels, than the question states."""
    weighed, square = question.weigh(table, unit, noise.below), question.square(unit)
    require(weighed.of_owners == isinstance(unit, User), "weighed the labels of other units than those that are protected")
    require(weighed.most <= question.most, "let one unit give weight to more labels than its bound")
    require(weighed.heaviest_square <= square, "let one unit give more weight, in squares, than the question states")
    require(bool((weighed.weight > 0).all()), "listed a label that nobody gave weight to")
    given = max((t * share for t, share in enumerate(question.shares(), 1)), default=0)
    require(int(weighed.weight.sum()) <= given * engine_of(table).size(table), "counted more weight than its units can give")
    return weighed


def laddered(question: LadderQuestion, table: Any, unit: Unit) -> Ladder:
    """An exact value and its rungs, once it is sure that no rung is narrower than the one before or the value below 0."""
    ladder = question.ladder(table, unit)
    sound = len(ladder.widths) > 0 and ladder.widths[0] >= 0 and bool((np.diff(ladder.widths) >= 0).all())
    require(ladder.value >= 0 and sound, "returned rungs that no ladder has")
    return ladder


def opened(kind: _Opened, table: Any, unit: Unit) -> Counter:
    """A counter at the root of a tree, once it is sure that its records walk no more paths than the tree states."""
    engine, counter = engine_of(table), kind.open(table, unit)
    paths = int(counter.count(np.zeros(1, np.int64))[0]) * unit.sequences
    require(paths <= kind.influence(unit) * engine.size(table), "opened a tree with more paths than its records walk")
    return counter


def within(counts: Counts, room: NDArray[np.int64], cap: int | None = None) -> Counts:
    """Children of nodes, once it is sure that those of each node hold, together, at most what `room` says of the node, and with a
    cap that no unit is counted more often at any of them.

    They have to stand by node, then rank, each once: empty slots are numbered between them.
    """
    after, before = (counts.parent[1:], counts.rank[1:]), (counts.parent[:-1], counts.rank[:-1])
    rising = (after[0] > before[0]) | ((after[0] == before[0]) & (after[1] > before[1]))
    require(bool(rising.all()), "listed children of nodes out of order")
    sums = np.zeros(len(room), np.int64)
    np.add.at(sums, counts.parent, counts.count)
    at_most(sums, room)
    if cap is not None:
        require(counts.most is not None and counts.most <= cap, "counted a unit more often at a node than its cap")
    return counts


def at_most(counts: NDArray[np.int64], room: NDArray[np.int64]) -> NDArray[np.int64]:
    """Counts of nodes, once it is sure that none exceeds what it was when its parent was divided."""
    require(bool((counts <= room).all()), "counted more at or below a node than its parent had there")
    return counts
