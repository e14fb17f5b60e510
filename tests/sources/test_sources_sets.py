"""Sets: built from the sequence readers and from relational tables, silent about values, loud about formats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqveil.errors import InputProblems
from seqveil.sources.relational import read_relational
from seqveil.sources.sets import read_sets
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.sequences import SequenceTable
from seqveil.tables.sets import SetTable, sets_of
from seqveil.tables.taxonomy import Taxonomy

DIGITS = Domain.range(0, 9)


def plain(table: SetTable) -> list[list[int]]:
    return [codes.tolist() for codes in table.flat]


@given(st.lists(st.lists(st.integers(0, 9), max_size=6), max_size=12))
def test_sets_of_sequences_are_python_sets(sequences: list[list[int]]) -> None:
    """Order and repeats are forgotten, empty records left out, everything else is kept in place."""
    users = np.arange(len(sequences))
    table = SetTable.of(SequenceTable(DIGITS, Flat.of(sequences), users))

    assert plain(table) == [sorted(set(s)) for s in sequences if s]
    assert table.owners is not None
    assert table.owners.tolist() == [k for k, s in enumerate(sequences) if s]


def test_bounding_keeps_at_most_m_sets_of_a_user() -> None:
    """The user with three sets keeps two of them."""
    table = sets_of([["1"], ["2"], ["3"], ["4"]], DIGITS, users=[0, 0, 0, 1])
    kept = table.bounded(2, np.array([1, 2], np.uint64))

    assert plain(kept) in ([[1], [2], [4]], [[1], [3], [4]], [[2], [3], [4]])
    assert repr(kept) == "SetTable(domain=10 labels)"


@pytest.mark.parametrize(
    ("name", "body", "described", "expected"),
    [
        ("baskets.dat", "3 1 3\n\n2 77\n", {}, [[1, 3], [2]]),
        ("baskets.spmf", "3 -1 1 3 -1 -2\n2 -1 -2\n", {}, [[1, 3], [2]]),
        ("log.csv", "who,what\na,3\nb,2\na,1\na,3\n", {"user": "who", "item": "what"}, [[1, 3], [2]]),
    ],
)
def test_every_reader_of_sequences_reads_sets(
    tmp_path: Path, name: str, body: str, described: dict[str, Any], expected: list[list[int]]
) -> None:
    """One transaction per line, SPMF, and an event log with one set per user; 77 is outside and vanishes."""
    (tmp_path / name).write_text(body)

    assert expected == plain(read_sets(tmp_path / name, domain=DIGITS, **described))


PEOPLE = Domain.of(["sex=f", "sex=m", "city=Oslo", "city=New York", "age=3"])
ROWS = {"sex": ["f", "m", "?", None], "age": [3, 3, 4, 4], "city": ["New York", None, "Oslo", "Rome"], "id": ["x", "y", "x", "z"]}
EXPECTED = [[0, 3, 4], [1, 4], [2]]


def test_relational_rows_are_sets_of_declared_categories(tmp_path: Path) -> None:
    """CSV, Parquet, Polars and pandas say the same; undeclared values vanish, and so does a row without any declared one."""
    frame = pl.DataFrame(ROWS)
    frame.write_csv(tmp_path / "people.csv")
    frame.write_parquet(tmp_path / "people.parquet")
    mixed = pd.DataFrame({**ROWS, "age": [3, "3", 4.5, None]})

    for source in (tmp_path / "people.csv", tmp_path / "people.parquet", frame, frame.to_arrow(), mixed):
        assert EXPECTED == plain(read_relational(source, domain=PEOPLE))


def test_relational_rows_belong_to_users() -> None:
    """Rows of one user share a number; the column of users is no attribute."""
    table = read_relational(pl.DataFrame(ROWS), domain=PEOPLE, user="id")

    assert table.owners is not None
    assert table.owners.tolist() == [0, 1, 0]


def test_relational_format_problems_come_together_and_quote_no_row(tmp_path: Path) -> None:
    """Missing columns are listed; values of rows are not."""
    (tmp_path / "people.csv").write_text("sex,town\nsecret,Oslo\n")
    with pytest.raises(InputProblems) as caught:
        read_relational(tmp_path / "people.csv", domain=PEOPLE)

    assert 2 == len(caught.value.problems)
    assert "secret" not in str(caught.value)
    with pytest.raises(InputProblems, match="write attribute=value"):
        read_relational(tmp_path / "people.csv", domain=DIGITS)


@pytest.mark.parametrize("fan_out", [2, 3, 10])
@pytest.mark.parametrize("labels", [1, 2, 3, 5, 11, 17, 100])
def test_a_balanced_taxonomy_covers_every_label_once(labels: int, fan_out: int) -> None:
    """Children divide the range of their parent, no node has one child (but for a single label), heights and counts add up."""
    tree = Taxonomy.balanced(labels, fan_out)
    covered = {tree.root: (0, labels)}
    inner = 0
    for node in range(tree.root, labels - 1, -1):
        children = tree.children(node)
        inner += 1
        assert 2 <= len(children) <= fan_out or labels == 1
        assert [int(tree.low[c]) for c in children[1:]] == [int(tree.high[c]) for c in children[:-1]]
        assert covered[node] == (int(tree.low[children[0]]), int(tree.high[children[-1]]))
        assert int(tree.height[node]) == 1 + max(int(tree.height[c]) for c in children)
        covered |= {c: (int(tree.low[c]), int(tree.high[c])) for c in children}

    assert inner == int(tree.internal[tree.root])
    assert set(covered) == set(range(tree.root + 1))


def test_a_table_for_sets_is_pointed_to_its_reader(tmp_path: Path) -> None:
    """Journeys make no sets, so nobody is told to name their ends; rows with attributes are another kind of data."""
    (tmp_path / "people.csv").write_text("sex,age\nf,30\n")
    with pytest.raises(InputProblems) as refused:
        read_sets(tmp_path / "people.csv", domain=DIGITS)

    assert "add item=COLUMN, or read a table with one person per row as relational" in str(refused.value)
    assert "origin" not in str(refused.value)
