"""The gram release answers as the paper's own tables do, and refuses what it cannot answer."""

import io

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealing import sealed
from seqveil.errors import CallError, RunFailed
from seqveil.release.grams import GramRelease, GramTable
from seqveil.release.grams.columns import GAPS, columns, from_columns, to_columns
from seqveil.release.grams.lookup import Lookup
from seqveil.release.grams.markov import Markov
from seqveil.release.parquet import read_columns
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat


def written(table):
    """The columns as they come back from a file."""
    body = io.BytesIO()
    pq.write_table(table, body)
    return read_columns("grams.parquet", body.getvalue(), columns(), GAPS)


TABLES_2_AND_3 = [
    ("I1", 5), ("I2", 9), ("I3", 10),
    ("I1 I2", 2), ("I1 &", 3), ("I2 I1", 1), ("I2 I3", 6), ("I2 &", 2), ("I3 I1", 4), ("I3 I2", 3), ("I3 &", 3),
    ("I1 I1", 0), ("I1 I3", 0), ("I2 I2", 0), ("I3 I3", 0),
    ("I2 I3 I1", 3), ("I2 I3 &", 3), ("I3 I1 I2", 2), ("I3 I2 I1", 1),
]  # fmt: skip


@pytest.mark.parametrize(("query", "count"), TABLES_2_AND_3)
def test_the_tables_of_the_paper(paper, query, count):
    """Tables 2 and 3: exact grams answer exactly; what does not occur is 0."""
    answer = paper.count(query.split())

    assert count == answer.value
    assert (None if count == 0 else count) == answer.low == answer.high


def test_the_markov_estimates_of_the_paper(paper):
    """Section 3.3: #(I3 I1 I2 I3) is 1.07 from 2-grams and 2.0 from 3-grams."""
    two = Markov(_up_to(paper.grams, 2))

    assert pytest.approx(4 * 0.4 * 6 / 9) == two.estimate([2, 0, 1, 2])
    assert 2.0 == paper.count(["I3", "I1", "I2", "I3"]).value
    assert "estimate" == paper.count(["I3", "I1", "I2", "I3"]).kind


def _up_to(grams: GramTable, n: int) -> GramTable:
    keep = [k for k in range(len(grams)) if grams.lengths[k] <= n]
    return GramTable.of([list(grams.gram(k)) for k in keep], grams.count[keep].tolist(), scale=0.0)


def test_a_missing_child_gets_what_its_siblings_leave():
    """Where children do not add up to their parent, the rest goes to the others as the shorter context has it."""
    grams = GramTable.of([[0], [1], [2], [0, 1]], count=[10.0, 5.0, 5.0, 6.0])
    model = Markov(grams)

    assert pytest.approx(10 * 0.4 * (0.5 / 0.75)) == model.estimate([0, 0])
    assert pytest.approx(10 * 0.4 * (0.25 / 0.75)) == model.estimate([0, 2])
    assert pytest.approx(1.0) == sum(model.probability([0], symbol) for symbol in range(3))


def test_a_gram_that_was_never_asked_has_no_bar():
    """A count filled in by the Markov assumption is an estimate even though the table lists it."""
    grams = GramTable.of([[0], [1], [0, 1]], count=[9.0, 8.0, 4.5], noisy=[9, 8, None])
    release = GramRelease(Domain.of(["a", "b"]), grams=grams, synthetic=Flat.of([]), l_max=3, n_max=2)
    answer = release.count(["a", "b"])

    assert (4.5, None, None, "estimate") == (answer.value, answer.low, answer.high, answer.kind)
    assert "estimate" == release.total([["a"], ["a", "b"]]).kind


WRONG = [
    (["I1", "II2"], "'II2' is not in the domain.*did you mean 'I2'"),
    (["Zürich"], "its labels are 'I1', 'I2', 'I3'"),
    (["&"], "after at least one label"),
    (["I1", "&", "I2"], "after at least one label"),
    ([], "at least one label"),
    ("I1 I2", "not a query"),
]


@pytest.mark.parametrize(("query", "problem"), WRONG)
def test_wrong_queries_say_what_is_allowed(paper, query, problem):
    """A query outside the domain names the label and what may have been meant."""
    with pytest.raises(CallError, match=problem):
        paper.count(query)


def test_the_answer_says_what_it_speaks_of(sealed):
    """Counts are about truncated data with at most m sequences per user."""
    about = "occurrences in records cut to their first 5 items, at most 2 per user"

    assert about == sealed.count(["I1"]).about


def test_the_value_lies_in_its_interval():
    """The consistent count is moved into the interval where its own answer rules it out."""
    grams = GramTable.of([[0], [1]], count=[10.0, 410.0], noisy=[400, 400], scale=20.0, threshold=50)
    release = GramRelease(Domain.of(["a", "b"]), grams=grams, synthetic=Flat.of([]), l_max=3, n_max=1)

    assert (340, 340) == (release.count(["a"]).value, release.count(["a"]).low)
    assert 410.0 == release.count(["b"]).value


def test_a_total_of_one_is_the_count(paper):
    """One query in a total has the same ends as alone; repeated ones are refused."""
    alone, total = paper.count(["I2"]), paper.total([["I2"]])

    assert (alone.value, alone.low, alone.high) == (total.value, total.low, total.high)
    with pytest.raises(CallError, match="more than once"):
        paper.total([["I2"], ["I2"]])


