"""Properties of the N-gram mechanism: Theorem 4.1, consistency, the cap, and the budget under the worst luck there is."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import seqveil as sv
from seqveil.errors import BudgetExceeded, CallError
from seqveil.publish.ngram import extension, synthesis
from seqveil.publish.ngram.consistency import enforce_consistency
from seqveil.publish.ngram.mechanism import PRINTED, NGram
from seqveil.publish.ngram.synthesis import synthesize
from seqveil.tables.units import Record, User
from seqveil.trees.table import gram_table
from seqveil.trees.tree import LevelTree
from seqveil.wall.budget import GRAINS
from seqveil.wall.questions.grams import Grams
from seqveil.wall.run import open_wall
from seqveil.wall.tree import PrivateTree
from strategies import ChosenNoise, chosen_values, databases, gram_counts, table_of_codes

LABELS = 3


@given(databases(LABELS, 8, 6), st.integers(1, 6))
def test_theorem_4_1(records, l_max):
    """With exact counts of all grams up to l_max, the truncated database comes back, every record as often as it was."""
    exact = NGram(l_max=l_max, n_max=l_max, theta=0.001, approximate=False, allocation="uniform")
    release = sv.experiment(table_of_codes(records, LABELS), exact, "1.0", seed=None)
    truncated = Counter(tuple(r[:l_max]) for r in records if r)

    assert truncated == Counter(tuple(r.tolist()) for r in release.synthetic)


@given(databases(LABELS, 8, 6), st.integers(1, 6))
def test_without_noise_the_grams_are_the_grams(records, l_max):
    """Every released count is the exact one, with its scale and threshold beside it."""
    exact = NGram(l_max=l_max, n_max=3, theta=0.001, approximate=False)
    grams = sv.experiment(table_of_codes(records, LABELS), exact, "1.0", seed=None).grams
    expected = {g: c for g, c in gram_counts(records, l_max, LABELS).items() if len(g) <= 3}

    assert expected == {grams.gram(k): grams.noisy[k] for k in range(len(grams))}
    assert expected == pytest.approx({grams.gram(k): grams.count[k] for k in range(len(grams))})


def tree_of(records, values, l_max, n_max, **parameters) -> LevelTree:
    """What NGram explores when the noise is chosen."""
    kind = Grams(l_max, n_max)
    counter = kind.open(table_of_codes(records, LABELS), Record())
    tree = PrivateTree(counter, kind.influence(Record()), GRAINS, ChosenNoise(values))
    return NGram(l_max=l_max, n_max=n_max, **parameters)._explore(tree, LABELS, l_max)


def children(tree: LevelTree, node: int) -> range:
    return range(int(tree.first[node]), int(tree.last[node]))


@given(databases(LABELS, 8, 6), chosen_values(10**6), st.booleans(), st.sampled_from([None, 0.5, 3.0]))
def test_consistency(records, values, approximate, theta):
    """No count is negative; known families sum to their parent, up to shares too small to be written down."""
    tree = enforce_consistency(tree_of(records, values, 4, 4, theta=theta), approximate)
    again = enforce_consistency(tree_of(records, values, 4, 4, theta=theta), approximate)

    assert (tree.count >= 0).all()
    assert np.isfinite(tree.count).all()
    for node in range(1, len(tree)):
        if len(children(tree, node)):
            total = sum(tree.count[c] for c in children(tree, node))
            exact = tree.count[node] if any(tree.count[c] > 0 for c in children(tree, node)) else 0.0
            unwritten = (LABELS + 1 - len(children(tree, node))) * 0.5 if approximate else 0.0
            assert exact - unwritten - 1e-6 * exact <= total <= exact * (1 + 1e-9) + 1e-9
    assert tree.count.tolist() == again.count.tolist()
    assert tree.private.tolist() == again.private.tolist()


@given(databases(LABELS, 8, 6), chosen_values(200), st.integers(1, 6), st.booleans())
def test_the_cap(records, values, l_max, approximate):
    """No gram that the tree knows is published more often than its count rounded; no record is longer than l_max."""
    tree = enforce_consistency(tree_of(records, values, l_max, 3), approximate)
    published = [r.tolist() for r in synthesize(tree, l_max)]
    occurrences: Counter[tuple[int, ...]] = Counter()
    for record in published:
        occurrences.update(tuple(record[i:j]) for i in range(len(record)) for j in range(i + 1, min(i + 3, len(record)) + 1))
    spelled = {0: ()}
    for node in range(1, len(tree)):
        spelled[node] = (*spelled[int(tree.parent[node])], int(tree.symbol[node]))

    assert all(0 < len(record) <= l_max for record in published)
    assert all(0 <= x < LABELS for record in published for x in record)
    levels = {node: len(gram) for node, gram in spelled.items()}
    for node in range(1, len(tree)):
        if tree.symbol[node] != LABELS and levels[node] <= 2:
            assert occurrences[spelled[node]] <= tree.count[node] + 0.5 + 1e-6


class Watched(PrivateTree):
    """A tree that writes down what was paid."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self.paid: list[int] = []

    def expand(self, nodes, epsilon, threshold=None, split=None, among=None):
        self.paid += np.atleast_1d(epsilon).tolist()
        return super().expand(nodes, epsilon, threshold, split, among)

    def expand_rest(self, nodes, epsilon, threshold=None, among=None):
        self.paid += np.atleast_1d(epsilon).tolist()
        return super().expand_rest(nodes, epsilon, threshold, among)


