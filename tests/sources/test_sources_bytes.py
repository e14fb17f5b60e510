"""Any bytes at all: a reader gives a table or InputProblems, and a row never changes how another row is read."""

import gzip
from contextlib import suppress

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from seqveil.errors import InputProblems
from seqveil.sources import read_sequences
from seqveil.tables.domain import Domain
from seqveil.tables.sequences import SequenceTable

DOMAIN = Domain.of(["a", "b", "1", "x y"])
PIECES = [
    b"a", b"b", b"1", b"x y", b",", b"\t", b" ", b'"', b'""', b"\r", b"\x00", b"\xff", b"-1", b"-2", b"#", b"{", b"}",
    b"[", b"]", b":", b'"item"', b'"a"', b"2020-01-01", b"1e5", b"NaN", b"\xef\xbb\xbf", b"\xf0\x9f\x98\x80", b"other",
]  # fmt: skip
ROW = st.one_of(st.binary(max_size=20), st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join)).map(
    lambda row: row.replace(b"\n", b"")
)
BODY = st.one_of(st.binary(max_size=200), st.lists(ROW, max_size=8).map(b"\n".join))
EVENTS = {"user": "u", "time": "t", "item": "i"}
KINDS = {
    "a.txt": {},
    "a.dat": {},
    "a.spmf": {},
    "a.csv": EVENTS,
    "b.csv": {**EVENTS, "session": "day", "timezone": "Europe/Paris"},
    "a.tsv": {**EVENTS, "session": "gap:30m", "outside": "other"},
    "b.txt": {"item": "2", "user": "1", "time": "3", "header": False, "time_format": "text"},
    "c.txt": {"item": "2", "time": "1", "header": False, "session": "3", "time_format": "%d/%m/%Y"},
    "a.jsonl": {"user": "u"},
    "b.jsonl": EVENTS,
    "a.xes": {"user": "u", "time": "time:timestamp"},
    "a.parquet": EVENTS,
}


def read(folder, name, body, **more):
    """The table of a file with this body."""
    path = folder / name
    path.write_bytes(body)
    return read_sequences(path, domain=DOMAIN, **{**KINDS[name], **more})


def sequences(table):
    """The sequences as plain lists."""
    return [s.tolist() for s in table.flat]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One folder for all examples."""
    return tmp_path_factory.mktemp("bytes")


@pytest.mark.parametrize("name", KINDS)
@given(body=BODY)
@settings(max_examples=60, deadline=None)
@example(b"")
@example(b"\n")
@example(b"<log><trace><event><string key='concept:name' value='a'/></event></trace>")
@example(b"PAR1PAR1")
def test_only_a_table_or_problems(folder, name, body):
    """Whatever the bytes: no other exception."""
    with suppress(InputProblems):
        assert isinstance(read(folder, name, body), SequenceTable)


@pytest.mark.parametrize("name", ["a.csv", "b.csv", "a.tsv"])
@given(rows=st.lists(ROW, max_size=6))
@settings(max_examples=60, deadline=None)
def test_with_a_good_header_no_row_raises(folder, name, rows):
    """Once the format is right, nothing that stands in a row can raise."""
    header = b"u\tt\ti\n" if name.endswith("tsv") else b"u,t,i\n"

    assert isinstance(read(folder, name, header + b"\n".join(rows)), SequenceTable)


@pytest.mark.parametrize("name", ["a.txt", "a.dat", "a.spmf", "a.jsonl"])
@given(rows=st.lists(ROW.filter(lambda row: not row.startswith(b"\xef\xbb\xbf")), max_size=6))
@settings(max_examples=80, deadline=None)
def test_lines_are_read_one_by_one(folder, name, rows):
    """A file reads as the lines of it would alone, so no line changes how another is read."""
    magic = (b"PK\x03\x04", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ", b"PAR1", b"\xff\xfe", b"\xfe\xff", b"\x1f\x8b")
    rows = [b" " + row if row.startswith(magic) else row for row in rows]
    alone = [s for row in rows for s in sequences(read(folder, name, row, **({"user": None} if "json" in name else {})))]

    together = read(folder, name, b"\n".join(rows), **({"user": None} if "json" in name else {}))

    assert alone == sequences(together)


@given(rows=st.lists(ROW, max_size=6))
@settings(max_examples=80, deadline=None)
@example([b'"a,1,a', b'a,1,"b'])
@example([b'a,1,"a', b'b",1,a'])
def test_rows_of_an_event_log_are_read_one_by_one(folder, rows):
    """The same for an event log: an open quote spoils its own row and no other."""
    alone = [s for row in rows for s in sequences(read(folder, "a.csv", b"u,t,i\n" + row, user=None, time=None))]

    together = read(folder, "a.csv", b"u,t,i\n" + b"\n".join(rows), user=None, time=None)

    assert alone == sequences(together)


@given(row=ROW)
@settings(max_examples=80, deadline=None)
def test_a_strangers_row_leaves_my_sequences_alone(folder, row):
    """Adding one row of somebody else adds at most one user and changes no other."""
    mine = b"me,2020-01-01,a\nme,5,b\nyou,7,b\n"
    stranger = b"stranger," + row + b"\n"
    before = read(folder, "b.csv", b"u,t,i\n" + mine)

    after = read(folder, "b.csv", b"u,t,i\n" + stranger + mine)

    assert sequences(before) == sequences(after)[len(after.flat) - len(before.flat) :]
    assert len(after.flat) - len(before.flat) in (0, 1)


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.jsonl", "a.xes"])
def test_a_truncated_archive_is_a_problem_before_anything_is_read(tmp_path, name):
    """The whole archive is looked at, not only its head."""
    path = tmp_path / f"{name}.gz"
    path.write_bytes(gzip.compress(b"u,t,i\n" + b"a b\n" * 10_000)[:-12])

    with pytest.raises(InputProblems) as caught:
        read_sequences(path, domain=DOMAIN, **KINDS[name])

    assert ["is a truncated or damaged gzip archive: copy it again"] == caught.value.problems
