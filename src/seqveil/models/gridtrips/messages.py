"""Messages on a grid: what remains of a trip (backward), and where expected trips go (forward).

A walk stands in a cell and remembers the direction of its last move out of a cell (eight of them, or none yet). Its next move has
the weight of the move in this cell times that of the turn. Messages are kept for every number of moves that remain and for every
block of the grid in which a trip may end; each step is divided by its largest number, so that no long trip overflows.
"""

from __future__ import annotations

import numpy as np
from numba import njit

DIRECTIONS = 8

NONE = 8
"""The direction of a walk that has not left its first cell."""


@njit(cache=True, fastmath=True)
def _backward(cell, sector, weight, turn, ends, beta, stay):  # type: ignore[no-untyped-def]
    """Fills `beta`, all of it, and returns the logarithms of what its steps were divided by."""
    most, cells, _, blocks = beta.shape
    moves = cell.shape[1]
    logs = np.zeros(most)
    for x in range(cells):
        for s in range(DIRECTIONS + 1):
            beta[0, x, s] = ends[x]
    into = np.zeros((DIRECTIONS, blocks), np.float32)
    for r in range(1, most):
        top = np.float32(0.0)
        for x in range(cells):
            into[:] = 0
            for k in range(moves):
                y = cell[x, k]
                if y >= 0 and k != stay:
                    w = weight[x, k]
                    s = sector[k]
                    for d in range(blocks):
                        into[s, d] += w * beta[r - 1, y, s, d]
            for s in range(DIRECTIONS + 1):
                w = weight[x, stay]
                for d in range(blocks):
                    beta[r, x, s, d] = w * beta[r - 1, x, s, d]
                for t in range(DIRECTIONS):
                    bend = turn[s, t]
                    for d in range(blocks):
                        beta[r, x, s, d] += bend * into[t, d]
                for d in range(blocks):
                    top = max(top, beta[r, x, s, d])
        if top <= 0.0:
            top = np.float32(1.0)
        beta[r] /= top
        logs[r] = logs[r - 1] + np.log(top)
    return logs


@njit(cache=True, fastmath=True)
def _forward(cell, sector, weight, turn, beta, logs, starting, stay):  # type: ignore[no-untyped-def]
    most, cells, _, blocks = beta.shape
    moves = cell.shape[1]
    flow = np.zeros((cells, moves))
    ending = np.zeros(cells)
    here = np.zeros((cells, DIRECTIONS + 1, blocks), np.float32)
    there = np.zeros((cells, DIRECTIONS + 1, blocks), np.float32)
    out = np.zeros((DIRECTIONS, blocks), np.float32)
    for r in range(most - 1, 0, -1):
        down = np.float32(np.exp(logs[r - 1] - logs[r]))
        there[:] = 0
        for x in range(cells):
            for d in range(blocks):
                here[x, NONE, d] += starting[r, x, d]
            out[:] = 0
            for s in range(DIRECTIONS + 1):
                for t in range(DIRECTIONS):
                    bend = turn[s, t] * down
                    for d in range(blocks):
                        out[t, d] += bend * here[x, s, d]
            for k in range(moves):
                y = cell[x, k]
                if y >= 0 and k != stay:
                    w = weight[x, k]
                    s = sector[k]
                    met = np.float32(0.0)
                    for d in range(blocks):
                        m = w * out[s, d]
                        there[y, s, d] += m
                        met += m * beta[r - 1, y, s, d]
                    flow[x, k] += met
            w = weight[x, stay] * down
            met = np.float32(0.0)
            for s in range(DIRECTIONS + 1):
                for d in range(blocks):
                    m = w * here[x, s, d]
                    there[x, s, d] += m
                    met += m * beta[r - 1, x, s, d]
            flow[x, stay] += met
        here, there = there, here
    for x in range(cells):
        for d in range(blocks):
            here[x, NONE, d] += starting[0, x, d]
        for s in range(DIRECTIONS + 1):
            for d in range(blocks):
                ending[x] += here[x, s, d] * beta[0, x, s, d]
    return flow, ending


@njit(cache=True)
def _walk(cell, sector, weight, turn, beta, block, start, length, offsets, stay, lots):  # type: ignore[no-untyped-def]
    items = np.empty(offsets[-1], np.int32)
    moves = cell.shape[1]
    below = np.zeros(moves)
    for i in range(len(block)):
        x, s, at, d = start[i], NONE, offsets[i], block[i]
        items[at] = x
        for r in range(length[i] - 1, 0, -1):
            total = 0.0
            for k in range(moves):
                y = cell[x, k]
                if y >= 0:
                    if k == stay:
                        total += weight[x, k] * beta[r - 1, x, s, d]
                    else:
                        total += weight[x, k] * turn[s, sector[k]] * beta[r - 1, y, sector[k], d]
                below[k] = total
            at += 1
            sought = lots[at] * total
            k = 0
            while k < moves - 1 and (below[k] <= sought or cell[x, k] < 0):
                k += 1
            if cell[x, k] < 0:  # nothing leads to the end any more: stay
                k = stay
            if k != stay:
                s = sector[k]
            x = cell[x, k]
            items[at] = x
    return items