parameters = st.fixed_dictionaries(
    {
        "l_max": st.integers(1, 5),
        "n_max": st.integers(1, 6),
        "allocation": st.sampled_from(["adaptive", "uniform"]),
        "approximate": st.booleans(),
        **{name: st.booleans() for name in PRINTED},
        "theta": st.sampled_from([None, 0.001, 1.0, 3.0, 10**9]),
    }
)


@settings(max_examples=200)
@example({"l_max": 1, "n_max": 2, "theta": None, "drop_labels": False}, [], [0], 1)  # less than a grain for each level
@given(parameters, databases(LABELS, 6, 6), chosen_values(2**60), st.sampled_from([1, 4, 17, 10**6, GRAINS, 10**18]))
def test_the_worst_luck_overspends_no_path(given_parameters, records, values, epsilon):
    """All parameters, absurd noisy counts, tiny and huge ε: every charge is positive, the dearest path within ε."""
    ngram = NGram(**given_parameters)
    kind = Grams(ngram.l_max, ngram.n_max)
    tree = Watched(kind.open(table_of_codes(records, LABELS), Record()), kind.influence(Record()), epsilon, ChosenNoise(values))
    explored = ngram._explore(tree, LABELS, kind.influence(Record()))
    live = ngram._live(explored, kind.influence(Record()), epsilon)
    consistent = enforce_consistency(explored, ngram.approximate, live)
    gram_table(consistent).check(end=LABELS)

    assert all(paid > 0 for paid in tree.paid)
    assert tree.dearest <= epsilon
    assert consistent.height <= ngram.n_max
    assert np.isfinite(consistent.count).all()


@given(parameters, databases(LABELS, 6, 6), chosen_values(300), st.sampled_from([1, 19, 40, GRAINS]), st.booleans())
def test_whole_runs_under_the_worst_luck(given_parameters, records, values, epsilon, auto):
    """From wall to release, with l_max="auto" too: it ends in a release within ε, or in the one documented refusal."""
    ngram = NGram(**(given_parameters | ({"l_max": "auto", "l_most": 4} if auto else {})))
    wall = open_wall(table_of_codes(records, LABELS), User(max_sequences=2), epsilon, ChosenNoise(values))
    try:
        with patch.object(synthesis, "MOST_ITEMS", 10_000):  # thresholds of tiny ε alone ask for trillions of records
            release = ngram.run(wall)
    except BudgetExceeded:
        assert (True, True, epsilon) == (auto, epsilon < 20, wall.remaining)
        return

    assert sum(grains for _, _, grains in wall.stages) <= epsilon
    assert release.synthetic.lengths.max(initial=0) <= release.l_max


