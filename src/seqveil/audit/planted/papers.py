"""Statements of the papers that are false as printed (docs/soundness.md), planted in our code."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from seqveil.audit.planted.planting import Planted, both, raw, replaced, unchecked
from seqveil.engines.local.density import DensityCounter
from seqveil.engines.protocol import Counts, Scores, Tally
from seqveil.mine.pfs2 import miner
from seqveil.mine.prefixminer import mechanism as prefix_miner
from seqveil.mine.prefixminer.strategies import shares as _shares
from seqveil.publish.ngram import mechanism as ngram
from seqveil.publish.ngram.allocation import allocate as _allocate
from seqveil.publish.prefix import mechanism as prefix
from seqveil.publish.prefix.budget import sublevels as _sublevels
from seqveil.stream.mechanism import StreamMethod
from seqveil.tables.units import Unit
from seqveil.wall import sparse
from seqveil.wall.continual.hierarchy import LayerCounts
from seqveil.wall.continual.stretches import PrefixBlocks, Prefixes
from seqveil.wall.noise import Law, Scale
from seqveil.wall.paths import Paths
from seqveil.wall.questions.clipped import ClippedSupports
from seqveil.wall.questions.density import Regions
from seqveil.wall.questions.fingerprints import Fingerprints
from seqveil.wall.questions.grams import Grams
from seqveil.wall.questions.longest import LongestSupports
from seqveil.wall.questions.matches import Matches, holdings
from seqveil.wall.questions.shrunk import ShrunkSupports
from seqveil.wall.questions.supports import Supports
from seqveil.wall.tree import Children, PrivateTree
from seqveil.wall.wall import Wall

_open, _expand, _refine, _scores = Grams.open, PrivateTree.expand, PrivateTree.refine, DensityCounter.scores
_region_root = DensityCounter.root.__func__  # type: ignore[attr-defined]
_look, _clipped_tally, _matches_tally = ngram.NGram._look, ClippedSupports.tally, Matches.tally
_remaining, _add = PrivateTree.remaining, Paths.add


@dataclass
class _RootWithTerminator:
    """A counter whose root has one child more: the terminator, once per record."""

    inner: Any
    records: int

    def fan_out(self, nodes: Any, split: Any = None) -> list[int]:
        return [n + 1 for n in self.inner.fan_out(nodes, split)]

    def children(self, nodes: Any, split: Any = None) -> Counts:
        counts, last = self.inner.children(nodes, split), self.inner.fan_out(nodes)[0]
        if not self.records:
            return Counts(counts.parent, counts.rank, counts.count)
        return Counts(np.append(counts.parent, 0), np.append(counts.rank, last), np.append(counts.count, self.records))

    def count(self, nodes: Any) -> Any:
        return self.inner.count(nodes)

    def descend(self, parents: Any, ranks: Any, split: Any = None) -> Any:
        return self.inner.descend(parents, ranks, split)


def _look_past_terminator(mechanism: Any, *given: Any) -> Any:
    """The release refuses `&` alone, so it is asked for, told, and then left out."""
    levels = _look(mechanism, *given)
    if given[-1] is not None:
        return levels
    names = ("node", "parent", "rank", "noisy", "scale", "threshold")
    return [Children(*(getattr(c, name)[c.rank < given[-2]] for name in names)) for c in levels]


def _terminator_below_root(kind: Grams, table: Any, unit: Unit) -> Any:
    return _RootWithTerminator(_open(kind, table, unit), len(table))


def _height_below_one(remaining: Any, *given: Any) -> Any:
    paid, least = _allocate(remaining, *given)
    return np.where(paid == remaining, (remaining / 0.4).astype(np.int64), paid), least  # what has one level left gets too much


def _tightened(tree: Any, *given: Any, **named: Any) -> Any:
    level = _expand(tree, *given, **named)
    tree._influence = max(1, tree._influence - 1)
    return level


def _one_test_too_many(counts: Counts, fan_out: list[int], law: Law, threshold: int, noise: Any) -> Any:
    """2^l − |S| tests on the 2^l − 1 − |S| empty sub-partitions."""
    taken = set(zip(counts.parent.tolist(), counts.rank.tolist(), strict=True))
    empty = [(f, r) for f, n in enumerate(fan_out) for r in range(n) if (f, r) not in taken]
    passed = min(noise.passing(law, threshold, len(empty) + 1), len(empty))
    slots = [empty[i] for i in noise.distinct(passed, len(empty)).tolist()]
    return np.array([f for f, _ in slots], np.int64), np.array([r for _, r in slots], np.int64)


def _leaf_tested_and_counted(tree: PrivateTree, nodes: Any) -> Any:
    left = _remaining(tree, nodes)
    return left + left // 3


def _child_forgets_path(paths: Paths, parent: Any) -> int:
    first = _add(paths, parent)
    paths._spent[first:] = 0
    return first


def _irregular_fan_out(level: int, influence: int, fine: Any, deviations: float) -> Any:
    asked = _sublevels(level, influence, fine, deviations)
    return None if asked is None else [replace(q, grains=q.grains * 13 // 10) for q in asked]


def _overspending_shares(strategy: Any, h: int, q: int) -> list[Fraction]:
    return [share * Fraction(7, 6) for share in _shares(strategy, h, q)]


def _both_triangles(cls: Any, low: Any, high: Any, vertices: int, least: Any, step: int) -> Any:
    return _region_root(cls, np.repeat(low, 2), np.repeat(high, 2), vertices, least, step)


def _unconstrained_split(counter: DensityCounter, nodes: Any) -> Scores:
    scores = _scores(counter, nodes)
    return Scores(scores.start, scores.score * 6, scores.sensitivity)


def _every_occurrence(question: Fingerprints, table: Any, unit: Unit) -> Tally:
    """Each occurrence of every pattern counts, though l′ bounds the longest ones only."""
    records = [tuple(table.flat.items[a:b].tolist()) for a, b in pairwise(table.flat.offsets)]
    ends = [[r[:stop] for stop in range(1, min(len(r), question.most) + 1)] for r in records]
    counts = np.array([[sum(e[-len(p) :] == p for e in each) for p in question.patterns] for each in ends], np.int64)
    counts = counts.reshape(len(records), len(question.patterns))
    return Tally.of(counts.sum(axis=0), int(counts.sum(axis=1).max(initial=0)))


def _noise_on_every_beta(wall: Wall, l_max: int, threshold: int, epsilon: int, search: Any) -> int:
    asked = LongestSupports(l_max, 1, 1000)
    noisy = wall.ask(asked, epsilon)
    above = np.flatnonzero(noisy >= threshold)
    return 0 if not len(above) else l_max - int(above[0])


def _shuffle_and_slice(wall: Any, n: int, epsilon: int) -> list[Wall]:
    from seqveil.wall import wall as module

    wall._Wall__charge(f"{n} parts", epsilon)
    table, noise = raw(wall), wall._Wall__noise
    _, who = np.unique(table.owners if table.owners is not None else np.arange(len(table)), return_inverse=True)
    order = np.argsort(noise.below(2**61, int(who.max(initial=-1)) + 1), kind="stable")
    slices = np.array_split(order, n)
    return [module.Wall(table.take(np.flatnonzero(np.isin(who, s))), wall.unit, epsilon, noise) for s in slices]


def _longer_than_l_max(question: ShrunkSupports, table: Any, unit: Unit) -> Tally:
    return Supports(question.patterns).tally(table, unit)


def _for_every_pattern(question: ClippedSupports, table: Any, unit: Unit) -> Tally:
    return _clipped_tally(replace(question, most=len(question.patterns)), table, unit)


def _everything_held(question: Matches, table: Any, unit: Unit) -> Tally:
    return _matches_tally(replace(question, most=question.l_max * len(table.domain) ** 2), table, unit)


def _one_path_per_position(question: Matches, unit: Unit) -> int:
    """A walk down the trie is taken to stay on one heavy path."""
    return unit.sequences * min(question.most, holdings(question.patterns, question.l_max, once=False))


def _redrawn(tree: PrivateTree, nodes: Any, epsilon: Any) -> Any:
    """The noise of a count is drawn anew for every query; whoever asks often enough averages it away."""
    noisy, scale = _refine(tree, nodes, epsilon)
    again = [noisy + tree._noise.laplace(Scale(float(scale[0])), len(noisy)) for _ in range(8)]
    return np.rint(np.mean([noisy, *again], axis=0)).astype(np.int64), scale


def _smallest_region(kind: Regions, unit: Unit) -> int:
    return 1


PAPERS = [
    Planted(
        "ngram &",
        "[Chen 2012, Alg. 1 line 7]; docs/soundness.md, 'The terminator'",
        "the root has a child & too",
        "ngram",
        "times what it",
        lambda: both(
            unchecked,
            replaced(Grams, "open", _terminator_below_root),
            replaced(ngram.NGram, "_look", _look_past_terminator),
        ),
    ),
    Planted(
        "ngram h",
        "[Chen 2012, §4.3.2]; docs/soundness.md, 'Heights below 1'",
        "h below 1: children get more than is left",
        "ngram",
        "BudgetExceeded",
        replaced(ngram, "allocate", _height_below_one),
    ),
    Planted(
        "ngram l-i+1",
        "[Chen 2012, §5]; docs/soundness.md, 'The terminator'",
        "noise tightened to l_max − i + 1",
        "ngram",
        "times what it",
        replaced(PrivateTree, "expand", _tightened),
    ),
    Planted(
        "diffpart 2^l",
        "[Chen thesis, Alg. 4.2]; docs/soundness.md, 'Empty sub-partitions'",
        "2^l − |S| tests of 2^l − 1 − |S| empty parts",
        "diffpart",
        "noise was drawn for",
        replaced(sparse, "_passing_zeros", _one_test_too_many),
    ),
    Planted(
        "diffpart leaf",
        "[Chen thesis, Ex. 4.3.2]; docs/soundness.md, 'Leaf partitions'",
        "leaves are tested with α and counted with ε/2 + α",
        "diffpart",
        "BudgetExceeded",
        replaced(PrivateTree, "remaining", _leaf_tested_and_counted),
    ),
    Planted(
        "prefix f",
        "[Chen thesis, §6.3.1]; docs/soundness.md, 'Irregular fan-out'",
        "irregular fan-out: the sub-levels of a level sum to 1.3 of it",
        "prefix-hybrid",
        "BudgetExceeded",
        replaced(prefix, "sublevels", _irregular_fan_out),
    ),
    Planted(
        "bonomi budget",
        "[Bonomi thesis, Alg. 2 line 16]; docs/soundness.md, 'Prefix-tree miner'",
        "a node forgets what its parents spent",
        "prefix-miner",
        "a path of a tree",
        lambda: both(replaced(Paths, "add", _child_forgets_path), replaced(prefix_miner, "shares", _overspending_shares)),
    ),
    Planted(
        "bonomi hybrid",
        "[Bonomi thesis, Eq. 3.3]; docs/soundness.md, 'Prefix-tree miner'",
        "the hybrid shares sum to 7/6",
        "prefix-miner",
        "BudgetExceeded",
        replaced(prefix_miner, "shares", _overspending_shares),
    ),
    Planted(
        "fingerprints",
        "[Bonomi thesis, Lemma 3.4]; docs/soundness.md, 'Fingerprints'",
        "every occurrence of patterns of several lengths, with Δ = l′",
        "two-phase",
        "times what it",
        lambda: both(unchecked, replaced(Fingerprints, "tally", _every_occurrence)),
    ),
    Planted(
        "pfs2 beta",
        "[Xu 2015, Alg. 3]; docs/soundness.md, 'The longest frequent length'",
        "noise of ⌈log l_max⌉/ε on every β_i",
        "pfs2",
        "times what it",
        lambda: both(
            replaced(miner, "longest_frequent", _noise_on_every_beta),
            replaced(LongestSupports, "influence", lambda q, unit: max(1, q.longest.bit_length() - 1)),
        ),
    ),
    Planted(
        "pfs2 parts",
        "[Xu 2015, Theorem 6]; docs/soundness.md, 'Random parts'",
        "records are shuffled and sliced into parts",
        "pfs2",
        "parts",
        replaced(Wall, "parts", _shuffle_and_slice),
    ),
    Planted(
        "pfs2 shrink",
        "[Xu 2015, Alg. 2]; docs/soundness.md, 'Shrunk records'",
        "a shrunk record may be longer than l_max",
        "pfs2",
        "times what it",
        lambda: both(unchecked, replaced(ShrunkSupports, "tally", _longer_than_l_max)),
    ),
    Planted(
        "pfs2 clip",
        "docs/mechanisms/pfs2.md, 'Clipped records'",
        "records count for all patterns, noise is for B of them",
        "pfs2",
        "times what it",
        lambda: both(unchecked, replaced(ClippedSupports, "tally", _for_every_pattern)),
    ),
    Planted(
        "substrings clip",
        "docs/mechanisms/substrings.md, 'Sensitivity'",
        "records count for all their positions, noise is for B of them",
        "substrings",
        "times what it",
        lambda: both(unchecked, replaced(Matches, "tally", _everything_held)),
    ),
    Planted(
        "substrings paths",
        "docs/mechanisms/substrings.md, 'Sensitivity'",
        "a record that meets several heavy paths from one position is taken to meet one",
        "substrings",
        "times what it",
        lambda: both(
            unchecked, replaced(Matches, "influence", _one_path_per_position), replaced(Matches, "tally", _everything_held)
        ),
    ),
    Planted(
        "der triangles",
        "[Chen thesis, Theorem 7.12]; docs/soundness.md, 'One cell per edge'",
        "both (i, j) and (j, i) are counted",
        "der",
        "times what it",
        lambda: both(unchecked, replaced(DensityCounter, "root", classmethod(_both_triangles))),
    ),
    Planted(
        "der CS",
        "[Chen thesis, §7.4]; docs/soundness.md, 'Noise for k edges'",
        "CS = min(k, |R|)",
        "der",
        "times what it",
        lambda: both(unchecked, replaced(Regions, "influence", _smallest_region)),
    ),
    Planted(
        "der split",
        "[Chen thesis, §7.4.1]; docs/soundness.md, 'Split scores'",
        "splits of any size, with the Δq of large ones",
        "der",
        "times what it",
        replaced(DensityCounter, "scores", _unconstrained_split),
    ),
    Planted(
        "redrawn",
        "query servers",
        "the noise of a count is drawn anew for every query",
        "graph-random",
        "noise was drawn for",
        replaced(PrivateTree, "refine", _redrawn),
    ),
    Planted(
        "lis hierarchy",
        "[Bonomi thesis, Theorem 5.7]; docs/soundness.md, 'The hierarchy mechanism'",
        "the hierarchy is released with m·b/ε",
        "stream",
        "one event moves",
        lambda: both(
            replaced(StreamMethod, "experimental", None),
            replaced(LayerCounts, "influence", lambda s, statistic: s.layers * s.buckets * s.grid),
        ),
    ),
    Planted(
        "lis blocks",
        "[Bonomi thesis, §5.2.1]; docs/soundness.md, 'Binary decomposition'",
        "dyadic blocks without the single events",
        "stream",
        "one event moves",
        replaced(PrefixBlocks, "influence", lambda s, statistic: (s.length.bit_length() - 1) * statistic.sensitivity),
    ),
    Planted(
        "lis baseline",
        "continual counting",
        "every answer has the noise of one",
        "stream",
        "one event moves",
        replaced(Prefixes, "influence", lambda s, statistic: statistic.sensitivity),
    ),
]
