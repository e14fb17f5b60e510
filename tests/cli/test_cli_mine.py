"""`seqveil mine` as people type it."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def clicks(tmp_path):
    path = tmp_path / "clicks.seq"
    path.write_text("1 2 3 1\n1 2 2\n3 3 1 2\n" * 300)
    return path


@pytest.mark.parametrize(
    "method",
    [["--method", "ffs", "--longest", "2"], ["--method", "prefix-miner"], ["--method", "two-phase"], ["--patterns", "prefix"]],
)
def test_patterns_are_mined_queried_and_inspected(seqveil, clicks, tmp_path, method):
    """From file to release to answers, with every method of this room."""
    out = tmp_path / "patterns"
    ran = seqveil("mine", clicks, "--domain", "1..3", "--epsilon", "2", "--top", 5, "--out", out, "--json", "--seed", 1, *method)
    answer = json.loads(seqveil("query", out, "1 2", "--json").out)["answers"][0]
    best = json.loads(seqveil("inspect", out, "--top", 2, "--json").out)["top"]

    assert (0, False) == (ran.code, json.loads(ran.out)["private"])
    assert "not released" != answer["kind"]
    assert len(best) == 2


def test_a_sample_must_be_vouched_for(seqveil, clicks, tmp_path):
    """Without a word on why it is public nothing runs; with it the manifest repeats the word."""
    call = ["mine", clicks, "--domain", "1..3", "--epsilon", "1", "--top", 3, "--out", tmp_path / "out", "--sample", clicks]
    refused = seqveil(*call, "--public-because", "x")
    ran = seqveil(*call, "--public-because", "x", "--sample-public-because", "they agreed", "--json")
    manifest = json.loads(seqveil("inspect", tmp_path / "out", "--json").out)

    assert (2, True) == (refused.code, "--sample-public-because" in refused.err)
    assert 0 == ran.code
    assert "they agreed" == manifest["mechanism"]["parameters"]["sample"]["public_because"]


def test_a_dry_run_shows_the_bill_and_wrong_calls_spend_nothing(seqveil, clicks, tmp_path):
    """Stages on stdout; too many patterns end with exit code 2 and an empty ledger."""
    call = ["mine", clicks, "--domain", "1..3", "--epsilon", "1", "--out", tmp_path / "out", "--account", "dry"]
    plan = json.loads(seqveil(*call, "--top", 5, "--dry-run", "--json").out)
    refused = seqveil(*call, "--top", 10**6, "--public-because", "x")

    assert ["0.85", "0.03", "0.12"] == [stage["epsilon"] for stage in plan["stages"]]
    assert (2, True) == (refused.code, "only 3,276 patterns of length 2 to 7 exist over 3 labels" in refused.err)
    assert "dry" not in seqveil("ledger", "show").out
    assert not (tmp_path / "out").exists()