def test_a_label_may_look_like_the_end():
    """A domain with a label & of its own writes the end as && and loses nothing."""
    domain = Domain.of(["a", "&"])
    grams = GramTable.of([[0], [1], [0, 1], [0, 2]], count=[9.0, 5.0, 4.0, 3.0], scale=0.0)
    release = GramRelease(domain, grams=grams, synthetic=Flat.of([]), l_max=3, n_max=2)

    assert (4.0, 3.0) == (release.count(["a", "&"]).value, release.count(["a", "&&"]).value)
    assert grams.symbols.tolist() == from_columns(written(to_columns(grams, domain)), domain).symbols.tolist()


@given(st.sets(st.lists(st.integers(0, 3), min_size=1, max_size=4).map(tuple), max_size=40))
@settings(deadline=None)
def test_lookup_finds_exactly_what_is_there(chosen):
    """Bisection agrees with a dictionary on every gram of up to four symbols, and the table survives its columns."""
    closed = {gram[:k] for gram in chosen for k in range(1, len(gram) + 1)}
    closed = {gram for gram in closed if 3 not in gram[:-1] and gram != (3,)}
    ordered = sorted(closed, key=lambda gram: (len(gram), gram))
    table = GramTable.of([list(g) for g in ordered], [1.0] * len(ordered))
    table.check(end=3)
    tree = Lookup.of(table)
    where = {gram: row for row, gram in enumerate(ordered)}

    for gram in [*ordered, (0, 1, 2, 3), (2,), (1, 1), (3,)]:
        assert where.get(gram) == tree.find(gram)
    domain = Domain.of(["a", "b", "c"])
    assert table.parent.tolist() == from_columns(written(to_columns(table, domain)), domain).parent.tolist()


BROKEN = [
    ([[0], [7]], {}, "outside 0..2"),
    ([[0], [2, 0]], {"parent": [-1, 0]}, "'&' occurs before the end"),
    ([[2]], {}, "'&' alone"),
    ([[1], [0]], {}, "canonical order"),
    ([[0], [0]], {}, "canonical order"),
    ([[0], [1], [1, 0]], {"parent": [-1, -1, 0]}, "does not continue its parent"),
    ([[0], [0, 1]], {"parent": [-1, 1]}, "parent does not come before"),
    ([[0]], {"count": [-1.0]}, "negative"),
    ([[0]], {"count": [float("nan")]}, "negative or not a number"),
    ([[0]], {"scale": [float("nan")]}, "no scale"),
    ([[0]], {"threshold": [99]}, "below its threshold"),
    ([[0]], {"count": [1.0, 2.0]}, "differ in length"),
    ([[0]], {"offsets": [0, 2]}, "do not span"),
]


@pytest.mark.parametrize(("grams", "changes", "problem"), BROKEN)
def test_what_is_no_gram_table_is_refused(grams, changes, problem):
    """Every rule of the table is checked when a release is made or loaded."""
    from dataclasses import fields

    rows = len(grams)
    columns = {
        "symbols": [x for g in grams for x in g],
        "offsets": np.cumsum([0, *map(len, grams)]).tolist(),
        "parent": [-1] * rows,
        "count": [1.0] * rows,
        "noisy": [1] * rows,
        "measured": [True] * rows,
        "scale": [1.0] * rows,
        "threshold": [0] * rows,
        **changes,
    }
    table = GramTable(**{f.name: np.array(columns[f.name]) for f in fields(GramTable) if f.name in columns})

    with pytest.raises(CallError, match=problem):
        table.check(end=2)


def test_synthesis_without_a_number_is_the_construction(paper):
    """The published records come back as they are."""
    assert [["I2", "I3", "I1"], ["I2", "I3"]] == list(paper.synthesize())[:2]
    assert 8 == len(paper.synthesize())


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 16, 21])
def test_drawn_records_keep_the_make_up(paper, n):
    """n records hold every published one ⌊n/8⌋ or ⌈n/8⌉ times; a seed repeats the draw."""
    published = [tuple(r) for r in paper.synthesize()]
    drawn = [tuple(r) for r in paper.synthesize(n, seed=3)]

    assert n == len(drawn)
    for record in set(published):
        copies = published.count(record)
        assert copies * (n // 8) <= drawn.count(record) <= copies * -(-n // 8)
    assert drawn == [tuple(r) for r in paper.synthesize(n, seed=3)]


def test_an_empty_construction_cannot_be_drawn_from():
    """No records give none, and asking for more says why that fails."""
    empty = GramTable.of([], [])
    release = GramRelease(Domain.of(["a"]), grams=empty, synthetic=Flat.of([]), l_max=2, n_max=2)

    assert [] == list(release.synthesize()) == list(release.synthesize(0))
    assert "not released" == release.count(["a"]).kind
    with pytest.raises(RunFailed, match="no synthetic records to draw from"):
        release.synthesize(1)
    with pytest.raises(CallError, match="at least 0"):
        release.synthesize(-1)


def test_its_representation_says_what_is_guaranteed() -> None:
    """For the unit and nothing larger; an experiment guarantees nothing."""
    release = GramRelease(Domain.of(["a"]), grams=GramTable.of([[0]], count=[9.0]), synthetic=Flat.of([[0]]), l_max=1, n_max=1)

    assert "GramRelease(not sealed)" == repr(release)
    assert "GramRelease(ngram, ε = 1.0 for one record)" == repr(sealed(release))
