"""A tree under zCDP costs its dearest path: small worlds, every unit, the worst way to spend on it, without its own account.

What a unit loses is Σ c_v²·ρ_v / (2σ_v²ρ_v) over the counts that are told, where c_v is how often it is counted there. That is
linear in the ρ_v, so the worst of all ways to give every path one unit of ρ spends all of it at a node or nothing there: on the
node's own count, on its children, or further down.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from seqveil.errors import BudgetExceeded
from seqveil.tables.taxonomy import Taxonomy
from seqveil.tables.units import Record, User
from seqveil.wall.budget import GRAINS
from seqveil.wall.clip import ClipFailed
from seqveil.wall.noise import Sigma
from seqveil.wall.noise.nothing import NoNoise
from seqveil.wall.questions.grams import Grams
from seqveil.wall.questions.partitions import EVERY, ROUTE, Partitions
from seqveil.wall.questions.prefixes import Prefixes
from seqveil.wall.wall import Wall
from strategies import table_of_codes

Gram = tuple[int, ...]
RECORDS = [r for n in range(4) for r in product(range(2), repeat=n)]
DATA, DEEP = [(0, 1, 0), (1,), (0, 0)], 3
TWO = User(max_sequences=2)
MIXED = Taxonomy.balanced(2, fan_out=2)


def opened(unit, rho):
    """A wall before the data, charged in zCDP."""
    owners = [0, 1, 2] if isinstance(unit, User) else None
    return Wall(table_of_codes(DATA, 2, owners), unit, rho, NoNoise(), measure="zcdp")


def counts(kind, unit, joining) -> dict[Gram, int]:
    """All counts down to three levels, the root's too, with what a unit's records add to the data of others."""
    owners = [*range(len(DATA)), *[9] * len(joining)] if isinstance(unit, User) else None
    counter = kind.open(table_of_codes([*DATA, *joining], 2, owners), unit)
    grams: list[Gram] = [()]
    counted = {(): int(counter.count(np.zeros(1, np.int64))[0])}
    for _ in range(DEEP):
        below = counter.children(np.arange(len(grams)))
        grams = [(*grams[p], r) for p, r in zip(below.parent.tolist(), below.rank.tolist(), strict=True)]
        counted |= dict(zip(grams, below.count.tolist(), strict=True))
        alive = np.array([gram[-1] < 2 for gram in grams], np.bool_)
        counter = counter.descend(below.parent[alive], below.rank[alive])
        grams = [gram for gram in grams if gram[-1] < 2]
    return counted


def moves(kind, unit, joining) -> dict[Gram, int]:
    less, more = counts(kind, unit, []), counts(kind, unit, joining)
    return {gram: more[gram] - less.get(gram, 0) for gram in more}


def doubled_square(law) -> Fraction:
    """2σ² of noise that was paid with ρ = 1: a count that moves by c loses c² of this."""
    assert isinstance(law, Sigma)
    return 2 * law.exact


def noise_of(kind, unit) -> tuple[Fraction, Fraction]:
    """The noise of the root's own count and of every other, from a tree that the wall opened and from what it says of itself."""
    wall = opened(unit, 9 * GRAINS)
    tree = wall.tree(kind, 3 * GRAINS)
    below = tree.expand([0], GRAINS)
    root, child = (float(tree.refine([node], GRAINS)[1][0]) for node in (0, below.node[0]))

    assert wall.law(kind, GRAINS) == tree.law(GRAINS)
    assert {tree.law(GRAINS).value} == {child, *below.scale.tolist()}
    assert root == pytest.approx(float(np.sqrt(kind.influence(unit) ** 2 / 2)))
    return Fraction(kind.influence(unit) ** 2), doubled_square(tree.law(GRAINS))


def worst(moved: dict[Gram, int], root: Fraction | None, other: Fraction, gram: Gram = ()) -> Fraction:
    """The most that is lost, at and below a node, for one unit of ρ on every path through it; without `root`, below the root."""
    children = [g for g in moved if len(g) == len(gram) + 1 and g[:-1] == gram]
    own = Fraction(0) if (noise := other if gram else root) is None else moved.get(gram, 0) ** 2 / noise
    split = sum((moved[g] ** 2 / other for g in children), Fraction(0))
    return max(own, split, sum((worst(moved, root, other, g) for g in children), Fraction(0)))


