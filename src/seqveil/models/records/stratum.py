"""The model of one stratum: records of similar length, fitted level by level to the noisy answers about them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seqveil.models.records.denoise import denoised
from seqveil.models.records.ends import Ends
from seqveil.models.records.expect import Matrix, expected
from seqveil.models.records.fit import fitted, normalized
from seqveil.models.records.margins import closed_proportional, corrected, levelled, on_simplex, proportional
from seqveil.models.records.states import States

Counts = NDArray[np.float64]
Answer = NDArray[np.int64]

WORK = 2e10
"""Steps of arithmetic that one fit may take, more or less."""


SLACK = 0.1


@dataclass
class Stratum:
    """Everything that is known of the records with `low`..`high` items."""

    low: int
    high: int
    ends: Ends
    label: Counts
    """How often every symbol occurs."""
    states: States
    total: Counts
    """Targets: how often every context is followed by every label."""
    spread: Counts
    variance: Counts
    weights: Counts
    steps: Counts
    """Expected steps under the weights, at the longest context."""
    cells: Matrix
    """Records per (steps, first, last)."""

    @property
    def trips(self) -> Counts:
        """Records per (first, last)."""
        return np.asarray(self.cells.sum(axis=0, dtype=np.float64))


def fit_trips(
    answer: Answer | None,
    scale: float,
    first: Counts,
    last: Counts,
    diagonal: float,
    shape: Counts,
    other: bool,
    gaussian: bool = False,
) -> Counts:
    """(first, last) counts from a noisy table, with the given margins and, without OTHER, the given number of closed records."""
    labels = len(first)
    predicted = _ended(shape, first, last, diagonal, other)
    if answer is None:
        return predicted
    cells, _ = denoised(answer.reshape(labels, labels), predicted, scale, np.eye(labels, dtype=np.int64), gaussian=gaussian)
    return _ended(cells, first, last, diagonal, other)


def fit_alone(
    answer: Answer,
    scale: float,
    shape: Counts,
    total: float,
    first: tuple[Counts, float],
    last: tuple[Counts, float],
    gaussian: bool = False,
) -> Counts:
    """(first, last) counts of records that are nothing else: margins, given with their variances, have a say by these."""
    labels = len(shape)
    cells, spread = denoised(answer.reshape(labels, labels), shape, scale, np.eye(labels, dtype=np.int64), total, gaussian)
    level = levelled(cells, spread, total)
    table = answer.reshape(labels, labels)
    margins: list[Counts] = []
    for axis, (margin, variance) in ((1, first), (0, last)):
        v_sums = 2 * scale**2 * labels
        mixed = (margin * v_sums + table.sum(axis=axis) * variance) / (v_sums + variance)
        kept = np.maximum(mixed, 0.0)
        reached = float(kept.sum())
        margins.append(kept * (total / reached) if reached > 1e-9 else on_simplex(mixed, total))
    return corrected(level, spread, margins[0], margins[1])


def _ended(table: Counts, first: Counts, last: Counts, diagonal: float, other: bool) -> Counts:
    if other:
        return proportional(table, first, last)
    return closed_proportional(table, first, last, diagonal)


def fit_pairs(
    answer: Answer, scale: float, label: Counts, ends: Ends, shape: Counts, low: int, high: int, gaussian: bool = False
) -> Stratum:
    """The stratum with one state per label."""
    labels = len(label)
    first, last = ends.trips.sum(axis=1), ends.trips.sum(axis=0)
    out, into = np.maximum(label - last, 0.0), np.maximum(label - first, 0.0)
    predicted = proportional(shape, out, into)
    cells, spread = denoised(answer.reshape(labels, labels), predicted, scale, np.eye(labels, dtype=np.int64), gaussian=gaussian)
    target = corrected(cells, spread, out, into)
    states = States.single(labels)
    variance = np.full(target.shape, SLACK * scale * scale + 0.5)
    weights, steps, records = fitted(states, normalized(target + 1e-3), ends, into, target, variance, calls(states, ends))
    return Stratum(low, high, ends, label, states, target, spread, variance, weights, steps, records)


def candidates(stratum: Stratum, least: float, most: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The grams of the deepest level that are frequent enough to become contexts: their states and last labels."""
    depth = stratum.states.depth
    deepest = np.flatnonzero(depth == depth.max())
    count = stratum.total[deepest]
    at, label = np.nonzero(count >= least)
    strongest = np.argsort(-count[at, label], kind="stable")[:most]
    strongest = np.sort(strongest)
    return deepest[at[strongest]], label[strongest]


