"""What a release of a record model says itself: the errors of its tables of ends, its raw answers, its intervals."""

from __future__ import annotations

import numpy as np
import pytest

import seqveil as sv
from seqveil.evaluate.intervals import covered
from seqveil.evaluate.quality.ends import table_errors
from seqveil.evaluate.quality.strong import raw_answers, strong_errors
from seqveil.evaluate.quality.yard import QualityYard
from seqveil.release.model import Counted, RecordRelease, SequenceCounts
from seqveil.tables.flat import Flat

TRUTH = Flat.of([[0, 1, 2]] * 60 + [[1, 0]] * 40)


def rows(counts: dict[tuple[int, ...], tuple[float, int | None]], scale: float = 5.0) -> SequenceCounts:
    """Sequences with count and noisy answer; None was not asked."""
    asked = [noisy is not None for _, noisy in counts.values()]
    answers = [noisy or 0 for _, noisy in counts.values()]
    return SequenceCounts.of(counts, Counted.of([count for count, _ in counts.values()], answers, [scale], measured=asked))


def release(**changes: SequenceCounts) -> RecordRelease:
    tables = {
        "grams": rows({(0,): (100.0, 100), (1,): (180.0, 180), (0, 1, 2): (62.0, 75), (1, 2, 0): (5.0, None)}),
        "firsts": rows({(0,): (60.0, 50), (1,): (40.0, 50)}),
        "lasts": rows({(0,): (40.0, 40), (1,): (10.0, -8), (2,): (50.0, 60)}),
        "trips": rows({(0, 2): (60.0, 30), (1, 0): (40.0, 30), (2, 2): (0.0, None)}),
    }
    lengths = Counted.of([0.0, 40.0, 60.0], [3, 38, 61], [5.0])
    return RecordRelease(sv.Domain.range(0, 2), **(tables | changes), lengths=lengths, synthetic=TRUTH, l_max=3, n_max=3)


def test_the_errors_of_the_tables_by_hand():
    """Firsts: answers ½, ½ against .6, .4. Lasts: counts .4, .1, .5 against .4, 0, .6; an answer of −8 counts as 0."""
    errors = table_errors(release(), TRUTH, labels=3)

    expected = {"first": (0.0, 0.1), "last": (0.1, 0.0), "trip": (0.0, 0.1)}
    for name, (table, noisy) in expected.items():
        assert table == pytest.approx(errors[f"{name}_table"])
        assert noisy == pytest.approx(errors[f"{name}_noisy"])


def test_a_permuted_table_is_seen():
    """The same numbers under other labels."""
    errors = table_errors(release(firsts=rows({(0,): (40.0, 40), (1,): (60.0, 60)})), TRUTH, labels=3)

    assert 0.2 == pytest.approx(errors["first_table"]) == pytest.approx(errors["first_noisy"])


def test_what_was_not_measured_has_no_noisy_error():
    errors = table_errors(release(firsts=rows({(0,): (60.0, None)})), TRUTH, labels=3)

    assert 0.4 == pytest.approx(errors["first_table"])  # the label that is not listed has no share
    assert "first_noisy" not in errors


def test_raw_answers_stand_beside_records_and_counts():
    """(0, 1, 2) occurs 60 times: 62 by the model, 75 by the wall; (1, 2, 0) was not asked."""
    strong = {(0, 1, 2): 60, (1, 2, 0): 3}
    raw = raw_answers(release(), strong)
    errors = strong_errors(strong, TRUTH, 3, release())

    assert 75 == raw[0]
    assert np.isnan(raw[1])
    assert (1.0, 15.0, 2.0, 0.0) == tuple(errors[name] for name in ("asked", "noisy", "count_asked", "records_asked"))
    assert (2 + abs(5 - 3)) / 2 == errors["count"]


def test_the_yard_measures_all_of_it():
    """Tables, raw answers and the ranking of `top` are in one list of numbers."""
    measured = QualityYard(TRUTH, 3, l_max=3, n_max=3).measure(TRUTH, release())

    assert {"first_table", "last_noisy", "strong.noisy", "top.release.20", "top_any.release.100"} <= measured.keys()
    assert 0.0 == measured["lengths"] == measured["trip"]
    assert 1.0 == measured["top.release.20"]  # of (0, 1), (1, 2), (0, 1, 2), (1, 0) it lists one, and its records have the others


def test_intervals_of_a_record_model_are_checked():
    """100 for 0 and 180 for 1 with scale 5: 0 occurs 100 times, 1 occurs 100 times, (0, 1, 2) 60 times, 15 = 3 b off: inside."""
    assert {"grams": 3, "covered": pytest.approx(2 / 3)} == covered(release(), TRUTH)
