"""--time-bins: every format gives the same (place, time) items, and what lies outside is dropped and counted for check alone."""

import json

import polars as pl
import pytest

from seqveil.errors import CallError, InputProblems
from seqveil.sources import Source, read_sequences
from seqveil.sources.check import check_sequences
from seqveil.sources.sequences import read_tallied
from seqveil.tables.calendar import Calendar
from seqveil.tables.domain import Domain

STATIONS = Domain.of(["Bow", "Ham"])
ROWS = [
    ("ann", "2026-03-01T08:10:00", "Bow"),
    ("bob", "2026-03-01T23:30:00", "Ham"),
    ("ann", "2026-03-01T07:50:00", "Ham"),
    ("bob", "2026-03-02T00:20:00", "Bow"),
    ("ann", "2026-03-01T08:20:00", "Atlantis"),
    ("ann", "soon", "Bow"),
]
COLUMNS = {"user": "u", "time": "t", "item": "i"}
JOINED = [["Ham@07", "Bow@08"], ["Ham@23", "Bow@00"]]


def written(folder, format):
    """The rows as a file of a format, and how it is described."""
    frame, path = pl.DataFrame(ROWS, schema=["u", "t", "i"], orient="row"), folder / f"log.{format}"
    if format == "csv":
        frame.write_csv(path)
    elif format == "tsv":
        frame.write_csv(path, separator="\t")
    elif format == "parquet":
        frame.write_parquet(path)
    elif format == "jsonl":
        path.write_text("".join(json.dumps(dict(zip("uti", row, strict=True))) + "\n" for row in ROWS))
    else:
        events = {who: [row for row in ROWS if row[0] == who] for who in ("ann", "bob")}
        traces = "".join(
            f'<trace><string key="u" value="{who}"/>'
            + "".join(f'<event><string key="i" value="{i}"/><date key="t" value="{t}"/></event>' for _, t, i in rows)
            + "</trace>"
            for who, rows in events.items()
        )
        path.write_text(f"<log>{traces}</log>")
    return path


def labels(table):
    return [table.domain.labels(record) for record in table.flat]


@pytest.mark.parametrize("format", ["csv", "tsv", "parquet", "jsonl", "xes"])
def test_every_format_joins_place_and_time(format, tmp_path):
    table = read_sequences(written(tmp_path, format), domain=STATIONS, **COLUMNS, time_bins="60m")

    assert labels(table) == JOINED
    assert table.domain == STATIONS.at_times(Calendar.parse("60m"))


@pytest.mark.parametrize("dtype", [pl.String, pl.Object], ids=["typed", "objects"])
def test_data_frames_join_place_and_time(dtype):
    frame = pl.DataFrame({name: pl.Series(name, [row[k] for row in ROWS], dtype=dtype) for k, name in enumerate("uti")})

    assert labels(read_sequences(frame, domain=STATIONS, **COLUMNS, time_bins="60m")) == JOINED


def test_other_labels_have_times_too(tmp_path):
    table = read_sequences(written(tmp_path, "csv"), domain=STATIONS, **COLUMNS, time_bins="60m", outside="other")

    assert labels(table)[0] == ["Ham@07", "Bow@08", "other@08"]


def test_bins_follow_the_time_zone(tmp_path):
    """The same moments on the clock of Tokyo, nine hours later."""
    path = tmp_path / "log.csv"
    path.write_text("u,t,i\nann,2026-03-01T20:00:00Z,Bow\nann,2026-03-02T08:00:00,Ham\n")

    table = read_sequences(path, domain=STATIONS, **COLUMNS, time_bins="weekday-hour", timezone="Asia/Tokyo")
    assert labels(table) == [["Bow@Mon-05", "Ham@Mon-08"]]


