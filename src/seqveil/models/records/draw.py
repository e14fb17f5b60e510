"""Draw whole records: each walks from its first label to its last one in as many steps as its length says.

Records that end alike are walked together. All that stand at one state with the same number of steps ahead are divided
among the next labels in whole numbers, as weights and backward messages say; by how much a step is behind the number of
times that it was expected by then is carried to the next division of that state, so steps are taken as often as expected,
up to a few, and errors of earlier steps do not add up. Which record takes which step is drawn. The cost follows the number
of items.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.models.records.apportion import diffused
from seqveil.models.records.expect import Matrix, Steps, messages
from seqveil.models.records.states import States
from seqveil.tables.flat import Flat

SEED = 0x5EC7E11
"""Public: the same noisy answers give the same records. Nothing private rests on it."""

MOST_CARRY = 20.0
"""What earlier roundings left over may multiply a step's chance by at most so much: no detours to repay small debts."""

LEAST_SHARE = 0.05
"""Of an even share: rarer lengths of a trip are not drawn to make up for others."""

SCANT = 0.25
"""Where fewer records are expected than this, those that came are taken for granted: this spares most of the work."""


@njit(cache=True, inline="always")
def _next(state):  # type: ignore[no-untyped-def]
    """xorshift64*: a cheap stream of bits; quality and secrecy do not matter here."""
    x = state[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = x
    return (x * np.uint64(2685821657736338717)) >> np.uint64(11)


@njit(cache=True, inline="always")
def _below(n, state):  # type: ignore[no-untyped-def]
    return int(np.float64(_next(state)) * (1.0 / 9007199254740992.0) * n)


@njit(cache=True)
def lengths_of(trips, records, has_other):  # type: ignore[no-untyped-def]
    """Whole numbers of records per (first, last, steps), and error diffusion over cells keeps each length's total."""
    labels, most = len(trips), len(records)
    out = np.zeros((labels, labels, most), np.int32)
    carry = np.zeros((3, most))
    for a in range(labels):
        for z in range(labels):
            n = trips[a, z]
            total = 0.0
            for r in range(most):
                total += records[r, a, z]
            if total <= 0.0:
                continue
            which = 0 if a != z else (2 if has_other and a == labels - 1 else 1)
            longest = 0
            for r in range(most):
                carry[which, r] += records[r, a, z]
                if records[r, a, z] > records[longest, a, z]:
                    longest = r
            left = n
            for r in range(most):
                k = min(left, max(0, int(np.floor(min(carry[which, r], n * records[r, a, z] / total + 1.0)))))
                out[a, z, r] = k
                carry[which, r] -= k
                left -= k
            while left > 0:
                best = -1
                for r in range(most):
                    if records[r, a, z] > LEAST_SHARE * total / most and (best < 0 or carry[which, r] > carry[which, best]):
                        best = r
                if best < 0:
                    best = longest
                out[a, z, best] += 1
                carry[which, best] -= 1.0
                left -= 1
    return out


@njit(cache=True)
def _divide(n, due, wanted, labels, carry, out):  # type: ignore[no-untyped-def]
    """Whole numbers `out` that sum to n; `carry` keeps by how much they are behind the `due` times `wanted` expected."""
    total = 0
    for x in range(labels):
        carry[x] += due * wanted[x]
        out[x] = int(np.floor(max(min(carry[x], n * wanted[x] * (1.0 + MOST_CARRY)), 0.0)))
        total += out[x]
    if total > n:
        scale, total = n / total, 0
        for x in range(labels):
            out[x] = int(np.floor(out[x] * scale))
            total += out[x]
    left = n - total
    while left > 0:
        best, most = -1, -1e300
        for x in range(labels):
            if wanted[x] > 0.0:
                still = min(carry[x] - out[x], MOST_CARRY * n * wanted[x])
                if still > most:
                    best, most = x, still
        out[best] += 1
        left -= 1
    for x in range(labels):
        carry[x] -= out[x]


@njit(cache=True)
def _walk(  # type: ignore[no-untyped-def]
    z, cells, beta, weights, step, carry, state, items, offsets, begin
):
    """Write all records that end at z, from record `begin` on; cells[a, r] of them start at a and take r steps."""
    labels, most = cells.shape
    number = 0
    for a in range(labels):
        for r in range(most):
            number += cells[a, r]
    if number == 0:
        return begin
    at = np.empty(number, np.int32)  # the state of every record, longest records first
    left = np.empty(number, np.int32)
    active = np.zeros(most + 1, np.int64)
    k = 0
    position = offsets[begin]
    for r in range(most - 1, -1, -1):
        for a in range(labels):
            for _ in range(cells[a, r]):
                at[k] = a
                left[k] = r
                items[position] = a
                position += r + 1
                offsets[begin + k + 1] = position
                k += 1
        active[r] = k
    size = len(step)
    heads = np.zeros(size + 1, np.int64)
    order = np.empty(number, np.int64)
    wanted = np.empty(labels)
    share = np.empty(labels, np.int64)
    flow, coming = np.zeros(size), np.zeros(size)  # how many records are expected at every state, now and after the step
    for r in range(most - 1, 0, -1):
        n = active[r]
        if n == 0:
            continue
        flow[:] = coming
        coming[:] = 0.0
        for a in range(labels):
            flow[a] += cells[a, r]
        heads[:] = 0
        for i in range(n):
            heads[at[i] + 1] += 1
        for s in range(size):
            heads[s + 1] += heads[s]
        place = heads[:size].copy()
        for i in range(n):
            order[place[at[i]]] = i
            place[at[i]] += 1
        for s in range(size):
            low, high = heads[s], heads[s + 1]
            due = flow[s] if flow[s] >= SCANT else float(high - low)
            if due == 0.0:
                continue
            total = 0.0
            for x in range(labels):
                wanted[x] = weights[s, x] * beta[r - 1, step[s, x], z]
                total += wanted[x]
            for x in range(labels):
                wanted[x] /= total
            if r == 1:
                for x in range(labels):
                    wanted[x] = 1.0 if x == z else 0.0
            for x in range(labels):
                coming[step[s, x]] += due * wanted[x]
            if low == high:
                for x in range(labels):
                    carry[s, x] += due * wanted[x]
                continue
            _divide(high - low, due, wanted, labels, carry[s], share)
            for i in range(high - 1, low, -1):
                j = low + _below(i - low + 1, state)
                order[i], order[j] = order[j], order[i]
            i = low
            for x in range(labels):
                for _ in range(share[x]):
                    who = order[i]
                    at[who] = step[s, x]
                    items[offsets[begin + who] + (left[who] - r) + 1] = x
                    i += 1
    return begin + number


def drawn(states: States, weights: NDArray[np.float64], records: Matrix, other: bool) -> Flat:
    """As many records per (steps, first, last) as given, rounded; those between OTHER and OTHER keep lengths of their own."""
    trips = diffused(records.sum(axis=0, dtype=np.float64))
    cells = lengths_of(trips, records, other)
    most = len(records) - 1
    number = int(cells.sum())
    items = np.empty(int((cells.sum(axis=(0, 1)) * np.arange(1, most + 2)).sum()), np.int32)
    offsets = np.zeros(number + 1, np.int64)
    beta, _ = messages(states, Steps.of(states, weights), most)
    carry = np.zeros((len(states), states.labels))
    state = np.array([SEED], np.uint64)
    begin = 0
    for z in range(states.labels):
        begin = _walk(z, np.ascontiguousarray(cells[:, z]), beta, weights, states.step, carry, state, items, offsets, begin)
    return Flat(items, offsets)


@njit(cache=True)
def _placed(items, offsets, slots, out, starts):  # type: ignore[no-untyped-def]
    """Copy record k to where slot slots[k] starts."""
    for k in range(len(slots)):
        begin = starts[slots[k]]
        for j in range(offsets[k], offsets[k + 1]):
            out[begin + j - offsets[k]] = items[j]


def mixed(parts: list[Flat]) -> Flat:
    """The records of all in one random order. Takes the parts out of the list one by one, so that memory holds them once.

    >>> sorted(r.tolist() for r in mixed([Flat.of([[1], [2]]), Flat.of([[0, 2]])]))
    [[0, 2], [1], [2]]
    """
    lengths = np.concatenate([np.zeros(0, np.int64), *(part.lengths for part in parts)])
    slots = np.random.default_rng(SEED).permutation(len(lengths))
    offsets = np.zeros(1 + len(lengths), np.int64)
    offsets[1 + slots] = lengths
    np.cumsum(offsets, out=offsets)
    items = np.empty(offsets[-1], np.int32)
    first = 0
    while parts:
        part = parts.pop(0)
        _placed(part.items, part.offsets, slots[first : first + len(part)], items, offsets)
        first += len(part)
    return Flat(items, offsets)
