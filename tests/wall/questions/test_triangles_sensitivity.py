"""The ladder of triangles on every small graph: its rungs are the sensitivities at a distance, and no edge costs more than ε."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import combinations

import numpy as np
import pytest

import seqveil as sv
from seqveil.audit.laws import Rungs
from seqveil.errors import CallError
from seqveil.tables.graphs import GraphTable
from seqveil.wall.questions.protocol import Ladder
from seqveil.wall.questions.triangles import Triangles, widths

Graph = frozenset[tuple[int, int]]


def table(graph: Graph, n: int) -> GraphTable:
    ends = np.array(sorted(graph), np.int64).reshape(-1, 2)
    return GraphTable.of(sv.Domain.range(1, n), ends[:, 0], ends[:, 1])


@cache
def ladder(graph: Graph, n: int) -> Ladder:
    return Triangles().ladder(table(graph, n), sv.Edge())


@cache
def graphs(n: int) -> list[Graph]:
    pairs = list(combinations(range(n), 2))
    return [frozenset(p for k, p in enumerate(pairs) if bits >> k & 1) for bits in range(2 ** len(pairs))]


def neighbours(graph: Graph, n: int) -> list[Graph]:
    return [graph ^ {pair} for pair in combinations(range(n), 2)]


def width(one: Ladder, t: int) -> int:
    return int(one.widths[min(t, len(one.widths) - 1)])


def law(one: Ladder, q: Fraction, reach: int, width_of=width) -> dict[int, Fraction]:
    """P(x) ∝ q^rung for x within `reach`, exactly: the weight of all rungs is a sum and a geometric series."""
    first = len(one.widths)
    total = 1 + sum(2 * width_of(one, j - 1) * q**j for j in range(1, first + 1))
    total += 2 * width_of(one, first) * q ** (first + 1) / (1 - q)
    out, rung, end = {}, 0, 0
    for distance in range(reach + 1):
        while distance > end:
            rung += 1
            end += width_of(one, rung - 1)
            if width_of(one, 10**9) == 0 and rung > first:
                return out
        out[one.value + distance] = out[one.value - distance] = q**rung / total
    return out


def worst_ratio(n: int, q: Fraction, width_of=width) -> Fraction:
    """The largest P(x | G) / P(x | G′) over all neighbours among the graphs of n vertices; far out it no longer changes."""
    worst = Fraction(0)
    laws = {graph: law(ladder(graph, n), q, 6 * n, width_of) for graph in graphs(n)}
    for graph, here in laws.items():
        for other in neighbours(graph, n):
            there = laws[other]
            worst = max(worst, max(here[x] / there[x] for x in here.keys() & there.keys()))
    return worst


def test_rungs_are_the_largest_change_within_t_edges():
    """Against the definition, on all graphs of 4 vertices: the largest change by an edge, of any graph at most t edges away."""
    n = 4
    change = {g: max(abs(ladder(g, n).value - ladder(h, n).value) for h in neighbours(g, n)) for g in graphs(n)}
    for graph in graphs(n):
        for t in range(7):
            near = max(change[other] for other in graphs(n) if len(graph ^ other) <= t)
            assert near == width(ladder(graph, n), t)


def test_the_ladder_is_valid_on_all_graphs_of_five_vertices():
    """A rung covers every change, and is no wider than the next one of a neighbour: an edge moves a number by one rung."""
    n, moved = 5, set()
    for graph in graphs(n):
        one = ladder(graph, n)
        for other in neighbours(graph, n):
            two = ladder(other, n)
            assert abs(one.value - two.value) <= width(one, 0)
            assert all(width(one, t) <= width(two, t + 1) for t in range(12))
        moved.add(Rungs(one.value, one.widths, 1.0).moved(Rungs(two.value, two.widths, 1.0)))
    assert moved <= {0, 1}


@pytest.mark.parametrize(
    ("n", "q"), [*((n, Fraction(p, 10)) for n in (2, 3, 4) for p in (1, 5, 9)), (5, Fraction(9, 10))], ids=str
)
def test_an_edge_costs_at_most_epsilon(n, q):
    """In exact fractions: with q = e^(−ε/2) no probability changes by more than the factor q⁻² = e^ε."""
    worst = worst_ratio(n, q)

    assert worst <= q**-2
    if n > 3:
        assert worst > q**-1  # so the 2 of the exponential mechanism is needed


def test_several_edges_cost_at_most_epsilon():
    """For k = 2 the scale is 4/ε, so q = e^(−ε/4): graphs two edges apart differ by q⁻⁴ = e^ε at most, and by more than q⁻²."""
    n, q, worst = 4, Fraction(1, 2), Fraction(0)
    laws = {graph: law(ladder(graph, n), q, 6 * n) for graph in graphs(n)}
    for graph in graphs(n):
        for pairs in combinations(combinations(range(n), 2), 2):
            there = laws[graph ^ frozenset(pairs)]
            worst = max(worst, max(p / there[x] for x, p in laws[graph].items() if x in there))

    assert q**-2 < worst <= q**-4
    assert Triangles().steps(sv.Edge(2)) == 2


def test_the_sensitivity_of_the_graph_at_hand_alone_is_not_enough():
    """The check above can fail: rungs that are all as wide as the first cost more than ε."""
    q = Fraction(9, 10)

    assert worst_ratio(5, q, lambda one, t: max(int(one.widths[0]), 1)) > q**-2


@pytest.mark.parametrize(("n", "expected"), [(1, [0]), (2, [0]), (3, [0, 0, 1])])
def test_graphs_with_few_vertices(n, expected):
    """Two vertices make no triangle, so the answer is 0 and costs nothing."""
    assert ladder(frozenset(), n).value == 0
    assert ladder(frozenset(), n).widths.tolist() == expected


def test_widths_of_many_pairs():
    """The largest over pairs of min(a + t, ⌊(s + t)/2⌋), up to n − 2."""
    ends = np.array([40, 40, 9, 8])
    by_hand = [min(28, max(min(a + t, (s + t) // 2) for a, s in enumerate(ends.tolist()))) for t in range(60)]
    wide = widths(ends, 30).tolist()

    assert wide == by_hand[: len(wide)]
    assert wide[-1] == 28 > wide[-2]


def test_triangles_protect_edges():
    """A record or a user has no edges."""
    with pytest.raises(CallError, match="triangles protect edges, not 'record'"):
        Triangles().steps(sv.Record())
