"""PrivateTree: a tree grown level by level from noisy counts, paid for along root-to-leaf paths.

One unit can touch at most `influence` root-to-leaf paths (counted with multiplicity). Asking the children of v with ε_v,
each with discrete Laplace noise of scale influence/ε_v, moves the log-likelihood by at most ε_v/influence per touched path
through v. Summed over a path this is at most ε/influence, and over the touched paths at most ε. So the whole privacy
argument is: *no path is ever charged more than ε*. `Paths` checks that in integers before any draw, and a node is divided
only once, so that no unit walks two paths where it is counted on one.

Under zCDP the noise is discrete Gaussian. A unit is counted at most `cap` times at a node, and noise with σ² =
cap·influence/(2ρ_v) costs ρ_v/influence per touched path through v at most: the same sum, and the same account, in ρ. The cap
holds below the root; the root's own count has the noise of all paths. docs/mechanisms/tree.md has both proofs.

What an engine counts is checked on the way (wall/clip.py): the children of a node hold, together, no more than the node.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from seqveil.engines.protocol import Counter, Counts
from seqveil.errors import CallError
from seqveil.wall.budget import GRAINS
from seqveil.wall.calibrate import epsilon_of_choice, epsilon_of_other, noise_for
from seqveil.wall.clip import at_most, within
from seqveil.wall.measures.measure import Measure
from seqveil.wall.noise import Law, Noise, drawn
from seqveil.wall.paths import Paths
from seqveil.wall.process import Owned
from seqveil.wall.questions.protocol import NodeQuestion
from seqveil.wall.sparse import survivors


@dataclass(frozen=True, slots=True, eq=False)
class Children:
    """Children that reached their threshold, by parent in the order asked, then by rank. Everything in it is noisy.

    `node` numbers them in the tree, `scale` is that of their noise (σ where it is Gaussian), `threshold` is the ⌈θ⌉ that
    selected them (the least int64 where none was set).
    """

    node: NDArray[np.int64]
    parent: NDArray[np.int64]
    rank: NDArray[Any]
    noisy: NDArray[np.int64]
    scale: NDArray[np.float64]
    threshold: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.node)


@dataclass(slots=True, eq=False)
class _Batch:
    """Nodes that one question made; records follow them only when one of them is asked about."""

    first: int
    source: Counter
    parent: NDArray[np.int64]  # numbers in `source`
    rank: NDArray[Any]
    split: NDArray[Any] | None
    room: NDArray[np.int64]  # the most that can be counted at each node: its exact count, or that of its parent
    counter: Counter | None = None
    local: NDArray[np.int64] | None = None

    def reach(self, nodes: NDArray[np.int64]) -> tuple[Counter, NDArray[np.int64]]:
        """A counter that holds these nodes, and their numbers in it."""
        rows = nodes - self.first
        if self.counter is None or self.local is None or np.any(self.local[rows] < 0):
            split = None if self.split is None else self.split[rows]
            self.counter = self.source.descend(self.parent[rows], self.rank[rows], split)
            self.local = np.full(len(self.rank), -1, np.int64)
            self.local[rows] = np.arange(len(rows))
        return self.counter, self.local[rows]


class PrivateTree(Owned):
    """Opened by `Wall.tree`; a mechanism asks it about nodes and never sees the counter behind it."""

    _what, _instead = "tree", "Ask the one that you opened, in the process that opened it."

    root = 0

    def __init__(
        self, counter: Counter, influence: int, budget: int, noise: Noise, measure: Measure = "pure", cap: int | None = None
    ) -> None:
        self._influence = influence
        self._cap = influence if cap is None else cap
        self._measure = measure
        self._noise = noise
        self._paths = Paths(budget, measure)
        self._most = np.full(1, influence)  # how often a unit may be counted at each node
        nothing = np.zeros(1, np.int64)
        self._room = counter.count(nothing)
        self._batches = [_Batch(0, counter, nothing, nothing, None, self._room, counter, nothing)]
        self._divided = np.zeros(1, np.bool_)
        self._exhausted = np.zeros(1, np.bool_)  # the rest of these nodes was asked too
        self._rank: NDArray[Any] = np.full(1, -1)

    def remaining(self, nodes: ArrayLike) -> NDArray[np.int64]:
        """Grains left on the path that leads to each node."""
        return self._paths.left(np.asarray(nodes, np.int64))

    def law(self, amount: int) -> Law:
        """The noise of a child that is paid for with this amount."""
        return self._law(amount, self._cap)

    def _law(self, amount: int, most: int) -> Law:
        """The noise of nodes at which a unit is counted at most so often."""
        return noise_for(self._measure, self._influence, most * self._influence, amount)

    @property
    def dearest(self) -> int:
        """What the dearest path has cost so far, in grains."""
        return self._paths.dearest

    def close(self) -> None:
        """No more questions: what is asked after the run would stand in no manifest."""
        self._paths.close()

    def expand(
        self,
        nodes: ArrayLike,
        epsilon: ArrayLike,
        threshold: ArrayLike | None = None,
        split: NDArray[Any] | None = None,
        among: NDArray[np.int64] | None = None,
    ) -> Children:
        """Noisy counts of the children that reach the threshold; everything else stays unknown.

        `epsilon` (grains) and `threshold` are given per node or once for all. Without a threshold every child is answered.
        `among` asks about these ranks only (ascending, ranks that every asked node has); the others are not asked at all.
        Zero-count children are never enumerated: see wall/sparse.py.
        """
        asked, paid = self._aligned(nodes, epsilon)
        least = _ceiling(threshold, len(asked))
        if self._divided[asked].any():
            raise CallError("a node can be divided only once; `refine` asks a node again.")
        self._paths.charge(asked, paid)
        self._divided[asked] = True
        self._exhausted[asked] = split is not None  # without its split, the rest would be another division
        return self._families(asked, asked, paid, least, split, among)

    def expand_rest(
        self,
        nodes: ArrayLike,
        epsilon: ArrayLike,
        threshold: ArrayLike | None = None,
        among: NDArray[np.int64] | None = None,
    ) -> Children:
        """The children of divided nodes that were not answered, once more, paid from what is left of their own paths.

        All children that stayed unknown hang below an unnamed child of their parent, which no answered child shares: that
        child is charged, not the parent. Can be asked once, and not of nodes that were divided by a split.
        """
        asked, paid = self._aligned(nodes, epsilon)
        least = _ceiling(threshold, len(asked))
        if not self._divided[asked].all() or self._exhausted[asked].any():
            raise CallError("the rest of a node can be asked once, after the node was divided, and not by a split.")
        self._paths.afford(asked, paid)
        rest = self._paths.add(asked) + np.arange(len(asked))
        self._divided = np.concatenate([self._divided, np.ones(len(asked), np.bool_)])
        self._exhausted = np.concatenate([self._exhausted, np.ones(len(asked), np.bool_)])
        self._rank = np.concatenate([self._rank, np.full(len(asked), -1)])
        self._room = np.concatenate([self._room, np.zeros(len(asked), np.int64)])
        self._most = np.concatenate([self._most, self._most[asked]])
        self._paths.charge(rest, paid)
        self._exhausted[asked] = True
        return self._families(asked, rest, paid, least, None, among)

    def route(self, nodes: ArrayLike, ways: int, split: NDArray[Any]) -> NDArray[np.int64]:
        """Divide each node by a public rule into all of its `ways` children, asking and releasing nothing. Free.

        The children exist whatever the data, and a unit walks the paths it walked before, each one node longer. So parts of
        one node can be asked with an ε and a threshold of their own. Returns their numbers, a row per node.
        """
        asked, _ = self._aligned(nodes, 1)
        if self._divided[asked].any():
            raise CallError("a node can be divided only once.")
        self._divided[asked] = self._exhausted[asked] = True
        routed = np.empty((len(asked), ways), np.int64)
        for where, counter, local in self._groups(asked):
            if counter.fan_out(local, split[where]) != [ways] * len(where):
                raise CallError(f"a route into {ways} parts must name every part that its split makes.")
            rank = np.tile(np.arange(ways), len(where))
            room = np.repeat(self._room[asked[where]], ways)
            origin = _Batch(0, counter, np.repeat(local, ways), rank, np.repeat(split[where], ways, axis=0), room)
            self._add(origin, np.repeat(asked[where], ways), np.repeat(self._most[asked[where]], ways))
            routed[where] = origin.first + np.arange(len(rank)).reshape(-1, ways)
        return routed

    def _families(
        self,
        asked: NDArray[np.int64],
        owner: NDArray[np.int64],
        paid: NDArray[np.int64],
        least: NDArray[np.int64] | None,
        split: NDArray[Any] | None,
        among: NDArray[np.int64] | None,
    ) -> Children:
        """Survivors of the asked nodes as children of `owner` in the account: the node itself, or the rest of it."""
        families = [
            self._family(counter, local, where, asked[where], paid[where], least, None if split is None else split[where], among)
            for where, counter, local in self._groups(asked)
        ]
        return _in_order([self._grow(asked, owner, *family) for family in families])

    def refine(self, nodes: ArrayLike, epsilon: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The counts of the nodes themselves once more, with fresh noise, and the scale (or σ) of that noise."""
        asked, paid = self._aligned(nodes, epsilon)
        self._paths.charge(asked, paid)
        noisy = np.empty(len(asked), np.int64)
        scales = np.empty(len(asked), np.float64)
        for where, counter, local in self._groups(asked):
            noisy[where] = at_most(counter.count(local), self._room[asked[where]])
        most = self._most[asked]
        for amount, times in np.unique(np.stack([paid, most], axis=1), axis=0).tolist():
            rows = np.flatnonzero((paid == amount) & (most == times))
            law = self._law(amount, times)
            noisy[rows] += drawn(self._noise, law, len(rows))
            scales[rows] = law.value
        return noisy, scales

    def choose(self, nodes: ArrayLike, epsilon: ArrayLike) -> NDArray[np.int64]:
        """One public candidate per node by the exponential mechanism, with probability ∝ exp(ε·score / 2Δ)."""
        asked, paid = self._aligned(nodes, epsilon)
        self._paths.charge(asked, paid)
        chosen = np.empty(len(asked), np.int64)
        for where, counter, local in self._groups(asked):
            scores = counter.scores(local)
            for i, row in enumerate(where):
                given = epsilon_of_choice(self._measure, int(paid[row]))
                rate = Fraction(given, 2 * GRAINS * scores.sensitivity * self._influence)
                chosen[row] = self._noise.exponential(scores.score[scores.start[i] : scores.start[i + 1]], rate)
        return chosen

    def ask(self, question: NodeQuestion, nodes: ArrayLike, epsilon: ArrayLike) -> list[NDArray[np.int64]]:
        """A question about each node's own records that brings its own law; charges the same paths as `refine`."""
        asked, paid = self._aligned(nodes, epsilon)
        self._paths.charge(asked, paid)
        answers: dict[int, NDArray[np.int64]] = {}
        for where, counter, local in self._groups(asked):
            for row, node in zip(where.tolist(), local.tolist(), strict=True):
                rate = Fraction(epsilon_of_other(self._measure, int(paid[row])), GRAINS * self._influence)
                answers[row] = question.answer(row, counter, node, rate, self._noise)
        return [answers[row] for row in range(len(asked))]

    def _aligned(self, nodes: ArrayLike, epsilon: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        asked = np.atleast_1d(np.asarray(nodes, np.int64))
        amount = np.asarray(epsilon)
        if amount.dtype.kind not in "iu":
            raise CallError(f"epsilon must be whole grains (10¹² per unit of ε), not {amount.dtype} values.")
        if len(asked) and (asked.min() < 0 or asked.max() >= len(self._paths)):
            raise CallError(f"unknown node: the tree has nodes 0 to {len(self._paths) - 1}.")
        if (self._rank[asked[asked > 0]] < 0).any():
            raise CallError("the rest of a node has no name: ask `expand_rest` of the node itself.")
        if len(np.unique(asked)) != len(asked):
            raise CallError("a node was named twice in one question; name each node once.")
        return asked, np.broadcast_to(amount.astype(np.int64), asked.shape).copy()

    def _groups(self, nodes: NDArray[np.int64]) -> Iterator[tuple[NDArray[np.int64], Counter, NDArray[np.int64]]]:
        """The asked nodes by the batch that made them: positions among the asked, a counter, their numbers in it."""
        owner = np.searchsorted([b.first for b in self._batches], nodes, side="right") - 1
        for b in np.unique(owner):
            where = np.flatnonzero(owner == b)
            yield where, *self._batches[b].reach(nodes[where])

    def _family(
        self,
        counter: Counter,
        local: NDArray[np.int64],
        where: NDArray[np.int64],
        nodes: NDArray[np.int64],
        paid: NDArray[np.int64],
        least: NDArray[np.int64] | None,
        split: NDArray[Any] | None,
        among: NDArray[np.int64] | None,
    ) -> tuple[Any, ...]:
        """Survivors among the children of one group of nodes, class by class of (ε, ⌈θ⌉)."""
        cap = self._cap if self._cap < self._influence else None
        exact, fan_out = within(counter.children(local, split), self._room[nodes], cap), counter.fan_out(local, split)
        counts = exact
        limit = np.full(len(local), np.iinfo(np.int64).min) if least is None else least[where]
        earlier = self._answered(nodes)
        if among is not None:
            _check_ranks(among, fan_out)
            counts, earlier, fan_out = _numbered(counts, among), _numbered(earlier, among), [len(among)] * len(local)
        kinds, kind_of = np.unique(np.stack([paid, limit], axis=1), axis=0, return_inverse=True)
        kind_of = kind_of.reshape(-1)
        rows = []
        for k, (amount, theta) in enumerate(kinds.tolist()):
            members = np.flatnonzero(kind_of == k)
            law = self.law(amount)
            ours, before = _restricted(counts, kind_of, k, members), _restricted(earlier, kind_of, k, members)
            limited = None if least is None else theta
            families = [fan_out[m] for m in members]
            passed = survivors(ours, families, law, limited, self._noise, before if len(before.rank) else None)
            rows.append((members[passed.family], passed.rank, passed.noisy, np.full(len(passed.noisy), law.value)))
        family, rank, noisy, scales = (np.concatenate(column) for column in zip(*rows, strict=True))
        if among is not None:
            rank = among[rank]
        order = np.argsort(family, kind="stable")
        family = family[order]
        rank = rank[order]
        origin = _Batch(0, counter, local[family], rank, None if split is None else split[family], _exact(exact, family, rank))
        return origin, where[family], noisy[order], scales[order], limit[family]

    def _grow(
        self,
        asked: NDArray[np.int64],
        owner: NDArray[np.int64],
        origin: _Batch,
        position: NDArray[np.int64],
        noisy: NDArray[np.int64],
        scale: NDArray[np.float64],
        threshold: NDArray[np.int64],
    ) -> tuple[NDArray[np.int64], Children]:
        """Number the survivors as nodes of the tree."""
        self._add(origin, owner[position], np.full(len(position), self._cap))
        node = origin.first + np.arange(len(position))
        return position, Children(node, asked[position], origin.rank, noisy, scale, threshold)

    def _add(self, origin: _Batch, owner: NDArray[np.int64], most: NDArray[np.int64]) -> None:
        """New nodes of the tree, as children of `owner` in the account, at which a unit is counted at most so often."""
        origin.first = self._paths.add(owner)
        self._batches.append(origin)
        self._divided = np.concatenate([self._divided, np.zeros(len(owner), np.bool_)])
        self._exhausted = np.concatenate([self._exhausted, np.zeros(len(owner), np.bool_)])
        self._rank = np.concatenate([self._rank, origin.rank])
        self._room = np.concatenate([self._room, origin.room])
        self._most = np.concatenate([self._most, most])

    def _answered(self, nodes: NDArray[np.int64]) -> Counts:
        """The children of these nodes that were answered before, as slots of their families."""
        below = np.flatnonzero(np.isin(self._paths.parent, nodes) & (self._rank >= 0))
        place = np.argsort(nodes, kind="stable")
        family = place[np.searchsorted(nodes[place], self._paths.parent[below])] if len(below) else below
        order = np.lexsort((self._rank[below], family))
        return Counts(family[order], self._rank[below][order], np.zeros(len(below), np.int64))


def _in_order(families: list[tuple[NDArray[np.int64], Children]]) -> Children:
    """One answer in the order of the nodes asked, whichever batches they came from."""
    if not families:
        none = np.zeros(0, np.int64)
        return Children(none, none, none, none, np.zeros(0), none)
    order = np.argsort(np.concatenate([position for position, _ in families]), kind="stable")
    columns = zip(*((c.node, c.parent, c.rank, c.noisy, c.scale, c.threshold) for _, c in families), strict=True)
    return Children(*(np.concatenate(column)[order] for column in columns))


def _exact(counts: Counts, family: NDArray[np.int64], rank: NDArray[Any]) -> NDArray[np.int64]:
    """The exact count of each slot, 0 where there is none."""
    if not len(counts.rank) or not len(rank):
        return np.zeros(len(rank), np.int64)
    wide = int(max(counts.rank.max(), rank.max())) + 1
    dtype = np.int64 if wide * (int(max(counts.parent.max(), family.max())) + 1) < 2**62 else object
    slots = counts.parent.astype(dtype) * wide + counts.rank
    wanted = family.astype(dtype) * wide + rank
    at = np.minimum(np.searchsorted(slots, wanted), len(slots) - 1)
    return np.where(slots[at] == wanted, counts.count[at], 0)


def _restricted(counts: Counts, kind_of: NDArray[np.int64], kind: int, members: NDArray[np.int64]) -> Counts:
    """The counts of the families of one class, families renumbered 0..n-1."""
    if len(members) == len(kind_of):
        return counts
    rows = np.flatnonzero(kind_of[counts.parent] == kind)
    number = np.empty(len(kind_of), np.int64)
    number[members] = np.arange(len(members))
    return Counts(number[counts.parent[rows]], counts.rank[rows], counts.count[rows])


def _check_ranks(among: NDArray[np.int64], fan_out: list[int]) -> None:
    """Refuse ranks that a node does not have: noise would make children of what cannot be followed."""
    if not len(among) or among[0] < 0 or np.any(among[1:] <= among[:-1]) or among[-1] >= min(fan_out):
        raise CallError(f"`among` must name one rank or more, rising from 0 on and below {min(fan_out):,}, that every node has.")


def _numbered(counts: Counts, among: NDArray[np.int64]) -> Counts:
    """The counts of the ranks in question, ranks renumbered 0..n-1."""
    at = np.minimum(np.searchsorted(among, counts.rank), len(among) - 1)
    rows = np.flatnonzero(among[at] == counts.rank)
    return Counts(counts.parent[rows], at[rows], counts.count[rows])


def _ceiling(threshold: ArrayLike | None, size: int) -> NDArray[np.int64] | None:
    """⌈θ⌉ per node: an integer count reaches θ exactly when it reaches ⌈θ⌉."""
    if threshold is None:
        return None
    theta = np.asarray(threshold, np.float64)
    if not np.all(np.isfinite(theta)) or np.any(np.abs(theta) > 2**53):
        raise CallError("a threshold must be a finite number below 2**53.")
    return np.broadcast_to(np.ceil(theta).astype(np.int64), (size,)).copy()
