"""Times and sessions: each value on its own, zones stated, ties in file order."""

import math
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqveil.errors import InputProblems
from seqveil.sources import read_sequences
from seqveil.sources.patterns import parse_pattern, pattern_reads
from seqveil.sources.times import parse_times
from seqveil.sources.zone import zone
from seqveil.tables.domain import Domain
from seqveil.tables.spans import Spans

ZONES = ["UTC", "Europe/Paris", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia"]
DOMAIN = Domain.of(list("abcdef"))


def seconds(text, **more):
    """The reading of one time."""
    return parse_times(Spans.of([text]), **more)[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", 0.0),
        ("-1.5", -1.5),
        ("+7", 7.0),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("1334567890.25", 1334567890.25),
        ("20190101123045123", 20190101123045123.0),
        ("1970-01-02", 86400.0),
        ("1970/01/02", 86400.0),
        ("1970-01-01 00:01", 60.0),
        ("1970-01-01T00:00:01.5Z", 1.5),
        ("1970-01-01T00:00:01,25Z", 1.25),
        ("1970-01-01T01:00:00+01:00", 0.0),
        ("1970-01-01T01:00:00+0100", 0.0),
        ("1970-01-01 00:00:00 -05", 18000.0),
        ("19700102T000001", 86401.0),
        ("2000-02-29", 951782400.0),
        ("  12 ", 12.0),
    ],
)
def test_numbers_and_iso_times(text, expected):
    """What counts as a time, in UTC."""
    assert expected == seconds(text)


@pytest.mark.parametrize(
    "text",
    ["", "soon", "1900-02-29", "2020-13-01", "2020-00-01", "2020-01-32", "2020-01-01T25:00", "2020-01-01T10:60", "1e999", "nan",
     "inf", "--1", "1.2.3", "1_000", "0x10", "2020-01", "2020-01/02", "2020-01-01T", "2020-01-01T10:00:00+",
     "12:60", "100:00", "12:3", "1230:00", "12:30:", "1e", "-"],
)  # fmt: skip
def test_what_is_no_time_is_nan(text):
    """Never an exception; `seqveil check` counts these."""
    assert math.isnan(seconds(text))


