"""Grids, blocks, moves, and which steps are listed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqveil.models.gridtrips.grid import REACH, Grid


@given(labels=st.integers(1, 60), columns=st.integers(1, 12), side=st.integers(1, 7))
def test_moves_lead_to_near_cells_and_blocks_are_rectangles(labels, columns, side):
    """Whatever the shape, also where the last row is not full."""
    grid = Grid(labels, columns)
    row, column = grid.place
    moves, block = grid.moves, grid.blocks(side)
    origin, move = np.nonzero(moves.cell >= 0)
    to = moves.cell[origin, move]

    assert (moves.cell[:, 0] == np.arange(labels)).all()
    assert np.array_equal(np.stack([row[to] - row[origin], column[to] - column[origin]], axis=1), moves.step[move])
    near = (abs(row[:, None] - row) <= REACH) & (abs(column[:, None] - column) <= REACH)
    assert near.sum() == len(origin)
    assert set(block.tolist()) == set(range(int(block.max()) + 1))
    for one in range(int(block.max()) + 1):
        inside = block == one
        corners = (row >= row[inside].min()) & (row <= row[inside].max())
        corners &= (column >= column[inside].min()) & (column <= column[inside].max())
        assert (corners == inside).all()


@pytest.mark.parametrize("within", [True, False])
def test_listed_steps_are_those_that_moves_make(within):
    """Cells: one slot for each move. Blocks: one slot for each pair of different blocks that a move joins."""
    grid = Grid(12, 4)
    codes = np.arange(12, dtype=np.int32) if within else grid.blocks(2)
    listed = grid.moves.listed(codes, within)
    origin, move = np.nonzero(grid.moves.cell >= 0)
    pairs = {(int(codes[a]), int(codes[b])) for a, b in zip(origin, grid.moves.cell[origin, move], strict=True)}
    pairs = pairs if within else {(a, b) for a, b in pairs if a != b}

    assert pairs == set(zip(*np.nonzero(listed >= 0), strict=True))
    assert set(np.unique(listed[listed >= 0])) == set(range(listed.max() + 1))
    assert listed.max() + 1 == (len(grid.moves.step) if within else len(pairs))
