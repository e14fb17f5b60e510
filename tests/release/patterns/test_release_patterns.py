"""Pattern releases: answers, files, and bars that stay true for the best k."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sealing
from seqveil.errors import CallError, ReleaseDamaged
from seqveil.facts import Stage
from seqveil.release import load
from seqveil.release.patterns import UNSELECTED, PatternRelease, PatternTable, top_thresholds
from seqveil.tables.domain import Domain

LABELS = Domain.of(["a", "b", "c"])
STAGE = Stage("s", "q", "1.0", "1.0", "question")


def released(kind="substring", **more) -> PatternRelease:
    patterns = PatternTable.of([[0, 1], [2]], noisy=[900, 60], scale=20.0, threshold=50)
    return PatternRelease(LABELS, patterns=patterns, kind=kind, about="records with it", **more)


def sealed(release: PatternRelease) -> PatternRelease:
    return sealing.sealed(release, stages=[STAGE])


@pytest.mark.parametrize("kind", ["substring", "prefix", "subsequence", "itemset"])
@pytest.mark.parametrize("size", [None, 3000])
def test_a_release_comes_back_from_its_files(tmp_path, kind, size):
    """Patterns, ranks, bars, kind and size."""
    release = sealed(released(kind, size=size))
    release.save(tmp_path / "out")
    again = load(tmp_path / "out")

    assert isinstance(again, PatternRelease)
    assert (release.kind, release.about, release.size) == (again.kind, again.about, again.size)
    assert release.top(5) == again.top(5)
    assert np.array_equal(release.patterns.threshold, again.patterns.threshold)


def test_answers():
    """A released pattern has a bar; one that is not released says so; sets do not care for order."""
    assert (840, 960) == (released().count(["a", "b"]).low, released().count(["a", "b"]).high)
    assert "not released" == released().count(["b", "a"]).kind
    assert released().count(["b", "a"]).to_json()["value"] is None
    assert "count" == released("itemset").count(["b", "a"]).kind
    assert 0.3 == released(size=3000).support(["a", "b"])
    assert np.isnan(released().support(["a", "b"]))
    assert released().total([["a", "b"], ["c"]]).low <= 900
    assert "not released" == released().total([["a", "b"], ["b"]]).kind


def test_an_estimate_has_no_bar():
    """An infinite scale says that nothing is known of the error."""
    table = PatternTable.of([[0]], noisy=[7], scale=np.inf, count=[7.4])
    answer = PatternRelease(LABELS, patterns=table, kind="substring", about="x").count(["a"])

    assert (7.4, None, "estimate") == (answer.value, answer.low, answer.kind)


def test_an_estimate_survives_its_files(tmp_path):
    """Infinite scales are written and read."""
    table = PatternTable.of([[0]], noisy=[7], scale=np.inf, count=[7.4])
    sealed(PatternRelease(LABELS, patterns=table, kind="substring", about="x")).save(tmp_path / "out")

    assert "estimate" == load(tmp_path / "out").count(["a"]).kind


@pytest.mark.parametrize(
    ("patterns", "noisy", "threshold", "expected"),
    [
        ([[0], [0]], [5, 5], 0, "twice"),
        ([[7]], [5], 0, "outside"),
        ([[]], [5], 0, "empty"),
        ([[0]], [5], 9, "below its threshold"),
    ],
)
def test_tables_that_cannot_be_are_refused(patterns, noisy, threshold, expected):
    """Whoever writes a release notices before it is saved."""
    with pytest.raises(CallError, match=expected):
        PatternRelease(LABELS, patterns=PatternTable.of(patterns, noisy, 1.0, threshold), kind="substring", about="x")


def test_queries_and_kinds_that_cannot_be_are_refused(tmp_path):
    """Unknown labels, no labels, unknown kinds, forged facts."""
    with pytest.raises(CallError, match="not in the domain"):
        released().count(["z"])
    with pytest.raises(CallError, match="not a query"):
        released().count("ab")
    with pytest.raises(CallError, match="one of substring"):
        released("graph")
    broken = sealed(released())
    broken.facts = lambda: {"kind": "substring"}
    broken._manifest = None
    sealed(broken).save(tmp_path / "out")
    with pytest.raises(ReleaseDamaged, match=r"lacks the key 'facts\.about'"):
        load(tmp_path / "out")


@given(st.lists(st.integers(-5, 5), max_size=12), st.integers(1, 12))
def test_a_row_is_chosen_exactly_when_it_reaches_its_threshold(noisy, k):
    """Given all other answers: lowering a chosen row below its threshold drops it, raising it to the threshold keeps it."""
    values = np.array(noisy, np.int64)
    rows, thresholds = top_thresholds(values, k)
    for row, threshold in zip(rows.tolist(), thresholds.tolist(), strict=True):
        if threshold == UNSELECTED:
            continue
        for change, kept in ((threshold, True), (threshold - 1, False)):
            other = values.copy()
            other[row] = change
            assert kept == (row in top_thresholds(other, k)[0].tolist())


@pytest.mark.slow
def test_bars_of_the_best_k_cover_the_truth():
    """Forty equal counts, the five best of them: plain bars fail most of the time, these cover 95 %."""
    random = np.random.default_rng(0)
    truth, scale, k = 1000, 50.0, 5
    plain = ours = 0
    for _ in range(400):
        q = -np.expm1(-1 / scale)
        noisy = truth + random.geometric(q, 40) - random.geometric(q, 40)
        rows, thresholds = top_thresholds(noisy, k)
        for threshold, which in ((thresholds, "ours"), (np.full(k, UNSELECTED), "plain")):
            table = PatternTable.of([[i] for i in range(k)], noisy[rows], scale, threshold)
            domain = Domain.of([str(i) for i in range(k)])
            answers = PatternRelease(domain, patterns=table, kind="substring", about="x").answers(range(k))
            hits = sum(a.low <= truth <= a.high for a in answers)
            ours, plain = (ours + hits, plain) if which == "ours" else (ours, plain + hits)

    assert ours / (400 * k) > 0.94
    assert plain / (400 * k) < 0.85
