"""Formats: what each reader takes, how the format is told from the name, and problems with the exact text."""

import gzip

import numpy as np
import pytest

from seqveil.errors import CallError, InputProblems
from seqveil.sources import read_sequences
from seqveil.sources.formats import formats
from seqveil.tables.domain import Domain
from seqveil.tables.sequences import SequenceTable

DOMAIN = Domain.of(["a", "b", "c", "1", "2", "3"])
ALL_FORMATS = ", ".join(formats("sequences"))
XES = """<?xml version="1.0"?><log xmlns="http://www.xes-standard.org/">
<global scope="event"><string key="concept:name" value="c"/></global>
<trace><string key="concept:name" value="case 1"/><string key="who" value="ann"/><event>
  <string key="concept:name" value="b"><string key="concept:name" value="c"/></string><date key="at" value="2020-01-02"/></event>
 <event><string key="concept:name" value="a"/><date key="at" value="2020-01-01"/></event></trace>
<trace><string key="who" value="bob"/><event><string key="concept:name" value="zebra"/></event></trace>
<trace><string key="who" value="ann"/>
 <event><int key="concept:name" value="3"/><date key="at" value="2020-01-01"/></event></trace>
</log>"""


def read(tmp_path, name, body, **more):
    """Sequences of labels of a file with this body, and the table."""
    path = tmp_path / name
    body = body.encode() if isinstance(body, str) else body
    path.write_bytes(gzip.compress(body, mtime=0) if name.endswith(".gz") else body)
    table = read_sequences(path, domain=DOMAIN, **more)
    return [" ".join(DOMAIN.labels(s)) for s in table.flat], table


@pytest.mark.parametrize(
    ("name", "body", "more", "expected"),
    [
        ("x.txt", "a b\n\nzebra\nc  a\tb", {}, ["a b", "c a b"]),
        ("x.seq.gz", "a b\r\nc\r\n", {}, ["a b", "c"]),
        ("x.txt", "a, b,,c\n;\n", {"delimiter": ","}, ["a b c"]),
        ("x.txt", "a b,c", {"delimiter": ","}, ["c"]),
        ("x.dat", "1 2 3\n2\n", {}, ["1 2 3", "2"]),
        ("x.spmf", "# made by hand\n@X=1\n1 -1 2 3 -1 -2\n2 -1 -2 3 -1 -2\n1 -1\n-2\n", {}, ["1 2 3", "2", "3", "1"]),
        ("x.jsonl", '["a", 1, null, 2.5, "b"]\n{"items": ["c"]}\n"a"\n{}\n{oops\n', {}, ["a 1 b", "c", "a"]),
        ("x.jsonl", '{"who": "u", "seq": ["c", "a"]}\n{"who": "u", "seq": ["b"]}', {"item": "seq", "user": "who"}, ["c a", "b"]),
        (
            "x.jsonl",
            '{"u": 1, "t": 2, "item": "b"}\n{"u": 2, "t": 1, "item": "c"}\n{"u": 1, "t": 1.5, "item": "a"}',
            {"user": "u", "time": "t"},
            ["a b", "c"],
        ),
        ("x.xes", XES, {}, ["b a", "3"]),
        ("x.xes.gz", XES, {"time": "at"}, ["a b", "3"]),
        ("x.csv", 'what,note\na,"x, y"\n"b","say ""hi"""\n " c " ,\n', {"item": "what"}, ["a", "b", "c"]),
        ("x.csv", '\ufeffwhat\na\n', {"item": "what"}, ["a"]),
        ("x.csv", "who;what\nu;a\nu;b\n", {"item": "what", "user": "who", "delimiter": ";"}, ["a b"]),
        ("x.tsv", "who\twhat\nu\ta\n\tb\nu\tc", {"item": "what", "user": "who"}, ["a c"]),
        ("x.txt", "u a 2\nv b 1\nu  c 1\n", {"user": "1", "item": "2", "time": "3", "header": False}, ["c a", "b"]),
        ("x.log", "who what\nu a\n", {"format": "events", "user": "who", "item": "what"}, ["a"]),
    ],
)  # fmt: skip
def test_each_format(tmp_path, name, body, more, expected):
    """One worked example per shape."""
    assert expected == read(tmp_path, name, body, **more)[0]


def test_traces_and_lists_may_have_owners(tmp_path):
    """Two traces of Ann and one of Bob, who has nothing left."""
    _, table = read(tmp_path, "x.xes", XES, user="who")

    assert [0, 0] == table.users.tolist()


