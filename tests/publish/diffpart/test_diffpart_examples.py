"""Table 4.1 and Examples 4.3.1–4.3.3 of the thesis, and the exact law of small runs."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import seqveil as sv
from publish.diffpart.enumeration import law, loss
from seqveil.engines.local.partitions import EVERY, PartitionCounter
from seqveil.publish.diffpart.allocation import cuts_to_come, kept_for_leaves, share
from seqveil.publish.diffpart.cuts import Partition, specialise
from seqveil.publish.diffpart.partitioning import Partitioning
from seqveil.publish.diffpart.predict import Expected
from seqveil.tables.flat import Flat
from seqveil.tables.sets import SetTable
from seqveil.tables.taxonomy import Taxonomy
from seqveil.wall import calibrate
from seqveil.wall.budget import GRAINS, grains
from seqveil.wall.noise.nothing import NoNoise
from seqveil.wall.tree import PrivateTree


class Watched(PrivateTree):
    """A private tree that remembers what it was asked."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.asked: list[tuple[Any, Any]] = []

    def expand(self, nodes: Any, epsilon: Any, threshold: Any = None, split: Any = None, among: Any = None) -> Any:
        children = super().expand(nodes, epsilon, threshold, split, among)
        self.asked.append((np.asarray(epsilon).tolist(), children.noisy.tolist()))
        return children


def test_the_sample_data_is_divided_with_the_printed_budgets(table_4_1: SetTable) -> None:
    """ε = 6, so ε/6 is 1: cuts get ε/6; ε/3|ε/6; ε/6, leaves 5ε/6 and 2ε/3; the parts hold the printed records."""
    taxonomy = Taxonomy.balanced(4, 2)
    tree = Watched(PartitionCounter.root(table_4_1.flat, taxonomy), 1, 6 * GRAINS, NoNoise())
    partitioning = Partitioning(tree, Expected(taxonomy, cuts_to_come(taxonomy, 60), 1.0, 1.2, 6 * GRAINS, 1))
    partitioning.run()

    one = GRAINS
    expected = [
        ([one], [4, 4]),  # {I12}: #3,4,5,6 and {I12,I34}: #1,2,7,8; {I34} is empty
        ([5 * one], [1, 2, 1]),  # the leaves of {I12}: I1 #6, I2 #3,5, I1I2 #4
        ([one], [3]),  # {I12,I34} by I34: {I12,I4} has #2 alone and is pruned, {I12,I3,I4} has #1,7,8
        ([4 * one], [1, 2]),  # its leaves: I2I3I4 #8 and I1I2I3I4 #1,7; I1I3I4 is empty
    ]
    assert expected == tree.asked
    assert 6 * GRAINS == tree.dearest
    sets = partitioning.sets()
    published = {tuple(codes.tolist()): int(n) for codes, n in zip(sets.flat, sets.noisy, strict=True)}
    assert {(0,): 1, (1,): 2, (0, 1): 1, (1, 2, 3): 1, (0, 1, 2, 3): 2} == published


def test_the_budgets_are_the_examples(table_4_1: SetTable) -> None:
    """Example 4.3.2 through the front door: itemsets of {I12} were counted with 5ε/6, the others with 2ε/3."""
    release = sv.experiment(table_4_1, sv.DiffPart(fan_out=2, c1=1.0, c2=1.2, size_share=0), "6.0", seed=None)
    spent = {"".join(labels): 1 / scale for labels, scale in zip(release_sets(release), release.sets.scale, strict=True)}

    assert {"I1": 5.0, "I2": 5.0, "I1I2": 5.0, "I2I3I4": 4.0, "I1I2I3I4": 4.0} == pytest.approx(spent)
    assert ["6.0"] == [stage.epsilon for stage in release.manifest.stages]


def release_sets(release: Any) -> list[list[str]]:
    return [release.domain.labels(codes) for codes in release.sets.flat]


def one_operation(counts: tuple[int, int, int], alpha: str, theta: float) -> dict[Any, float]:
    """The law of which sub-partitions of {I12} are kept when I1, I2 and I1I2 occur so often."""
    taxonomy = Taxonomy.balanced(2, 2)
    flat = Flat.of([[0]] * counts[0] + [[1]] * counts[1] + [[0, 1]] * counts[2])

    def run(noise: Any) -> Any:
        tree = PrivateTree(PartitionCounter.root(flat, taxonomy), 1, GRAINS, noise)
        return tuple(tree.expand([0], grains(alpha), theta, np.array([[taxonomy.root, EVERY]])).rank.tolist())

    return law(run, reach=3)


@pytest.mark.parametrize("alpha", ["0.05", "0.7"])
def test_one_operation_loses_exactly_alpha_at_most(alpha: str) -> None:
    """Every neighbouring pair of counts up to 2, every outcome, exact probabilities: the log-ratio never exceeds α."""
    worst = 0.0
    for counts in [(0, 0, 0), (1, 0, 0), (1, 1, 0), (2, 1, 0)]:
        here = one_operation(counts, alpha, 2.0)
        assert 1.0 == pytest.approx(sum(here.values()))
        for slot in range(3):
            more = tuple(c + (i == slot) for i, c in enumerate(counts))
            worst = max(worst, loss(here, one_operation(more, alpha, 2.0)))  # type: ignore[arg-type]

    assert worst <= float(alpha) + 1e-9
    assert worst >= 0.5 * float(alpha)


