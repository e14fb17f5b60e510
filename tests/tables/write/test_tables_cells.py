"""Files for spreadsheets hold no formulas, files of markup stay well-formed, whatever the labels are."""

from __future__ import annotations

import csv
import io
import json
import xml.etree.ElementTree as ElementTree
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqveil.release.graphs import EdgeList
from seqveil.release.records import Records
from seqveil.sources import read_sequences
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.write.cells import neutral, plain

FORMULAS = [
    "=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "'x", "''", "=", "-", "\uff1d1+1", "\uff0dx", "a=b", "-3", "+4.5", "b",
]  # fmt: skip
MARKUP = [
    "]]>", "<!--", "-->", "&amp;", "<a href='x'>", '"', "'", "\\", "&#0;", "<![CDATA[", "?>", "\u0645\u200c\u062e", "\U0001f600",
]  # fmt: skip
EVENTS = {"item": "item", "user": "sequence", "time": "position"}


def records(labels):
    return Records(Domain.of(labels), Flat.of([[code] for code in range(len(labels))]))


@pytest.mark.parametrize(("ending", "delimiter"), [(".csv", ","), (".tsv", "\t")])
def test_no_cell_of_a_table_is_a_formula(ending, delimiter, tmp_path):
    """A number stays a number; everything else that a spreadsheet would run has an apostrophe in front, and gives it back."""
    text = records(FORMULAS).write(tmp_path / f"x{ending}").read_text(encoding="utf-8")
    cells = [row[2] for row in csv.reader(io.StringIO(text), delimiter=delimiter)][1:]

    assert FORMULAS == [plain(cell) for cell in cells]
    assert [cell for cell in cells if cell[0] in "=+-@\uff1d\uff0d"] == ["-3", "+4.5"]


def test_raw_cells_are_for_programs(tmp_path):
    """They read back as the labels they are."""
    table = records(FORMULAS)
    path = table.write(tmp_path / "x.csv", raw_cells=True)

    assert list(table) == [table.domain.labels(codes) for codes in read_sequences(path, domain=table.domain, **EVENTS).flat]


def test_formats_of_programs_are_not_touched(tmp_path):
    """Lines, JSON Lines and Parquet carry labels as they are."""
    table = records(["=a", "'b", "@c"])

    assert "=a\n'b\n@c\n" == table.write(tmp_path / "x.txt").read_text()
    assert [["=a"], ["'b"], ["@c"]] == [json.loads(line) for line in table.write(tmp_path / "x.jsonl").read_text().splitlines()]
    assert [["=a"], ["'b"], ["@c"]] == pq.read_table(table.write(tmp_path / "x.parquet"))["sequence"].to_pylist()


@given(st.text())
def test_every_text_comes_back(text):
    """Two texts never share a cell."""
    assert text == plain(neutral(text)) if text.startswith("'") or neutral(text) != text else text == neutral(text)
    assert neutral(text) == text or neutral(text) == f"'{text}"


def test_xes_is_well_formed(tmp_path):
    """A parser of XML reads the labels that were written."""
    labels = [*FORMULAS, *(label for label in MARKUP if label not in FORMULAS)]
    root = ElementTree.parse(records(labels).write(tmp_path / "x.xes")).getroot()
    events = [event[0].get("value") for event in root.iter("{http://www.xes-standard.org/}event")]

    assert labels == events


def test_graphml_is_well_formed(tmp_path):
    """Vertices and edges, likewise."""
    labels = [*FORMULAS, *(label for label in MARKUP if label not in FORMULAS)]
    ends = np.arange(len(labels) - 1, dtype=np.int32)
    root = ElementTree.parse(EdgeList(Domain.of(labels), ends, ends + 1).write(tmp_path / "x.graphml")).getroot()
    space = "{http://graphml.graphdrawing.org/xmlns}"

    assert labels == [node.get("id") for node in root.iter(f"{space}node")]
    assert list(pairwise(labels)) == [(e.get("source"), e.get("target")) for e in root.iter(f"{space}edge")]


def test_every_writer_of_csv_spells_cells_here():
    """A new one cannot forget it: whoever writes CSV for people names `cells`. A specimen is made-up rows for our own reader."""
    source = Path(__file__).parents[3] / "src" / "seqveil"
    sources = [path for path in source.rglob("*.py") if path.name != "specimen.py"]
    writers = [path for path in sources if "csv.writer(" in (text := path.read_text()) or ".write_csv(" in text]

    assert {"rows.py", "link_open.py", "link_psi_moves.py", "files.py", "od.py", "download.py"} == {path.name for path in writers}
    assert all("write.cells import" in path.read_text() for path in writers)
