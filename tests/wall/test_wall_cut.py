"""Records are cut once: every question sees the same part of a record, and no other record has a say in which."""

from __future__ import annotations

from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest

import seqveil as sv
from seqveil.engines.local.engine import LocalEngine
from seqveil.errors import CallError
from seqveil.publish.ngram import NGram
from seqveil.tables.units import Record, User
from seqveil.wall.budget import GRAINS
from seqveil.wall.clip import ClipFailed
from seqveil.wall.noise import SeededNoise
from seqveil.wall.noise.nothing import NoNoise
from seqveil.wall.questions.alphabet import Alphabet
from seqveil.wall.questions.ends import Firsts, Lasts, Trips
from seqveil.wall.questions.lengths import LengthQuantile, Lengths
from seqveil.wall.questions.windows import Labels, Windows
from seqveil.wall.run import open_wall, perform
from strategies import table_of_codes

LABELS = 12
WORDS = Alphabet.identity(LABELS)
RECORDS = [tuple(range(LABELS)), (3,), tuple(range(7)), ()]


class Exact(NoNoise):
    """Exact answers; what is kept of records is drawn."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)

    def below(self, n, size):
        return self._random.integers(0, n, size)


def opened(seed=1, records=tuple(RECORDS), unit=None, users=None):
    return open_wall(table_of_codes(records, LABELS, users), unit or Record(), GRAINS, Exact(seed))


@pytest.mark.parametrize("how", ["first", "window", "sample"])
@pytest.mark.parametrize("seed", range(5))
def test_all_questions_see_the_same_part(how, seed):
    """Labels, pairs of neighbours and ends belong to the same contiguous parts, whole and in strata."""
    wall = opened(seed)
    wall.cut(4, how)
    labels = wall.ask(Labels(4, WORDS), 1)
    pairs = wall.ask(Windows(4, np.arange(LABELS, dtype=np.int32).reshape(-1, 1), WORDS), 1).reshape(LABELS, LABELS)
    firsts, lasts = wall.ask(Firsts(WORDS), 1), wall.ask(Lasts(WORDS), 1)

    assert [0] == np.unique(labels - firsts - pairs.sum(0)).tolist()
    assert [0] == np.unique(labels - lasts - pairs.sum(1)).tolist()
    strata = wall.strata([1, 2, 4], GRAINS // 2)
    assert labels.tolist() == sum(stratum.ask(Labels(4, WORDS), 1) for stratum in strata).tolist()
    assert wall.ask(Trips(WORDS), 1).tolist() == sum(stratum.ask(Trips(WORDS), 1) for stratum in strata).tolist()
    assert 4 == len(RECORDS) == wall.size(1)
    if how == "first":
        assert [0, 3] == sorted(np.flatnonzero(firsts).tolist())


@pytest.mark.parametrize("how", ["window", "sample"])
def test_what_is_kept_of_a_record_depends_on_no_other(how):
    """With the same keys for the others, a record that joins changes nothing about them."""
    joined = [opened(9, records) for records in (RECORDS, [*RECORDS, tuple(range(LABELS))])]
    answers = []
    for wall in joined:
        wall.cut(3, how)
        answers.append(wall.ask(Trips(WORDS), 1))

    assert 1 == np.abs(answers[1] - answers[0]).sum()


def test_records_are_cut_once_and_before_anything_is_opened():
    """A second cut, or one after a tree, would make answers about different parts of a record."""
    wall = opened()
    wall.quantile(LengthQuantile(9, Fraction(1, 2)), GRAINS // 4)
    wall.cut(4, "sample")
    with pytest.raises(CallError, match="cut once"):
        wall.cut(3)
    other = opened()
    other.parts(2, GRAINS // 2)
    with pytest.raises(CallError, match="cut once"):
        other.cut(4)
    for l_max, how in ((0, "first"), (3, "last")):
        with pytest.raises(CallError, match="'first', 'window' or 'sample'"):
            opened().cut(l_max, how)


def test_a_cut_costs_nothing_and_stands_in_no_bill():
    """Nothing is answered."""
    wall = opened()
    wall.cut(4, "window")

    assert (GRAINS, []) == (wall.remaining, wall.bill)


def test_a_part_may_be_cut_by_itself():
    """It is a wall like any other; users keep their records together."""
    wall = opened(2, [(0, 1, 2, 3), (4, 5, 6), (1,)], User(max_sequences=2), [5, 5, 8])
    for part in wall.parts(2, GRAINS):
        part.cut(2, "sample")
        assert 0 == part.ask(Lengths(9), 1)[2:].sum()


FORGETFUL = {
    "longer than l_max": lambda engine, table, l_max, how, uniform: table,
    "lost or added": lambda engine, table, l_max, how, uniform: engine.cut(table, l_max).take(np.arange(2)),
}


@pytest.mark.parametrize("defect", FORGETFUL)
def test_an_engine_that_cuts_wrongly_is_stopped(defect):
    """Before anything is asked."""
    with patch.object(LocalEngine, "excerpts", FORGETFUL[defect]), pytest.raises(ClipFailed, match=defect):
        opened().cut(4, "window")


@pytest.mark.parametrize("l_max", [4, "auto"])
@pytest.mark.parametrize(
    ("cut", "about"), [("first", "their first"), ("window", "a random window of"), ("sample", "a random block of at most")]
)
def test_a_release_says_what_was_kept(cut, about, l_max, tmp_path):
    """In its manifest and in what its counts are about, also when it is loaded again."""
    table = table_of_codes([tuple(range(LABELS))] * 300, LABELS)
    release = perform(NGram(l_max=l_max, n_max=2, cut=cut, l_most=9), table, Record(), 100 * GRAINS, SeededNoise(1))
    loaded = sv.load(release.save(tmp_path / "out"))

    assert cut == loaded.manifest.mechanism.parameters["cut"]
    assert f"occurrences in records cut to {about} {loaded.l_max:,} items" == loaded.about
    assert (cut != "first") == (loaded.count([f"I{LABELS}"]).value > 10)  # without a row it is not a number


def test_the_default_is_the_first_part():
    """Seeded releases of earlier versions stay what they were: the first part draws nothing."""
    table = table_of_codes([tuple(range(LABELS))] * 50 + [(1, 2)] * 50, LABELS)
    noise = SeededNoise(5)
    wall = open_wall(table, Record(), GRAINS, noise)
    wall.cut(4)
    drawn = wall.size(GRAINS // 2)

    assert NGram().cut == "first"
    assert drawn == open_wall(table, Record(), GRAINS, SeededNoise(5)).size(GRAINS // 2)


def test_ways_that_do_not_exist_are_refused():
    """By the method, from public parameters."""
    with pytest.raises(CallError, match="choose 'first', 'window' or 'sample'"):
        NGram(cut="last")
