"""Releases over a timed domain: saved with their calendar, asked about places, times and both."""

import hashlib
import json

import pytest

import seqveil as sv
from seqveil.cli.times import of_times
from seqveil.errors import CallError, ReleaseDamaged
from seqveil.release.grams.table import GramTable
from seqveil.release.labels import UnknownLabel
from seqveil.release.prefixes import PrefixRelease
from seqveil.tables.calendar import Calendar
from seqveil.tables.flat import Flat

STATIONS = sv.Domain.of(["Central", "West Ham", "Harbour", "Zoo"], public_because="a map")
HOURS = STATIONS.at_times(Calendar.parse("60m@04:00", "Europe/Paris"))
TRIPS = [["Central@08", "West Ham@08", "Harbour@09"]] * 600 + [["Central@17", "Harbour@18"]] * 400


@pytest.fixture(scope="module")
def table():
    return sv.table_of(TRIPS, HOURS)


@pytest.fixture(scope="module", params=["record-model", "ngram", "prefix"])
def release(request, table):
    mechanisms = {
        "record-model": sv.RecordModel(l_max=3),
        "ngram": sv.NGram(l_max=3, n_max=2),
        "prefix": sv.PrefixPublication(h=3, deviations=6),
    }
    return sv.experiment(table, mechanisms[request.param], "8.0", seed=3)


def test_a_release_knows_its_calendar_again(release, tmp_path):
    folder = release.save(tmp_path / "release")
    again = sv.load(folder)

    assert again.domain == HOURS
    assert again.domain.untimed == STATIONS
    assert again.domain.calendar.timezone == "Europe/Paris"
    assert again.synthesize().to_polars().columns == ["sequence", "time"]
    assert Calendar.parse(str(folder / "calendar.tsv"), "Europe/Paris") == HOURS.calendar


def test_a_calendar_that_was_changed_is_damage(release, tmp_path):
    """Also where the manifest was made to fit: other bins give other labels."""
    folder = release.save(tmp_path / "release")
    body = (folder / "calendar.tsv").read_text()
    (folder / "calendar.tsv").write_text(body.replace("04\t", "4\t"))
    with pytest.raises(ReleaseDamaged, match=r"calendar.tsv was changed"):
        sv.load(folder)
    for forged, words in ((body.replace("04\t", "4\t"), "not those of the manifest"), ("x\ty\n", "line 1 is not a name")):
        manifest = json.loads((folder / "manifest.json").read_text())
        manifest["files"]["calendar.tsv"] = hashlib.sha256(forged.encode()).hexdigest()
        (folder / "calendar.tsv").write_text(forged)
        (folder / "manifest.json").write_text(json.dumps(manifest))
        with pytest.raises(ReleaseDamaged, match=words):
            sv.load(folder)


def test_no_synthetic_record_goes_back_in_time(release):
    bins = len(HOURS.calendar)

    assert len(release.synthetic) > 500
    assert all((record[1:] % bins >= record[:-1] % bins).all() for record in release.synthetic)


def test_places_are_counted_at_any_time_and_at_one(release):
    assert abs(release.anytime(["Harbour"]).value - 1000) < 60
    assert abs(release.anytime(["Central", "Harbour"]).value - 400) < 60
    assert abs(release.visits_in_order(["Central", "Harbour"]).value - 1000) < 60
    assert abs(release.visits_in_order(["Central@08", "Harbour@09"]).value - 600) < 60
    assert abs(release.trip("Central", "Harbour").value - 1000) < 60
    assert not release.anytime(["Zoo"]).value > 30  # where nothing of it is released, no number is


def test_visits_by_time_are_those_of_all_places(release):
    by_time = release.by_time()

    assert list(by_time) == list(HOURS.calendar.names)
    assert abs(by_time["08"].value - 1200) < 90
    assert abs(release.by_time("Central")["17"].value - 400) < 60
    if release.manifest.mechanism.name == "record-model":
        assert release.by_time("Central")["08"].kind == "count"


def test_times_are_understood_where_labels_are(release):
    exact = release.count(["Central@08"])

    assert release.count(["Central at 8"]) == release.count(["Central@8:59"]) == exact
    with pytest.raises(CallError, match="'Harbour' has no time, but other labels have one"):
        release.visits(["Central@08", "Harbour"])
    with pytest.raises(UnknownLabel):
        release.count(["Central at 25"])


def test_labels_win_over_the_words_at_and_before():
    odd = sv.Domain.of(["Lunch", "Lunch at 8", "Lunch before Tea", "Tea"]).at_times(Calendar.parse("60m"))

    assert of_times("Lunch at 8", odd) == (["Lunch at 8"], False)
    assert of_times("Lunch at 9", odd) == (["Lunch@09"], False)
    assert of_times("Lunch at 8@07", odd) == (["Lunch at 8@07"], False)
    assert of_times("Lunch before Tea", odd) == (["Lunch before Tea"], False)
    assert of_times("Tea before Lunch", odd) == (["Tea", "Lunch"], True)


def test_a_place_that_occurs_nowhere_is_not_released():
    prefixes = GramTable.of([[0]], count=[9.0], scale=2.0, threshold=5)
    small = PrefixRelease(
        sv.Domain.of(["a", "b"]).at_times(Calendar.parse("12h")), prefixes=prefixes, synthetic=Flat.of([[0]]), h=1
    )

    assert small.anytime(["a"]).value == 1
    assert small.anytime(["b"]).kind == small.visits(["b"]).kind == small.by_time()["12"].kind == "not released"


def test_labels_without_times_have_no_histogram():
    plain = sv.experiment(sv.table_of([["a", "b"]] * 50, sv.Domain.of(["a", "b"])), sv.RecordModel(l_max=2), "1.0", seed=1)

    with pytest.raises(CallError, match="have no times"):
        plain.by_time()
