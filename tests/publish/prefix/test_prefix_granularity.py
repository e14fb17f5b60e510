"""Taxonomies from files, groups by fan-out, and time slots."""

from __future__ import annotations

import gzip
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seqveil as sv
from seqveil.errors import CallError, InputProblems
from seqveil.tables.domain import Domain
from seqveil.tables.granularity import Granularities, slots_of

STATIONS = Domain.of(["Berri", "McGill", "Jean-Talon", "Parc"])


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=12))
def test_numbers_stand_together_and_spans_hold_what_can_follow(rows):
    """For any groups and slots: the spans of a level partition it, and hold exactly the groups with a late enough label."""
    groups = [[r[0] for r in rows], [r[1] for r in rows]]
    fine = Granularities.of(len(rows), groups, slots=[r[2] for r in rows])
    for level in range(fine.levels):
        above = np.zeros(1, np.int64) if level == 0 else np.arange(len(fine.latest[level - 1]))
        for slot in range(int(fine.slot.max()) + 1):
            first, stop = fine.span(level, above, np.full(len(above), slot))
            for g, (a, b) in enumerate(zip(first.tolist(), stop.tolist(), strict=True)):
                here = fine.slot >= slot if level == 0 else (fine.slot >= slot) & (fine.member[level - 1] == g)
                assert set(fine.member[level][here].tolist()) == set(range(a, b))
    assert [fine.member[-1][code] for code in fine.label] == list(range(len(rows)))


def test_a_taxonomy_is_read_from_a_file(tmp_path):
    """Label, tab, line, tab, network: three granularities; compressed files too."""
    path = tmp_path / "lines.tsv.gz"
    path.write_bytes(gzip.compress(b"McGill\tgreen\tmetro\nBerri\tgreen\tmetro\nParc\tblue\tmetro\nJean-Talon\tblue\tmetro\n"))
    fine = Granularities.from_file(path, STATIONS)

    assert (3, 2) == (fine.levels, fine.fan_out)
    assert fine.member[1][0] == fine.member[1][1] != fine.member[1][2] == fine.member[1][3]
    assert sv.PrefixPublication(granularity="hybrid", taxonomy=str(path)).fine(STATIONS).digest == fine.digest


BAD = [  # file, what is said
    ("Berri\tgreen\nMcGill\tgreen\n", "2 labels of the domain are missing, for example 'Jean-Talon'"),
    ("Berri\tg\nMcGill\tg\nParc\tb\nJean-Talon\tb\nAtlantis\tb\n", "for example 'Atlantis'"),
    ("Berri\tg\nBerri\tg\nMcGill\tg\nParc\tb\nJean-Talon\tb\n", "'Berri' has more than one line"),
    ("Berri\tg\nMcGill\tg\nParc\tb\nJean-Talon\n", "as many groups as the others"),
    ("Berri\ta\nMcGill\tb\nParc\tc\nJean-Talon\td\n", "one label each"),
    ("Berri g\nMcGill g\n", "no tab in any line: separate a label and its groups by tabs$"),
    ("", "is empty"),
]


@pytest.mark.parametrize(("text", "expected"), BAD)
def test_a_broken_taxonomy_is_told_as_a_whole(tmp_path, text, expected):
    """Missing, unknown and repeated labels, gaps, f ≤ 1: each is named with what to do."""
    path = tmp_path / "lines.tsv"
    path.write_text(text)

    with pytest.raises(InputProblems, match=expected):
        Granularities.from_file(path, STATIONS)


def test_the_catch_all_label_is_a_group_of_its_own(tmp_path):
    """`--outside other` adds a label that no taxonomy can list."""
    path = tmp_path / "lines.tsv"
    path.write_text("Berri\tg\nMcGill\tg\nParc\tb\nJean-Talon\tb\n")
    fine = Granularities.from_file(path, STATIONS.with_other())

    assert (5, 3) == (fine.labels, len(fine.latest[0]))


def test_slots_are_read_from_labels_and_labels_without_one_are_refused():
    """Whole numbers by value, other words in alphabetical order."""
    assert [9, 10, 9] == slots_of(Domain.of(["A@9", "A@10", "B@9"])).tolist()
    assert [1, 0, 1] == slots_of(Domain.of(["A@pm", "A@am", "B@pm"])).tolist()
    with pytest.raises(CallError, match="'B' has no '@'"):
        slots_of(Domain.of(["A@9", "B"]))


@pytest.mark.parametrize("granularity", ["simple", "hybrid"])
def test_trajectories_never_go_back_in_time(granularity):
    """Noise invents trips too, but no artificial record has a slot before the one ahead of it; real ones survive."""
    places = Domain.of([f"{place}@{slot}" for place in "ABC" for slot in range(4)])
    real = [["A@0", "B@1", "C@3"]] * 3000 + [["B@2", "B@2", "A@3"]] * 2000 + [["C@3", "A@0"]] * 1000
    mechanism = sv.PrefixPublication(h=4, granularity=granularity, fan_out=3, trajectories=True, deviations=1.0)
    release = sv.experiment(sv.table_of(real, places), mechanism, "1", seed=3)
    trips = list(release.synthesize())

    assert all(int(a[-1]) <= int(b[-1]) for trip in trips for a, b in pairwise(trip))
    assert abs(trips.count(["A@0", "B@1", "C@3"]) - 3000) < 100
    assert abs(sum(trip[0] == "C@3" for trip in trips) - 1000) < 100  # cut where time would run backwards
