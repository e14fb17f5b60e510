"""The arrangement of edges: group sizes, the law that is drawn, and what one edge can change about it."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import chisquare

import seqveil as sv
from seqveil.engines.local.density import DensityCounter
from seqveil.errors import CallError
from seqveil.tables.graphs import GraphTable
from seqveil.wall import Arrangement
from seqveil.wall.noise import SecureNoise, SeededNoise
from seqveil.wall.noise.overlap import _law


def counter_of(cells: set[int]) -> DensityCounter:
    """The whole triangle of four vertices (6 cells), some of which are edges."""
    pairs = list(combinations(range(4), 2))
    ends = np.array([pairs[c] for c in sorted(cells)], np.int64).reshape(-1, 2)
    table = GraphTable.of(sv.Domain.range(1, 4), ends[:, 0], ends[:, 1])
    return DensityCounter.root(table.low, table.high, 4, (), 1)


def law(edges: set[int], chosen: int, rate: float, size: int = 6) -> dict[tuple[int, ...], float]:
    """The exponential mechanism as it is defined: every set of cells, weighed by its agreement with the graph."""
    weights = {}
    for r in combinations(range(size), chosen):
        agree = sum((cell in edges) == (cell in r) for cell in range(size))
        weights[r] = math.exp(rate / 2 * agree)
    total = sum(weights.values())
    return {r: w / total for r, w in weights.items()}


@pytest.mark.parametrize(("size", "ones"), [(6, 0), (6, 2), (6, 6), (7, 3), (8, 5)])
def test_group_sizes_are_those_of_theorem_7_9(size: int, ones: int) -> None:
    """C(c, w)·C(|R|−c, c̃−w) sets have the score |R|−c−c̃+2w, and no set has another score; they add up to C(|R|, c̃)."""
    for chosen in range(size + 1):
        scores = Counter(sum((cell < ones) == (cell in r) for cell in range(size)) for r in combinations(range(size), chosen))
        sizes = {
            size - ones - chosen + 2 * w: math.comb(ones, w) * math.comb(size - ones, chosen - w)
            for w in range(max(0, chosen - size + ones), min(ones, chosen) + 1)
        }

        assert sizes == dict(scores)
        assert math.comb(size, chosen) == sum(sizes.values())
        low = max(chosen + ones - size, size - ones - chosen)
        high = min(size + ones - chosen, size + chosen - ones)
        assert (high - low) // 2 + 1 == len(sizes)  # theorem 7.8's count as printed is too small


@pytest.mark.parametrize(("ones", "zeros", "chosen"), [(3, 4, 3), (1, 5, 4), (30, 400, 25), (500, 500, 700)])
def test_the_law_of_the_overlap_is_exact(ones: int, zeros: int, chosen: int) -> None:
    """Cumulative probabilities agree with exact binomials to 25 digits' worth of floats, also where floats overflow."""
    rate = Fraction(3, 4)
    weights = {
        w: Fraction(math.comb(ones, w) * math.comb(zeros, chosen - w)) * Fraction(math.exp(0.75)) ** w
        for w in range(max(0, chosen - zeros), min(ones, chosen) + 1)
    }
    total, running = sum(weights.values()), Fraction(0)
    law = _law(ones, zeros, chosen, rate, 30)
    for w, weight in weights.items():
        running += weight
        if law.first <= w < law.first + len(law.heights):
            assert float(running / total) == pytest.approx(float(law.heights[w - law.first]), abs=1e-9)


def test_binomials_of_millions_do_not_overflow() -> None:
    """A leaf of 25 million cells with 100,000 edges is drawn in a moment and lands where it must."""
    mean = 100_000 * 100_000 / 25_000_000

    assert 0.8 * mean < SeededNoise(3).overlap(100_000, 24_900_000, 100_000, Fraction(1, 10**6)) < 1.2 * mean
    assert SecureNoise().overlap(100_000, 24_900_000, 100_000, Fraction(40)) > 99_000


@pytest.mark.slow
@pytest.mark.parametrize("noise", [SeededNoise(5), SecureNoise()], ids=["seeded", "secure"])
@pytest.mark.parametrize(("edges", "chosen"), [({0, 3}, 2), ({1, 2, 4}, 2), (set(), 3), ({0, 1, 2, 3, 4, 5}, 2)])
def test_arrangements_follow_their_law(noise: object, edges: set[int], chosen: int) -> None:
    """Chi-square over all sets of cells of a tiny region; a law that is 20 % off is rejected."""
    rate, draws = Fraction(3, 2), 6000
    counter, question = counter_of(edges), Arrangement(np.array([chosen]))
    seen = Counter(tuple(question.answer(0, counter, 0, rate, noise).tolist()) for _ in range(draws))  # type: ignore[arg-type]
    expected = law(edges, chosen, 1.5)
    wrong = law(edges, chosen, 1.5 * 1.2)

    assert set(seen) <= set(expected)
    assert chisquare([seen[r] for r in expected], [draws * p for p in expected.values()]).pvalue > 1e-4
    if 0 < len(edges) < 6:
        assert chisquare([seen[r] for r in wrong], [draws * p for p in wrong.values()]).pvalue < 1e-2


def test_one_edge_changes_every_arrangement_by_at_most_epsilon() -> None:
    """Exhaustive: all graphs on four vertices, all counts, all sets; with k edges the loss is at most ε, and is approached."""
    epsilon = 1.0
    worst = 0.0
    for chosen in range(7):
        laws = {bits: law({c for c in range(6) if bits >> c & 1}, chosen, epsilon) for bits in range(64)}
        for bits in range(64):
            for cell in range(6):
                if not bits >> cell & 1:
                    a, b = laws[bits], laws[bits | 1 << cell]
                    worst = max(worst, *(abs(math.log(a[r] / b[r])) for r in a))

    assert 0.5 < worst <= epsilon + 1e-9


def test_impossible_counts_are_refused() -> None:
    """More edges than cells are a mistake of the caller, whose count and region are both public."""
    with pytest.raises(CallError, match="7 edges cannot be placed on 6 cells"):
        Arrangement(np.array([7])).answer(0, counter_of(set()), 0, Fraction(1), SeededNoise(1))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((2, 3, 6, Fraction(1)), "6 cells of 5"),
        ((-1, 3, 1, Fraction(1)), "ones"),
        ((1, 1, 1, Fraction(0)), "rate"),
        ((1, 1, 1, 0.5), "rate"),
    ],
)
def test_an_overlap_that_makes_no_sense_is_refused(arguments: tuple[object, ...], message: str) -> None:
    """By both sources of noise, before anything is drawn."""
    for noise in (SecureNoise(), SeededNoise(1)):
        with pytest.raises(CallError, match=message):
            noise.overlap(*arguments)  # type: ignore[arg-type]
