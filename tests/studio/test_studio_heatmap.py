"""Matrices as pictures: rows add up, labels of any script fit, and the numbers can be read without seeing them."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqveil.studio.drawing import _follows, _trips
from seqveil.studio.figures import LONGEST, breadth, cut
from seqveil.studio.heatmap import OTHERS, Matrix, heat_map
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat


@given(st.text(min_size=1, max_size=40))
def test_no_label_is_broader_than_its_place(label: str):
    assert breadth(cut(label)) <= LONGEST


def test_a_row_of_what_follows_adds_up_with_the_others():
    """20 labels in a ring, of which 15 are shown: what goes to the rest is one column."""
    ring = Flat.of([[n, (n + 1) % 20, (n + 7) % 20] for n in range(20)] * 3)
    matrix = _follows(ring, Domain.range(1, 20))

    assert matrix is not None
    assert matrix.columns[-1] == OTHERS
    assert [pytest.approx(1.0)] * 15 == [sum(row) for row in matrix.cells]
    assert max(matrix.others or []) > 0


def test_a_label_that_is_always_the_last_goes_nowhere():
    """Nothing comes after it: not the others either."""
    records = Flat.of([[n, 0] for n in range(1, 18)] + [[0]] * 5)
    matrix = _follows(records, Domain.range(1, 18))

    assert matrix is not None
    assert matrix.cells[matrix.labels.index("1")] == [0.0] * 16


def test_all_labels_leave_no_others():
    matrix = _follows(Flat.of([[0, 1], [1, 0]]), Domain.of(["a", "b"]))

    assert matrix is not None
    assert (matrix.others, matrix.columns) == (None, matrix.labels)


def test_shares_of_trips_are_of_what_begins_there():
    """Half of the trips that begin at label 1 end there; labels where nothing begins have an empty row."""
    pairs = [{"pattern": ("1", "1"), "value": 50.0}, {"pattern": ("1", "2"), "value": 30.0}]
    release: Any = SimpleNamespace(
        od=lambda most: pairs,
        first=lambda label: SimpleNamespace(value={"1": 100.0}.get(label, 0.0)),
        domain=Domain.range(1, 4),
    )

    assert _trips(release) == Matrix(["1", "2"], [[0.5, 0.3], [0.0, 0.0]], [pytest.approx(0.2), 0.0])


def test_the_picture_says_its_largest_shares_and_escapes_labels():
    evil = "</svg><script>alert(1)</script>"
    drawn = heat_map(Matrix([evil, "b"], [[0.25, 0.75], [0.0, 1.0]], [0.0, 0.0]), "A map")
    said = re.search(r'aria-label="([^"]*)"', drawn)

    assert said is not None
    assert "The largest: ⁨b⁩ to ⁨b⁩, 100 %" in said[1]
    assert "<script" not in drawn
    assert drawn.count("<rect") == 2 * 3