def deepen(
    stratum: Stratum,
    parents: NDArray[np.int64],
    labels: NDArray[np.int64],
    answer: Answer,
    scale: float,
    gaussian: bool = False,
) -> Stratum:
    """The stratum with these contexts, whose children were asked for."""
    old, size = stratum.states, stratum.states.labels
    states = old.refined(parents, labels)
    new = np.arange(len(old), len(states))
    # Each new context starts with the weights of its suffix: the counts expected then are the predictions of lower order.
    weights = np.concatenate([stratum.weights, stratum.weights[states.suffix[new]]])
    steps = expected(states, weights, stratum.cells)
    predicted = steps[new]
    spelled = states.spelled[new]
    pattern = np.zeros((len(new), size), np.int64)
    for back in range(spelled.shape[1]):
        pattern |= (spelled[:, back][:, None] == np.arange(size)[None, :]).astype(np.int64) << back
    cells, loose = denoised(answer.reshape(len(new), size), predicted, scale, pattern, gaussian=gaussian)
    expected_total = old.gathered(stratum.steps)
    gone = np.maximum(expected_total[parents, labels] - predicted.sum(axis=1), 0.0)
    total, cells = balanced(
        stratum.total, stratum.spread, cells, loose, parents, labels, states.suffix[new], gone, steps[: len(old)]
    )
    total, spread = np.concatenate([total, cells]), np.concatenate([stratum.spread, loose])
    variance = np.concatenate([stratum.variance, np.full(cells.shape, SLACK * scale * scale + 0.5)])
    start = np.concatenate([stratum.weights, normalized(cells + 1e-3)])
    into = np.maximum(stratum.label - stratum.ends.trips.sum(axis=1), 0.0)
    weights, steps, records = fitted(states, start, stratum.ends, into, total, variance, calls(states, stratum.ends))
    return Stratum(
        stratum.low, stratum.high, stratum.ends, stratum.label, states, total, spread, variance, weights, steps, records
    )


GUESS = 0.3
"""Counts that only the model gives are taken to be right within this share."""


def movable(counts: Counts, variance: Counts) -> Counts:
    """How far counts may move: by their variance, but cells that are all but empty stay so."""
    return np.minimum(variance, counts * float(np.sqrt(variance.max(initial=0.0)))) + 1e-9


def balanced(
    total: Counts, spread: Counts, cells: Counts, loose: Counts,
    parents: NDArray[np.int64], labels: NDArray[np.int64], suffix: NDArray[np.int32], gone: Counts, rest: Counts,
) -> tuple[Counts, Counts]:  # fmt: skip
    """Totals and cells of the next level that agree, each moved in proportion to its variance.

    Contexts that end with a state, and the `rest` of its occurrences, add up to its counts; what follows a context, and the
    records `gone` because they end with it, add up to the count of the gram that it is.
    """
    total, cells, rest, gone = total.copy(), cells.copy(), rest.copy(), gone.copy()
    v_rest, v_gone = (GUESS * rest) ** 2 + 1.0, (GUESS * gone) ** 2 + 1.0
    users = np.zeros(len(total), bool)
    users[suffix] = True
    for _ in range(20):
        soft, firm = movable(cells, loose), movable(total, spread)
        sums, softs = rest.copy(), firm + v_rest
        np.add.at(sums, suffix, cells)
        np.add.at(softs, suffix, soft)
        miss = np.where(users[:, None], (total - sums) / softs, 0.0)
        total = np.maximum(total - firm * miss, 0.0)
        rest = np.maximum(rest + v_rest * miss, 0.0)
        cells = np.maximum(cells + soft * miss[suffix], 0.0)
        soft, firm = movable(cells, loose), movable(total, spread)
        gram, v_gram = total[parents, labels], firm[parents, labels]
        miss_rows = (gram - gone - cells.sum(axis=1)) / (v_gram + v_gone + soft.sum(axis=1))
        total[parents, labels] = np.maximum(gram - v_gram * miss_rows, 0.0)
        gone = np.maximum(gone + v_gone * miss_rows, 0.0)
        cells = np.maximum(cells + soft * miss_rows[:, None], 0.0)
    return total, cells


def alone(ends: Ends, low: int, high: int) -> Stratum:
    """The stratum as far as its ends say: records of one item, or of two."""
    labels = len(ends.trips)
    states = States.single(labels)
    total = ends.trips * float(high == 2)
    none = np.zeros_like(total)
    label = np.diagonal(ends.trips).copy() if high == 1 else ends.trips.sum(axis=0) + ends.trips.sum(axis=1)
    return Stratum(low, high, ends, label, states, total, none, none, normalized(total + 1e-3), total, ends.apart())


def calls(states: States, ends: Ends) -> int:
    """How often a fit may compute expectations: 30 to 100 times, depending on what that costs."""
    cost = 6.0 * max(ends.most, 1) * len(states) * states.labels**2
    return int(min(max(WORK / cost, 30), 100))
