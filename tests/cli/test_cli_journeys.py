"""A table with one journey per row: from the command line to a table of origins and destinations."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

STATIONS = ["Alder Gate", "Birch St", "Docks"]
ENDS = ("--user", "PassengerID", "--origin", "Origin Station", "--destination", "Destination Station")
RUN = ("journeys.csv", *ENDS, "--domain", "stations.csv:station", "--epsilon", "1", "--public-because", "a map")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rows = [(u, STATIONS[u % 3], STATIONS[(u + k) % 3]) for u in range(900) for k in range(4)]
    lines = [f"{u},01/09/2026 09:42,{a},{b}" for u, a, b in rows]
    (tmp_path / "journeys.csv").write_text("PassengerID,Start Time,Origin Station,Destination Station\n" + "\n".join(lines))
    (tmp_path / "stations.csv").write_text("code,station\n" + "".join(f"{k},{name}\n" for k, name in enumerate(STATIONS)))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "home"))
    return tmp_path


def test_a_table_of_origins_and_destinations(seqveil: Any, folder: Path) -> None:
    """Every pair of the domain, near its true count; the method is told that a journey has two items."""
    assert 0 == seqveil("publish", *RUN, "--max-sequences", 4, "--out", "release").code
    assert 0 == seqveil("od", "release", "--out", "od.csv").code
    rows = list(csv.DictReader((folder / "od.csv").read_text().splitlines()))

    assert 2 == json.loads((folder / "release" / "manifest.json").read_text())["mechanism"]["parameters"]["l_max"]
    assert 9 == len(rows)
    for row in rows:
        true = 600 if row["first"] == row["last"] else 300
        assert abs(int(row["count"]) - true) < 150, row
        assert row["covers"] == "at most 4 records per user and 2 items per record"


@pytest.mark.parametrize("verb", ["publish", "plan"])
def test_users_without_a_bound_are_told_that_one_record_of_each_counts(seqveil: Any, verb: str) -> None:
    words = RUN if verb == "publish" else RUN[: RUN.index("--public-because")]
    more = ("--dry-run",) if verb == "publish" else ("--size", "900")
    without, bounded = seqveil(verb, *words, *more), seqveil(verb, *words, *more, "--max-sequences", 1)

    assert "warning: no --max-sequences is given, so counts cover one record of each user" in without.err
    assert (0, 0) == (without.code, bounded.code)
    assert "--max-sequences is given" not in bounded.err


def test_users_who_have_one_record_anyway_are_not_warned_about(seqveil: Any) -> None:
    ran = seqveil(
        "publish", "journeys.csv", "--user", "PassengerID", "--item", "Origin Station", "--domain", "stations.csv:station",
        "--epsilon", "1", "--dry-run",
    )  # fmt: skip

    assert 0 == ran.code
    assert "--max-sequences" not in ran.err


@pytest.mark.parametrize("verb", ["publish", "check", "plan", "evaluate"])
@pytest.mark.parametrize("domain", ["journeys.csv", "journeys.csv:Origin Station", "../{name}/journeys.csv"])
def test_labels_are_never_taken_from_the_data(seqveil: Any, folder: Path, verb: str, domain: str) -> None:
    budget = {"publish": ("--epsilon", "1", "--out", "r"), "evaluate": ("--method", "record-model", "--epsilon", "1")}
    ran = seqveil(verb, "journeys.csv", *ENDS, "--domain", domain.format(name=folder.name), *budget.get(verb, ()))

    assert 2 == ran.code
    assert "is the data to be protected, which no label may come from" in " ".join(ran.err.split())


def test_two_columns_in_one_option(seqveil: Any) -> None:
    both = "Origin Station,Destination Station"
    ran = seqveil("check", "journeys.csv", "--user", "PassengerID", "--item", both, "--domain", "a,b")

    assert 2 == ran.code
    assert "use --origin 'Origin Station' and --destination 'Destination Station'" in ran.err


def test_advice_can_be_pasted(seqveil: Any) -> None:
    near = seqveil("check", "journeys.csv", "--user", "PassengerID", "--item", "Orign Station", "--domain", "a,b")
    far = seqveil("check", "journeys.csv", "--user", "PassengerID", "--item", "x", "--domain", "a,b")

    assert "use --item 'Origin Station'" in near.err
    assert "use one of PassengerID, 'Start Time', 'Origin Station', 'Destination Station'" in far.err


def test_a_whole_run_in_a_file(seqveil: Any, folder: Path) -> None:
    """`--config` has the new options by themselves."""
    (folder / "run.toml").write_text(
        '[source]\nfile = "journeys.csv"\ndomain = "stations.csv:station"\nuser = "PassengerID"\n'
        'origin = "Origin Station"\ndestination = "Destination Station"\n[run]\nepsilon = "1"\nmax_sequences = 4\n'
    )

    assert 0 == seqveil("publish", "--config", "run.toml", "--dry-run").code


def test_check_and_evaluate_read_journeys(seqveil: Any) -> None:
    facts = json.loads(seqveil("check", "journeys.csv", *ENDS, "--domain", "Docks,elsewhere", "--json").out)
    evaluated = seqveil(
        "evaluate", "journeys.csv", *ENDS, "--domain", "stations.csv:station", "--method", "record-model", "--epsilon", "1",
        "--runs", "1", "--no-sources", "--l-max", "2",
    )  # fmt: skip

    assert (3600, 3000, 600) == (
        facts["rows"]["read"], facts["dropped_events"]["journey_outside_domain"], facts["sequences"]["kept"],
    )  # fmt: skip
    assert 0 == evaluated.code


def test_a_plan_of_journeys_knows_that_they_have_two_items(seqveil: Any) -> None:
    """No other length can be planned with, and none is said to come out wrong."""
    asked = ("plan", "journeys.csv", *ENDS, "--domain", "stations.csv:station", "--max-sequences", 4, "--size", 900)
    ran, other = seqveil(*asked, "--epsilon", "4", "--json"), seqveil(*asked, "--length", 5)
    (predicted,) = json.loads(ran.out)["predictions"]

    assert predicted["measures"]["lengths"]["high"] < 0.02
    assert 2 == json.loads(ran.out)["length"]
    assert 2 == other.code
    assert "--length does not apply to --origin and --destination" in other.err
