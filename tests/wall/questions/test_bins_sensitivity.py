"""How far one record can move the bins of bases, by enumeration: the claims of wall/questions/bins.py."""

from itertools import combinations

import numpy as np
import pytest

from seqveil.bases.bins import superset_sums
from seqveil.errors import CallError
from seqveil.tables.units import Event, Record, User
from seqveil.wall.questions.bins import Bins

RECORDS = [list(c) for k in range(1, 5) for c in combinations(range(4), k)]


def moved(dense, table, question, counts=lambda dense: dense):
    """How far each set over four labels moves all counts together when it joins each of two tables."""
    for others in ([], [[0, 1, 3], [2]]):
        before = counts(np.array(dense(question, table(others, 4), Record())))
        for record in RECORDS:
            after = counts(np.array(dense(question, table([*others, record], 4), Record())))
            yield int(np.abs(after - before).sum())


@pytest.mark.parametrize("bases", [((0,),), ((2, 0, 3),), ((0, 1, 2, 3),), ((0, 1), (1, 2, 3), (3,))])
def test_every_record_moves_one_bin_of_each_basis(table, dense, bases):
    """Exactly as far as stated, so a claim that is one too small is exceeded."""
    question = Bins(bases)

    assert {len(bases)} == set(moved(dense, table, question)) == {question.influence(Record())}
    assert 3 * len(bases) == question.influence(User(max_sequences=3))


def test_noise_on_supports_instead_of_bins_would_be_too_small(table, dense):
    """The planted mistake: supports of all subsets, with the noise of bins. A set of four labels moves 2^4 of them."""
    assert 16 == max(moved(dense, table, Bins(((0, 1, 2, 3),)), superset_sums)) > Bins(((0, 1, 2, 3),)).influence(Record())


def test_noise_for_one_basis_would_be_too_small_for_two(table, dense):
    """The planted mistake: w bases cost w, not 1."""
    assert max(moved(dense, table, Bins(((0, 1), (2, 3))))) > Bins(((0, 1),)).influence(Record())


def test_bases_that_are_none_are_refused():
    """No basis, an empty one, a label twice, too many labels, codes outside the domain, other units."""
    for bases in ((), ((),), ((0, 0),), ((-1,),), (tuple(range(21)),)):
        with pytest.raises(CallError, match="basis"):
            Bins(bases)
    with pytest.raises(CallError, match="codes 0 to 2"):
        Bins(((0, 3),)).slots(3)
    with pytest.raises(CallError, match="record or a user"):
        Bins(((0,),)).influence(Event())
