"""Synthetic sets by bases: they agree with what was counted, have the right sizes, and can be saved and loaded."""

import numpy as np
import pytest

import seqveil as sv
from seqveil.errors import CallError
from seqveil.release.sets import SetModelRelease


def table(n=3000, seed=5):
    """Sets of 1 to 6 of 40 labels; three of them often together."""
    random = np.random.default_rng(seed)
    share = 1 / (np.arange(40) + 3.0)
    rows = [
        {*random.choice(40, random.integers(1, 5), p=share / share.sum()).tolist(), *((0, 1, 2) if random.random() < 0.3 else ())}
        for _ in range(n)
    ]
    return sv.sets_of([[str(x) for x in row] for row in rows], sv.Domain.range(0, 39))


@pytest.fixture(scope="module")
def release():
    return sv.experiment(table(), sv.BasisSets(top=30), 4.0, seed=2)


def test_synthetic_sets_agree_with_counts_and_sizes(release):
    """Within what noise and fitting leave."""
    true, synthetic = table().flat, release.synthetic
    both = [np.bincount(np.minimum(f.lengths, 8), minlength=9) / len(f) for f in (true, synthetic)]
    counts = [release.count(release.domain.labels(release.patterns.pattern(k))).value for k in range(30)]
    contained = [release._index.support(list(release.patterns.pattern(k))) for k in range(30)]

    assert abs(len(synthetic) - len(true)) < 100
    assert np.abs(both[0] - both[1]).sum() / 2 < 0.1
    assert np.median(np.abs(np.array(contained) - counts) / np.maximum(counts, 1)) < 0.1


def test_what_was_not_counted_is_an_estimate_and_never_zero_by_ignorance(release):
    """A label in no synthetic set is not released; other combinations have no error bar."""
    counted = {release.patterns.pattern(k) for k in range(len(release))}
    other = next(
        (a, b) for a in range(40) for b in range(a + 1, 40) if (a, b) not in counted and len(release._index.rows([a, b]))
    )
    answer = release.count(release.domain.labels(other))

    assert ("estimate", None) == (answer.kind, answer.low)
    assert release.count(release.domain.labels([0, 1, 2])).low is not None


def test_it_can_be_saved_loaded_and_drawn_from(release, tmp_path):
    """The same answers, the same sets, and any number of them."""
    release.save(tmp_path / "out")
    again = sv.load(tmp_path / "out")

    assert isinstance(again, SetModelRelease)
    assert release.top(20) == again.top(20)
    assert [r.tolist() for r in release.synthetic] == [r.tolist() for r in again.synthetic]
    assert 50 == len(again.draw(50, seed=1))


def test_totals_are_counts_or_estimates(release):
    """A sum of counted itemsets has an interval, one with others has none."""
    counted = [release.domain.labels(release.patterns.pattern(k)) for k in range(2)]

    assert release.total(counted).low is not None
    assert "estimate" == release.total([*counted, release.domain.labels([0, 1, 2, 3, 4])]).kind


def test_no_records_give_no_sets():
    """An empty table is no error."""
    empty = sv.experiment(sv.sets_of([], sv.Domain.range(0, 9)), sv.BasisSets(top=5), 1.0, seed=1)

    assert len(empty.synthetic) < 200


def few_labels(n=4000, seed=3):
    """Sets over 10 labels of which nearly all records have three, and most other combinations never occur."""
    random = np.random.default_rng(seed)
    kinds = [{"a", "b", "c"}, {"a", "b", "c", "d"}, {"a", "b", "c", "e", "f"}, {"a", "g"}, {"h"}]
    domain = sv.Domain.of(list("abcdefghij"), public_because="ten letters")
    return sv.sets_of([sorted(kinds[k]) for k in random.choice(5, n, p=(0.6, 0.2, 0.15, 0.04, 0.01))], domain)


def test_few_labels_are_published_as_they_occur():
    """More itemsets are wanted than are frequent; every kind of record is there, and hardly any other."""
    table = few_labels()
    published = sv.experiment(table, sv.BasisSets(top=100), 1.0, seed=4)
    kinds = {tuple(codes.tolist()) for codes in table.flat}
    others = [codes for codes in published.synthetic if tuple(codes.tolist()) not in kinds]
    common = published.count(table.domain.labels([0, 1, 2]))
    true = sum({0, 1, 2} <= set(codes.tolist()) for codes in table.flat)

    assert len(others) < 0.01 * len(table)
    assert abs(published._index.support([0, 1, 2]) - true) < 150
    assert common.low <= true <= common.high


def test_of_few_labels_only_the_number_of_records_and_the_bins_are_asked():
    """The plan says so, and all of ε is in it; one label more than few takes the other way."""
    few = sv.BasisSets().plan(10**12, sv.Domain.range(1, 18), sv.Record())
    more = sv.BasisSets().plan(10**12, sv.Domain.range(1, 19), sv.Record())

    assert ["size", "count"] == [stage[0] for stage in few.stages]
    assert 10**12 == sum(stage[1] for stage in few.stages)
    assert "labels" in [stage[0] for stage in more.stages]


def test_an_epsilon_that_is_too_small_is_refused_in_the_terms_it_was_given():
    """Below the least; and where the number of sets would be noise."""
    domain = sv.Domain.range(1, 30)
    with pytest.raises(CallError, match=r"epsilon=0\.0000001: too small"):
        sv.BasisSets().plan(10**5, domain, sv.Record())
    with pytest.raises(CallError, match=r"the number of synthetic sets would be wrong by about"):
        sv.BasisSets().plan(10**6, domain, sv.Record())
