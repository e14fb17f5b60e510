"""Suffix links and stitching, each held against the same thing done plainly, gram by gram and record by record."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from seqveil.publish.ngram.consistency import enforce_consistency
from seqveil.publish.ngram.copies import Copies
from seqveil.publish.ngram.mechanism import NGram
from seqveil.publish.ngram.stitching import stitch
from seqveil.publish.ngram.suffixes import SuffixLinks
from seqveil.tables.units import Record
from seqveil.trees.tree import LevelTree
from seqveil.wall.budget import GRAINS
from seqveil.wall.questions.grams import Grams
from seqveil.wall.tree import PrivateTree
from strategies import ChosenNoise, chosen_values, databases, table_of_codes

LABELS = 3


def tree_of(records, values, l_max, n_max, theta=None, approximate=False) -> LevelTree:
    """What NGram would publish from when the noise is chosen."""
    kind = Grams(l_max, n_max)
    counter = kind.open(table_of_codes(records, LABELS), Record())
    tree = PrivateTree(counter, l_max, GRAINS, ChosenNoise(values))
    return enforce_consistency(NGram(l_max=l_max, n_max=n_max, theta=theta)._explore(tree, LABELS, l_max), approximate)


def spelled(tree: LevelTree) -> list[tuple[int, ...]]:
    """The gram of every node."""
    grams: list[tuple[int, ...]] = [()]
    for node in range(1, len(tree)):
        grams.append((*grams[int(tree.parent[node])], int(tree.symbol[node])))
    return grams


@given(databases(LABELS, 8, 6), chosen_values(200), st.booleans(), st.sampled_from([None, 0.5, 3.0]))
def test_suffix_links(records, values, approximate, theta):
    """The link of a gram is the longest known beginning of its suffix; a suffix is absent where a known family lacks it."""
    tree = tree_of(records, values, 5, 4, theta, approximate)
    grams = spelled(tree)
    number = {gram: node for node, gram in enumerate(grams)}
    parents = {gram[:-1] for gram in grams[1:]}

    def stop(suffix):
        return max((suffix[:i] for i in range(len(suffix) + 1) if suffix[:i] in number), key=len)

    suffixes = [[gram[i:] for i in range(1, len(gram)) if gram[i:] != (LABELS,)] for gram in grams]
    links = SuffixLinks.of(tree)

    assert [number[stop(gram[1:])] for gram in grams] == links.link.tolist()
    assert [gram[1:] in number for gram in grams] == links.whole.tolist()
    assert [any(s not in number and stop(s) in parents for s in some) for some in suffixes] == links.absent.tolist()


def plainly(records: list[list[int]], steps: dict[tuple[int, int], float], l_max: int) -> list[list[int]]:
    """Stitching as described: steps that miss most first; of the shortest fragments the newest, or else the first record."""
    fragments = [(1, at, record, at) for at, record in enumerate(records)]  # old or new, rank, items, first record
    missing, joints, before = sorted(steps.items(), key=lambda step: -step[1]), 0, -1
    while joints > before:
        before = joints
        for place, ((x, y), _) in enumerate(missing):
            while missing[place][1] >= 0.5:
                by_length = sorted(fragments, key=lambda f: (len(f[2]), f[:2]))
                a = next((f for f in by_length if f[2][-1] == x and len(f[2]) < l_max), None)
                b = next((f for f in by_length if a and f is not a and f[2][0] == y and len(f[2] + a[2]) <= l_max), None)
                if not a or not b:
                    break
                joints += 1
                fragments = [f for f in fragments if f is not a and f is not b] + [(0, -joints, a[2] + b[2], a[3])]
                missing[place] = (x, y), missing[place][1] - 1
    return [items for _, _, items, _ in sorted(fragments, key=lambda f: f[3])]


GRAMS = st.lists(st.tuples(st.lists(st.integers(0, LABELS - 1), min_size=1, max_size=4), st.integers(1, 6)), max_size=8)


@settings(max_examples=300)
@given(GRAMS, st.lists(st.floats(0, 9), min_size=LABELS**2, max_size=LABELS**2, unique=True), st.integers(4, 9))
def test_stitching(grams, missing, l_max):
    """Copies that are never looked at cost nothing, and change nothing: the records are those of the plain way."""
    pairs = [[x, y] for x in range(LABELS) for y in range(LABELS)]
    tree = tree_of(pairs * 40, [0], 4, 2)
    remaining = tree.count.copy()
    remaining[[node for node, gram in enumerate(spelled(tree)) if len(gram) == 2 and gram[1] < LABELS]] = missing
    items = np.array([x for gram, _ in grams for x in gram], np.int32)
    copies = Copies(items, *np.array([(len(gram), times) for gram, times in grams], np.int64).reshape(-1, 2).T.copy())
    records = [gram for gram, times in grams for _ in range(times)]
    steps = {(x, y): many for (x, y), many in zip(pairs, missing, strict=True)}

    assert plainly(records, steps, l_max) == [record.tolist() for record in stitch(copies, tree, remaining, l_max)]
