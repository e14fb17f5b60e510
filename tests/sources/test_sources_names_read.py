"""Files of names: every format, rows of every sort, and silence on the release path."""

import gzip

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqveil.errors import InputProblems
from seqveil.sources import names as reader
from seqveil.sources.names import inspect_names, read_names, stream_names
from seqveil.tables.names import Alphabet

LATIN = Alphabet.parse("latin")
WORLD = Alphabet.parse("latin,а..я,α..ω,U+4E00..U+9FFF,가..힣,ء..ي")
NAMES = ["Anna", "", "Ḃob, Jr.", 'O"Hara', "Ёлкин", "Παπαδόπουλος", "王小明", "김민준", "محمد", "Weiß", "İpek", "J", "Anna"]


def written(folder, kind, names, extra=None):
    """A file of names, written by somebody else's library."""
    frame = pl.DataFrame({"id": [str(i % 3) for i in range(len(names))], "name": names, **(extra or {})})
    path = folder / f"names.{kind.removesuffix('.gz')}"
    if kind == "parquet":
        frame.write_parquet(path)
    elif kind.startswith("txt"):
        path.write_bytes("".join(f"{name}\n" for name in names).encode())
    else:
        frame.write_csv(path, separator="\t" if kind.startswith("tsv") else ",")
    if kind.endswith(".gz"):
        packed = folder / f"names.{kind}"
        packed.write_bytes(gzip.compress(path.read_bytes()))
        return packed
    return path


def spelled(table, alphabet):
    """The sequences of a table as texts."""
    return ["".join(alphabet.text[c] for c in row) for row in table.flat]


@pytest.mark.parametrize("kind", ["csv", "tsv", "csv.gz", "tsv.gz", "parquet", "txt", "txt.gz"])
def test_every_format_gives_the_same_names(tmp_path, kind):
    """As a table over the alphabet, and as they stand, in batches of any size."""
    path = written(tmp_path, kind, NAMES)
    column = None if kind.startswith("txt") else "name"

    assert [WORLD.normalise(name) for name in NAMES] == spelled(read_names(path, column, WORLD), WORLD)
    for rows in (1, 2, 5, 100):
        batches = list(stream_names(path, column, rows=rows))
        assert NAMES == [name for batch in batches for name in batch]
        assert all(0 < len(batch) <= rows for batch in batches)


@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet"])
def test_users_own_their_rows(tmp_path, kind):
    """Rows of one user carry one number; rows without a user are left out."""
    path = written(tmp_path, kind, ["a", "b", "c", "d", "e"], {"card": ["x", None, "y", "x", ""]})
    table = read_names(path, "name", LATIN, user="card")

    assert ["a", "c", "d"] == spelled(table, LATIN)
    assert [0, 1, 0] == table.users.tolist()


ODD = [
    ("name\nAnna\n\nBob\n", ["Anna", "Bob"], ["anna", "bob"]),  # a blank line is no row
    ("id,name\n1,Anna\n2\n3,Bob", ["Anna", "", "Bob"], ["anna", "", "bob"]),  # a short row has no name
    ("\ufeffname,x\r\nAnna,1\r\nBob,2\r\n", ["Anna", "Bob"], ["anna", "bob"]),
    ('name,x\n"Anna\nLee",1\nBob,2\n', ["Anna\nLee", "Bob"], ["lee", "bob"]),  # on the release path a row is a line
    ("name\nAn\rna\n", ["An na"], ["anna"]),
    ("name\n\x00Bob\x1b[31m\n", ["\x00Bob\x1b[31m"], ["bobm"]),
    ("name\n", [], []),
    ("name", [], []),
]


@pytest.mark.parametrize(("body", "streamed", "silent"), ODD)
def test_rows_of_every_sort(tmp_path, body, streamed, silent):
    """Nothing that stands in a row stops either reader."""
    path = tmp_path / "names.csv"
    path.write_bytes(body.encode())
    table = read_names(path, "name", LATIN)

    assert streamed == [name for batch in stream_names(path, "name") for name in batch]
    assert [name for name in silent if name] == [name for name in spelled(table, LATIN) if name]


def test_bytes_that_are_no_text_are_dropped_in_silence(tmp_path):
    """In CSV, text and Parquet columns that claim to be text."""
    (tmp_path / "names.csv").write_bytes(b"name\nA\xffnn\xc3\n")
    (tmp_path / "names.txt").write_bytes(b"A\xffnn\xc3\n")
    liar = pa.Array.from_buffers(pa.string(), 1, pa.array([b"A\xffnn\xc3"], pa.binary()).buffers())
    pq.write_table(pa.table({"name": liar}), tmp_path / "names.parquet")

    for kind, column in (("csv", "name"), ("txt", None), ("parquet", "name")):
        assert ["ann"] == spelled(read_names(tmp_path / f"names.{kind}", column, LATIN), LATIN)
        assert ["A\ufffdnn\ufffd"] == next(stream_names(tmp_path / f"names.{kind}", column))


def test_parquet_columns_of_other_types_are_spelled(tmp_path):
    """Dictionaries and numbers have a spelling; lists have none."""
    names = {"kind": pa.array(["b", None, "b"]).dictionary_encode(), "number": [3, None, 1], "lists": [["a"], None, []]}
    path = tmp_path / "names.parquet"
    pq.write_table(pa.table(names), path)

    assert [["b", "", "b"]] == list(stream_names(path, "kind"))
    assert [["3", "", "1"]] == list(stream_names(path, "number"))
    with pytest.raises(InputProblems, match=r"holds list<.*give a column of text"):
        stream_names(path, "lists")


