"""Calendars: every moment lies in the bin that the wall clock says, by itself; wrong declarations are refused."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqveil.errors import CallError, InputProblems
from seqveil.tables.calendar import Calendar
from seqveil.tables.calendar_file import calendar_of, calendar_text, read_calendar
from seqveil.tables.domain import Domain

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MOMENTS = st.integers(-(10**9), 4 * 10**9)


@given(MOMENTS)
def test_bins_are_what_the_wall_clock_says(seconds):
    moment = EPOCH + timedelta(seconds=seconds)
    at = {spec: int(Calendar.parse(spec).bins(np.array([float(seconds)]))[0]) for spec in ("60m", "15m", "60m@04:00", "weekday")}

    assert at["60m"] == moment.hour
    assert at["15m"] == moment.hour * 4 + moment.minute // 15
    assert at["60m@04:00"] == (moment.hour - 4) % 24
    assert at["weekday"] == moment.weekday()
    assert Calendar.parse("weekday-hour").bins(np.array([float(seconds)]))[0] == moment.weekday() * 24 + moment.hour


@given(st.lists(MOMENTS, min_size=1, max_size=8), MOMENTS)
def test_another_moment_changes_no_bin(moments, other):
    """Locality: the bin of a moment is a function of that moment."""
    calendar = Calendar.parse("2h@01:00")
    alone = calendar.bins(np.array(moments, np.float64))

    assert calendar.bins(np.array([*moments, other], np.float64))[:-1].tolist() == alone.tolist()


def test_moments_outside_a_calendar_have_no_bin():
    days = calendar_of("bins", "first\t2026-03-01\t2026-03-02\nthird\t2026-03-03T06:00\t2026-03-04\n")
    moments = [
        datetime(2026, 3, day, hour, tzinfo=UTC).timestamp() for day, hour in ((1, 0), (1, 23), (2, 0), (3, 5), (3, 6), (4, 0))
    ]

    assert days.bins(np.array(moments)).tolist() == [0, 0, -1, -1, 1, -1]
    assert days.clock(1) == days.moment(1) == "2026-03-03T06:00:00"


@pytest.mark.parametrize("spec", ["60m", "15m@03:45", "weekday", "weekday-hour", "24h", "12h@12:00"])
def test_a_calendar_is_read_back_from_its_file(spec, tmp_path):
    calendar = Calendar.parse(spec, "Europe/Paris")
    path = tmp_path / "bins.tsv"
    path.write_text(calendar_text(calendar))

    assert read_calendar(path, "Europe/Paris") == calendar
    assert Calendar.parse(str(path), "Europe/Paris").spec == str(path)


@pytest.mark.parametrize(
    "body",
    ["a\t0900-01-01\t0901-01-01\n", "a\t24:00\t01:00\nb\t23:00\t24:00\n", "a\tSun 24:00\tTue 01:00\n", "x\t24:00\t24:00\n"],
)
def test_whatever_is_accepted_is_read_back(body):
    """A release carries its calendar: one that could not be read back would be lost, and its ε with it."""
    calendar = calendar_of("the time bins", body)

    assert calendar_of("again", calendar_text(calendar)) == calendar


@pytest.mark.parametrize("edges", [((0.5,), (1,)), ((90_000,), (93_600,)), ((-3600,), (0,))])
def test_edges_that_no_file_could_hold_are_refused(edges):
    with pytest.raises(InputProblems, match=r"whole number of seconds|outside the first day"):
        Calendar(("a",), *edges)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("", "is empty"),
        (" #peak\t07:00\t09:00\n", "begins with a #"),
        ("peak\t07:00\n", "line 1 is not a name, a start and an end"),
        ("peak\t7 o'clock\t9\n", "line 1 is not a name"),
        ("a\t07:00\t2026-03-01\n", "mixes"),
        ("a\t07:00\t09:00\nb\t08:00\t10:00\n", "'b' begins before 'a' ends"),
        ("a@b\t07:00\t09:00\n", "has an '@' in its name"),
        ("a\t07:00\t09:00\na\t09:00\t10:00\n", "repeats"),
        ("a\t2026-03-02\t2026-03-01\n", "ends before it begins"),
        ("a\t07:00\t12:00\nb\t22:00\t08:00\n", "more than a day"),
        ("timezone\tEurope/Rome\na\t07:00\t09:00\n", "states the time zone 'Europe/Rome', but Europe/Paris was given"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(body, words):
    with pytest.raises(InputProblems, match=words):
        calendar_of("the time bins", body, "Europe/Paris")


@pytest.mark.parametrize("spec", ["7h", "0m", "60m@24:00", "25h", "no-such-file.tsv", ""])
def test_what_is_no_calendar_is_refused(spec):
    with pytest.raises(InputProblems):
        Calendar.parse(spec)


def test_a_timed_domain_is_the_domain_of_its_labels():
    """Labels, codes and digest are those of the list of all pairs; the calendar tells the two apart."""
    stations = Domain.of(["Ely", "a@b", "West Ham"], public_because="a map")
    timed = stations.at_times(Calendar.parse("12h"))
    listed = Domain.of(["Ely@00", "Ely@12", "a@b@00", "a@b@12", "West Ham@00", "West Ham@12"])

    assert timed.labels(range(6)) == listed.labels(range(6))
    assert [timed.code(label) for label in listed.labels(range(6))] == list(range(6))
    assert timed.encode(["a@b@12", "Ely", "Ely@13"]).tolist() == [3, -1, -1]
    assert (timed.digest, timed.has_blanks, timed.public_because) == (listed.digest, True, "a map")
    assert timed != listed
    assert timed == stations.at_times(Calendar.parse("12h"))
    assert timed != stations.at_times(Calendar(("00", "12"), (0, 43200), (43200, 80000)))


def test_a_timed_domain_keeps_its_catch_all_at_every_bin():
    timed = Domain.of(["Ely"]).at_times(Calendar.parse("12h")).with_other()

    assert (timed.other, timed.untimed.other, timed.labels(range(4))) == (None, 1, ["Ely@00", "Ely@12", "other@00", "other@12"])


def test_too_many_pairs_and_times_twice_are_refused():
    with pytest.raises(InputProblems, match="24,000,000: at most 10,000,000"):
        Domain.range(1, 10**6).at_times(Calendar.parse("60m"))
    with pytest.raises(CallError, match="has times already"):
        Domain.range(1, 2).at_times(Calendar.parse("60m")).at_times(Calendar.parse("60m"))


def test_a_large_timed_domain_holds_no_list_of_its_labels():
    timed = Domain.range(1, 400_000).at_times(Calendar.parse("60m"))

    assert (len(timed), timed.label(9_599_999), timed.labels([24])) == (9_600_000, "400000@23", ["2@00"])
