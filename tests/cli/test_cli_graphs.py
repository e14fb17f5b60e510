"""Graphs from the command line: publish, look, ask, check, evaluate; wrong calls before anything is spent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def street(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "home"))
    file = tmp_path / "street.edges"
    file.write_text("".join(f"{i} {j}\n" for i in range(40) for j in range(i + 1, 40) if (i * j) % 7 == 1))
    return file


def test_a_graph_is_published_asked_and_drawn(seqveil: Any, street: Path, tmp_path: Path) -> None:
    """The whole way with one method, private."""
    out = tmp_path / "release"
    published = seqveil(
        "publish", street, "--domain", "0..39", "--method", "der", "--epsilon", "2", "--k", "2", "--order-is-public",
        "--public-because", "house numbers", "--out", out, "--json",
    )  # fmt: skip
    assert 0 == published.code, published.err
    assert {"name": "edge", "k": 2} == json.loads(published.out)["unit"]
    asked = seqveil("query", out, "1 2 | 3 4", "5 |", "--degrees", "1,5", "--json")
    answers = json.loads(asked.out)["answers"]
    assert ["1 2 | 3 4", "5 |", "vertices with 1 edges or more", "vertices with 5 edges or more"] == [a["query"] for a in answers]
    assert all(a["low"] <= a["value"] <= a["high"] for a in answers)
    shown = seqveil("inspect", out, "--picture", tmp_path / "map.svg")
    assert "Density map" in shown.out
    assert (tmp_path / "map.svg").read_text().startswith("<svg")
    assert 0 == seqveil("synth", out, "--out", tmp_path / "g.graphml").code
    assert "KL divergence" in seqveil("evaluate", street, out).err


def test_the_order_must_be_stated_before_anything_is_spent(seqveil: Any, street: Path, tmp_path: Path) -> None:
    """Exit code 2, what to type, and an empty ledger."""
    ran = seqveil("publish", street, "--domain", "0..39", "--method", "graph-degrees", "--epsilon", "1", "--out", tmp_path / "r")

    assert 2 == ran.code
    assert "--order-is-public" in ran.err
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--unit", "user"], "--unit user does not fit a graph: use --unit edge"),
        (["--k", "0"], "--k"),
        (["--item", "x"], "leave out --item"),
    ],
)
def test_wrong_words_are_named(seqveil: Any, street: Path, tmp_path: Path, words: list[str], message: str) -> None:
    """Units and columns that a graph does not have."""
    base = ("publish", street, "--domain", "0..39", "--method", "der", "--epsilon", "1", "--order-is-public")
    ran = seqveil(*base, "--out", tmp_path / "r", *words)

    assert 2 == ran.code
    assert message in ran.err


def test_check_tells_about_the_order(seqveil: Any, street: Path) -> None:
    """INTERNAL, and without being asked whether the order is public."""
    ran = seqveil("check", street, "--domain", "0..39", "--kind", "graph", "--json")

    assert 0 == ran.code
    assert "correlation_with_degree" in json.loads(ran.out)["order"]


def test_a_plan_warns_when_nothing_can_be_split(seqveil: Any, street: Path, tmp_path: Path) -> None:
    """Before any data is read."""
    ran = seqveil(
        "publish", street, "--domain", "0..39", "--method", "der", "--epsilon", "0.0001", "--dry-run", "--out", tmp_path / "r"
    )

    assert "too small for any split" in ran.err


def test_publishing_repeats_the_warnings_of_the_plan(seqveil: Any, street: Path, tmp_path: Path) -> None:
    """Whoever skips the dry run still hears that this ε buys one region, and gets an honest release."""
    out = tmp_path / "r"
    ran = seqveil(
        "publish", street, "--domain", "0..39", "--method", "der", "--epsilon", "0.001", "--order-is-public", "--out", out
    )

    assert 0 == ran.code, ran.err
    assert "too small for any split" in ran.err
    assert "1 regions" in seqveil("inspect", out).out
