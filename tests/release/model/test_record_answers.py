"""A record model answers from its tables what they list, and from its records everything else: compared with brute force."""

from collections import Counter
from itertools import product

import numpy as np
import pytest

import record_models
import sealing
from record_models import PLACES, RECORDS
from seqveil.errors import CallError
from seqveil.release.ofrecords import QUESTIONS
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat

EXTRA = 0.25
"""What the tables of `record_models` add to every true count, so that a number shows where it comes from."""

BRUTE = {
    "begins": lambda r, p: r[: len(p)] == p,
    "ends": lambda r, p: r[max(len(r) - len(p), 0) :] == p,
    "first": lambda r, p: r[:1] == p,
    "last": lambda r, p: r[-1:] == p,
    "od": lambda r, p: (r[0], r[-1]) == p,
    "whole": lambda r, p: r == p,
    "visits": lambda r, p: set(p) <= set(r),
}
TABLED = {"begins": 1, "ends": 1, "first": 1, "last": 1, "od": 2}
"""How many labels the rows of the table behind a question have."""


@pytest.fixture(scope="module")
def model():
    return record_models.model()


ASKED = [(question, size) for question in BRUTE for size in (1, 2, 3) if QUESTIONS[question][1] in (None, size)]


@pytest.mark.parametrize(("question", "size"), ASKED)
def test_every_question_about_every_sequence(model, question, size):
    """Rows of a table answer with its number, and intervals if they were measured; what no table lists is counted."""
    listed = measured = 0
    for codes in product(range(3), repeat=size):
        answer = model.ask(question, PLACES.labels(codes))
        true = sum(BRUTE[question](record, codes) for record in RECORDS)
        if TABLED.get(question) == size and true:
            assert true + EXTRA == answer.value
            listed, measured = listed + 1, measured + (answer.low is not None)
        else:
            assert (true, None, "estimate") == (answer.value, answer.low, answer.kind)
    if TABLED.get(question) == size:
        assert listed - 1 == measured  # the last row of every table was not measured


def test_every_contiguous_sequence(model):
    for size in (1, 2, 3):
        for codes in product(range(3), repeat=size):
            true = sum(r[i : i + size] == codes for r in RECORDS for i in range(len(r)))
            answer = model.count(PLACES.labels(codes))

            assert true + EXTRA * (size <= 2 and true > 0) == answer.value
            assert answer.low is None or answer.low <= answer.value <= answer.high


def test_lists_and_single_answers_agree(model):
    for rows, ask in (
        (model.first_labels(), lambda labels: model.first(*labels)),
        (model.last_labels(), lambda labels: model.last(*labels)),
        (model.od(), lambda labels: model.trip(*labels)),
        (model.top(99), model.count),
    ):
        values = [row["value"] for row in rows]
        assert rows
        assert sorted(values, reverse=True) == values
        for row in rows:
            assert row == ask(row["pattern"]).ranked(row["pattern"])


def test_what_only_the_records_have_competes(model):
    """Sequences that no table lists, longer ones among them, stand where the numbers that `count` answers put them."""
    longest = max(map(len, RECORDS))
    rows = model.top(999, longest=longest)
    seen = {r[i : i + n] for r in RECORDS for n in range(1, longest + 1) for i in range(len(r) - n + 1)}

    assert {tuple(PLACES.labels(codes)) for codes in seen} <= {tuple(row["pattern"]) for row in rows}
    assert any(len(row["pattern"]) > model.n_max for row in rows)
    assert [{"pattern": row["pattern"], **model.count(row["pattern"]).to_json()} for row in rows] == rows
    assert [row["value"] for row in rows] == sorted((row["value"] for row in rows), reverse=True)
    for k in range(len(rows)):
        assert model.top(k, longest=longest) == rows[:k]


def test_a_pair_that_only_the_records_have_is_in_the_matrix():
    """As an estimate, at the place of its number."""
    release = record_models.model_of([(0, 1)] * 3)
    mixed = type(release)(
        PLACES,
        grams=release.grams,
        firsts=release.firsts,
        lasts=release.lasts,
        trips=record_models.counted(Counter({(0, 1): 3, (1, 1): 1}), np.random.default_rng(1)),
        lengths=release.length_counts,
        synthetic=Flat.of([(0, 1)] * 3 + [(2, 0)] * 2),
        l_max=4,
        n_max=2,
    )
    cells = [(row["pattern"], row["value"], row["kind"]) for row in mixed.od()]

    assert [
        (["home", "work"], 3.25, "count"),
        (["city hall", "home"], 2.0, "estimate"),
        (["work", "work"], 1.25, "estimate"),
    ] == cells


def test_totals(model):
    """Sums of measured rows have an interval; with an estimate among them, none; nothing is counted twice."""
    assert "total" == model.total([["home"], ["work"]]).kind
    assert model.count(["home"]).value + model.count(["work"]).value == model.total([["home"], ["work"]]).value
    assert "estimate" == model.total([["home"], ["home", "work", "home"]]).kind
    with pytest.raises(CallError, match="more than once"):
        model.total([["home"], ["home"]])
    with pytest.raises(CallError, match="at least one query"):
        model.total([])


def test_a_label_that_occurs_nowhere_is_not_zero():
    release = record_models.model_of(RECORDS, Domain.of(["home", "work", "city hall", "moon"]))

    for answer in (release.count(["moon"]), release.visits(["home", "moon"]), release.total([["home"], ["moon"]])):
        assert "not released" == answer.kind


def test_answers_say_what_they_count(model):
    assert "occurrences in records cut to their first 4 items" == model.count(["home"]).about
    assert "records cut to their first 4 items that begin with the label" == model.first("home").about
    assert "records cut to their first 4 items that have 1 item" == model.length(1).about
    assert "records cut to their first 4 items" == model.size().about


def test_a_random_window_is_said():
    release = sealing.sealed(record_models.model_of(RECORDS), parameters={"l_max": 4, "cut": "window"})

    assert "occurrences in records cut to a random window of 4 items" == release.count(["home"]).about
    assert "records cut to a random window of 4 items that begin with the label" == release.first("home").about
