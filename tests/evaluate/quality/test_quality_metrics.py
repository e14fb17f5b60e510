"""Every number of `seqveil bench quality`: worked by hand on tiny records, and moved by faults planted in the records."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seqveil as sv
from seqveil.evaluate.histogram import Histogram, apart, total_variation
from seqveil.evaluate.quality.drawn import drawn_queries
from seqveil.evaluate.quality.strong import raw_answers, strong_errors
from seqveil.evaluate.quality.yard import QualityYard
from seqveil.evaluate.shape import size_and_ends
from seqveil.release.grams import GramRelease, GramTable
from seqveil.tables.flat import Flat
from strategies import databases

LABELS = 6
REAL = Flat.of([[0, 1, 2, 3]] * 60 + [[1, 2, 4]] * 30 + [[5, 0]] * 20 + [[3]] * 10 + [[0, 1, 0, 1, 2, 2]] * 15)


def yard(raw: Flat = REAL, l_max: int = 5) -> QualityYard:
    return QualityYard(raw, LABELS, l_max, n_max=5)


def relabelled(flat: Flat, codes: list[int], where: str) -> Flat:
    """The records with other codes for the first items, or for all."""
    items = flat.items.copy()
    at = flat.offsets[:-1] if where == "first" else slice(None)
    items[at] = np.array(codes, np.int32)[items[at]]
    return Flat(items, flat.offsets)


def cut_in_half(flat: Flat) -> Flat:
    """Every record as two, which is what fragments look like."""
    return Flat.of(part.tolist() for s in flat for part in (s[: len(s) // 2], s[len(s) // 2 :]) if len(part))


def doubled(flat: Flat) -> Flat:
    return Flat.of(s.tolist() for _ in range(2) for s in flat)


def reversed_records(flat: Flat) -> Flat:
    return Flat.of(s[::-1].tolist() for s in flat)


SHAPE = {"records", "length", "lengths", "first", "last", "trip"}
COUNTS = {"uniform.T.4", "drawn.T", "strong.records"}
ENDS = {"first", "last", "trip"}


def test_the_truth_has_no_error():
    """What is cut at l_max is the truth of everything but F."""
    same = yard().measure(REAL.truncate(5))

    assert {1.0} == {same[name] for name in ("records", "length", *(name for name in same if name.startswith("top")))}
    assert {0.0} == {same[name] for name in ("lengths", *ENDS, "drawn.T", "strong.records")}
    assert 0.0 < same["drawn.F"] < yard().measure(Flat.of([]))["drawn.F"]


@pytest.mark.parametrize(
    ("fault", "moved", "unmoved"),
    [
        (cut_in_half, {*SHAPE, *COUNTS, "top.records.20"}, set()),
        (doubled, {"records", *COUNTS}, {"length", "lengths", *ENDS, "top.records.20"}),
        (reversed_records, {*ENDS, *COUNTS, "top.records.20"}, {"records", "length", "lengths"}),
        (
            lambda flat: relabelled(flat, [1, 0, 3, 2, 5, 4], "first"),
            {"first", "trip", *COUNTS},
            {"records", "length", "lengths"},
        ),
        (lambda flat: relabelled(flat, [0, 1, 2, 3, 5, 4], "all"), {"first", "last", "trip", *COUNTS}, {"records", "lengths"}),
        (lambda flat: Flat.of([]), {*SHAPE, *COUNTS, "top.records.20", "top_any.records.100"}, set()),
    ],
    ids=["cut in half", "doubled", "reversed", "first labels permuted", "two labels exchanged", "nothing"],
)
def test_a_planted_fault_moves_what_it_should(fault, moved, unmoved):
    """And only that: what a fault does not touch keeps its best value."""
    truth = REAL.truncate(5)
    same, other = yard().measure(truth), yard().measure(fault(truth))

    assert set() == {name for name in moved if not abs(other[name] - same[name]) > 0.01}
    assert set() == {name for name in unmoved if other[name] != same[name]}


def test_size_and_ends_by_hand():
    """Truth: 4 records of 1, 2, 2, 3 items. Copies: 2 of them, of 3 and 3 items; an empty record counts nowhere."""
    truth = Flat.of([[0], [0, 1], [2, 1], [0, 1, 2], []])
    copies = Flat.of([[0, 1, 2], [2, 2, 2], []])

    measured = size_and_ends(truth, copies, labels=3)

    assert 2 / 4 == measured["records"]
    assert 3 / 2 == measured["length"]
    assert 3 / 4 == measured["lengths"]  # shares ¼, ½, ¼ against 0, 0, 1
    assert 1 / 4 == measured["first"]  # 0: ¾, 2: ¼ against ½, ½
    assert 3 / 4 == measured["last"]  # 0: ¼, 1: ½, 2: ¼ against 2: 1
    assert 3 / 4 == measured["trip"]  # only (0, 2) is shared: min(¼, ½)


@given(databases(labels=3), databases(labels=3))
def test_total_variation_is_a_distance(one, other):
    """Between 0 and 1, symmetric, 0 for equal shares whatever the number of records."""
    ours, theirs = Histogram.of(Flat.of(one).items), Histogram.of(Flat.of(other).items)

    assert 0 <= total_variation(ours, theirs) <= 1
    assert total_variation(ours, theirs) == pytest.approx(total_variation(theirs, ours))
    assert 0 == total_variation(ours, ours)
    assert 0 == pytest.approx(apart(ours.counts * 7, ours.counts))


def test_a_data_drawn_query_is_a_window_at_a_uniform_position():
    """Sizes are uniform in 1..4; among those of one size, each window is as frequent as it occurs. χ² at 99.9 %."""
    flat = Flat.of([[0, 1, 0, 1, 2], [0, 1]])
    queries = [tuple(q.tolist()) for q in drawn_queries(flat, number=40_000)]
    windows = [tuple(s[i : i + n].tolist()) for s in flat for n in range(1, 5) for i in range(len(s) - n + 1)]
    sizes = np.bincount([len(q) for q in queries], minlength=5)[1:]

    assert abs(sizes - 10_000).max() < 3.3 * (40_000 * 3 / 16) ** 0.5 + 1
    for size in range(1, 5):
        of_size = [w for w in windows if len(w) == size]
        expected = {w: of_size.count(w) / len(of_size) * sizes[size - 1] for w in of_size}
        statistic = sum((queries.count(w) - e) ** 2 / e for w, e in expected.items())
        assert statistic < {1: 10.9, 2: 13.9, 3: 13.9, 4: 13.9, 5: 18.5}[max(len(expected) - 1, 1)]
    assert set(queries) == set(windows)


@given(databases(labels=3), st.integers(0, 5))
def test_data_drawn_queries_occur(data, seed):
    """Each of them is somewhere in the data; none are drawn from nothing; a seed repeats them."""
    flat = Flat.of(data)
    queries = drawn_queries(flat, number=50, seed=seed)
    texts = ["," + ",".join(map(str, s.tolist())) + "," for s in flat]

    assert len(queries) == (50 if len(flat.items) else 0)
    assert all(any("," + ",".join(map(str, q.tolist())) + "," in text for text in texts) for q in queries)
    assert queries.items.tolist() == drawn_queries(flat, number=50, seed=seed).items.tolist()


def gram_release(synthetic: Flat) -> GramRelease:
    """(0, 1, 2) was asked and answered 80 and made 90 by the model; (1, 2, 0) was not asked."""
    grams = GramTable.of(
        [[0], [1], [2], [0, 1], [1, 2], [0, 1, 2], [1, 2, 0]],
        count=[100.0, 100.0, 100.0, 95.0, 95.0, 90.0, 40.0],
        noisy=[100, 100, 100, 95, 95, 80, None],
        scale=5.0,
        threshold=20,
    )
    return GramRelease(sv.Domain.range(0, 2), grams=grams, synthetic=synthetic, l_max=5, n_max=3)


def test_strong_grams_by_hand():
    """Truth 70 and 30; records 60 and 30; counts as the release answers them; one raw answer, 80."""
    strong = {(0, 1, 2): 70, (1, 2, 0): 30}
    records = Flat.of([[0, 1, 2]] * 60 + [[1, 2, 0]] * 30)
    release = gram_release(records)
    said = [release.count(["0", "1", "2"]).value, release.count(["1", "2", "0"]).value]

    errors = strong_errors(strong, records, 3, release)

    assert [80.0] == raw_answers(release, {(0, 1, 2): 70}).tolist()
    assert np.isnan(raw_answers(release, strong)[1])
    assert {"records": 5.0, "asked": 1.0, "noisy": 10.0, "records_asked": 10.0} == {
        k: v for k, v in errors.items() if "count" not in k
    }
    assert (abs(said[0] - 70) + abs(said[1] - 30)) / 2 == pytest.approx(errors["count"])
    assert abs(said[0] - 70) == pytest.approx(errors["count_asked"])


def test_what_was_not_released_counts_as_nothing():
    """A gram with a label that the release says nothing about is off by its whole count, not by NaN."""
    grams = GramTable.of([[0]], count=[100.0], scale=5.0, threshold=20)
    release = GramRelease(sv.Domain.range(0, 2), grams=grams, synthetic=Flat.of([]), l_max=5, n_max=3)

    assert {"records": 70.0, "count": 70.0, "asked": 0.0} == strong_errors({(0, 1, 2): 70}, Flat.of([]), 3, release)


def test_the_top_is_read_from_records_and_from_counts_in_two_ways():
    """(0, 1, 2, 3) of 60 records: with n_max = 5 the longest pattern is in both readings; a longer one only in the second."""
    raw = Flat.of([[0, 1, 2, 3, 4, 5]] * 50 + [[0, 1]] * 10)
    short = QualityYard(raw, LABELS, l_max=6, n_max=2)
    only_pairs = Flat.of([[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]] * 50)
    release = gram_release(only_pairs)

    measured = short.measure(only_pairs)
    assert 1.0 == measured["top.records.20"] == measured["top.records.100"]
    assert 5 / 15 == measured["top_any.records.20"]  # 15 runs of 2 to 6 items
    assert "top.release.20" not in measured
    tops = short.measure(only_pairs, release)
    assert 2 / 5 == tops["top.release.20"]  # of the five pairs the release has (0, 1) and (1, 2)
    assert 3 / 15 == tops["top_any.release.20"]  # and (0, 1, 2)


def test_a_prefix_tree_is_not_asked_for_occurrences():
    """Its counts are about how records begin; of its records everything is measured."""
    table = sv.table_of([["1", "2", "3"]] * 300, sv.Domain.range(1, 3))
    release = sv.experiment(table, sv.PrefixPublication(h=3), "10", seed=1)
    measured = QualityYard(table.flat, 3, 3, 5).measure(release.synthetic, release)

    assert "top.records.20" in measured
    assert [] == [name for name in measured if ".release" in name or name in ("strong.count", "strong.noisy")]
