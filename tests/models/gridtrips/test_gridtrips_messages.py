"""Messages on a grid against every walk there is."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from seqveil.models.gridtrips.fit import turning
from seqveil.models.gridtrips.grid import Grid
from seqveil.models.gridtrips.messages import DIRECTIONS, NONE, _backward, _forward, _walk

GRID = Grid(5, 3)  # two rows; the last has two cells
MOVES = GRID.moves
BLOCK = np.array([0, 0, 1, 0, 1])
MOST = 4


def made_up(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Weights of moves and of last cells."""
    random = np.random.default_rng(seed)
    weight = np.where(MOVES.cell >= 0, random.random(MOVES.cell.shape), 0.0).astype(np.float32)
    return weight, (np.eye(2)[BLOCK] * random.random((5, 1))).astype(np.float32)


def messages(weight: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What remains, in an array that holds anything before."""
    beta = np.full((MOST, 5, DIRECTIONS + 1, 2), np.nan, np.float32)
    return beta, _backward(MOVES.cell, MOVES.direction, weight, turning(), ends, beta, 0)


def walks(start: int, moves: int):
    """Every walk: (cells, moves, weight of its turns)."""
    turn = turning()
    for taken in product(range(MOVES.cell.shape[1]), repeat=moves):
        cells, facing, bends = [start], NONE, 1.0
        for k in taken:
            there = int(MOVES.cell[cells[-1], k])
            if there < 0:
                break
            if k:
                bends *= float(turn[facing, MOVES.direction[k]])
                facing = int(MOVES.direction[k])
            cells.append(there)
        else:
            yield cells, taken, bends


def test_messages_and_expected_counts_are_those_of_all_walks():
    """The weight of what remains, expected moves, and where trips end: by enumeration."""
    weight, ends = made_up(1)
    beta, logs = messages(weight, ends)
    starting = np.zeros((MOST, 5, 2), np.float32)
    flow, ended = np.zeros(MOVES.cell.shape), np.zeros(5)
    for moves, start in product(range(MOST), range(5)):
        total = np.zeros(2)
        enumerated = []
        for cells, taken, bends in walks(start, moves):
            own = bends * float(np.prod([weight[c, k] for c, k in zip(cells, taken, strict=False)]))
            total += own * ends[cells[-1]]
            enumerated.append((cells, taken, own))
        assert total == pytest.approx(beta[moves, start, NONE] * np.exp(logs[moves]), rel=1e-4)
        if not total[1]:
            continue
        trips = (start + 1.0) * (moves + 2.0)  # so many end in block 1
        starting[moves, start, 1] = trips / beta[moves, start, NONE, 1]
        for cells, taken, own in enumerated:
            share = trips * own * ends[cells[-1], 1] / total[1]
            ended[cells[-1]] += share
            for c, k in zip(cells, taken, strict=False):
                flow[c, k] += share

    met = _forward(MOVES.cell, MOVES.direction, weight, turning(), beta, logs, starting, 0)

    assert met[0] == pytest.approx(flow, rel=1e-3, abs=1e-3)
    assert met[1] == pytest.approx(ended, rel=1e-3)


def test_walks_are_drawn_as_often_as_they_weigh():
    """All walks of three moves from one cell to a block, by a chi-square test that rejects weights without turns."""
    weight, ends = made_up(2)
    n = 20_000
    beta, _ = messages(weight, ends)
    block, start, length = np.ones(n, np.int64), np.zeros(n, np.int64), np.full(n, MOST)
    lots = np.random.default_rng(3).random(n * MOST + 1)
    items = _walk(MOVES.cell, MOVES.direction, weight, turning(), beta, block, start, length, np.arange(n + 1) * MOST, 0, lots)
    rows, counts = np.unique(items.reshape(n, MOST), axis=0, return_counts=True)
    seen = {tuple(row): count for row, count in zip(rows.tolist(), counts.tolist(), strict=True)}

    def distance(turns: bool) -> float:
        expected: dict[tuple[int, ...], float] = {}
        for cells, taken, bends in walks(0, MOST - 1):
            own = float(np.prod([weight[c, k] for c, k in zip(cells, taken, strict=False)])) * ends[cells[-1], 1]
            expected[tuple(cells)] = expected.get(tuple(cells), 0.0) + own * (bends if turns else 1.0)
        total = sum(expected.values())
        kept = {walk: n * own / total for walk, own in expected.items() if n * own / total > 5}
        return sum((seen.get(walk, 0) - e) ** 2 / e for walk, e in kept.items()) / len(kept)

    assert distance(turns=True) < 1.5
    assert distance(turns=False) > 5
