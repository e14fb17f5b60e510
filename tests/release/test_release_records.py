"""Records go out as labels, in every shape people use."""

import pandas as pd
import polars as pl
import pytest

from seqveil.release.lines import lines_from, lines_to
from seqveil.release.records import Records
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat

ROWS = [["home", "city hall"], [], ["city hall"]]


@pytest.fixture
def records():
    """Three records, one of them empty, over labels with a blank."""
    return Records(Domain.of(["home", "city hall"]), Flat.of([[0, 1], [], [1]]))


def test_every_frame_holds_the_same(records):
    """Arrow, Polars and pandas agree with iteration."""
    assert ROWS == list(records)
    assert ROWS == records.to_arrow().column("sequence").to_pylist()
    assert ROWS == records.to_polars()["sequence"].to_list()
    assert isinstance(records.to_polars(), pl.DataFrame)
    assert ROWS == [list(row) for row in records.to_pandas()["sequence"]]
    assert isinstance(records.to_pandas(), pd.DataFrame)


@pytest.mark.parametrize("name", ["out.txt", "out.csv", "out.parquet"])
def test_the_ending_says_the_format(records, tmp_path, name):
    """A file appears under the given name."""
    assert tmp_path / name == records.write(tmp_path / name)
    assert (tmp_path / name).stat().st_size > 0


@pytest.mark.parametrize("labels", [["a", "b"], ["a", "b c"], ["1", "2"]])
@pytest.mark.parametrize("rows", [[], [[]], [[0], [], [1, 0, 1]], [[], []]])
def test_lines_come_back(labels, rows):
    """Text holds empty records, no records and labels with blanks without loss."""
    domain = Domain.of(labels)
    back = lines_from(lines_to(domain, Flat.of(rows)), domain)

    assert rows == [codes.tolist() for codes in back]