def test_noise_that_is_a_fifth_too_narrow_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The loss is α exactly; with 80 % of the scale it is 1.25 α, and the enumeration sees it."""
    pair = ((1, 1, 0), (1, 2, 0))
    right = loss(*(one_operation(counts, "0.7", 2.0) for counts in pair))
    real = calibrate.Scale
    monkeypatch.setattr(calibrate, "Scale", SimpleNamespace(of=lambda i, g: real(0.8 * real.of(i, g).value)))
    narrow = loss(*(one_operation(counts, "0.7", 2.0) for counts in pair))

    assert (0.7, 0.875) == (pytest.approx(right), pytest.approx(narrow))


def test_one_test_too_many_would_be_found() -> None:
    """Drawing 2^l − |S| instead of 2^l − 1 − |S| empty sub-partitions, as printed, loses far more than α."""
    a, p = 0.05, math.exp(-0.05 * 2) / (1 + math.exp(-0.05))

    def kept_empty(slots: int, tests: int) -> float:
        """The chance that a given one of the empty sub-partitions is not kept, when `tests` draws choose among `slots`."""
        return sum(math.comb(tests, k) * p**k * (1 - p) ** (tests - k) * (1 - min(k, slots) / slots) for k in range(tests + 1))

    assert abs(math.log(kept_empty(3, 3) / (1 - p))) < 1e-9
    assert abs(math.log(kept_empty(1, 2) / (1 - p))) > 5 * a


@pytest.mark.slow
@pytest.mark.parametrize("record", [(2,), (0,)])
def test_a_whole_run_with_a_mixed_cut_stays_within_epsilon(record: tuple[int, ...]) -> None:
    """{I1, I2} is grouped and I3 is not: the root's cut has leaf and inner parts. One record against none, every outcome."""
    taxonomy = Taxonomy.nested([[0, 1], 2])
    budget = GRAINS

    def outcome(flat: Flat) -> dict[Any, float]:
        def run(noise: Any) -> Any:
            tree = PrivateTree(PartitionCounter.root(flat, taxonomy), 1, budget, noise)
            partitioning = Partitioning(tree, Expected(taxonomy, cuts_to_come(taxonomy, 60), 0.5, 0.05, budget, 1))
            partitioning.run()
            assert tree.dearest <= budget
            return tuple(sorted(tuple(codes.tolist()) for codes in partitioning.sets().flat))

        return law(run, reach=2)

    without, with_it = outcome(Flat.of([])), outcome(Flat.of([record]))
    assert 1.0 == pytest.approx(sum(without.values()))
    assert 1.0 == pytest.approx(sum(with_it.values()))
    assert 0.1 < loss(without, with_it) <= 1.0 + 1e-9


def nested(draw: Any, codes: list[int], depth: int) -> Any:
    """A random taxonomy over codes in order."""
    if len(codes) == 1:
        return codes[0]
    if depth == 0:
        return codes
    edges = sorted(draw(st.sets(st.integers(1, len(codes) - 1), min_size=1, max_size=4)))
    return [nested(draw, codes[a:b], depth - 1) for a, b in zip([0, *edges], [*edges, len(codes)], strict=True)]


@settings(max_examples=150)
@given(st.data())
def test_chain_sums_on_random_taxonomies(data: Any) -> None:
    """Whatever children survive and however many were expected, a chain's αs sum to at most ε/2; the leaf takes the rest.

    Where all children are expected, as printed, they grow on the way down."""
    labels = data.draw(st.integers(2, 12))
    groups = nested(data.draw, list(range(labels)), data.draw(st.integers(0, 3)))
    taxonomy = Taxonomy.nested(groups)
    epsilon = data.draw(st.integers(10**3, 10**13))
    kept = kept_for_leaves(epsilon)
    branching, growth = data.draw(st.sampled_from([(1.0, 1.0), (1.5, 1.0), (60.0, 1.0), (1.0, 1.5), (60.0, 4.0)]))
    weight = cuts_to_come(taxonomy, branching)
    part = Partition.of(np.array([0]), Flat.of([[taxonomy.root]]), taxonomy, weight)
    left, shares = epsilon, []
    while True:
        every, _ = part.leaf_children(taxonomy)
        if every[0]:
            break
        alpha = int(share(np.array([left]), kept, part.cuts, growth)[0])
        shares.append(alpha)
        left -= alpha
        wide = int(taxonomy.width(part.chosen)[0])
        mask = data.draw(st.integers(1, 2**wide - 1))
        cut = specialise(part, np.array([0]), np.array([mask]), taxonomy)
        if not taxonomy.internal[cut.items].any():
            break
        part = Partition.of(np.array([0]), cut, taxonomy, weight)

    assert sum(shares) <= epsilon // 2
    assert all(2 * alpha <= epsilon // 2 for alpha in shares), "a cut that is not the last leaves something to the next"
    if (branching, growth) == (60.0, 1.0):
        assert all(alpha >= 1 for alpha in shares)
        assert shares == sorted(shares)
    assert left >= kept
