"""Weighted consistency: the exact least-squares fit of every family, and what a selected answer says, against exact laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seqveil as sv
from seqveil.publish.ngram.consistency import enforce_consistency
from seqveil.publish.ngram.mechanism import NGram
from seqveil.publish.ngram.selection import selected
from seqveil.publish.ngram.weighing import weighed
from seqveil.tables.units import Record
from seqveil.trees.tree import LevelTree
from seqveil.wall.budget import GRAINS
from seqveil.wall.questions.grams import Grams
from seqveil.wall.tree import PrivateTree
from strategies import ChosenNoise, chosen_values, databases, table_of_codes

LABELS = 3


def posterior(y: int, scale: float, threshold: int) -> tuple[float, float]:
    """Mean and variance of t given an answer y that passed, every t ≥ 0 equally likely: by the exact discrete law."""
    t = np.arange(0, y + int(60 * scale))
    q = np.exp(-1 / scale)
    short = np.maximum(threshold - t, 0)
    passing = np.where(t <= threshold, q**short / (1 + q), 1 - q ** np.maximum(t - threshold + 1, 0) / (1 + q))
    weight = (1 - q) / (1 + q) * q ** np.abs(y - t) / passing
    mean = (weight * t).sum() / weight.sum()
    return mean, (weight * (t - mean) ** 2).sum() / weight.sum()


@pytest.mark.parametrize("scale", [40.0, 150.0])
@pytest.mark.parametrize("theta", [0.7, 2.0, 8.0])
@pytest.mark.parametrize("above", [0.0, 0.5, 2.0, 6.0, 20.0, 45.0])
def test_selected_answers(scale, theta, above):
    """Mean and variance are those of the exact law, up to the width of a whole number."""
    threshold = round(theta * scale)
    y = threshold + round(above * scale)
    mean, variance = (float(x[0]) for x in selected(np.array([y]), np.array([scale]), np.array([threshold])))
    exact_mean, exact_variance = posterior(y, scale, threshold)

    assert exact_mean == pytest.approx(mean, rel=0.002, abs=1.5)
    assert exact_variance == pytest.approx(variance, rel=0.03)


def test_an_answer_just_above_its_threshold_is_not_believed():
    """The law test notices when selection is ignored: y itself is far from the mean of what can be behind it."""
    assert posterior(200, 100.0, 200)[0] < 200 - 40


def tree_of(records, values, l_max, n_max, theta) -> LevelTree:
    private = PrivateTree(Grams(l_max, n_max).open(table_of_codes(records, LABELS), Record()), l_max, GRAINS, ChosenNoise(values))
    return enforce_consistency(NGram(l_max=l_max, n_max=n_max, theta=theta)._explore(private, LABELS, l_max))


@given(databases(LABELS, 8, 6), chosen_values(10**5), st.sampled_from([None, 0.5, 3.0]))
def test_weighted_counts_are_consistent(records, values, theta):
    """The same nodes; no count is negative, families sum to at most their parents, and labels keep their answers' estimates."""
    printed = tree_of(records, values, 4, 4, theta)
    tree = weighed(printed)

    assert printed.symbol.tolist() == tree.symbol.tolist()
    assert (tree.count >= 0).all()
    assert np.isfinite(tree.count).all()
    for v in range(1, len(tree)):
        below = tree.count[tree.first[v] : tree.last[v]].sum()
        assert below <= tree.count[v] * (1 + 1e-9) + 1e-6
    ones = tree.level(1)
    assert selected(tree.noisy[ones], tree.scale[ones], tree.threshold[ones])[0].tolist() == tree.count[ones].tolist()


FAMILIES = st.lists(st.tuples(st.integers(400, 9_000), st.floats(1.0, 40.0)), min_size=1, max_size=6)


@given(FAMILIES, st.integers(0, 30_000))
def test_a_family_is_the_weighted_least_squares_fit(members, parent):
    """Positive counts differ from their answers by one multiple of their variances; at 0 they would differ by less."""
    noisy, scale = (np.array(column) for column in zip(*members, strict=True))
    tree = LevelTree(labels=8)
    tree.add(np.array([0]), np.array([0]), noisy=np.array([parent]), scale=np.array([5.0]), threshold=np.array([0]))
    tree.add(np.ones(len(noisy), np.int64), np.arange(len(noisy)), noisy, scale, np.zeros(len(noisy), np.int64))
    scaled = noisy * parent / noisy.sum()  # as the printed step leaves a family that lacks nothing
    count = weighed(tree.with_counts(np.concatenate([[0.0, parent], scaled]))).count[2:]
    variance = 2 * scale**2
    multiple = (count - noisy) / variance

    assert count.sum() == pytest.approx(parent, rel=1e-9, abs=1e-6)
    if parent:
        positive = count > 1e-6
        assert multiple[positive] == pytest.approx(np.full(positive.sum(), multiple[positive].mean()), rel=1e-6, abs=1e-9)
        assert (multiple[~positive] >= multiple[positive].mean() - 1e-6).all()


def test_a_precise_count_stays_precise():
    """A label with noise of 100 and children with noise of 2: scaling moves the strongest by 90, weighing by less than 1."""
    tree = LevelTree(labels=3)
    tree.add(np.array([0]), np.array([0]), np.array([1100]), np.array([100.0]), np.array([10]))
    tree.add(
        np.ones(4, np.int64), np.arange(4), np.array([900, 60, 30, 10]), np.array([2.0, 20.0, 20.0, 20.0]), np.zeros(4, np.int64)
    )
    printed = enforce_consistency(tree)

    assert 990 == pytest.approx(printed.count[2])
    assert 900 == pytest.approx(weighed(printed).count[2], abs=1)


def test_the_parameter_changes_the_counts_and_nothing_else():
    """The same n-grams with the same answers; other counts, and records that follow them."""
    table = table_of_codes([[0, 1, 1, 2], [1, 1, 0], [2]] * 300, LABELS)
    printed, other = (sv.experiment(table, NGram(l_max=4, n_max=3, consistency=c), "1", seed=3) for c in ("printed", "weighted"))

    assert printed.grams.symbols.tolist() == other.grams.symbols.tolist()
    assert printed.grams.noisy.tolist() == other.grams.noisy.tolist()
    assert printed.grams.count.tolist() != other.grams.count.tolist()
