"""Which method to take: the page of methods says what the registry and `seqveil methods` say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from seqveil import registry
from seqveil.cli.methods import chosen_first
from seqveil.kinds import KINDS

PAGE = Path(__file__).parents[2] / "docs" / "mechanisms" / "index.md"


def rows() -> str:
    """The table of the page, as it has to stand between its two marks."""
    lines = ["| data | for | take | instead of | because |", "|---|---|---|---|---|"]
    for one in chosen_first(registry.OURS):
        others = ", ".join(f"`{name}`" for name in one.instead_of) or "–"
        lines.append(f"| {one.kind} | {one.good_for} | `{one.name}` | {others} | {one.because} |")
    return "\n".join(lines)


def test_the_page_has_the_sentences_of_the_registry():
    """Where they differ, the page is wrong: paste what the assertion shows between its marks."""
    block = re.search(r"<!-- choices -->\n(.*?)\n?<!-- /choices -->", PAGE.read_text(encoding="utf-8"), re.DOTALL)

    assert block is not None
    assert rows() == block[1].strip()


def test_every_kind_has_a_method_to_take_and_every_choice_a_reason():
    """Nobody is left to guess; what is named as the lesser choice exists, for the same kind of data."""
    first = chosen_first(registry.OURS)

    assert {kind.held_as for kind in KINDS.values() if kind.units} == {one.kind for one in first}
    for one in registry.OURS:
        assert bool(one.good_for) == bool(one.because), one.name
        assert one.good_for or not one.instead_of, one.name
        assert [one.kind] * len(one.instead_of) == [registry.method(name).kind for name in one.instead_of], one.name
        assert one.name not in one.instead_of


@pytest.mark.parametrize("name", ["prefix", "binary", "itemset-noise"])
def test_a_method_of_the_papers_points_to_what_is_taken_first(seqveil, name):
    """`seqveil methods NAME` of a classic names the method that is chosen before it."""
    before = [one.name for one in registry.OURS if name in one.instead_of]

    assert before
    assert f"Look at {' or '.join(before)} first." in seqveil("methods", name).err


def test_the_list_of_methods_says_which_to_take(seqveil):
    """As a table for people and as JSON."""
    import json

    shown, listed = seqveil("methods"), json.loads(seqveil("methods", "--json").out)

    assert "Which to take, by kind of data:" in shown.err
    for one in chosen_first(registry.OURS):
        assert f"{one.name}\t{one.good_for}\t{', '.join(one.instead_of) or '–'}\t{one.because}" in shown.out
        assert (one.good_for, list(one.instead_of)) == (listed[one.name]["good_for"], listed[one.name]["instead_of"])


def test_the_page_of_clusters_names_every_method():
    """All of them are replayed over Spark's engine, whatever a reader of the table would think of one that is missing."""
    text = (PAGE.parents[1] / "cluster.md").read_text(encoding="utf-8")
    table = text.partition("## What runs on Spark")[2].partition("Formats that Spark")[0]
    on_spark = re.findall(r"`([\w-]+)`", table.partition("| streams,")[0])

    assert {one.name for one in registry.OURS if one.verb not in ("stream", "domain")} == set(on_spark)
