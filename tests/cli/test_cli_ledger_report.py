"""`seqveil ledger report`: the accounts of this machine beside a policy."""

from __future__ import annotations

import json

import pytest

from seqveil.tables.units import Record
from seqveil.wall.budget import grains
from seqveil.wall.ledger import Ledger


@pytest.fixture
def policy(tmp_path, monkeypatch):
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "home"))
    path = tmp_path / "policy.toml"
    path.write_text('[accounts.metro]\ncap = "3.0"\nsigned_off_by = "B"\n')
    Ledger().set_cap("metro", grains("5.0"))
    return path


def test_a_page_and_a_table(seqveil, policy, tmp_path):
    ran = seqveil("ledger", "report", "--policy", policy, "--out", tmp_path / "page.html")

    assert ran.code == 0
    assert "metro\tnot used yet\t0.0\t0.0\t3.0\tB\tthe ledger allows 5.0, more than the policy" in ran.out
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")
    assert seqveil("ledger", "report", "--policy", policy, "--out", tmp_path / "page.html").code == 2


def test_a_cap_that_is_exceeded_is_an_error_after_the_report(seqveil, policy):
    with Ledger().reserve("metro", grains("4.0"), unit=Record(), mechanism="ngram") as spend:
        spend.begin()
    ran = seqveil("ledger", "report", "--policy", policy, "--json")

    assert ran.code == 3
    assert json.loads(ran.out)["accounts"][0]["exceeded"]
    assert "more was spent or reserved than the policy allows" in ran.err
