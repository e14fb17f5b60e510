"""`seqveil publish`, `methods` and `demo`, run as users run them: a process, its output, its exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

import seqveil as sv
from processes import run

CITY = "home,work,shop,park"


def seqveil(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The command in a new process, with a ledger of its own and no terminal."""
    return run(
        [sys.executable, "-m", "seqveil", *words],
        cwd=folder,
        env={**os.environ, "SEQVEIL_HOME": str(folder / "ledger-home")},
        text=True,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with an event log of 600 cards."""
    rows = ["card,ts,station"]
    for card in range(600):
        rows += [f"{card},2026-10-01T08:00:00,home", f"{card},2026-10-01T09:00:00,work"]
        rows += [f"{card},2026-10-02T18:00:00,shop"] if card % 3 else [f"{card},never,Atlantis"]
    (tmp_path / "trips.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "stations.txt").write_text(CITY.replace(",", "\n") + "\n")
    return tmp_path


EVENTS = ("--user", "card", "--time", "ts", "--item", "station")


@pytest.mark.slow
def test_a_release_is_made_charged_loaded_and_asked(folder: Path) -> None:
    """One command makes a release whose manifest, ledger and answers agree."""
    call = ("publish", "trips.csv", *EVENTS, "--session", "day", "--max-sequences", "2", "--domain", "stations.txt")
    done = seqveil(folder, *call, "--epsilon", "2.5", "--l-max", "3", "--out", "r", "--public-because", "a map", "--json")

    assert (done.returncode, done.stderr.count("no cap")) == (0, 1)
    facts = json.loads(done.stdout)
    manifest = sv.load(folder / "r").manifest
    assert facts["release"] == manifest.release
    assert ("2.5", True, "a map") == (manifest.epsilon, manifest.private, manifest.domain.public_because)
    assert {"name": "user", "max_sequences": 2} == manifest.unit
    account = json.loads(seqveil(folder, "ledger", "show", "trips", "--json").stdout)
    assert "2.5" in json.dumps(account)
    asked = json.loads(seqveil(folder, "query", "r", "home work", "--json").stdout)
    assert abs(asked["answers"][0]["value"] - 600) < 400  # the noise has a scale of 12: this fails once in 10^14 runs


@pytest.mark.slow
def test_the_budget_refuses_with_exit_code_3(folder: Path) -> None:
    """A cap that is too small refuses the release, and nothing appears under its name."""
    seqveil(folder, "ledger", "cap", "trips", "1.0")
    refused = seqveil(folder, "publish", "trips.csv", *EVENTS, "--domain", CITY, "--epsilon", "1.5", "--out", "r")

    assert refused.returncode == 3
    assert "remaining 1.0" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert not (folder / "r").exists()


def test_all_problems_of_a_call_are_told_at_once(folder: Path) -> None:
    """Four mistakes, four lines, exit code 2, nothing read and nothing reserved."""
    call = ("publish", "nowhere.csv", "--domain", "9..1", "--epsilon", "-1", "--out", "r", "--unit", "tribe", "--l-mox", "3")
    done = seqveil(folder, *call)

    assert done.returncode == 2
    for piece in ("unknown option --l-mox (did you mean --l-max or --l-most?)", "epsilon = -1", "9..1", "--unit 'tribe'"):
        assert piece in done.stderr
    assert "Traceback" not in done.stderr
    assert not (folder / "ledger-home").exists()


def test_a_dry_run_opens_no_data_and_warns_of_noise_that_hides_everything(folder: Path) -> None:
    """The plan needs no file; a thousand users over five thousand places hear that noise will win."""
    call = ("publish", "no-such-file.csv", "--user", "u", "--domain", "1..5135", "--epsilon", "1", "--out", "r")
    done = seqveil(folder, *call, "--dry-run", "--size", "1083", "--json")

    plan = json.loads(done.stdout)
    assert done.returncode == 0
    assert Decimal(1) == sum(Decimal(stage["epsilon"]) for stage in plan["stages"])
    assert any("empty" in warning or "hide most" in warning for warning in plan["warnings"])
    assert not (folder / "ledger-home").exists()


def test_a_dry_run_says_what_the_account_has_left_and_that_an_epsilon_is_too_large(folder: Path) -> None:
    """From the ledger alone; a run that would be refused is announced, and nothing is entered."""
    call = ("publish", "no-such-file.csv", "--domain", "1..9", "--out", "r", "--account", "metro", "--dry-run", "--epsilon")
    new = seqveil(folder, *call, "1").stderr
    seqveil(folder, "ledger", "cap", "metro", "3")
    capped, refused = seqveil(folder, *call, "1").stderr, seqveil(folder, *call, "30").stderr

    assert "account 'metro': new; this run would spend 1.0" in new
    assert "account 'metro': 3.0 remaining of a cap of 3.0; this run would spend 1.0" in capped
    assert "too large" not in capped
    assert "account 'metro' would refuse this run: it needs 30.0, with 3.0 remaining of a cap of 3.0" in refused
    assert "warning: epsilon = 30.0 is too large to protect anything" in refused
    assert "metro\tnot used yet\t3.0\t0.0" in seqveil(folder, "ledger", "show").stdout


@pytest.mark.slow
def test_a_seed_makes_an_experiment_that_no_ledger_knows(folder: Path) -> None:
    """Seeded runs repeat, say EXPERIMENT everywhere, and charge nobody."""
    call = ("publish", "trips.csv", *EVENTS, "--domain", CITY, "--epsilon", "1", "--seed", "7")
    first, second = seqveil(folder, *call, "--out", "a"), seqveil(folder, *call, "--out", "b")

    assert (0, 0) == (first.returncode, second.returncode)
    assert "EXPERIMENT" in first.stderr
    assert not (folder / "ledger-home").exists()
    assert all(
        "EXPERIMENT" in p.name for p in (folder / "a").iterdir() if p.suffix in (".gz", ".parquet") and "domain" not in p.name
    )
    a, b = sv.load(folder / "a"), sv.load(folder / "b")
    assert a.manifest.private is False
    assert a.grams.counted.noisy.tolist() == b.grams.counted.noisy.tolist()
    assert a.synthetic.items.tolist() == b.synthetic.items.tolist()


@pytest.mark.slow
def test_like_repeats_the_public_parameters_of_a_release(folder: Path) -> None:
    """`--like` takes method and parameters, and the command line wins over it."""
    call = ("publish", "trips.csv", *EVENTS, "--domain", CITY, "--epsilon", "1", "--seed", "1")
    seqveil(folder, *call, "--method", "ngram-uniform", "--l-max", "4", "--n-max", "2", "--out", "a")
    done = seqveil(folder, *call, "--like", "a", "--n-max", "3", "--out", "b")

    assert done.returncode == 0, done.stderr
    mechanism = sv.load(folder / "b").manifest.mechanism
    assert ("ngram-uniform", 4, 3) == (mechanism.name, mechanism.parameters["l_max"], mechanism.parameters["n_max"])


def _cells(line: str) -> list[str]:
    return line.split("\t")


@pytest.mark.slow
def test_the_demo_writes_a_release_a_page_and_the_data(tmp_path: Path) -> None:
    """A small city is enough to see every part of the demo."""
    done = seqveil(tmp_path, "demo", "--passengers", "3000", "--out", "d")

    assert done.returncode == 0, done.stderr
    counts, shape = done.stdout.split("\ntrips\t")
    assert 11 == len(counts.splitlines())
    assert "Amber" in counts
    rows = {name: [int(cell.replace(",", "")) for cell in cells if cell] for name, *cells in map(_cells, shape.splitlines()[1:])}
    assert 3000 == rows["all trips"][-1] == sum(row[-1] for name, row in rows.items() if name.startswith("with "))
    assert abs(rows["all trips"][0] - 3000) < 300
    assert {"beginning", "ending", "from"} <= {name.split()[0] for name in rows}
    assert "INTERNAL" in done.stderr
    assert sv.load(tmp_path / "d" / "release").manifest.private is True
    page = (tmp_path / "d" / "report.html").read_text()
    assert "INTERNAL" in page
    assert "Amber-Dune" in page
    again = seqveil(tmp_path, "demo", "--passengers", "3000", "--out", "d")
    assert again.returncode == 0, again.stderr
    (tmp_path / "mine").mkdir()
    assert seqveil(tmp_path, "demo", "--out", "mine").returncode == 2


def test_methods_lists_parameters_with_their_defaults(tmp_path: Path) -> None:
    """What can be typed after --method, and each one's options."""
    everything = json.loads(seqveil(tmp_path, "methods", "--json").stdout)
    ngram = json.loads(seqveil(tmp_path, "methods", "ngram", "--json").stdout)

    assert {"ngram", "ngram-uniform"} <= set(everything)
    assert ("int", 5) == (ngram["n_max"]["type"], ngram["n_max"]["default"])
    assert all(parameter["help"].endswith(".") for parameter in ngram.values())
    assert "int or auto" == ngram["l_max"]["type"]
    assert seqveil(tmp_path, "methods", "nonsense").returncode == 2