@given(st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)))
@settings(deadline=None)
def test_iso_agrees_with_python(moment):
    """Any date of the calendar, to the microsecond where doubles have it."""
    expected = (moment.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()

    assert expected == pytest.approx(seconds(moment.isoformat()), abs=1e-4, rel=0)


@given(st.floats(-1e15, 1e15))
@settings(deadline=None)
def test_numbers_agree_with_python(value):
    """A spelled double comes back to within the last digit."""
    assert value == pytest.approx(seconds(repr(value)), rel=1e-15, abs=1e-280)


@given(st.sampled_from(ZONES), st.datetimes(datetime(1901, 1, 1), datetime(2099, 1, 1)))
@settings(deadline=None, max_examples=300)
def test_zones_agree_with_zoneinfo(name, moment):
    """Local to UTC and back, also in the hours that come twice or never: the first reading, as Python does."""
    local = np.array([(moment - datetime(1970, 1, 1)).total_seconds()])
    utc = moment.replace(tzinfo=ZoneInfo(name)).timestamp()

    assert utc == pytest.approx(zone(name).from_local(local)[0], abs=1e-4)
    back = datetime.fromtimestamp(round(utc), ZoneInfo(name)).replace(tzinfo=UTC).timestamp()
    assert back == pytest.approx(zone(name).to_local(np.array([float(round(utc))]))[0], abs=1e-4)


def test_units_scale_plain_numbers_only():
    """A minute number is minutes; an ISO time is what it says."""
    assert [300.0, 60.0] == parse_times(Spans.of(["5", "1970-01-01T00:01Z"]), unit="m").tolist()


def test_patterns_read_each_value_or_nothing():
    """A strptime pattern, with and without an offset."""
    twitter = "Tue Apr 03 18:00:09 +0000 2012"

    assert [1333476009.0] == parse_pattern(Spans.of([twitter]), "%a %b %d %H:%M:%S %z %Y").tolist()
    assert [1333468800.0] == parse_pattern(Spans.of(["03/04/2012 18:00"]), "%d/%m/%Y %H:%M", "Europe/Paris").tolist()


@pytest.mark.parametrize(
    ("pattern", "reads"),
    [("%d.%m.%y", True), ("%a %b %d %H:%M:%S %z %Y", True), ("%Y-%m-%dT%H:%M:%S%.f", True), ("%s", True),
     ("%I:%M %p, %B %d, %Y", True),
     ("%F %T%:z", True), ("%Y-%m-%d %H", True), ("%Y%j", True), ("%d %% %m %Y", True),
     ("%", False), ("%Q", False), ("%m %d", False), ("%Y %", False), ("%d %d", False), ("%Y-%m-%d %M", False),
     ("%Y-%m-%d %I:%M", False), ("%Y-%m-%d %H:%S", False), ("%%Y-%m-%d", False), ("%H:%M", False)],
)  # fmt: skip
def test_a_pattern_that_cannot_read_is_found_before_the_file_is_opened(pattern, reads):
    """A pattern must name a day with its year, and no minutes without hours."""
    assert reads == pattern_reads(pattern)


WRITTEN = ["%d/%m/%Y %H:%M", "%d.%m.%y", "%a %b %d %H:%M:%S %z %Y", "%Y-%m-%dT%H:%M:%S%.6f", "%I:%M %p, %B %d, %Y",
           "%Y%m%d%H%M%S", "%F %T", "%c", "%D %R", "%A %e %b %Y, %l:%M:%S%.3f %P", "%Y-%j", "%H Uhr %M am %d.%m.%Y"]  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(
    st.datetimes(datetime(1971, 1, 1), datetime(2068, 12, 31)), st.sampled_from(WRITTEN), st.text("0123456789:/ pmA", max_size=3)
)
def test_patterns_read_what_another_library_writes(moment, pattern, more):
    """Polars writes and reads the same moment; with more behind it, a text is no time."""
    written = pl.Series([moment.replace(tzinfo=UTC)]).dt.strftime(pattern).item()
    read = pl.Series([written]).str.to_datetime(pattern, time_unit="us", strict=False).dt.timestamp("us").item() / 1e6

    assert [read] == parse_pattern(Spans.of([written]), pattern).tolist()
    assert (moment.replace(tzinfo=UTC).timestamp() - read) < 86400
    assert math.isnan(parse_pattern(Spans.of([written + "x" + more]), pattern)[0])


@pytest.mark.parametrize(
    ("pattern", "text", "seconds"),
    [
        ("%d %b %Y", "3 APRIL 2012", 1333411200), ("%F %T%z", "2012-04-03 18:00:00Z", 1333476000),
        ("%F %T.%f", "2012-04-03 18:00:00.25", 1333476000.25), ("%F %T%z", "2012-04-03 18:00:00-0130", 1333481400),
        ("%a %F", "Mon 2012-04-03", math.nan), ("%F", "2012-02-30", math.nan), ("%F %H", "2012-04-03 24", math.nan),
        ("%Y%j", "2011366", math.nan), ("%Y%j", "2012366", 1356912000), ("%d %d/%m/%Y", "3 4/4/2012", math.nan),
        ("%I %p %F", "13 pm 2012-04-03", math.nan), ("%I %p %F", "12 am 2012-04-03", 1333411200), ("%F", "12-04-03", math.nan),
        ("%F %T%z", "2012-04-03 18:00:00+2", math.nan),
        ("%s", "1333476000", 1333476000), ("%F %Z", "2012-04-03 CEST", 1333411200),
    ],
)  # fmt: skip
def test_patterns_by_hand(pattern, text, seconds):
    """A value that does not fit, or names no moment, is no time."""
    assert parse_pattern(Spans.of([text]), pattern)[0] == pytest.approx(seconds, abs=0, nan_ok=True)


def test_seconds_since_1970_belong_to_no_zone():
    """As plain numbers do not."""
    assert [1333476000.0] == parse_pattern(Spans.of(["1333476000"]), "%s", "Europe/Paris").tolist()


def read(tmp_path, rows, **more):
    """Sequences of letters, and their users, of a small event log."""
    path = tmp_path / "log.csv"
    path.write_text("who,when,what,trip\n" + "\n".join(rows) + "\n")
    columns = {"user": "who", "time": "when", "item": "what"}
    table = read_sequences(path, domain=DOMAIN, **{**columns, **more})
    users = None if table.users is None else table.users.tolist()
    return ["".join(DOMAIN.labels(s)) for s in table.flat], users


def test_events_are_sorted_by_user_and_time_with_ties_in_file_order(tmp_path):
    """Epoch, ISO and fractions mix, because each is read on its own."""
    rows = ["u,30,c", "v,5,f", "u,1970-01-01T00:00:10Z,a", "u,30,d", "u,10.5,b", "v,1,e"]

    assert (["abcd", "ef"], [0, 1]) == read(tmp_path, rows)


def test_without_time_the_file_order_counts(tmp_path):
    """No time column: events stand as they come."""
    assert (["ba", "c"], [0, 1]) == read(tmp_path, ["u,2,b", "v,1,c", "u,1,a"], time=None)


def test_without_user_every_row_stands_for_itself(tmp_path):
    """Neither user nor session."""
    assert (["b", "a"], None) == read(tmp_path, ["u,2,b", "u,1,a"], user=None, time=None)


def test_a_session_column_cuts_also_interleaved_trips(tmp_path):
    """Trips of one user that overlap in time stay apart; equal trip names of two users are two trips."""
    rows = ["u,1,a,x", "u,2,b,y", "u,3,c,x", "v,1,d,x", "v,2,e,"]

    assert (["ac", "b", "d"], [0, 0, 1]) == read(tmp_path, rows, session="trip")
    assert (["ac", "b"], None) == read(tmp_path, [r for r in rows if r[0] == "u"], user=None, session="trip")


@pytest.mark.parametrize(
    ("gap", "expected"),
    [
        ("gap:30m", ["ab", "c"]),
        ("gap:1799s", ["a", "b", "c"]),
        ("gap:1h", ["abc"]),
        ("gap:0.5h", ["ab", "c"]),
        ("gap:1d", ["abc"]),
    ],
)
def test_a_pause_longer_than_the_gap_cuts(tmp_path, gap, expected):
    """Exactly thirty minutes is no cut, a second more is."""
    rows = ["u,0,a", "u,1800,b", "u,3601,c"]

    assert expected == read(tmp_path, rows, session=gap)[0]


def test_a_gap_never_joins_two_users(tmp_path):
    """The last event of one and the first of the next are close in time, yet apart."""
    assert (["a", "b"], [0, 1]) == read(tmp_path, ["u,100,a", "v,100,b"], session="gap:30m")


@pytest.mark.parametrize(
    ("timezone", "expected"), [("UTC", ["ab", "c"]), ("Europe/Paris", ["a", "bc"]), ("America/New_York", ["abc"])]
)
def test_days_end_at_midnight_of_the_stated_zone(tmp_path, timezone, expected):
    """21:30Z, 22:30Z and 00:30Z on a summer night."""
    rows = ["u,2026-07-01T21:30Z,a", "u,2026-07-01T22:30Z,b", "u,2026-07-02T00:30Z,c"]

    assert expected == read(tmp_path, rows, session="day", timezone=timezone)[0]


def test_days_with_23_and_25_hours(tmp_path):
    """Around the clock changes of Paris, local midnight still cuts."""
    spring = ["u,2026-03-28T22:59Z,a", "u,2026-03-28T23:00Z,b", "u,2026-03-29T21:59Z,c", "u,2026-03-29T22:00Z,d"]
    autumn = ["u,2026-10-24T21:59Z,a", "u,2026-10-24T22:00Z,b", "u,2026-10-25T22:59Z,c", "u,2026-10-25T23:00Z,d"]

    assert ["a", "bc", "d"] == read(tmp_path, spring, session="day", timezone="Europe/Paris")[0]
    assert ["a", "bc", "d"] == read(tmp_path, autumn, session="day", timezone="Europe/Paris")[0]


def test_times_without_a_zone_are_in_the_stated_one(tmp_path):
    """18:00 in New York comes after 21:30Z."""
    rows = ["u,2026-07-01 18:00,b", "u,2026-07-01T21:30Z,a"]

    assert ["ab"] == read(tmp_path, rows, timezone="America/New_York")[0]
    assert ["ba"] == read(tmp_path, rows)[0]


def test_any_sortable_text_can_be_a_time(tmp_path):
    """Words in the order of their bytes."""
    rows = ["u,step-10,b", "u,step-02,a", "v,zz,d", "v,step-1,c", "u,,e"]

    assert (["ab", "cd"], [0, 1]) == read(tmp_path, rows, time_format="text")


def test_odd_values_are_dropped_in_silence(tmp_path, capfd):
    """No time, no user, no item, outside the domain, an open quote: nothing is said, and the others stay."""
    rows = ["u,1,a", "u,soon,b", ",1,b", "u,2,", "u,3,zebra", 'u,4,"b', "u", "", "w,nan,a", "u,5,c"]

    assert (["ac"], [0]) == read(tmp_path, rows)
    assert ("", "") == capfd.readouterr()


def test_outside_may_become_one_label(tmp_path):
    """outside="other" keeps the place of what is not in the domain, but not of what is missing."""
    path = tmp_path / "log.csv"
    path.write_text("who,what\nu,a\nu,zebra\nu,\nu,b\n")
    table = read_sequences(path, domain=DOMAIN, user="who", item="what", outside="other")

    assert ["a", "other", "b"] == table.domain.labels(table.flat.items)


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"session": "gap:soon"}, "session='gap:soon' is not a valid gap: write gap:30m, gap:2h, gap:90s or gap:1d"),
        ({"session": "day", "user": None}, "session=day needs a user column: add user=COLUMN"),
        ({"session": "gap:5m", "time": None}, "session=gap:5m needs a time column: add time=COLUMN"),
        ({"timezone": "Mars/Base"}, "timezone='Mars/Base' is unknown: use a name such as UTC or Europe/Paris"),
        ({"time_unit": "fortnight"}, "time_unit='fortnight' is unknown: use one of ns, us, ms, s, m, h, d"),
        ({"time_format": "iso"}, "time_format='iso' is not a usable pattern: use text, or a pattern such as '%d/%m/%Y %H:%M'"),
        ({"time_format": "%Q"}, "time_format='%Q' is not a usable pattern: use text, or a pattern such as '%d/%m/%Y %H:%M'"),
        ({"session": "day", "time_format": "text"}, "session=day needs real times: leave out time_format=text"),
    ],
)
def test_wrong_words_about_times(tmp_path, more, problem):
    """Each names the option and what to type instead."""
    with pytest.raises(InputProblems) as caught:
        read(tmp_path, ["u,1,a"], **more)

    assert [problem] == caught.value.problems
