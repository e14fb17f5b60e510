"""Sequences over a timed domain are written with places and times apart, and read back as they were."""

import polars as pl
import pytest

from seqveil.sources import read_sequences
from seqveil.tables.calendar import Calendar
from seqveil.tables.domain import Domain
from seqveil.tables.sequences import table_of
from seqveil.tables.write import write_sequences

STATIONS = Domain.of(["Ely", "West Ham", "=1+1"])
HOURS = STATIONS.at_times(Calendar.parse("60m"))
NIGHT = STATIONS.at_times(Calendar.parse("60m@04:00", "Europe/Paris"))
TRIPS = [["West Ham@08", "=1+1@08", "Ely@09"], ["Ely@23", "Ely@00"], ["Ely@05"]]


@pytest.mark.parametrize("domain", [HOURS, NIGHT], ids=["midnight", "four in the morning"])
@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet", "xes"])
def test_what_is_written_is_read_back_with_its_times(ending, domain, tmp_path):
    """Also over midnight: times of day count on, so that they sort as they came."""
    trips = table_of(TRIPS, domain)
    path = write_sequences(tmp_path / f"trips.{ending}", domain, trips.flat, raw_cells=True)
    columns = {"time": "time", "item": "item", "session": "sequence"}
    if ending == "xes":
        columns = {"time": "time:timestamp"}
    back = read_sequences(path, domain=domain, timezone=domain.calendar.timezone, **columns)

    assert [domain.labels(record) for record in back.flat] == TRIPS


def test_a_csv_has_a_column_of_times(tmp_path):
    path = write_sequences(tmp_path / "trips.csv", HOURS, table_of(TRIPS[:2], HOURS).flat)

    assert path.read_text() == (
        "sequence,position,item,time\n1,1,West Ham,08:00\n1,2,'=1+1,08:00\n1,3,Ely,09:00\n2,1,Ely,23:00\n2,2,Ely,24:00\n"
    )


def test_weeks_are_written_by_name_and_dates_as_dates(tmp_path):
    week = STATIONS.at_times(Calendar.parse("weekday-hour"))
    once = STATIONS.at_times(Calendar(("first",), (86400,), (2 * 86400,), "once"))
    path = write_sequences(tmp_path / "week.parquet", week, table_of([["Ely@Tue-08"]], week).flat)

    assert pl.read_parquet(path).rows() == [(1, 1, "Ely", "Tue-08")]
    assert (
        "1,1,Ely,1970-01-02T00:00:00"
        in write_sequences(tmp_path / "once.csv", once, table_of([["Ely@first"]], once).flat).read_text()
    )


def test_lines_hold_the_labels_themselves(tmp_path):
    path = write_sequences(tmp_path / "trips.txt", HOURS, table_of(TRIPS, HOURS).flat)

    assert path.read_text().splitlines()[1] == "Ely@23\tEly@00"