def test_times_of_day_are_read_without_a_date(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("u,t,i\nann,8:10,Bow\nann,23:59:59.5,Ham\nann,24:30,Ham\n")

    table = read_sequences(path, domain=STATIONS, **COLUMNS, time_bins="60m", timezone="Europe/Paris")
    assert labels(table) == [["Bow@08", "Ham@23", "Ham@00"]]


def test_a_day_begins_when_the_calendar_says(tmp_path):
    """The night trip stays whole, and `day` cuts at four in the morning."""
    path = written(tmp_path, "csv")
    path.write_text(path.read_text() + "bob,2026-03-02T04:00:00,Ham\n")

    assert labels(read_sequences(path, domain=STATIONS, **COLUMNS, time_bins="60m@04:00", session="day"))[1:] == [
        ["Ham@23", "Bow@00"],
        ["Ham@04"],
    ]
    assert labels(read_sequences(path, domain=STATIONS, **COLUMNS, time_bins="60m", session="day"))[1:] == [
        ["Ham@23"],
        ["Bow@00", "Ham@04"],
    ]


def test_what_lies_outside_and_what_wraps_is_counted_for_check(tmp_path):
    bins = tmp_path / "bins.tsv"
    bins.write_text("morning\t00:00\t08:00\nnight\t23:00\t24:00\n")
    source = Source(written(tmp_path, "csv"), STATIONS, **COLUMNS, time_bins=str(bins))
    table, layout, tally = read_tallied(source)

    assert labels(table) == [["Ham@morning"], ["Ham@night", "Bow@morning"]]
    facts = check_sequences(table, tally, layout)
    assert facts["dropped_events"]["outside_time_bins"] == 1  # Atlantis is outside the domain, which counts first
    assert facts["times"] == {"sequences_that_wrap": 1, "items_after_the_wrap": 1}


def test_events_outside_the_bins_do_not_use_up_a_cap(tmp_path):
    bins = tmp_path / "bins.tsv"
    bins.write_text("seven\t07:00\t08:00\n")
    table = read_sequences(written(tmp_path, "csv"), domain=STATIONS, **COLUMNS, time_bins=str(bins), max_events=1)

    assert labels(table) == [["Ham@seven"]]


def test_a_file_of_bins_is_read_once(tmp_path):
    """Whatever becomes of the file later: the specimen and the reading are over the same domain."""
    bins = tmp_path / "bins.tsv"
    bins.write_text("day\t00:00\t24:00\n")
    source = Source(written(tmp_path, "csv"), STATIONS, **COLUMNS, time_bins=str(bins))
    bins.unlink()

    assert source.specimen().domain == source.stating("a map").domain == source.read().domain


def test_a_domain_that_has_times_needs_no_bins(tmp_path):
    timed, path = STATIONS.at_times(Calendar.parse("60m")), written(tmp_path, "csv")

    assert labels(read_sequences(path, domain=timed, **COLUMNS)) == JOINED
    assert labels(read_sequences(path, domain=timed, **COLUMNS, time_bins="hour-of-day")) == JOINED
    with pytest.raises(CallError, match="other bins than those of the domain"):
        read_sequences(path, domain=timed, **COLUMNS, time_bins="15m")
    with pytest.raises(InputProblems, match="the time bins are those of UTC: add timezone=UTC"):
        read_sequences(path, domain=timed, **COLUMNS, timezone="Europe/Paris")


def test_labels_with_times_are_read_from_lines(tmp_path):
    """As a release writes them."""
    path = tmp_path / "lines.seq"
    path.write_text("Ham@07 Bow@08\n")

    assert labels(read_sequences(path, domain=STATIONS.at_times(Calendar.parse("60m")))) == [["Ham@07", "Bow@08"]]


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("log.csv", {"user": "u", "item": "i"}, "time_bins=60m needs a time column: add time=COLUMN"),
        ("log.csv", {**COLUMNS, "time_format": "text"}, "time_bins=60m needs real times: leave out time_format=text"),
        ("log.seq", {}, "has no times: leave it out"),
        ("log.jsonl", {"item": "i"}, "leave it out, or add format=jsonl-events"),
    ],
)
def test_bins_without_times_are_refused(name, options, words, tmp_path):
    path = tmp_path / name
    path.write_text("u,t,i\n")

    with pytest.raises(InputProblems, match=words):
        Source(path, STATIONS, **options, time_bins="60m").inspect()


@pytest.mark.parametrize("reader", ["relational", "graph"])
def test_other_readers_have_no_bins(reader, tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("a,b\n")

    with pytest.raises(InputProblems, match="leave out time_bins"):
        Source(path, Domain.of(["a=1"]), reader, reader == "graph", time_bins="60m").inspect()


@pytest.mark.parametrize("odd", [float("inf"), float("-inf"), 1e308])
def test_an_infinite_time_is_dropped_without_a_word(odd):
    """A warning about it would tell of it; here warnings are errors."""
    frame = pl.DataFrame({"u": ["ann", "bob"], "t": [8.5 * 3600, odd], "i": ["Bow", "Ham"]})
    table = read_sequences(frame, domain=STATIONS, **COLUMNS, time_bins="60m", time_unit="d" if odd == 1e308 else "s")

    assert 1 == len(table)
