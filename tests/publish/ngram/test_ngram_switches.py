"""What goes beyond the printed method: every switch changes what it says and nothing else, and all off is the printed method."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields, replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seqveil as sv
from seqveil import registry
from seqveil.publish.ngram.consistency import enforce_consistency
from seqveil.publish.ngram.mechanism import PRINTED, NGram
from seqveil.publish.ngram.synthesis import synthesize
from seqveil.tables.units import Record
from seqveil.trees.tree import LevelTree
from seqveil.wall.budget import GRAINS
from seqveil.wall.questions.grams import Grams
from seqveil.wall.tree import PrivateTree
from strategies import ChosenNoise, chosen_values, databases, table_of_codes

LABELS = 3

EXPLORING = ("second_look", "drop_labels", "live_labels")
PUBLISHING = ("implied_ends", "cap", "joints")

WALKS = [[0, 0, 0, 1], [0, 1, 1, 2], [2, 0, 0], [1], [2, 2, 2, 2, 0], [3, 0]] * 60 + [[4, 4]] * 2
"""Runs of one label, fragments and a label that is too rare to pass."""


def grams_of(release):
    """All that a release says of its n-grams."""
    return {f.name: np.asarray(getattr(release.grams, f.name)).tolist() for f in fields(release.grams)}


def records_of(release) -> Counter[tuple[int, ...]]:
    return Counter(tuple(record.tolist()) for record in release.synthetic)


@pytest.fixture(scope="module")
def release_of():
    """A seeded release of the walks with parameters, each made once."""
    table, releases = table_of_codes(WALKS, 12), {}

    def run(**parameters):
        key = tuple(sorted(parameters.items()))
        if key not in releases:
            releases[key] = sv.experiment(table, NGram(l_max=5, n_max=4, **parameters), "3", seed=2)
        return releases[key]

    return run


@pytest.mark.parametrize("switch", PRINTED)
def test_every_switch_changes_something(release_of, switch):
    """Turned off, a release is another one."""
    default, off = release_of(), release_of(**{switch: False})

    assert (grams_of(default), records_of(default)) != (grams_of(off), records_of(off))


@pytest.mark.parametrize("switch", PUBLISHING)
def test_switches_of_the_publication_leave_the_counts_alone(release_of, switch):
    """The n-grams, their counts and error bars are the same; only the records differ."""
    assert grams_of(release_of()) == grams_of(release_of(**{switch: False}))


def asked(**parameters):
    """The questions that the exploration asks when nothing is noisy: number of nodes, of candidates, whether of the rest."""
    questions = []

    class Watched(PrivateTree):
        def expand(self, nodes, epsilon, threshold=None, split=None, among=None):
            questions.append(("all", np.atleast_1d(nodes).size, None if among is None else among.tolist()))
            return super().expand(nodes, epsilon, threshold, split, among)

        def expand_rest(self, nodes, epsilon, threshold=None, among=None):
            questions.append(("rest", np.atleast_1d(nodes).size, None if among is None else among.tolist()))
            return super().expand_rest(nodes, epsilon, threshold, among)

    kind = Grams(5, 3)
    private = Watched(kind.open(table_of_codes(WALKS, 12), Record()), 5, GRAINS, ChosenNoise([0]))
    tree = NGram(l_max=5, n_max=3, **parameters)._explore(private, 12, 5)
    return questions, tree


def test_live_labels_are_the_candidates_of_longer_grams():
    """By default the labels that passed and the terminator; otherwise all of the domain. Single labels are the same."""
    (first, second, *_), tree = asked(second_look=False)
    (off_first, off_second, *_), off_tree = asked(second_look=False, live_labels=False)

    assert ("all", 1, None) == first == off_first
    assert [0, 1, 2, 3, 12] == second[2]
    assert list(range(13)) == off_second[2]
    assert tree.noisy[tree.level(1)].tolist() == off_tree.noisy[off_tree.level(1)].tolist()


def test_dropped_labels_are_those_below_the_threshold():
    """Kept, every label has an answer, zeros too; what is asked below them stays the same, since live labels did pass."""
    questions, tree = asked(second_look=False)
    off_questions, off_tree = asked(second_look=False, drop_labels=False)

    assert [0, 1, 2, 3] == tree.symbol[tree.level(1)].tolist()
    assert list(range(12)) == off_tree.symbol[off_tree.level(1)].tolist()
    assert [4, 0, 0] == off_tree.noisy[off_tree.level(1)][4:7].tolist()
    assert questions == off_questions


def test_kept_labels_have_plain_error_bars(release_of):
    """A label that no threshold selected has the interval of its noise alone, and every label of the domain has one."""
    release = release_of(drop_labels=False)
    answers = [release.count([release.domain.label(code)]) for code in range(12)]

    assert 12 == sum(answer.kind == "count" for answer in answers)
    assert all(answer.low is not None and answer.low >= 0 for answer in answers)
    assert any(y < 0 for y in release.grams.noisy.tolist())


def tree_of(records, values, l_max, n_max) -> LevelTree:
    """A consistent tree when the noise is chosen."""
    private = PrivateTree(Grams(l_max, n_max).open(table_of_codes(records, LABELS), Record()), l_max, GRAINS, ChosenNoise(values))
    return enforce_consistency(NGram(l_max=l_max, n_max=n_max)._explore(private, LABELS, l_max))


def spelled(tree: LevelTree) -> list[tuple[int, ...]]:
    grams: list[tuple[int, ...]] = [()]
    for node in range(1, len(tree)):
        grams.append((*grams[int(tree.parent[node])], int(tree.symbol[node])))
    return grams


def as_printed(tree: LevelTree, l_max: int) -> Counter[tuple[int, ...]]:
    """[Chen 2012, §4.3.5] with dictionaries: join up to l_max symbols, publish longest first, subtract what they contain."""
    grams = spelled(tree)
    count = {gram: float(c) for gram, c in zip(grams[1:], tree.count[1:], strict=True)}
    fitted = dict(count)
    level = [gram for gram in grams if gram and len(gram) == tree.height]
    deepest = [gram for gram in level if fitted[gram] > 0]
    while level and tree.height > 1 and len(level[0]) < l_max:
        joined = {}
        for gram in level:
            overlap = gram[len(gram) - tree.height + 1 :]
            for end in deepest:
                if end[:-1] == overlap and fitted.get(overlap, 0) > 0:
                    expected = count[gram] / fitted[overlap] * fitted[end]
                    if expected >= 0.5:
                        joined[(*gram, end[-1])] = expected
        count |= joined
        level = list(joined)
    published: Counter[tuple[int, ...]] = Counter()
    for length in range(min(max(map(len, count), default=0), l_max), 0, -1):
        for gram in [g for g in count if len(g) == length]:
            copies = int(np.floor(count[gram] + 0.5))
            if copies > 0:
                published[tuple(x for x in gram if x != LABELS)] += copies
                for i in range(length):
                    for j in range(i + 1, length + 1):
                        if gram[i:j] in count:
                            count[gram[i:j]] -= copies
    return published


@given(databases(LABELS, 8, 6), chosen_values(40), st.integers(1, 6), st.integers(1, 4))
def test_all_off_is_the_printed_construction(records, values, l_max, n_max):
    """Records that end are published as they stand in the tree, every gram as often as its count says, and none is joined."""
    tree = tree_of(records, values, l_max, n_max)
    published = synthesize(tree, l_max, cap=False, joints=False, implied_ends=False)

    assert as_printed(tree, l_max) == Counter(tuple(record.tolist()) for record in published)


@given(
    databases(LABELS, 8, 6),
    st.integers(1, 6),
    st.fixed_dictionaries({name: st.booleans() for name in PRINTED if name != "implied_ends"}),
)
def test_theorem_4_1_holds_with_other_switches(records, l_max, switches):
    """With exact counts of all grams up to l_max the truncated database comes back, whatever else was turned off."""
    exact = NGram(l_max=l_max, n_max=l_max, theta=0.001, approximate=False, allocation="uniform", **switches)
    release = sv.experiment(table_of_codes(records, LABELS), exact, "1.0", seed=None)

    assert Counter(tuple(r[:l_max]) for r in records if r) == records_of(release)


def test_theorem_4_1_needs_implied_ends():
    """As printed, a record of l_max items is published, and its last ones once more, because their end is a gram of its own."""
    exact = NGram(l_max=2, n_max=2, theta=0.001, approximate=False, allocation="uniform", implied_ends=False, cap=False)

    assert Counter({(0, 0): 1, (0,): 1}) == records_of(sv.experiment(table_of_codes([[0, 0]], 2), exact, "1.0", seed=None))


@given(databases(LABELS, 8, 6), chosen_values(200), st.integers(2, 6))
def test_joints_only_join(records, values, l_max):
    """Without them there are the same items and no fewer records, and no step that the joined records lack."""
    tree = tree_of(records, values, l_max, 3)
    joined, apart = ([r.tolist() for r in synthesize(tree, l_max, joints=joints)] for joints in (True, False))
    steps = [Counter(step for record in some for step in pairwise(record)) for some in (joined, apart)]

    assert Counter(x for r in joined for x in r) == Counter(x for r in apart for x in r)
    assert len(joined) <= len(apart)
    assert steps[1] <= steps[0]
    assert steps[0].total() - steps[1].total() == len(apart) - len(joined)


def test_without_the_cap_runs_are_published_too_often(release_of):
    """The cap keeps single labels within their counts; without it, joins of runs exceed them."""

    def excess(release):
        published, grams = Counter(release.synthetic.items.tolist()), release.grams
        return max(published[grams.gram(k)[0]] - grams.count[k] for k in np.flatnonzero(grams.lengths == 1))

    assert excess(release_of()) <= 0.5 + 1e-9
    assert excess(release_of(cap=False)) > 5


def test_the_preset_is_all_of_them():
    """`--method ngram-printed` turns off every switch of the class, keeps the others as parameters, and names itself so."""
    printed = registry.make("ngram-printed", {"l_max": 7})
    switches = {f.name for f in fields(NGram) if f.default is True} - {"approximate"}

    assert switches == set(PRINTED)
    assert replace(NGram(l_max=7), **PRINTED) == printed
    assert PRINTED | {"allocation": "adaptive"} == registry.method("ngram-printed").preset
    assert ["ngram-printed", "ngram", "ngram"] == [m.name for m in (printed, NGram(), replace(printed, cap=True))]
