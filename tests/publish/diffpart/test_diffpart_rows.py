"""Rows of a relational table: one taxonomy per attribute, and a private choice of what is cut."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import seqveil as sv
from publish.diffpart.enumeration import law, loss
from seqveil.engines.local.partitions import PartitionCounter
from seqveil.errors import CallError
from seqveil.publish.diffpart.partitioning import Partitioning
from seqveil.publish.diffpart.predict import Expected
from seqveil.tables.flat import Flat
from seqveil.tables.sets import SetTable
from seqveil.tables.taxonomy import Taxonomy
from seqveil.tables.units import Record
from seqveil.wall.budget import GRAINS
from seqveil.wall.noise.nothing import NoNoise
from seqveil.wall.questions.largest_part import LargestPart
from seqveil.wall.tree import PrivateTree

PEOPLE = sv.Domain.of(["sex=f", "age=young", "age=middle", "sex=m", "age=old", "smoker"])


def released(release: Any) -> dict[tuple[int, ...], int]:
    return {tuple(codes.tolist()): int(n) for codes, n in zip(release.sets.flat, release.sets.copies, strict=True) if n}


@settings(max_examples=30)
@given(st.sampled_from([2, 3, 10]), st.sampled_from([0.0, 0.5]), st.data())
def test_without_noise_the_rows_come_back(fan_out: int, choosing: float, data: Any) -> None:
    """Where every threshold is below 1, each row is published as often as it occurs, whichever attribute is cut first."""
    one = st.tuples(st.sampled_from([None, 0, 3]), st.sampled_from([None, 1, 2, 4]), st.sampled_from([None, 5]))
    rows = [sorted(x for x in row if x is not None) for row in data.draw(st.lists(one, max_size=12))]
    table = SetTable(PEOPLE, Flat.of(rows))
    release = sv.experiment(table, sv.DiffPartRows(fan_out=fan_out, choosing=choosing, c1=5, c2=5), "100000", seed=None)

    assert dict(Counter(tuple(row) for row in rows if row)) == released(release)


def test_of_two_values_of_one_attribute_the_first_counts() -> None:
    """A record that is no row, with two ages, still walks one path."""
    table = SetTable(PEOPLE, Flat.of([[0, 1, 2, 4]] * 7))
    release = sv.experiment(table, sv.DiffPartRows(), "100000", seed=None)

    assert {(0, 1): 7} == released(release)


def test_a_row_takes_as_many_cuts_as_attributes_are_high_and_two_to_the_l_fewer_tests() -> None:
    """Six labels: a bag has up to 2^6 − 1 sub-partitions, rows 3, 4 and 2; each is paid with a third of ε/2, not of ε/2 / 2^l."""
    mechanism = sv.DiffPartRows(size_share=0)
    taxonomy = mechanism.taxonomies(PEOPLE)
    counter = PartitionCounter.root(Flat.of([[0]]), taxonomy)
    split = np.stack([taxonomy.trunk, np.zeros(3, np.int64)], axis=1)

    assert [3, 4, 2] == counter.fan_out(np.zeros(3, np.int64), split)
    assert "at most 3 cuts" in mechanism.plan(6 * GRAINS, PEOPLE, Record()).stages[0][2]


class Watched(PrivateTree):
    """A private tree that remembers what it was paid for choices, and what was chosen."""

    paid: tuple[int, ...] = ()
    chosen: tuple[int, ...] = ()

    def ask(self, question: Any, nodes: Any, epsilon: Any) -> Any:
        before = self.remaining(nodes)
        answers = super().ask(question, nodes, epsilon)
        self.paid += tuple((before - self.remaining(nodes)).tolist())
        self.chosen += tuple(int(answer[0]) for answer in answers)
        return answers


def loss_of_a_run(added: tuple[int, ...]) -> float:
    """Two attributes that may be missing, one record, and another one added: the exact loss of choices and published rows."""
    taxonomy = Taxonomy.grouped([np.array([0, 1])], 2, 10, attributes=True)

    def outcome(flat: Flat) -> dict[Any, float]:
        def run(noise: Any) -> Any:
            tree = Watched(PartitionCounter.root(flat, taxonomy), 1, GRAINS, noise)
            expected = Expected(taxonomy, taxonomy.height.astype(float), 0.5, 0.05, GRAINS, 1, growth=1.5)
            partitioning = Partitioning(tree, expected, 0.5)
            partitioning.run()
            assert tree.dearest <= GRAINS
            return tree.chosen, tuple(sorted(tuple(codes.tolist()) for codes in partitioning.sets().flat))

        return law(run, reach=2)

    one, more = outcome(Flat.of([[0]])), outcome(Flat.of([[0], added]))
    assert 1.0 == pytest.approx(sum(one.values())) == pytest.approx(sum(more.values()))
    return loss(one, more)


@pytest.mark.slow
@pytest.mark.parametrize("added", [(1,), (0, 1)])
def test_a_whole_run_with_a_choice_stays_within_epsilon(added: tuple[int, ...]) -> None:
    """Every outcome of choice and counts, with exact probabilities: at most ε, and not far below."""
    assert 0.3 < loss_of_a_run(added) <= 1 + 1e-9


@pytest.mark.slow
def test_a_choice_that_is_too_sharp_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores that count forty times: the same enumeration sees more than ε."""
    real = LargestPart.scores
    monkeypatch.setattr(LargestPart, "scores", lambda *given: 40 * real(*given))

    assert loss_of_a_run((0, 1)) > 1 + 1e-9


def test_the_choice_is_charged_to_the_path_that_it_leads_to() -> None:
    """ε = 6, three cuts: a cut has ε/6, a tenth of which pays for the choice; with one attribute left nothing is chosen."""
    taxonomy = sv.DiffPartRows().taxonomies(PEOPLE)
    tree = Watched(PartitionCounter.root(Flat.of([[0, 1, 5]] * 400), taxonomy), 1, 6 * GRAINS, NoNoise())
    Partitioning(tree, Expected(taxonomy, taxonomy.height.astype(float), 2.0, 2.0, 6 * GRAINS, 1), 0.1).run()

    assert 2 == len(tree.paid)
    assert GRAINS // 10 == tree.paid[0]
    assert tree.dearest == 6 * GRAINS


@pytest.mark.parametrize(("wrong", "said"), [({"choosing": 0.95}, "from 0 to 0.9"), ({"fan_out": 1}, "from 2 to 60")])
def test_wrong_parameters_say_what_is_allowed(wrong: dict[str, Any], said: str) -> None:
    """Bad values fail when the mechanism is made."""
    with pytest.raises(CallError, match=said):
        sv.DiffPartRows(**wrong)


def test_what_noise_alone_would_fill_is_refused_before_anything_is_spent() -> None:
    """At c2 = 0 half of all empty parts pass: refused, and the advice works."""
    with pytest.raises(CallError, match=r"Use c2=0\.7"):
        sv.DiffPartRows(c2=0).precheck(GRAINS, PEOPLE, Record())
    sv.DiffPartRows(c2=0.7).precheck(GRAINS, PEOPLE, Record())
    with pytest.raises(CallError, match="too small"):
        sv.DiffPartRows().precheck(2, PEOPLE, Record())
