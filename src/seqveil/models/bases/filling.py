"""Whole sets: how large each record is, and the labels about which nothing but their counts is known, dealt out to fill it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seqveil.models.bases.population import Population, apportioned
from seqveil.tables.flat import Flat

Ints = NDArray[np.int64]

ROUNDS = 8
"""How often labels that a record was dealt twice are dealt again, to others; what is left after that is dropped."""

COMMON = 50
"""Labels in more than one record of so many are given out one by one, so that none is dealt twice to a record."""


def sizes_of(inside: Ints, histogram: NDArray[np.float64], random: np.random.Generator) -> Ints:
    """A size for each record that has `inside` labels of the model: histogram[s − 1] records have s labels.

    Given its size s, a record has each label inside with the same chance ρ, so that a record with c of them has size s with a
    weight of histogram[s − 1]·C(s, c)·ρ^c·(1 − ρ)^(s − c). No record is smaller than what is inside, or empty.

    >>> sizes_of(np.array([0, 2, 2]), np.array([10.0, 0.0, 5.0]), np.random.default_rng(1)).tolist()
    [1, 3, 3]
    """
    from scipy.special import gammaln

    s = np.arange(1, len(histogram) + 1)
    mass = np.maximum(histogram, 0.0)
    if mass.sum() <= 0:
        return np.maximum(inside, 1)
    mean = float((mass * s).sum() / mass.sum())
    share = min(max(float(inside.mean()) / mean, 1e-6), 1 - 1e-6)
    sizes = np.maximum(inside, 1)
    for c in np.unique(inside).tolist():
        # Up to a factor that depends on c alone:
        chance = gammaln(s + 1) - gammaln(np.maximum(s - c, 0) + 1) + (s - c) * np.log1p(-share)
        weight = np.where(s >= c, mass * np.exp(chance - chance[s >= c].max(initial=-np.inf)), 0.0)
        rows = np.flatnonzero(inside == c)
        if weight.sum() > 0:
            sizes[rows] = random.permutation(np.repeat(s, apportioned(weight, len(rows))))
    return np.asarray(sizes, np.int64)


def filled(
    population: Population, columns: Ints, sizes: Ints, others: Ints, weights: NDArray[np.float64], random: np.random.Generator
) -> Flat:
    """Sets of the given sizes: the labels `columns` of the population, and `others` dealt out in proportion to their weights.

    No record has a label twice; a few may stay smaller than they should be.

    >>> sets = filled(np.ones((2, 1), bool), np.array([5]), np.array([2, 1]), np.array([3]), np.ones(1), np.random.default_rng(1))
    >>> [codes.tolist() for codes in sets]
    [[3, 5], [5]]
    """
    at, column = np.nonzero(population)
    room = np.maximum(sizes - population.sum(axis=1), 0)
    copies = np.minimum(apportioned(weights, int(room.sum())), len(population))
    common = np.flatnonzero(copies > len(population) // COMMON)
    given = [_given(room, int(copies[j]), random) for j in common[np.argsort(-copies[common], kind="stable")].tolist()]
    named = np.repeat(others[common[np.argsort(-copies[common], kind="stable")]], [len(rows) for rows in given])
    at, column_labels = np.concatenate([at, *given]), np.concatenate([columns[column], named])
    copies[common] = 0
    dealt = random.permutation(np.repeat(others, copies))
    slots = random.permutation(np.repeat(np.arange(len(population)), room))
    dealt, slots = dealt[: len(slots)], slots[: len(dealt)]
    for _ in range(ROUNDS):
        again = _repeated(slots, dealt)
        if not len(again):
            break
        mixed = np.union1d(again, random.integers(0, len(dealt), 2 * len(again)))
        dealt[mixed] = dealt[random.permutation(mixed)]
    once = np.setdiff1d(np.arange(len(dealt)), _repeated(slots, dealt), assume_unique=True)
    rows, labels = np.concatenate([at, slots[once]]), np.concatenate([column_labels, dealt[once]])
    order = np.lexsort((labels, rows))
    ends = np.cumsum(np.bincount(rows, minlength=len(population)))
    return Flat(labels[order].astype(np.int32), np.concatenate([[0], ends]).astype(np.int64))


def _given(room: Ints, n: int, random: np.random.Generator) -> Ints:
    """n different records, drawn in proportion to the room that they have left, which is one less afterwards."""
    free = np.flatnonzero(room > 0)
    keys = random.exponential(size=len(free)) / room[free]
    rows = free[np.argpartition(keys, n)[:n]] if n < len(free) else free
    room[rows] -= 1
    return rows


def _repeated(slots: Ints, dealt: Ints) -> Ints:
    """Places that repeat an earlier pair of record and label."""
    order = np.lexsort((dealt, slots))
    same = (slots[order][1:] == slots[order][:-1]) & (dealt[order][1:] == dealt[order][:-1])
    return np.sort(order[1:][same])
