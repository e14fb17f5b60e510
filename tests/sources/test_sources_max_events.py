"""`max_events`: a public cap on the rows of each user, applied before grouping. One user's rows never decide about another's."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqveil.errors import CallError, InputProblems
from seqveil.sources import read_sequences
from seqveil.sources.relational import read_relational
from seqveil.tables.domain import Domain

LABELS = Domain.of(["a", "b", "c"])
ROWS = st.lists(st.tuples(st.sampled_from("uvw"), st.sampled_from(["a", "b", "c", "?"]), st.integers(0, 9)), max_size=40)


def _by_user(rows: list[tuple[str, str, int]], **described: object) -> list[list[str]]:
    """The sequences of a frame, as labels."""
    columns = {"user": pl.Utf8, "item": pl.Utf8, "time": pl.Int64}
    frame = pl.DataFrame(rows, schema=columns, orient="row")
    table = read_sequences(frame, domain=LABELS, user="user", item="item", **described)  # type: ignore[arg-type]
    return sorted(LABELS.labels(codes.tolist()) for codes in table.flat)


@settings(max_examples=60, deadline=None)
@given(rows=ROWS, most=st.integers(1, 4))
def test_the_first_usable_rows_of_each_user_are_kept(rows: list[tuple[str, str, int]], most: int) -> None:
    """In the order of the file; a row outside the domain does not count."""
    expected: dict[str, list[str]] = defaultdict(list)
    for user, item, _ in rows:
        if item != "?" and len(expected[user]) < most:
            expected[user].append(item)

    assert sorted(filter(None, expected.values())) == _by_user(rows, max_events=most)


@settings(max_examples=60, deadline=None)
@given(rows=ROWS, more=ROWS, most=st.integers(1, 4))
def test_another_user_changes_nothing(rows: list[tuple[str, str, int]], more: list[tuple[str, str, int]], most: int) -> None:
    """read(D ∪ u) = read(D) ⊎ read(u), with times and sessions."""
    stranger = [("x", item, time) for _, item, time in more]
    mixed = [row for pair in zip(rows, stranger, strict=False) for row in pair] + rows[len(stranger) :] + stranger[len(rows) :]
    how = {"time": "time", "session": "gap:2s", "max_events": most}

    assert sorted(_by_user(rows, **how) + _by_user(stranger, **how)) == _by_user(mixed, **how)


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_every_format_of_events_knows_it(suffix: str, tmp_path: Path) -> None:
    """Also across the batches of a reader."""
    rows = [{"user": user, "item": item} for user, item in [("u", "a"), ("v", "b"), ("u", "c"), ("u", "b")] * 3]
    path = tmp_path / f"log.{suffix}"
    if suffix == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    elif suffix == "csv":
        pl.DataFrame(rows).write_csv(path)
    else:
        pl.DataFrame(rows).write_parquet(path, row_group_size=2)
    kind = "jsonl-events" if suffix == "jsonl" else None
    table = read_sequences(path, domain=LABELS, format=kind, user="user", item="item", max_events=2)

    assert table.users is not None
    counts: dict[int, int] = defaultdict(int)
    for owner, codes in zip(table.users.tolist(), table.flat, strict=True):
        counts[owner] += len(codes)
    assert [2, 2] == sorted(counts.values())


def test_rows_of_a_relational_table_are_capped_too() -> None:
    """A row is a record there."""
    people = pl.DataFrame({"who": ["u", "u", "v", "u"], "sex": ["f", "m", "m", "m"]})
    table = read_relational(people, domain=Domain.of(["sex=f", "sex=m"]), user="who", max_events=1)

    assert [[0], [1]] == [codes.tolist() for codes in table.flat]


def test_a_cap_without_users_is_refused(tmp_path: Path) -> None:
    """There is nobody whose rows could be counted."""
    (tmp_path / "a.seq").write_text("a b\n", encoding="utf-8")
    for path, described in (("a.seq", {}), ("a.csv", {"item": "item"})):
        (tmp_path / "a.csv").write_text("item\na\n", encoding="utf-8")
        with pytest.raises(InputProblems, match="max_events=5"):
            read_sequences(tmp_path / path, domain=LABELS, max_events=5, **described)  # type: ignore[arg-type]
    with pytest.raises(CallError, match="max_events=0 is not"):
        read_sequences(tmp_path / "a.csv", domain=LABELS, item="item", max_events=0)
