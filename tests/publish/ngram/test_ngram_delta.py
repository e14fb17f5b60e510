"""N-grams in zCDP: thresholds and noise of the tree, and what its counts then mean."""

from math import sqrt

import numpy as np
import pytest

import seqveil as sv
from seqveil.errors import CallError
from seqveil.publish.ngram.allocation import InL2, threshold
from seqveil.publish.ngram.caps import usual_cap
from seqveil.release.coverage import coverage
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.sequences import SequenceTable
from seqveil.tables.units import Record, User
from seqveil.wall import GRAINS, Sigma


def looping(records=4000, labels=70):
    """Records of three times the same label, and of four different ones."""
    domain = Domain.range(0, labels - 1, public_because="test")
    return SequenceTable(domain, Flat.of([[0, 0, 0], [5, 6, 7, 8]] * (records // 2)))


def test_a_threshold_lets_one_empty_child_in_a_family_pass():
    paid = np.array([GRAINS // 50])
    theta = threshold(InL2(40), 100, paid)[0]
    assert Sigma.of(40, int(paid[0])).probability(round(theta)) == pytest.approx(1 / 100, rel=0.1)
    assert threshold(InL2(160), 100, paid)[0] == pytest.approx(2 * theta)
    assert threshold(InL2(40), 100, paid // 4)[0] == pytest.approx(2 * theta)


@pytest.mark.parametrize(("most", "zeros"), [(None, 4000), (1, 2000), (3, 6000)])
def test_a_unit_counts_so_often_for_a_gram(most, zeros):
    release = sv.experiment(looping(), sv.NGram(l_max=4, n_max=3, most=most), epsilon=4, delta="1e-6", seed=2)
    answer = release.count(["0"])
    assert answer.low <= zeros <= answer.high
    assert ("once" if most == 1 else f"{most or 2} times") in coverage(release.manifest)


def test_noise_is_that_of_the_cap_and_all_walks(tmp_path):
    """The first level gets ρ/n_max at least: σ is at most √(cap · l_max · n_max / 2ρ)."""
    release = sv.experiment(looping(), sv.NGram(l_max=4, n_max=3, most=1), epsilon=1, delta="1e-6", seed=1)
    rho = float(release.manifest.zcdp.rho)
    first = release.grams.scale[release.grams.lengths == 1]
    assert first.max() == pytest.approx(sqrt(1 * 4 * 3 / (2 * rho)), rel=1e-6)
    release.save(tmp_path / "out")
    again = sv.load(tmp_path / "out")
    assert again.top(9) == release.top(9)
    assert again.total([["5"], ["6"]]) == release.total([["5"], ["6"]])
    assert "sigma" in again.tables()["grams"].column_names


def test_what_pure_epsilon_and_zcdp_do_not_know_is_refused():
    with pytest.raises(CallError, match="with pure ε noise does not depend on it"):
        sv.experiment(looping(10), sv.NGram(most=1), epsilon=1, seed=1)
    with pytest.raises(CallError, match="choose 'printed'"):
        sv.experiment(looping(10), sv.NGram(consistency="weighted"), epsilon=1, delta="1e-6", seed=1)
    with pytest.raises(CallError, match="most=0"):
        sv.NGram(most=0)
    assert "most" not in sv.NGram().parameters()


def test_the_usual_cap_grows_with_the_root_of_the_records_of_a_user():
    assert [usual_cap(100, Record()), usual_cap(100, User(9)), usual_cap(17, Record())] == [2, 6, 5]
