"""`seqveil domain discover`: from data without a list of labels to a domain, and to releases over it."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import seqveil as sv
from seqveil.wall.budget import grains
from seqveil.wall.ledger import Ledger
from seqveil.wall.measures.delta import in_parts
from seqveil.wall.measures.zcdp import rho_of, rho_of_pure

DISCOVER = ("domain", "discover", "taps.csv", "--user", "card", "--item", "station", "--epsilon", "1.0", "--delta", "1e-6")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """900 people at one to four of five stations, and one with a station of their own."""
    draw = random.Random(1)
    rows = [f"c{k},{draw.choice(['Ely', 'Ware', 'Bath', 'Rye', 'Esk'])}" for k in range(900) for _ in range(draw.randint(1, 4))]
    (tmp_path / "taps.csv").write_text("card,station\n" + "\n".join([*rows, "c1,My own house", "c2,a\x1bb"]) + "\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "home"))
    return tmp_path


def test_from_data_to_a_domain_to_a_release(seqveil):
    """Both are charged to one account, which adds up ρ and the δ of the threshold; the manifest names the discovery."""
    ran = seqveil(*DISCOVER, "--out", "stations")
    release = sv.load("stations")
    assert (0, ["Bath", "Ely", "Esk", "Rye", "Ware"]) == (ran.code, release.domain.labels(range(5))), ran.err
    assert "To use it: add --domain stations" in ran.err

    ran = seqveil(
        "publish", "taps.csv", "--user", "card", "--item", "station", "--domain", "stations", "--method", "histogram",
        "--epsilon", "0.5", "--out", "release",
    )  # fmt: skip
    manifest = sv.load("release").manifest
    (account,) = Ledger().accounts()

    assert 0 == ran.code, ran.err
    assert "no reason given" not in ran.err
    assert release.manifest.release == manifest.domain.discovered
    assert "ε = 1.0, δ = 1e-6 (account 'taps')" in str(manifest.domain.public_because)
    assert f"was discovered by release {manifest.domain.discovered}" in Path("release/README.txt").read_text()
    assert rho_of(grains("1.0"), in_parts("5e-7")) + rho_of_pure(grains("0.5")) == account.spent
    assert "taps" == account.name


def test_what_is_shown_about_it(seqveil):
    seqveil(*DISCOVER, "--out", "stations", "--account", "shop")
    shown = seqveil("inspect", "stations")
    words = " ".join(shown.out.split())
    asked = seqveil("query", "stations", "Ely", "--json")
    wrong = seqveil("query", "stations", "house")

    assert "delta = 5e-7 for thresholds and zero-concentrated differential privacy" in words
    assert "The labels themselves are what this release found out about the data" in words
    assert "at most 30 labels of each user" in words
    assert 200 < json.loads(asked.out)["answers"][0]["value"] < 600
    assert (2, True) == (wrong.code, "not in the domain" in wrong.err)
    assert 0 == seqveil("verify", "stations").code
    assert 0 == seqveil("report", "stations", "--out", "report.html").code
    exported = json.loads(seqveil("inspect", "stations", "--export", "registry").out)
    assert "Datasets over any labels." == exported["deployment"]["dp_variant"]["data_domain"]
    listed = json.loads(seqveil("ledger", "show", "shop", "--json").out)
    assert "zcdp" == listed["accounts"][0]["measure"]


def test_json_is_one_object(seqveil):
    ran = seqveil(*DISCOVER, "--out", "stations", "--json")
    said = json.loads(ran.out)

    assert ("discover", "1.0", "1e-6", False) == (said["method"], said["epsilon"], said["delta"], said["empty"])


def test_records_own_themselves_without_a_user(seqveil):
    ran = seqveil("domain", "discover", "taps.csv", "--item", "station", "--epsilon", "1", "--delta", "1e-6", "--out", "stations")

    assert 0 == ran.code, ran.err
    assert "record" == sv.load("stations").manifest.unit["name"]


def test_a_release_over_it_under_another_account_is_warned_of(seqveil):
    seqveil(*DISCOVER, "--out", "stations", "--account", "shop")
    ran = seqveil(
        "publish", "taps.csv", "--item", "station", "--user", "card", "--domain", "stations", "--method", "histogram",
        "--epsilon", "1", "--out", "release",
    )  # fmt: skip

    assert 0 == ran.code
    assert "discovered under account 'shop', and this run is charged to 'taps'" in " ".join(ran.err.split())


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--delta", "0"), "give a number above 0 and below 1"),
        (("--epsilon", "-1"), "epsilon"),
        (("--most", "20000"), "give a whole number from 1 to 10,000"),
        (("--outside", "other"), "leave out --domain and the like"),
        (("--time-bins", "60m"), "--time-bins does not apply to the discovery of labels"),
        (("--item", "statoin"), "statoin"),
        (("--unit", "record"), "the unit record cannot be protected"),
    ],
)
def test_wrong_calls_cost_nothing(more, said, seqveil):
    options = dict(zip(DISCOVER[3::2], DISCOVER[4::2], strict=True)) | dict([more])
    words = [*DISCOVER[:3], *(word for option in options.items() for word in option)]
    ran = seqveil(*words, "--out", "stations")

    assert 2 == ran.code
    assert said in " ".join(ran.err.split())
    assert [] == Ledger().accounts()
    assert not Path("stations").exists()


def test_what_is_no_discovery_is_no_domain(seqveil, tmp_path):
    seqveil(*DISCOVER, "--out", "trial", "--seed", "1")
    (tmp_path / "empty").mkdir()
    said = {}
    for name in ("trial", "empty"):
        ran = seqveil("mine", "taps.csv", "--item", "station", "--domain", name, "--epsilon", "1", "--out", "release")
        said[name] = " ".join(ran.err.split())
        assert 2 == ran.code

    assert "trial is an EXPERIMENT: its labels are not private" in said["trial"]
    assert "empty is not a release" in said["empty"]


def test_a_changed_discovery_is_no_domain(seqveil):
    seqveil(*DISCOVER, "--out", "stations")
    Path("stations/domain.txt.gz").write_bytes(b"x")
    ran = seqveil("mine", "taps.csv", "--item", "station", "--domain", "stations", "--epsilon", "1", "--out", "release")

    assert (1, True) == (ran.code, "does not match its manifest" in ran.err), ran.err


def test_labels_of_few_are_not_found_and_an_empty_domain_says_so(seqveil, tmp_path):
    (tmp_path / "few.csv").write_text("card,station\nc1,Ely\nc2,Ely\n")
    ran = seqveil("domain", "discover", "few.csv", "--item", "station", "--epsilon", "1", "--delta", "1e-6", "--out", "stations")
    used = seqveil("mine", "few.csv", "--item", "station", "--domain", "stations", "--epsilon", "1", "--out", "release")

    assert 0 == ran.code, ran.err
    assert 0 == len(sv.load("stations"))
    assert "the release is empty" in ran.err
    assert (2, True) == (used.code, "discovered no label" in used.err), used.err
