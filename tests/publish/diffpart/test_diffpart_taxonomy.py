"""Taxonomies from a file: the one format that prefix-hybrid reads, too."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import seqveil as sv
from seqveil.errors import InputProblems
from seqveil.tables.flat import Flat
from seqveil.tables.sets import SetTable
from seqveil.tables.taxonomy import Taxonomy
from seqveil.tables.units import Record
from seqveil.wall.budget import GRAINS

DOMAIN = sv.Domain.of(["Acton", "Barking", "Camden", "Dagenham", "Ealing", "Finchley"])
LINES = "Acton\twest\tout\nBarking\teast\tout\nCamden\tin\tin\nDagenham\teast\tout\nEaling\twest\tout\nFinchley\tnorth\tout\n"


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "stations.tsv"
    path.write_text(LINES)
    return str(path)


def test_groups_of_a_file_become_nodes(file: str) -> None:
    """west, east and north (one station) lie in out, in is one station; groups follow their first labels."""
    tree = Taxonomy.from_file(file, DOMAIN, 10)
    names = ["".join(DOMAIN.label(int(tree.code[i]))[0] for i in range(tree.low[v], tree.high[v])) for v in range(tree.root + 1)]

    assert ["A", "E", "B", "D", "F", "C", "AE", "BD", "AEBDF", "AEBDFC"] == names
    assert [[0, 1], [2, 3], [6, 7, 4], [8, 5]] == [tree.children(v) for v in range(6, 10)]


def test_a_group_wider_than_the_fan_out_is_grouped_once_more(file: str) -> None:
    """No node has more than fan_out children, and the groups of the file are still nodes."""
    tree = Taxonomy.from_file(file, DOMAIN, 2)

    assert max(len(tree.children(v)) for v in range(tree.labels, tree.root + 1)) == 2
    assert (0, 5) in set(zip(tree.low.tolist(), tree.high.tolist(), strict=True))


@settings(max_examples=30)
@given(st.lists(st.sets(st.integers(0, 5), min_size=1).map(sorted), max_size=10), st.permutations("001122"))
def test_without_noise_the_data_comes_back_under_any_grouping(
    tmp_path_factory: pytest.TempPathFactory, sets: list[list[int]], groups: list[str]
) -> None:
    """Labels of one group need not be neighbours in the domain."""
    path = tmp_path_factory.mktemp("groups") / "groups.tsv"
    path.write_text("".join(f"{label}\tg{group}\n" for label, group in zip(DOMAIN.labels(range(6)), groups, strict=True)))
    mechanism = sv.DiffPart(taxonomy=str(path), c1=5, c2=5)
    release = sv.experiment(SetTable(DOMAIN, Flat.of(sets)), mechanism, "100000", seed=None)
    published = {tuple(codes.tolist()): int(n) for codes, n in zip(release.sets.flat, release.sets.copies, strict=True) if n}

    assert dict(Counter(map(tuple, sets))) == published


def test_prefix_trees_read_the_same_file(file: str) -> None:
    """One format for both."""
    assert 3 == sv.PrefixPublication(granularity="hybrid", taxonomy=file).fine(DOMAIN).levels


def test_a_wrong_file_is_refused_before_anything_is_spent(tmp_path: Path) -> None:
    """A label without a line and a label outside the domain: both are named, and nothing is in the ledger."""
    path = tmp_path / "wrong.tsv"
    path.write_text(LINES.replace("Acton", "Atlantis"))
    vault = sv.Vault(SetTable(DOMAIN, Flat.of([[0]])), account="stations", home=tmp_path)
    with pytest.raises(InputProblems, match=r"(?s)Atlantis.*Acton"):
        vault.release(sv.DiffPart(taxonomy=str(path)), "1.0")

    assert "stations" not in str(sv.Ledger(tmp_path).accounts())


def test_fewer_expected_children_give_the_first_cut_more(file: str) -> None:
    """ε/2 over all 4 inner nodes, or over as many cuts as the tree is high if each node is left by one child."""
    plans = [
        sv.DiffPart(taxonomy=file, branching=b, size_share=0).plan(12 * GRAINS, DOMAIN, Record()).stages[0][2] for b in (60, 1)
    ]

    assert ["about 4 cuts on every path, the first with ε = 1.5", "about 2 cuts on every path, the first with ε = 3.0"] == plans
