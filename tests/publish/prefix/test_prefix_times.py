"""Prefix trees over a timed domain: trajectories by themselves, the same as over labels of one's own that carry slots."""

import numpy as np

import seqveil as sv
from seqveil.tables.calendar import Calendar

STATIONS = sv.Domain.of(["Bow", "Ham", "Ely"])
HOURS = STATIONS.at_times(Calendar.parse("6h"))
TRIPS = [["Bow@06", "Ham@06", "Ely@12"]] * 300 + [["Ely@18", "Bow@00", "Bow@06"]] * 200


def test_a_timed_domain_needs_no_flag():
    """Release for release what `trajectories` makes of the same labels, written by hand."""
    by_hand = sv.Domain.of(HOURS.labels(range(len(HOURS))))
    timed = sv.experiment(sv.table_of(TRIPS, HOURS), sv.PrefixPublication(h=3), "2.0", seed=4)
    hand = sv.experiment(sv.table_of(TRIPS, by_hand), sv.PrefixPublication(h=3, trajectories=True), "2.0", seed=4)

    assert timed.prefixes.symbols.tolist() == hand.prefixes.symbols.tolist()
    assert timed.prefixes.count.tolist() == hand.prefixes.count.tolist()


def test_a_record_is_followed_up_to_where_its_bins_begin_anew():
    release = sv.experiment(sv.table_of(TRIPS, HOURS), sv.PrefixPublication(h=3), "8.0", seed=1)

    assert abs(release.begins(["Ely@18"]).value - 200) < 20
    assert release.begins(["Ely@18", "Bow@00"]).kind == "not released"


def test_groups_are_neighbouring_places_at_one_time():
    """So that a group is earlier or later as a whole, and is left out as a whole."""
    fine = sv.PrefixPublication(granularity="hybrid", fan_out=2).fine(HOURS)

    members = [np.flatnonzero(fine.member[0] == group) for group in range(len(fine.latest[0]))]
    assert {tuple(HOURS.labels(member)) for member in members} >= {("Bow@06", "Ham@06"), ("Ely@06",)}
    assert all(len({label.rpartition("@")[2] for label in HOURS.labels(member)}) == 1 for member in members)
    first, stop = fine.span(0, [0, 0], slot=[0, 3])
    assert (stop - first).tolist() == [8, 2]
