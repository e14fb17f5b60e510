"""The most frequent itemsets by bases: what is found without noise in each way of counting, and how bad input is taken."""

import re
from itertools import combinations

import numpy as np
import pytest

import seqveil as sv
from seqveil.errors import CallError
from seqveil.wall.budget import grains


def world(labels, n=4000, seed=1, users=False):
    """Sets around three groups of labels, and others that come and go."""
    random = np.random.default_rng(seed)
    groups = [random.choice(labels, 3, replace=False) for _ in range(3)]
    share = 0.6 / (np.arange(labels) + 1.5)
    rows = [
        sorted({*groups[random.choice(3, p=[0.6, 0.3, 0.1])].tolist(), *np.flatnonzero(random.random(labels) < share).tolist()})
        for _ in range(n)
    ]
    owners = [i // 2 for i in range(n)] if users else None
    return sv.sets_of([[str(x) for x in row] for row in rows], sv.Domain.range(0, labels - 1), owners)


def supports(table):
    """By enumerating the subsets of every set, up to four labels."""
    out = {}
    for row in table.flat:
        for k in range(1, 5):
            for s in combinations(row.tolist(), k):
                out[s] = out.get(s, 0) + 1
    return out


def released(release):
    return {release.patterns.pattern(k): int(release.patterns.noisy[k]) for k in range(len(release))}


@pytest.mark.parametrize(("labels", "top"), [(8, 30), (60, 40)])
def test_without_noise_the_top_are_found_with_their_supports(labels, top):
    """One basis of few labels, and many labels of which pairs are asked for first."""
    table = world(labels)
    true = supports(table)
    least = sorted(true.values())[-top]
    found = released(sv.experiment(table, sv.Basis(top=top, longest=4), 1.0, seed=None))

    assert top == len(found)
    assert all(true[x] >= least for x in found)
    assert all(true[x] == n for x, n in found.items())


@pytest.mark.parametrize("unit", [sv.Record(), sv.User(max_sequences=2)])
def test_intervals_cover_true_supports(unit):
    """Over several runs: nothing is clipped in one basis, so what is released is right within its error bar."""
    table = world(8, users=isinstance(unit, sv.User))
    true = supports(table)
    covered = []
    for seed in range(6):
        release = sv.experiment(table, sv.Basis(top=30, longest=4), 2.0, seed=seed, unit=unit)
        answers = release.answers(range(len(release)))
        covered += [a.low <= true[release.patterns.pattern(k)] <= a.high for k, a in enumerate(answers)]

    assert np.mean(covered) > 0.85


def test_clipped_counts_say_so():
    """What a record does not count for is missing from the counts, and `about` says that."""
    release = sv.experiment(world(60), sv.Basis(top=40, longest=4), 0.2, seed=3)

    assert "basis" == release.manifest.mechanism.name
    assert "counts may be too small" in release.about or release.patterns.scale.min() > 0


def test_a_total_of_itemsets_that_share_bins_adds_their_error_bars():
    """Their noise is not independent: the interval of a sum is not narrower than what independence would claim."""
    release = sv.experiment(world(8), sv.Basis(top=10), 1.0, seed=1)
    names = [release.labels(k) for k in range(4)]
    parts = [release.count(name) for name in names]
    total = release.total(names)

    assert total.high - total.low >= sum(a.high - a.low for a in parts)


def test_nothing_gives_an_empty_list_or_few_labels_by_noise():
    """An empty table is no error, and what is released of it has error bars down to 0."""
    empty = sv.sets_of([], sv.Domain.range(0, 9))
    release = sv.experiment(empty, sv.Basis(top=5), 1.0, seed=4)

    assert all(a.low == 0 for a in release.answers(range(len(release))))


@pytest.mark.parametrize("given", [{"top": 0}, {"top": 10_001}, {"longest": 0}, {"longest": 51}])
def test_parameters_that_make_no_sense_are_refused(given):
    """With what is allowed."""
    with pytest.raises(CallError, match=re.escape(f"{next(iter(given))}={next(iter(given.values()))}")):
        sv.Basis(**given)


def test_too_little_to_divide_is_refused_before_anything_is_spent():
    """By the plan."""
    with pytest.raises(CallError, match="too small to be divided"):
        sv.Basis().plan(grains("0.0000001"), sv.Domain.range(0, 9), sv.Record())