class Below(NGram):
    """Planted bug (docs/soundness.md, 'Heights below 1'): heights below 1, as printed."""

    __slots__ = ()

    def _explore(self, tree, labels, influence):
        children = tree.expand([0], tree.remaining([0])[0] // self.n_max, 3.0)
        h = np.log(3.0 / np.maximum(children.noisy, 3.01)) / np.log(10 / 23)
        tree.expand(children.node, (tree.remaining(children.node) / h).astype(np.int64), 3.0)


def test_a_height_below_one_is_stopped_by_the_tree():
    """The printed formula asks for 2.5ε on a path; the tree refuses before it answers."""
    counter = Grams(4, 4).open(table_of_codes([[0, 1, 2]] * 4, LABELS), Record())
    tree = PrivateTree(counter, 4, GRAINS, ChosenNoise([0]))

    with pytest.raises(BudgetExceeded):
        Below(l_max=4, n_max=4)._explore(tree, LABELS, 4)
    assert GRAINS // 4 == tree.dearest


BAD = [{"l_max": x} for x in (0, 2.5, "all", 10**30, True)]
BAD += [{"n_max": x} for x in (0, 2.5, "5", 10**9)]
BAD += [{"theta": x} for x in (0, float("nan"), "x")]
BAD += [{"l_most": x} for x in (0, 10**12)]
BAD += [{"allocation": "mine"}]


@pytest.mark.parametrize("given_parameters", BAD, ids=str)
def test_parameters_that_make_no_sense(given_parameters):
    """They are refused when the mechanism is made, naming the parameter."""
    with pytest.raises(CallError, match=next(iter(given_parameters))):
        NGram(**given_parameters)


def test_a_flood_of_noise_ends_in_a_bounded_release(monkeypatch):
    """With next to no ε a single false gram asks for trillions of records: what is published stays within memory."""
    monkeypatch.setattr(synthesis, "MOST_ITEMS", 3_000)
    table = table_of_codes([[0, 1], [1]], 2)
    release = sv.experiment(table, NGram(l_max=4, n_max=3), "0.000000001", seed=1)

    assert release.grams.count.max() > 10**9
    assert 0 < len(release.synthetic.items) <= 3_000


def test_a_flood_of_joins_ends_the_extension(monkeypatch):
    """Joined grams are bounded too; the records that fit are published."""
    monkeypatch.setattr(extension, "MOST_JOINED", 40)
    monkeypatch.setattr(synthesis, "MOST_ITEMS", 100_000)
    table = table_of_codes([[0, 1, 1, 0, 0]] * 4_000, 2)
    release = sv.experiment(table, NGram(l_max=20, n_max=3), "1.0", seed=1)

    assert 0 < len(release.synthetic) < 10_000


@pytest.mark.parametrize("m", [1, 3])
def test_thresholds_use_the_whole_influence(m):
    """NGRAM choices 3 and 4: level 1 has θ₁ = m·l_max·ln(|I|/2)/(ε/n_max), deeper levels the live labels and their own ε."""
    run = NGram(l_max=4, n_max=2, allocation="uniform", second_look=False)
    table = replace(table_of_codes([[0, 1, 1, 0], [1, 0]] * 400, 20), users=np.arange(800))
    grams = sv.experiment(table, run, "1.0", seed=4, unit=User(max_sequences=m)).grams
    first, deeper = (np.ceil(m * 4 * np.log(labels / 2) / 0.5) for labels in (20, 4))

    assert {first} == set(grams.threshold[grams.lengths == 1].tolist())
    assert {deeper} == set(grams.threshold[(grams.lengths == 2) & grams.measured].tolist())
    assert {m * 8.0} == set(grams.scale[grams.measured].tolist())


SECOND_LOOKS = [  # n_max, second_look, what the rest of the root is asked with
    (1, True, []),
    (2, True, []),  # as much is left as was spent: the threshold would not be lower
    (3, True, [GRAINS - GRAINS // 3]),
    (3, False, []),
]


@pytest.mark.parametrize(("n_max", "second_look", "expected"), SECOND_LOOKS)
def test_a_second_look_is_taken_where_more_is_left_than_was_spent(n_max, second_look, expected):
    """With everything that the path has left, once, and only when it is wanted."""
    kind = Grams(3, n_max)
    paid = []

    class Rests(PrivateTree):
        def expand_rest(self, nodes, epsilon, threshold=None, among=None):
            paid.extend(np.atleast_1d(epsilon)[np.atleast_1d(nodes) == 0].tolist())
            return super().expand_rest(nodes, epsilon, threshold, among)

    counter = kind.open(table_of_codes([[0, 1]] * 30, LABELS), Record())
    NGram(l_max=3, n_max=n_max, second_look=second_look)._explore(Rests(counter, 3, GRAINS, ChosenNoise([0])), LABELS, 3)

    assert expected == paid
