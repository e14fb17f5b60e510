"""NGram: publish sequences as a tree of noisy variable-length grams and a synthetic database built from it.

[Chen 2012, Alg. 1] with the repairs of docs/mechanisms/ngram.md. The only lines that touch raw data are
`wall.tree`, `tree.expand` and, for l_max="auto", `wall.quantile`; everything else is post-processing.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from seqveil.parameters import described, unfit
from seqveil.publish.ngram.allocation import Influence, InL2, allocate, expected_height, followed, height_of, p_max, threshold
from seqveil.publish.ngram.caps import usual_cap
from seqveil.publish.ngram.consistency import enforce_consistency
from seqveil.publish.ngram.predict import predict
from seqveil.publish.ngram.synthesis import synthesize
from seqveil.publish.ngram.weighing import weighed
from seqveil.release.grams import GramRelease
from seqveil.tables.domain import Domain
from seqveil.tables.pairs import in_time
from seqveil.tables.units import Record, Unit, User
from seqveil.trees.table import gram_table
from seqveil.trees.tree import LevelTree
from seqveil.wall import Children, Cut, Grams, LengthQuantile, Measure, Plan, PrivateTree, Wall

AUTO_SHARE = 20
"""With l_max="auto" one part in this many of ε pays for choosing l_max."""

UNSELECTED = -float(2**53)
"""A threshold that every noisy count reaches: the least that a tree takes."""

PRINTED = {name: False for name in ("second_look", "drop_labels", "live_labels", "implied_ends", "cap", "joints")}
"""What goes beyond the printed method, turned off. What makes its ε true (docs/soundness.md) cannot be."""

MOST_COUNTED = 10**6

MOST_LENGTH = 10_000
"""Noise grows with l_max: no ε worth stating leaves anything of longer records, and their synthesis would take hours."""


@dataclass(frozen=True, slots=True)
class NGram:
    """Variable-length n-grams [Chen 2012]: a tree of noisy counts, and synthetic records whose n-grams have them.

    >>> NGram(l_max=20, n_max=5).name
    'ngram'
    >>> NGram(n_max=0)
    Traceback (most recent call last):
    seqveil.errors.CallError: n_max=0: n-grams have from 1 to 10,000 symbols; 5 is usual.
    """

    kind: ClassVar[str] = "sequences"
    units: ClassVar[tuple[type[Unit], ...]] = (Record, User)
    measures: ClassVar[tuple[Measure, ...]] = ("pure", "zcdp")
    version: ClassVar[str] = "2"
    paper: ClassVar[str] = "Chen, Acs, Castelluccia, CCS 2012"

    l_max: int | Literal["auto"] = described(
        20, "Records are cut to this many items; 'auto' chooses the length that covers 85 % of the records, with 1/20 of ε."
    )
    n_max: int = described(5, "Longest n-gram that is counted, in labels; the end of a record counts as one label.")
    allocation: Literal["adaptive", "uniform"] = described(
        "adaptive", "How ε is divided along a path of the tree: adaptive, or the same on every level."
    )
    heights: Literal["mode", "chain"] = described(
        "mode",
        "How the adaptive budget predicts the depth of the tree: mode (one probability for all levels), chain (one for each).",
    )
    approximate: bool = described(True, "Estimate the counts of n-grams below the threshold by a Markov model.")
    second_look: bool = described(True, "Ask once more about n-grams below the threshold, with the ε that their paths have left.")
    theta: float | None = described(
        None, "Threshold for noisy counts; by default it follows from ε, the sensitivity and the number of labels."
    )
    l_most: int = described(100, "Longest length that l_max = 'auto' may choose.")
    cut: Cut = described(
        "first",
        "Which part of a longer record is kept: its first items, a window at a random place, or a sample (one of its blocks, "
        "each item equally likely).",
    )
    drop_labels: bool = described(True, "Leave out single labels below the threshold; otherwise keep all labels of the domain.")
    live_labels: bool = described(True, "Ask for longer n-grams only among labels whose own count reached the threshold.")
    implied_ends: bool = described(
        True,
        "Derive how many records end with an n-gram from what is left of its count; otherwise publish n-grams with ends, too.",
    )
    consistency: Literal["printed", "weighted"] = described(
        "printed",
        "How longer n-grams are made to add up to shorter ones: printed (scaled, as in the paper), or weighted by their noise.",
    )
    cap: bool = described(
        True, "Put an n-gram into synthetic records no more often than the counts of the shorter n-grams inside it allow."
    )
    joints: bool = described(True, "Join published fragments where steps from one label to the next are still missing.")
    most: int | None = described(
        None,
        "With δ: how often one unit of privacy counts at most for the same n-gram. By default 2, or 5 with at most 64 labels, "
        "times the square root of the records of a user.",
    )

    def __post_init__(self) -> None:
        if self.l_max != "auto" and not _whole(self.l_max, MOST_LENGTH):
            raise unfit(f"give a whole number from 1 to {MOST_LENGTH:,}, or 'auto'.", l_max=self.l_max)
        if not _whole(self.n_max, MOST_LENGTH):
            raise unfit(f"n-grams have from 1 to {MOST_LENGTH:,} symbols; 5 is usual.", n_max=self.n_max)
        if self.cut not in get_args(Cut):
            raise unfit("choose 'first', 'window' or 'sample'.", cut=self.cut)
        if self.allocation not in ("adaptive", "uniform"):
            raise unfit("choose 'adaptive' or 'uniform'.", allocation=self.allocation)
        if self.heights not in ("mode", "chain"):
            raise unfit("choose 'mode' or 'chain'.", heights=self.heights)
        if self.consistency not in ("printed", "weighted"):
            raise unfit("choose 'printed' or 'weighted'.", consistency=self.consistency)
        if self.most is not None and not _whole(self.most, MOST_COUNTED):
            raise unfit(f"a unit counts from 1 to {MOST_COUNTED:,} times; leave it out to choose by the domain.", most=self.most)
        if self.theta is not None and not (isinstance(self.theta, int | float) and 0 < self.theta < 2**53):
            raise unfit("a threshold must be above 0; leave it out to derive it from ε and the domain.", theta=self.theta)
        if not _whole(self.l_most, MOST_LENGTH):
            raise unfit(f"the longest length that 'auto' may choose is from 1 to {MOST_LENGTH:,}.", l_most=self.l_most)

    @property
    def name(self) -> str:
        """The name of the method, as in `--method`."""
        if self.allocation == "uniform":
            return "ngram-uniform"
        return "ngram-printed" if all(getattr(self, name) == value for name, value in PRINTED.items()) else "ngram"

    def parameters(self) -> dict[str, Any]:
        """The public parameters, ready for a manifest."""
        stated = asdict(self)
        if self.most is None:  # as in releases from before a unit's counts were capped
            del stated["most"]
        return stated

    def precheck(self, epsilon: int, domain: Domain, unit: Unit, measure: Measure = "pure") -> None:
        """Refuse parameters that have no meaning in the measure of the run."""
        if measure == "pure" and self.most is not None:
            raise unfit("with pure ε noise does not depend on it: leave it out, or state delta as well.", most=self.most)
        if measure == "zcdp" and self.consistency == "weighted":
            raise unfit("it knows the noise of pure ε only: with delta, choose 'printed'.", consistency=self.consistency)

    def plan(self, epsilon: int, domain: Domain, unit: Unit, records: int | None = None, measure: Measure = "pure") -> Plan:
        """The stages and their amounts, and what noise will do to counts."""
        choosing = epsilon // AUTO_SHARE if self.l_max == "auto" else 0
        stages = [("choose l_max", choosing, f"a length among 1..{self.l_most}")] if choosing else []
        l_max = self.l_most if self.l_max == "auto" else int(self.l_max)
        levels = self._levels(l_max)
        stages.append(("exploration tree", epsilon - choosing, f"every path through at most {levels} levels"))
        kind = self._kind(l_max, len(domain), unit, measure)
        square = kind.cap(unit) * kind.influence(unit) if measure == "zcdp" else None
        return predict(stages, epsilon - choosing, kind, levels, len(domain), unit, records, square)

    def _kind(self, l_max: int, labels: int, unit: Unit, measure: Measure) -> Grams:
        """The tree that is asked: with a cap where that makes noise smaller."""
        usual = usual_cap(labels, unit) if self.most is None else self.most
        return Grams(l_max, self.n_max, usual if measure == "zcdp" else None)

    def _levels(self, l_max: int) -> int:
        """A record has at most l_max labels and its end: longer grams cannot occur, so no ε is kept for them."""
        return min(self.n_max, l_max + 1)

    def run(self, wall: Wall) -> GramRelease:
        """Explore, make consistent, synthesize."""
        l_max = self._length(wall)
        wall.cut(l_max, self.cut)
        kind = self._kind(l_max, len(wall.domain), wall.unit, wall.measure)
        walks = kind.influence(wall.unit)
        influence = walks if wall.measure == "pure" else InL2(kind.cap(wall.unit) * walks)
        with wall.stage("exploration tree"):
            epsilon = wall.remaining
            tree = wall.tree(kind, epsilon)
            bounded = replace(self, n_max=self._levels(l_max))
            explored = bounded._explore(tree, len(wall.domain), influence)
        with wall.stage("consistency"):
            live = bounded._live(explored, influence, epsilon)
            consistent = enforce_consistency(explored, self.approximate, live)
            if self.consistency == "weighted":
                consistent = weighed(consistent)
        with wall.stage("synthesis"):
            synthetic = synthesize(consistent, l_max, cap=self.cap, joints=self.joints, implied_ends=self.implied_ends)
            synthetic = in_time(wall.domain, synthetic)
        grams = gram_table(consistent, gaussian=wall.measure == "zcdp")
        return GramRelease(wall.domain, grams=grams, synthetic=synthetic, l_max=l_max, n_max=self.n_max, most=kind.most)

    def _length(self, wall: Wall) -> int:
        if self.l_max != "auto":
            return int(self.l_max)
        with wall.stage("choose l_max"):
            return wall.quantile(LengthQuantile(self.l_most, Fraction(85, 100)), wall.epsilon // AUTO_SHARE)

    def _explore(self, private: PrivateTree, labels: int, influence: Influence) -> LevelTree:
        """Grow level by level until n_max, or until no node can be expanded."""
        tree = LevelTree(labels)
        epsilon = int(private.remaining([private.root])[0])
        level_share = epsilon // self.n_max
        if level_share == 0:
            return tree
        share = np.array([level_share])
        theta = self._theta(influence, labels, share) if self.drop_labels else np.array([UNSELECTED])
        tree.grow(*self._look(private, np.zeros(1, np.int64), share, theta, influence, labels, None))
        among = np.append(self._live(tree, influence, epsilon), labels)
        live = max(len(among) - 1, 1)
        for level in range(1, self.n_max):
            if tree.height < level:
                break
            # Invariant: `tree` has `level` levels, and its deepest one has not been expanded.
            nodes = tree.deepest
            nodes = nodes[(tree.symbol[nodes] != labels) & (private.remaining(tree.private[nodes]) > 0)]
            count, left = tree.noisy[nodes], private.remaining(tree.private[nodes])
            if self.allocation == "adaptive":
                most = self.n_max - level
                if self.heights == "mode":
                    height_at = partial(expected_height, p_max(tree, nodes), most=most)
                else:
                    height_at = partial(height_of, followed(tree, nodes, most), most=most)
                paid, least = allocate(left, count, height_at, most, influence, live, self.theta)
            else:
                paid = np.minimum(left, level_share)
                least = self._theta(influence, live, paid)
            worth = (paid > 0) & (count >= least)
            if not worth.any():
                break
            tree.grow(*self._look(private, tree.private[nodes[worth]], paid[worth], least[worth], influence, live, among))
        return tree

    def _live(self, tree: LevelTree, influence: Influence, epsilon: int) -> NDArray[np.int64]:
        """The labels that n-grams of two symbols and more are asked for, beside the terminator.

        An n-gram occurs no more often than its items. Labels that did not pass are too rare to be looked for inside longer
        n-grams, so only those that did are asked for: which these are is noisy, hence public.
        """
        if not self.live_labels:
            return np.arange(tree.labels)
        ones = tree.level(1)
        if not self.drop_labels and len(ones):  # without ε for a level nothing was asked, and there is no threshold
            ones = ones[tree.noisy[ones] >= self._theta(influence, tree.labels, np.array([epsilon // self.n_max]))]
        return tree.symbol[ones]

    def _theta(self, influence: Influence, labels: int, paid: NDArray[np.int64]) -> NDArray[np.float64]:
        """What noisy counts must reach when they were paid with so much."""
        return threshold(influence, labels, paid) if self.theta is None else np.full(len(paid), float(self.theta))

    def _look(
        self,
        tree: PrivateTree,
        nodes: NDArray[np.int64],
        paid: NDArray[np.int64],
        least: NDArray[np.float64],
        influence: Influence,
        labels: int,
        among: NDArray[np.int64] | None,
    ) -> list[Children]:
        """The children that pass; and those of the others that pass when asked with all that their paths have left.

        A second look pays where more is left than was spent on the first: its threshold is lower. What it finds has no ε
        left and stays a leaf.
        """
        answers = [tree.expand(nodes, paid, least, among=among)]
        left = tree.remaining(nodes)
        again = (left > paid) & self.second_look
        if again.any():
            lower = self._theta(influence, labels, left[again])
            answers.append(tree.expand_rest(nodes[again], left[again], lower, among=among))
        return answers


def _whole(value: object, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most
