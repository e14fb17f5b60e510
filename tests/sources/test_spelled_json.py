"""Numbers in JSON Lines: one spelling per value, in files and in streams."""

import json

from hypothesis import given
from hypothesis import strategies as st

from seqveil import Domain, read_sequences
from seqveil.sources.events import EventStream
from seqveil.sources.spelled_json import spelled_json
from seqveil.tables.spelling import spelling

USERS = ["5", "5.0", "5e0", "50e-1", '"5"']
BIG = ["12345678901234567890", "12345678901234567890.0", "1234567890123456789e1"]


@given(st.one_of(st.integers(), st.floats(-(2.0**53), 2.0**53)))
def test_a_number_is_spelled_as_its_value_is_everywhere(value: float):
    """What `tables.spelling` makes of the value. (Beyond 2^53 the digits in the text say more than a float does, and count.)"""
    expected = spelling(value)

    assert [None if expected is None else expected.decode()] == spelled_json(json.dumps([value]))


def test_a_user_of_a_file_is_one_user_however_the_number_is_written(tmp_path):
    """And so has one contribution bound."""
    lines = "".join(f'{{"who": {user}, "items": ["a"]}}\n' for user in [*USERS, *BIG])
    (tmp_path / "x.jsonl").write_text(lines, encoding="utf-8")

    table = read_sequences(tmp_path / "x.jsonl", domain=Domain.of(["a"]), user="who")

    assert [0] * 5 + [1] * 3 == table.owners.tolist()


def test_a_user_of_a_stream_is_one_user_however_the_number_is_written(tmp_path):
    """Also beyond 2^53, where floats would merge different users; the event itself stays a number."""
    lines = "".join(f'{{"who": {user}, "day": "2026-11-18", "x": 5.0}}\n' for user in [*USERS, *BIG, "12345678901234567891"])
    (tmp_path / "x.jsonl").write_text(lines, encoding="utf-8")

    events = [event for batch in EventStream(tmp_path / "x.jsonl", column="x", user="who", day="day").open() for event in batch]

    assert ["5"] * 5 + ["12345678901234567890"] * 3 + ["12345678901234567891"] == [user for user, _, _ in events]
    assert {("2026-11-18", 5.0)} == {(day, x) for _, day, x in events}


def test_numbers_are_labels_by_their_value(tmp_path):
    """3, 3.0 and "3" are one label; the text "3.0" is another."""
    (tmp_path / "x.jsonl").write_text('[3, 3.0, "3", 2.50, "3.0", 1e999999999999999999999]\n', encoding="utf-8")

    table = read_sequences(tmp_path / "x.jsonl", domain=Domain.of(["3", "2.5", "3.0"]))

    assert [["3", "3", "3", "2.5", "3.0"]] == [table.domain.labels(row) for row in table.flat]
