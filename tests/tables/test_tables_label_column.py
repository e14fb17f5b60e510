"""Labels from a column of a public table; a table with several columns is no list of labels."""

import gzip

import pytest

from seqveil.errors import InputProblems
from seqveil.tables.domain import Domain

STATIONS = 'code,station\n0,Alder Gate\n1,"Cedar Cross, upper"\n\n'


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("stations.csv", STATIONS.encode()),
        ("stations.csv", STATIONS.replace("\n", "\r\n").encode("utf-8-sig")),
        ("stations.csv.gz", gzip.compress(STATIONS.encode(), mtime=0)),
        ("stations.tsv", STATIONS.replace("e,s", "e\ts").replace("0,", "0\t").replace("1,", "1\t").encode()),
        ("stations.csv", b"code;station\n0;Alder Gate\n1;Cedar Cross, upper\n"),
    ],
)
def test_a_column_holds_the_labels(tmp_path, name, body):
    (tmp_path / name).write_bytes(body)

    assert ["Alder Gate", "Cedar Cross, upper"] == Domain.parse(f"{tmp_path / name}:station").labels([0, 1])


@pytest.mark.parametrize("name", ["stations.csv", "stations.csv.gz"])
def test_a_table_is_no_list_of_labels(tmp_path, name):
    (tmp_path / name).write_bytes(gzip.compress(STATIONS.encode()) if name.endswith("gz") else STATIONS.encode())

    with pytest.raises(InputProblems, match=r"has 2 columns \(code, station\): name the one with the labels, .*:station"):
        Domain.parse(str(tmp_path / name))


def test_a_list_may_be_called_csv_and_a_name_may_have_a_colon(tmp_path):
    (tmp_path / "list.csv").write_text("a\nb\n")
    (tmp_path / "list:b").write_text("c\n")

    assert 2 == len(Domain.parse(str(tmp_path / "list.csv")))
    assert ["c"] == Domain.parse(f"{tmp_path}/list:b").labels([0])


@pytest.mark.parametrize(
    ("body", "column", "problem"),
    [
        ("code,station\n", "stations", "has no column 'stations': did you mean station?"),
        ("code,station\n", "x", "has no column 'x': use one of code, station"),
        ("code,station\n", "station", "has no labels: give at least one row"),
        ("code,station\n1,A\n2,\n3,A\n", "station", "row 2 is empty: remove it"),
        ("code,station\n1,A\n3,A\n", "station", "row 2 repeats row 1 ('A'): keep one of them"),
        ("s,s\n1,A\n", "s", "has the column 's' more than once: rename all but one"),
        ("s,t\n1,\udcff\n", "s", "is not UTF-8: save the file as UTF-8"),
    ],
)
def test_what_is_wrong_with_a_column(tmp_path, body, column, problem):
    (tmp_path / "t.csv").write_text(body, errors="surrogateescape")

    with pytest.raises(InputProblems) as refused:
        Domain.parse(f"{tmp_path}/t.csv:{column}")
    assert problem in str(refused.value)