@pytest.mark.parametrize(
    ("name", "more", "said"),
    [
        ("x.seq.gz", {}, "one sequence per line (lines, gzip)"),
        ("X.CSV", {"item": "what"}, "event log, comma-separated (csv)"),
        ("x.csv", {"item": "what", "delimiter": ";"}, "event log, separated by ';' (csv)"),
        ("x.txt", {"item": "1", "header": False}, "event log, separated by blanks (events)"),
        ("x.dat", {}, "integers, one sequence per line (dat)"),
        ("x.spmf", {}, "SPMF (-1 ends an itemset, -2 a sequence) (spmf)"),
        ("x.ndjson", {}, "JSON Lines, one sequence per line (jsonl)"),
        ("x.jsonl", {"time": "t"}, "JSON Lines, one event per line (jsonl-events)"),
    ],
)
def test_the_format_is_guessed_and_told(tmp_path, name, more, said):
    """The guess depends on the name and on what was typed."""
    descriptions = []
    read(tmp_path, name, "what\n", on_format=descriptions.append, **more)

    assert [said] == descriptions


@pytest.mark.parametrize(
    ("name", "body", "more", "problems"),
    [
        ("x.csv", "who,what\n", {"user": "card", "item": "wat", "time": "who"},
         ["has no column 'card' (user): use one of who, what", "has no column 'wat' (item): use item=what"]),
        ("x.csv", "who;what\n", {"item": "what"},
         ["line 1 has no column 'what': add delimiter=';'"]),
        ("x.csv", "u17,Ham\n", {"item": "what"},
         ["line 1 has no column 'what': check the spelling and delimiter; if the file has no header, "
          "add header=False and give columns by number, for example item=2"]),
        ("x.csv", "", {"item": "what"}, ["line 1 (the header) is empty: put the column names there, or add header=False"]),
        ("x.csv", b"wh\xe9,what\n", {"item": "what"}, ["line 1 (the header) is not UTF-8: save the file as UTF-8"]),
        ("x.csv", "what,who,what\n", {"item": "what"},
         ["line 1 names the column 'what' more than once (columns 1, 3): rename all but one"]),
        ("x.csv", "a\n", {"user": "who"}, ["no item column given: add item=COLUMN, or "
         "for one journey per row origin=COLUMN and destination=COLUMN",
         "line 1 has no column 'who': check the spelling and delimiter; if the file has no header, "
         "add header=False and give columns by number, for example item=2"]),
        ("x.csv", "a\n", {"item": "what", "header": False},
         ["item='what': without a header, columns are given by number: write item=1"]),
        ("x.csv", "a\n", {"item": "a", "delimiter": "::"},
         ["delimiter='::' is not a single ASCII character: use for example delimiter=';'"]),
        ("x.dat", "1\n", {"format": "dat", "user": "who"},
         ["user=who: integers, one sequence per line has no columns: leave it out, or add format=events"]),
        ("x.foo", "a\n", {}, [f"cannot infer the format from the file name: add format=FORMAT, one of {ALL_FORMATS}"]),
        ("x.txt", "a\n", {"format": "excel"}, [f"format='excel' is unknown: use one of {ALL_FORMATS}"]),
        ("x.csv", gzip.compress(b"a\n", mtime=0), {"item": "a"}, ["is a gzip archive: add .gz to its name"]),
        ("x.csv", b"PK\x03\x04....", {"item": "a"}, ["is a zip archive: unpack it first"]),
        ("x.csv", "a\n".encode("utf-16"), {"item": "a"}, ["is UTF-16 text: save it as UTF-8"]),
        ("x.csv", b"PAR1....PAR1", {"item": "a"}, ["is a Parquet file: rename it to end in .parquet, or add format=parquet"]),
        ("x.parquet", "who,what\n", {"item": "a"},
         ["is not a Parquet file, or is truncated: copy it again, or add the right format"]),
        ("x.parquet.gz", "who,what\n", {"item": "a"},
         ["is a gzip archive, but Parquet files are compressed internally: unpack it first"]),
        ("x.xes", "<log>\n<trace>\n</log>", {}, ["line 3 is not well-formed XML: export the log again"]),
        ("x.xes", "<html/>", {}, ["is XML, but not an XES log, whose first element is <log>: give an XES file"]),
        ("x.xes", '<!DOCTYPE log [\n<!ENTITY x "aaaa">]>\n<log/>', {},
         ["line 2 declares an XML entity, which is refused: remove the declaration"]),
        ("x.xes", "<log/>", {"session": "trip"}, ["session=trip: every line or trace is already one sequence: leave it out"]),
        ("x.csv", "who,what\n", {"item": "wat", "user": "who", "timezone": "Mars", "session": "gap:x"},
         ["session='gap:x' is not a valid gap: write gap:30m, gap:2h, gap:90s or gap:1d",
          "timezone='Mars' is unknown: use a name such as UTC or Europe/Paris",
          "has no column 'wat' (item): use item=what"]),
        ("x.csv", "who,what\n", {"item": "what", "user": "who", "session": "dya"},
         ["has no column 'dya' (session): use one of who, what, or one of the rules none, day, gap:30m"]),
    ],
)  # fmt: skip
def test_problems_of_format_are_told_together(tmp_path, name, body, more, problems):
    """The exact words, all at once, before anything is read."""
    with pytest.raises(InputProblems) as caught:
        read(tmp_path, name, body, **more)

    assert problems == caught.value.problems
    assert str(tmp_path / name) == caught.value.source


