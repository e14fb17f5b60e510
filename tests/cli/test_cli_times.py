"""An event log becomes timed records: published without a method, checked, asked, drawn and evaluated."""

import json

import pytest


@pytest.fixture
def log(tmp_path):
    """Two trips of 150 people each; the second crosses midnight."""
    rows = ["card,ts,station"]
    for i in range(150):
        rows += [f"a{i},2026-03-01T08:10,Central", f"a{i},2026-03-01T09:05,West Ham"]
        rows += [f"b{i},2026-03-01T23:50,West Ham", f"b{i},2026-03-02T00:20,Central"]
    (tmp_path / "trips.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "stations.txt").write_text("Central\nWest Ham\n")
    return tmp_path


READ = ["--user", "card", "--time", "ts", "--item", "station"]


def test_from_an_event_log_to_answers_about_times(log, seqveil):
    described = [*READ, "--domain", str(log / "stations.txt"), "--time-bins", "60m"]
    facts = json.loads(seqveil("check", log / "trips.csv", *described, "--json").out)
    assert facts["times"] == {"sequences_that_wrap": 150, "items_after_the_wrap": 150}
    assert "60m@04:00" in seqveil("check", log / "trips.csv", *described).err

    night = [*described[:-1], "60m@04:00", "--public-because", "map", "--epsilon", "8", "--seed", "1", "--l-max", "2"]
    seqveil("publish", log / "trips.csv", *night, "--out", log / "release")
    asked = ["Central at 8", "West Ham", "Central before West Ham", "--od", "West Ham,Central"]
    answers = json.loads(seqveil("query", log / "release", *asked, "--json").out)["answers"]
    assert [one["query"] for one in answers] == [["Central@08"], ["West Ham"], ["Central", "West Ham"], ["West Ham", "Central"]]
    for one, truth in zip(answers, (150, 300, 150, 150), strict=True):
        assert abs(one["value"] - truth) < 40, one

    # Pairs of places at any time, with the numbers that `query` shows; the bins hold the same records, divided.
    anytime = json.loads(seqveil("od", log / "release", "--by", "place", "--json").out)
    assert "at any time" in anytime["about"]
    counted = {tuple(row["pattern"]): row["value"] for row in anytime["top"]}
    assert counted["West Ham", "Central"] == answers[-1]["value"]
    assert set(counted) <= {(a, b) for a in ("Central", "West Ham") for b in ("Central", "West Ham")}
    stepping = json.loads(seqveil("od", log / "release", "--by", "place", "--steps", "--json").out)["top"]
    assert abs({tuple(row["pattern"]): row["value"] for row in stepping}["Central", "West Ham"] - 150) < 40
    assert "--by place" in seqveil("od", log / "release").err

    shown = json.loads(seqveil("inspect", log / "release", "--json").out)["shape"]["times"]
    assert [row["bin"] for row in shown][:2] == ["04", "05"]
    seqveil("synth", log / "release", "--out", log / "drawn.csv")
    assert (log / "drawn.EXPERIMENT.csv").read_text().startswith("sequence,position,item,time\n")

    compared = seqveil("evaluate", log / "trips.csv", log / "release", *READ, "--no-sources", "--json")
    assert json.loads(compared.out)["times"]["visits_per_bin"] < 0.2


def test_bins_that_are_wrong_are_refused_before_anything_is_spent(log, seqveil):
    described = [*READ, "--domain", str(log / "stations.txt"), "--epsilon", "1", "--out", str(log / "none")]
    refused = seqveil("publish", log / "trips.csv", *described, "--time-bins", "7h")

    assert refused.code == 2
    assert "7h does not divide a day" in refused.err
    assert not (log / "none").exists()
