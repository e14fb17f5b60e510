"""The model of one stratum: records of similar length, fitted level by level to the noisy answers about them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seqveil.models.records.denoise import denoised
from seqveil.models.records.expect import Ends, expected
from seqveil.models.records.fit import fitted, normalized
from seqveil.models.records.margins import closed_proportional, proportional
from seqveil.models.records.states import States

Counts = NDArray[np.float64]
Answer = NDArray[np.int64]

CALLS = 30
SLACK = 0.01


@dataclass
class Stratum:
    """Everything that is known of the records with `low`..`high` items."""

    low: int
    high: int
    ends: Ends
    label: Counts
    states: States
    total: Counts
    """Targets: how often every context is followed by every label."""
    variance: Counts
    weights: Counts
    steps: Counts
    """Expected steps under the weights, at the longest context."""

    @property
    def records(self) -> float:
        return float(self.ends.trips.sum())


def fit_trips(
    answer: Answer | None, scale: float, first: Counts, last: Counts, diagonal: float, shape: Counts, other: bool
) -> Counts:
    """(first, last) counts from a noisy table, with the given margins and, without OTHER, the given number of closed records."""
    labels = len(first)
    predicted = _ended(shape, first, last, diagonal, other)
    if answer is None:
        return predicted
    cells, _ = denoised(answer.reshape(labels, labels), predicted, scale, np.eye(labels, dtype=np.int64))
    return _ended(cells, first, last, diagonal, other)


def _ended(table: Counts, first: Counts, last: Counts, diagonal: float, other: bool) -> Counts:
    if other:
        return proportional(table, first, last)
    return closed_proportional(table, first, last, diagonal)


def fit_pairs(
    answer: Answer, scale: float, label: Counts, ends: Ends, shape: Counts, low: int, high: int
) -> Stratum:
    """The stratum with one state per label."""
    labels = len(label)
    first, last = ends.trips.sum(axis=1), ends.trips.sum(axis=0)
    out, into = np.maximum(label - last, 0.0), np.maximum(label - first, 0.0)
    predicted = proportional(shape, out, into)
    cells, _ = denoised(answer.reshape(labels, labels), predicted, scale, np.eye(labels, dtype=np.int64))
    target = proportional(cells, out, into)
    states = States.single(labels)
    variance = np.full(target.shape, SLACK * scale * scale + 0.5)
    weights, steps = fitted(states, normalized(target + 1e-3), ends, target, variance, CALLS)
    return Stratum(low, high, ends, label, states, target, variance, weights, steps)


def candidates(stratum: Stratum, least: float, most: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The grams of the deepest level that are frequent enough to become contexts: their states and last labels."""
    depth = stratum.states.depth
    deepest = np.flatnonzero(depth == depth.max())
    count = stratum.total[deepest]
    at, label = np.nonzero(count >= least)
    strongest = np.argsort(-count[at, label], kind="stable")[:most]
    strongest = np.sort(strongest)
    return deepest[at[strongest]], label[strongest]


def deepen(stratum: Stratum, parents: NDArray[np.int64], labels: NDArray[np.int64], answer: Answer, scale: float) -> Stratum:
    """The stratum with these contexts, whose children were asked for."""
    old, size = stratum.states, stratum.states.labels
    states = old.refined(parents, labels)
    new = np.arange(len(old), len(states))
    # Each new context starts with the weights of its suffix: the counts expected then are the predictions of lower order.
    weights = np.concatenate([stratum.weights, stratum.weights[states.suffix[new]]])
    steps, _ = expected(states, weights, stratum.ends)
    predicted = steps[new]
    spelled = states.spelled[new]
    pattern = np.zeros((len(new), size), np.int64)
    for back in range(spelled.shape[1]):
        pattern |= (spelled[:, back][:, None] == np.arange(size)[None, :]).astype(np.int64) << back
    cells, _ = denoised(answer.reshape(len(new), size), predicted, scale, pattern)
    # Context totals: as often as the gram occurs, less the share that ends records.
    gram = stratum.total[parents, labels]
    was = stratum.states.gathered(stratum.steps)[parents, labels]
    rows = gram * np.clip(predicted.sum(axis=1) / np.maximum(was, 1e-9), 0.0, 1.0)
    cells = _balanced(cells, rows, predicted, states.suffix[new], stratum.total, stratum.states.gathered(stratum.steps))
    total = np.concatenate([stratum.total, cells])
    target = states.owned(total)
    variance = np.concatenate([stratum.variance, np.full(cells.shape, SLACK * scale * scale + 0.5)])
    start = np.concatenate([stratum.weights, normalized(cells + 1e-3)])
    weights, steps = fitted(states, start, stratum.ends, target, variance, CALLS)
    return Stratum(stratum.low, stratum.high, stratum.ends, stratum.label, states, total, variance, weights, steps)


def _balanced(cells: Counts, rows: Counts, predicted: Counts, suffix: NDArray[np.int32], total: Counts, was: Counts) -> Counts:
    """For each suffix: contexts that end with it, and the rest of its occurrences, fitted to (context total, suffix × label)."""
    out = cells.copy()
    order = np.argsort(suffix, kind="stable")
    edges = np.flatnonzero(np.diff(suffix[order], prepend=-1, append=-1))
    for begin, end in zip(edges[:-1], edges[1:], strict=True):
        at = order[begin:end]
        s = suffix[at[0]]
        columns = total[s]
        rest = np.maximum(was[s] - predicted[at].sum(axis=0), 0.0)
        left = max(float(columns.sum()) - float(rows[at].sum()), 0.0)
        table = np.concatenate([cells[at], rest[None, :]])
        sums = np.concatenate([rows[at], [left]])
        out[at] = proportional(table, sums, columns, 20)[:-1]
    return out
