"""Traces and boxes: every point has one cell, by itself."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from seqveil.tables.traces import Box, Traces

numbers = st.floats(-5, 15)


@given(points=st.lists(st.tuples(numbers, numbers), max_size=20), rows=st.integers(1, 9), columns=st.integers(1, 9))
def test_a_point_lies_in_its_cell(points, rows, columns):
    """Inside of the box the cell holds the point; outside it is the nearest one."""
    box = Box(0, 0, 10, 8)
    flat = Traces.of([points]).on(box, rows, columns)
    row, column = np.divmod(flat.items, columns)
    for (x, y), i, j in zip(points, row.tolist(), column.tolist(), strict=True):
        x, y = np.clip(x, 0, 10), np.clip(y, 0, 8)
        assert j * 10 / columns - 1e-9 <= x <= (j + 1) * 10 / columns + 1e-9
        assert i * 8 / rows - 1e-9 <= y <= (i + 1) * 8 / rows + 1e-9


def test_a_repr_shows_no_point():
    assert "7" not in repr(Traces.of([[(7, 7)]]))
