"""After a run nothing more can be asked: it would stand in no manifest."""

from __future__ import annotations

import pytest

import seqveil as sv
from seqveil.errors import BudgetExceeded
from seqveil.wall import Grams, Size
from seqveil.wall.noise import SeededNoise
from seqveil.wall.run import open_wall


def test_a_closed_wall_its_trees_and_its_parts_answer_nothing():
    """Whatever a mechanism kept of the wall is worthless afterwards."""
    table = sv.table_of([["a", "b"]] * 50, sv.Domain.of(["a", "b"]))
    wall = open_wall(table, sv.Record(), 10**12, SeededNoise(1))
    tree = wall.tree(Grams(l_max=2), 10**11)
    (part,) = wall.parts(1, 10**11)

    wall.close()

    assert 0 == wall.remaining
    with pytest.raises(BudgetExceeded):
        wall.ask(Size(), 1)
    with pytest.raises(BudgetExceeded):
        tree.expand([tree.root], 1, 5)
    with pytest.raises(BudgetExceeded):
        part.size(1)


def test_a_table_made_by_hand_must_stay_within_its_domain():
    """Codes outside the domain are refused when the table is made, not met by a kernel."""
    from seqveil.errors import CallError
    from seqveil.tables.flat import Flat

    with pytest.raises(CallError, match="outside the domain"):
        sv.SequenceTable(sv.Domain.of(["a"]), Flat.of([[0, 1]]))
