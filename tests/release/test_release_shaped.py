"""Questions about whole records: every answer agrees with brute force over the records, unless the release measured it."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import record_models
from seqveil.errors import CallError
from seqveil.release.grams import GramRelease, GramTable
from seqveil.release.model import Counted
from seqveil.release.ofrecords import QUESTIONS
from seqveil.release.prefixes import PrefixRelease
from seqveil.release.scanning import BY_QUESTION, occurrences
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat

LABELS = Domain.of(["a", "b", "c", "d"])


def in_order(record, pattern):
    rest = iter(record)
    return all(x in rest for x in pattern)


BRUTE = {
    "begins": lambda r, p: r[: len(p)] == p,
    "ends": lambda r, p: len(r) >= len(p) and r[len(r) - len(p) :] == p,
    "whole": lambda r, p: r == p,
    "visits": lambda r, p: set(p) <= set(r),
    "visits_in_order": in_order,
    "first": lambda r, p: r[:1] == p,
    "last": lambda r, p: r[-1:] == p,
    "od": lambda r, p: bool(r) and [r[0], r[-1]] == p,
}

RECORDS = st.lists(st.lists(st.integers(0, 2), max_size=5), max_size=25)
PATTERNS = {None: st.lists(st.integers(0, 2), min_size=1, max_size=4)}
PATTERNS |= {n: st.lists(st.integers(0, 2), min_size=n, max_size=n) for n in (1, 2)}


def test_every_question_is_compared():
    assert set(QUESTIONS) == set(BRUTE) == set(BY_QUESTION)


@pytest.mark.parametrize("question", BRUTE)
@given(data=st.data())
@settings(deadline=None, max_examples=60)
def test_records_answer_as_brute_force_does(question, data):
    records, pattern = data.draw(RECORDS), data.draw(PATTERNS[QUESTIONS[question][1]])

    assert sum(BRUTE[question](record, pattern) for record in records) == BY_QUESTION[question](Flat.of(records), pattern)


@pytest.mark.parametrize("question", BRUTE)
def test_all_small_records_and_patterns(question):
    """Every record of up to four of two items at once, against every pattern."""
    records = [list(r) for n in range(5) for r in product(range(2), repeat=n)]
    for size in [QUESTIONS[question][1]] if QUESTIONS[question][1] else [1, 2, 3]:
        for pattern in map(list, product(range(2), repeat=size)):
            one_by_one = [BY_QUESTION[question](Flat.of([record]), pattern) for record in records]

            assert [int(BRUTE[question](record, pattern)) for record in records] == one_by_one
            assert sum(one_by_one) == BY_QUESTION[question](Flat.of(records), pattern)


@given(RECORDS, PATTERNS[None])
@settings(deadline=None)
def test_contiguous_runs_are_counted_at_every_place(records, pattern):
    brute = sum(record[i : i + len(pattern)] == pattern for record in records for i in range(len(record)))

    assert brute == occurrences(Flat.of(records), pattern)


SYNTHETIC = [[0, 1], [0, 1, 2], [2], [], [1, 1], [0, 2]]


def of_grams():
    grams = GramTable.of([[0], [1], [2]], count=[9.0, 8.0, 7.0], scale=1.0)
    return GramRelease(LABELS, grams=grams, synthetic=Flat.of(SYNTHETIC), l_max=3, n_max=1)


def of_prefixes():
    prefixes = GramTable.of([[0], [1], [0, 1], [0, 2]], count=[300.0, 150.0, 210.0, 60.0], scale=5.0, threshold=20)
    return PrefixRelease(LABELS, prefixes=prefixes, synthetic=Flat.of(SYNTHETIC), h=3)


@pytest.mark.parametrize("question", BRUTE)
def test_a_gram_release_estimates_all_of_them(question):
    pattern = {None: [0, 1], 1: [0], 2: [0, 1]}[QUESTIONS[question][1]]
    answer = of_grams().ask(question, LABELS.labels(pattern))
    expected = sum(BRUTE[question](record, pattern) for record in SYNTHETIC)

    assert (expected, None, None, "estimate") == (answer.value, answer.low, answer.high, answer.kind)
    assert answer.about.startswith("records cut to their first 3 items that ")


def test_a_prefix_release_has_measured_beginnings():
    release = of_prefixes()

    assert [(210.0, "count"), (300.0, "count")] == [(a.value, a.kind) for a in (release.begins(["a", "b"]), release.first("a"))]
    assert release.begins(["a", "b"]).high == release.count(["^", "a", "b"]).high
    assert "not released" == release.begins(["b", "a"]).kind
    assert release.begins(["b", "a"]).at_most == release.count(["^", "b", "a"]).at_most
    assert ("estimate", 3.0) == (release.ends(["c"]).kind, release.ends(["c"]).value)


def test_measured_rows_and_records_are_ranked_together():
    """By the numbers that are shown: measured first labels, and one that only the records have."""
    rows = of_prefixes().first_labels()

    assert [(["a"], 300.0, "count"), (["b"], 150.0, "count"), (["c"], 1.0, "estimate")] == [
        (row["pattern"], row["value"], row["kind"]) for row in rows
    ]
    assert rows[:2] == of_prefixes().first_labels(2)


def test_the_matrix_of_first_and_last_labels():
    """All records that are not empty are in it, once."""
    cells = {tuple(row["pattern"]): row["value"] for row in of_grams().od()}

    assert {("a", "b"): 1, ("a", "c"): 2, ("c", "c"): 1, ("b", "b"): 1} == cells
    assert all(value == of_grams().trip(*pair).value for pair, value in cells.items())
    assert ["a", "c"] == of_grams().od(1)[0]["pattern"]


def test_lengths_and_size():
    release = of_grams()

    assert {1: 1, 2: 3, 3: 1} == {n: answer.value for n, answer in release.lengths().items()}
    assert 5 == release.size().value
    assert release.length(2).about == "records cut to their first 3 items that have 2 items"


def test_a_label_about_which_nothing_was_released_is_not_zero():
    for question, (_, wanted) in QUESTIONS.items():
        answer = of_grams().ask(question, ["a", "d"] if wanted != 1 else ["d"])

        assert "not released" == answer.kind, question


@pytest.mark.parametrize(
    ("ask", "problem"),
    [
        (lambda r: r.ask("first", ["a", "b"]), "first takes 1 label; 2 were given"),
        (lambda r: r.ask("od", ["a"]), "od takes 2 labels; 1 was given"),
        (lambda r: r.begins([]), "at least one label"),
        (lambda r: r.visits("a"), "not a query"),
        (lambda r: r.whole(["e"]), "not in the domain"),
        (lambda r: r.length(0), "from 1 to 3"),
        (lambda r: r.length(4), "from 1 to 3; longer records were cut"),
        (lambda r: r.length(True), "whole number"),
    ],
)
def test_wrong_questions_say_what_is_allowed(ask, problem):
    with pytest.raises(CallError, match=problem):
        ask(of_grams())


@pytest.mark.parametrize(("noisy", "scale", "doubted"), [(59, 60.0, True), (4_000, 60.0, False), (0, 60.0, True)])
def test_a_release_that_is_mostly_noise_says_so(noisy, scale, doubted):
    """By its own numbers: the interval of the number of records is wider than the number."""
    release = record_models.model_of([(0, 1)])
    release.length_counts = Counted.of([float(noisy)], [noisy], [scale])

    assert doubted == release.doubt.startswith(f"Mostly noise: there are {noisy:,} records, but anything from 0 to")
    assert doubted == bool(release.doubt)


def test_without_an_interval_nothing_is_said_about_noise():
    assert "" == GramRelease(LABELS, grams=GramTable.of([[0]], count=[9.0]), synthetic=Flat.of([]), l_max=2, n_max=2).doubt