def test_a_named_gz_that_is_none(tmp_path):
    """The name says gzip, the bytes do not."""
    path = tmp_path / "x.txt.gz"
    path.write_text("a b\n")

    with pytest.raises(InputProblems, match=r"is named \.gz but is not a gzip archive"):
        read_sequences(path, domain=DOMAIN)


def test_a_first_row_that_is_no_header_is_never_quoted(tmp_path):
    """A file without a header has a person's row in line 1: no word of it is in the error."""
    with pytest.raises(InputProblems) as caught:
        read(tmp_path, "x.csv", "ann,clinic\n", user="who", item="what")

    assert "ann" not in str(caught.value)
    assert "clinic" not in str(caught.value)


def test_missing_files_and_folders(tmp_path):
    """Neither is a traceback."""
    for path, problem in ((tmp_path / "no.txt", "does not exist: check the path"), (tmp_path, None)):
        with pytest.raises(InputProblems) as caught:
            read_sequences(path, domain=DOMAIN, format="lines")
        assert [problem or "is a folder without files: give a file, or a folder of files of one format"] == caught.value.problems


def test_spmf_keeps_its_marks_for_itself(tmp_path):
    """A domain with -1 cannot be told apart from the end of an itemset."""
    path = tmp_path / "x.spmf"
    path.write_text("1 -1 -2\n")

    with pytest.raises(InputProblems, match="SPMF keeps -1, -2"):
        read_sequences(path, domain=Domain.range(-1, 5))


def test_labels_with_blanks_are_separated_by_tabs(tmp_path):
    """The domain says so, not the data."""
    path = tmp_path / "x.txt"
    path.write_text("West Ham\tBow Road\nWest Ham Bow Road\n")
    table = read_sequences(path, domain=Domain.of(["Bow Road", "West Ham"]))

    assert [[1, 0]] == [s.tolist() for s in table.flat]


def test_outside_takes_two_words(tmp_path):
    """drop or other."""
    with pytest.raises(CallError, match="outside='keep' is unknown: use drop or other"):
        read(tmp_path, "x.txt", "a", outside="keep")


@pytest.mark.parametrize("name", ["x.txt", "x.jsonl", "x.xes", "x.csv", "x.spmf"])
def test_no_rows_give_an_empty_table(tmp_path, name):
    """An empty file is no error: that nobody came is a value, too."""
    body = {"x.xes": "<log/>", "x.csv": "who,what,when\n"}.get(name, "")
    more = {"user": "who", "item": "what", "time": "when", "session": "day"} if name == "x.csv" else {}
    labels, table = read(tmp_path, name, body, **more)

    assert ([], [0], 0) == (labels, table.flat.offsets.tolist(), len(table.flat.items))
    assert (np.int32, np.int64) == (table.flat.items.dtype, table.flat.offsets.dtype)


def test_a_line_of_fifteen_million_items(tmp_path):
    """Longer than any block, between two short lines."""
    path = tmp_path / "x.txt"
    path.write_bytes(b"a\n" + b"b " * 15_000_000 + b"\nc\n")
    table = read_sequences(path, domain=DOMAIN)

    assert [1, 15_000_000, 1] == table.flat.lengths.tolist()


def test_the_repr_of_a_table_tells_nothing(tmp_path):
    """A stray print of raw data says only public things."""
    table = read(tmp_path, "x.txt", "a b\n")[1]

    assert isinstance(table, SequenceTable)
    assert "SequenceTable(domain=6 labels)" == repr(table)
