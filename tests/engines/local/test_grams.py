"""The gram counter against brute force: every gram of cut and terminated records, at every level, in any order of asking."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqveil.engines.local import grams as grams_engine
from seqveil.engines.local.grams import GramCounter
from seqveil.errors import CallError
from seqveil.tables.flat import Flat
from strategies import databases, gram_counts, paper_table


def children(counter: GramCounter, nodes: list[int], grams: list[tuple[int, ...]]) -> dict[tuple[int, ...], int]:
    """The occurring children of nodes, spelled out; also checks the order that `Counts` promises."""
    counts = counter.children(np.array(nodes, np.int64))
    order = list(zip(counts.parent.tolist(), counts.rank.tolist(), strict=True))
    assert sorted(order) == order
    return {(*grams[p], r): c for (p, r), c in zip(order, counts.count.tolist(), strict=True)}


def one_longer(counts: dict[tuple[int, ...], int], gram: tuple[int, ...]) -> dict[tuple[int, ...], int]:
    return {g: c for g, c in counts.items() if len(g) == len(gram) + 1 and g[:-1] == gram}


MERGED = pytest.mark.parametrize("most_walks", [grams_engine.MOST_WALKS, 0], ids=["equal walks merged", "every walk kept"])


@MERGED
@given(databases(), st.integers(1, 7), st.data())
def test_counts_agree_with_brute_force_on_every_level(most_walks, records, l_max, data):
    """Any subset of children, in any order (unsorted parents, absent children too), followed down to the last level."""
    with patch.object(grams_engine, "MOST_WALKS", most_walks):
        follow_down(records, l_max, data)


def follow_down(records, l_max, data):
    labels, deepest = 3, data.draw(st.integers(1, l_max + 1))
    counts = gram_counts(records, l_max, end=labels)
    counter, grams = GramCounter.root(Flat.of(records).truncate(l_max), labels, deepest), [()]
    for level in range(deepest):
        nodes = data.draw(st.lists(st.sampled_from(range(len(grams))), unique=True, max_size=6)) if level else [0]
        asked = [grams[n] for n in nodes]
        array = np.array(nodes, np.int64)

        assert {g: c for a in asked for g, c in one_longer(counts, a).items()} == children(counter, nodes, asked)
        assert [counts.get(a, 0) if a else sum(one_longer(counts, ()).values()) for a in asked] == counter.count(array).tolist()
        wide = labels if level == 0 else labels + 1
        assert [0 if a[-1:] == (labels,) else wide for a in asked] == counter.fan_out(array)

        open_ = [n for n in nodes if grams[n][-1:] != (labels,)]
        slots = [(n, r) for n in open_ for r in range(wide)]
        if not slots:
            break
        kept = data.draw(st.lists(st.sampled_from(slots), unique=True, min_size=1, max_size=9))
        counter = counter.descend(np.array([n for n, _ in kept]), np.array([r for _, r in kept]))
        grams = [(*grams[n], r) for n, r in kept]


def test_the_tables_of_the_paper():
    """Unigrams, 2-grams and 3-grams of Table 1 of [Chen 2012] (4 is the terminator); docs/soundness.md, 'Worked examples'."""
    table = paper_table()
    counter, grams, levels = GramCounter.root(table.flat, 3, 6), [()], []
    for _ in range(3):
        counts = children(counter, list(range(len(grams))), grams)
        levels.append({"".join(str(x + 1) for x in g): c for g, c in counts.items()})
        kept = list(counts)
        where = {g: i for i, g in enumerate(grams)}
        counter = counter.descend(np.array([where[g[:-1]] for g in kept]), np.array([g[-1] for g in kept]))
        grams = kept

    assert {"1": 5, "2": 9, "3": 10} == levels[0]
    assert {"12": 2, "14": 3, "21": 1, "23": 6, "24": 2, "31": 4, "32": 3, "34": 3} == levels[1]
    assert {"231": 3, "234": 3, "312": 2, "314": 2, "324": 2, "123": 2, "214": 1, "321": 1} == levels[2]


def test_the_terminator_is_no_child_of_the_root_and_has_no_children():
    """`&` follows an item, also after a cut; the root has |I| children, a gram |I| + 1, a gram that ended none."""
    root = GramCounter.root(Flat.of([[0, 1, 1], [], [1]]).truncate(2), 2, deepest=3)
    below = root.descend(np.array([0, 0]), np.array([0, 1]))
    ended = below.descend(np.array([1, 1]), np.array([2, 0]))
    nothing = ended.children(np.array([0, 0]))

    assert [2] == root.fan_out(np.array([0]))
    assert [3, 3] == below.fan_out(np.array([0, 1]))
    assert [0, 3] == ended.fan_out(np.array([0, 1]))
    assert [2, 0] == ended.count(np.array([0, 1])).tolist()
    assert 0 == len(nothing.count)
    with pytest.raises(CallError, match="has ended"):
        ended.descend(np.array([0]), np.array([0]))


def test_a_counter_says_when_its_levels_are_used_up():
    """A tree opened for two levels has no third."""
    counter = GramCounter.root(Flat.of([[0, 0, 0]]), 1, 2)
    for _ in range(2):
        counter = counter.descend(np.array([0]), np.array([0]))

    with pytest.raises(CallError, match="larger `deepest`"):
        counter.children(np.array([0]))


def test_grams_have_no_split_to_choose():
    """The one question that this counter refuses says why."""
    with pytest.raises(CallError, match="no split to choose"):
        GramCounter.root(Flat.of([]), 2, 4).scores(np.array([0]))


@pytest.mark.parametrize("labels", [1, 10**6])
def test_an_empty_table_has_no_children(labels):
    """Nothing in, nothing out, whatever the universe."""
    root = GramCounter.root(Flat.of([]), labels, 6)

    assert 0 == len(root.children(np.array([0])).count)
    assert [0] == root.count(np.array([0])).tolist()
    assert [labels] == root.fan_out(np.array([0]))