@pytest.mark.parametrize(
    ("name", "body", "given", "problems"),
    [
        (
            "n.csv",
            b"id,nam\n1,Alice\n",
            {"column": "name"},
            ["has no column 'name' (column): check its spelling and delimiter"],
        ),
        (
            "n.csv",
            b"id,nam,card\n1,Alice,2\n",
            {"column": "name", "user": "card"},
            ["has no column 'name' (column): use column=nam"],
        ),
        (
            "n.csv",
            b"a,b\n1,2\n",
            {"column": "a", "user": "person"},
            ["has no column 'person' (user): use one of a, b"],
        ),
        ("n.csv", b"name,name\n", {"column": "name"}, ["has the column 'name' 2 times: rename all but one"]),
        ("n.csv", b"name\n", {"column": None}, ["no column given for the names: add column=COLUMN"]),
        (
            "n.csv",
            b"name\n",
            {"column": "name", "user": "name", "delimiter": ";;"},
            [
                "column and user are both 'name': a name does not identify a user; give two different columns",
                "delimiter=';;' is not a single ASCII character: use for example delimiter=';'",
            ],
        ),
        (
            "n.csv",
            b"\xff\xffname\n",
            {"column": "name"},
            ["line 1 (the header) cannot be read: save the file as UTF-8, with one name per column in line 1"],
        ),
        ("n.csv", b"", {"column": "name"}, ["has no column 'name' (column): check its spelling and delimiter"]),
        (
            "n.txt",
            b"Anna\n",
            {"column": "name", "user": "card"},
            [
                "column=name: a .txt file has one name per line and no columns: leave it out",
                "user=card: a .txt file has one name per line and no columns: leave it out",
            ],
        ),
        (
            "n.xlsx",
            b"",
            {"column": "name"},
            ["cannot infer the format from the file name: names are read from .csv, .tsv, .tab, .parquet, .pq, .txt"],
        ),
        ("n.parquet", b"PAR1", {"column": "name"}, ["is not a Parquet file, or is truncated: copy it again"]),
        (
            "n.csv.gz",
            b"name\n",
            {"column": "name"},
            ["is named .gz but is not a gzip archive: drop the .gz from its name, or compress it"],
        ),
    ],
)
def test_what_is_wrong_with_a_format_is_told_before_a_row_is_read(tmp_path, name, body, given, problems):
    """All of it at once, and never a value of what may be a row."""
    path = tmp_path / name
    path.write_bytes(body)
    with pytest.raises(InputProblems) as caught:
        inspect_names(path, given.pop("column"), LATIN, **given)

    assert problems == caught.value.problems


def test_a_missing_file_and_a_missing_column_are_told_together(tmp_path):
    """Two problems, one call."""
    with pytest.raises(InputProblems) as caught:
        inspect_names(tmp_path / "none.csv", None, LATIN)

    assert [
        "no column given for the names: add column=COLUMN",
        "does not exist: check the path",
    ] == caught.value.problems


def test_inspecting_reads_no_row(tmp_path, monkeypatch):
    """The rows are read when the ledger knows, not before."""
    path = written(tmp_path, "csv", NAMES)
    monkeypatch.setattr(reader, "_silent_rows", lambda file: 1 / 0)

    assert "comma-separated table, one name per row" == inspect_names(path, "name", LATIN)[0]


def test_a_stream_says_where_a_file_is_broken(tmp_path, monkeypatch):
    """A quote that swallows the rest of a file, and a line without end, are told with their line."""
    path = tmp_path / "names.csv"
    path.write_text('name\nAnna\n"' + "x" * 200_000)
    with pytest.raises(InputProblems, match="line 3 cannot be read as a table"):
        list(stream_names(path, "name"))

    for opened in ('5,"Bob\n', '5,"Bob\n6,"Lee, Ann"\n'):  # never closed, or only by the quotes of a later row
        short = tmp_path / "short.csv"
        short.write_text(f"id,name\n1,Anna\n{opened}7,Eve\n8,Joe\n")
        with pytest.raises(InputProblems, match="line 3 cannot be read as a table"):
            list(stream_names(short, "name"))

    monkeypatch.setattr(reader, "MOST_LINE", 50)
    with pytest.raises(InputProblems, match="line 3 is longer than 50 characters"):
        list(stream_names(path, "name"))


@pytest.mark.parametrize("kind", ["csv", "parquet", "txt"])
def test_names_without_end_are_cut_in_silence(tmp_path, monkeypatch, kind):
    """For a base, whose miners look at the beginning of a name; in the middle of a character too."""
    monkeypatch.setattr(reader, "_LONGEST", 3)
    path = written(tmp_path, kind, ["annabel", "lé", "aaé", "b"])

    assert ["ann", "le", "aa", "b"] == spelled(read_names(path, None if kind == "txt" else "name", LATIN), LATIN)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=6) | st.sampled_from(['"', ",", "\r", "é\u0301", "a b"]), max_size=5))
def test_any_names_survive_csv(tmp_path_factory, names):
    """What a CSV writer writes is read back row by row, whatever stands in it."""
    import csv

    path = tmp_path_factory.mktemp("any") / "names.csv"
    with path.open("w", encoding="utf-8", errors="surrogatepass", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerows([["name", "x"], *([name, "1"] for name in names)])
    read = [name for batch in stream_names(path, "name", rows=2) for name in batch]
    table = read_names(path, "name", LATIN)

    assert [LATIN.normalise(name) for name in names] == [LATIN.normalise(name) for name in read]
    assert np.all(np.diff(table.flat.offsets) >= 0)