UNITS = {Record(): [[record] for record in RECORDS], TWO: [list(p) for p in combinations_with_replacement(RECORDS, 2)]}
REACHED = [  # what can be reached below the root, where two labels are not enough for more
    (Grams(3), Record(), 1),
    (Grams(3), TWO, 1),
    (Grams(3, most=1), Record(), Fraction(2, 3)),
    (Grams(3, most=1), TWO, Fraction(1, 3)),
    (Grams(3, most=2), TWO, Fraction(2, 3)),
    (Grams(2, most=1), Record(), 1),
    (Grams(2, most=2), TWO, 1),
    (Prefixes(), Record(), 1),
    (Prefixes(), TWO, 1),
]


@pytest.mark.parametrize(("kind", "unit", "below"), REACHED, ids=str)
def test_no_way_to_spend_on_a_tree_costs_more_than_its_dearest_path(kind, unit, below):
    """Every unit of records up to length 3 over 2 labels: the loss reaches ρ, if only at the root, and never exceeds it."""
    root, other = noise_of(kind, unit)
    moved = [moves(kind, unit, joining) for joining in UNITS[unit]]

    assert max(worst(one, root, other) for one in moved) == 1
    assert max(worst(one, None, other) for one in moved) == below


def reached(kind, unit, root, other):
    return max(worst(moves(kind, unit, joining), root, other) for joining in UNITS[unit])


def other_of(kind, unit):
    return noise_of(kind, unit)[1]


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_the_enumeration_notices_what_would_be_too_little_noise(unit):
    """A cap that nobody keeps; a cap at the root, where none is kept; the noise of an L1 sensitivity taken for its square."""
    capped, whole = Grams(3, most=1), Grams(3)
    paths = whole.influence(unit)
    root, other = noise_of(capped, unit)

    assert reached(whole, unit, root, other) > 1, "a cap is forgotten"
    assert reached(capped, unit, other, other) > 1, "the root has the noise of its children"
    assert reached(whole, unit, Fraction(paths**2), Fraction(paths)) > 1, "σ² = influence/2ρ, as if no path met another"
    assert reached(whole, unit, root, other_of(whole, unit) * Fraction(99, 100)) > 1, "a hundredth less than is needed"


@pytest.mark.parametrize("kind", [Grams(3), Grams(3, most=1)], ids=["whole", "capped"])
def test_a_path_cannot_be_overspent_by_a_grain(kind):
    """In ρ as in ε: what is left of a path is what may be asked of it, and the sentence says of what."""
    wall = opened(Record(), GRAINS)
    tree = wall.tree(kind, GRAINS)
    below = tree.expand([0], GRAINS // 2)
    tree.refine(below.node, GRAINS // 2 - 1)

    assert [1] * len(below) == tree.remaining(below.node).tolist()
    for ask in (lambda: tree.refine(below.node, 2), lambda: tree.expand(below.node, 2), lambda: tree.refine([0], 2)):
        with pytest.raises(BudgetExceeded, match=r"a path would cost ρ = 1\.000000000001, but the tree has 1\.0"):
            ask()
    tree.expand(below.node, 1)
    assert tree.dearest == GRAINS == wall.used


class Claimed(Partitions):
    """A tree that states a cap which its engine does not keep."""

    def cap(self, unit):
        return 1


def claimed():
    wall = opened(TWO, GRAINS)
    return wall.tree(Claimed(MIXED), GRAINS)


def test_routed_parts_have_the_noise_of_the_node_that_they_divide():
    """No cap is kept where a node is divided by a rule and nothing is counted, so none is used for the parts."""
    tree = claimed()
    (parts,) = tree.route([0], 2, np.array([[MIXED.root, ROUTE]]))

    assert [np.sqrt(2.0)] * 2 == tree.refine(parts, GRAINS)[1].tolist()
    assert tree.law(GRAINS).value == 1.0


def test_a_cap_that_the_engine_does_not_measure_ends_the_run():
    """Nothing is drawn for an answer."""
    with pytest.raises(ClipFailed, match="more often at a node than its cap"):
        claimed().expand([0], 1, 1.0, np.array([[MIXED.root, EVERY]]))
