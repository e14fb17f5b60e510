"""Where records start and end, and how many steps lie between: what is known of it, and its part in the fit.

A record from a to z with r steps has the weight first[a] · last[z] · trip[a, z] · length[r] · β_r[a, z], where β_r is the weight
of all walks of r steps from a to z. So trips and lengths hang together: between neighbours few walks are long. Factors of lengths
follow from the others, since lengths hold exactly; the others are fitted together with the weights of steps (`fit.py`), so that
trips and steps that contradict each other share the difference by their variances.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.float64]
Matrix = NDArray[np.float32]

TINY, MOST = 1e-9, 1e38

STARTING = 12
"""Rounds of proportional fitting towards the starting law."""


@dataclass(frozen=True, slots=True, eq=False)
class Ends:
    """`trips[a, z]` records from a to z, whose shares over the numbers of steps 0..most are `open` where a ≠ z, `closed` where
    a = z, `other` where both are the symbol OTHER. `loose` are the variances of first labels, last labels and trips."""

    trips: Counts
    open: Counts
    closed: Counts
    other: Counts | None
    loose: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @property
    def most(self) -> int:
        """The largest number of steps."""
        used = np.flatnonzero(self.open + self.closed)
        return int(used[-1]) if len(used) else 0

    @property
    def first(self) -> Counts:
        """Records per first label."""
        return np.asarray(self.trips.sum(axis=1))

    @property
    def last(self) -> Counts:
        """Records per last label."""
        return np.asarray(self.trips.sum(axis=0))

    def apart(self) -> Matrix:
        """Records per (steps, first, last) as if lengths had nothing to do with labels."""
        return np.stack([self._after(r) for r in range(self.most + 1)])

    def _after(self, steps: int) -> Matrix:
        out: Matrix = (self.trips * self.open[steps]).astype(np.float32)
        diagonal = np.diagonal(self.trips) * self.closed[steps]
        if self.other is not None:
            diagonal[-1] = self.trips[-1, -1] * self.other[steps]
        np.fill_diagonal(out, diagonal)
        return out


class Bridged:
    """The ends of one fit. Factors of first labels, last labels and trips are given; those of lengths follow from them."""

    def __init__(self, ends: Ends, beta: Matrix) -> None:
        self.trips = np.maximum(ends.trips, TINY)
        self.target = np.concatenate([ends.first, ends.last, self.trips.ravel()])
        labels = len(ends.trips)
        self.variance = np.repeat(ends.loose, [labels, labels, labels * labels])
        which = np.zeros((labels, labels), np.int64)
        np.fill_diagonal(which, 1)
        shares = [ends.open, ends.closed]
        if ends.other is not None:
            which[-1, -1] = 2
            shares.append(ends.other)
        self.which = which
        self.inside = [which.ravel() == k for k in range(len(shares))]
        steps = ends.most + 1
        totals = [self.trips.ravel()[at].sum() for at in self.inside]
        self.margins = np.stack([share[:steps] * total for share, total in zip(shares, totals, strict=True)])
        # The starting law has the wanted trips, in the lengths that these walks make likely.
        self.start = np.log(self.trips)
        for _ in range(STARTING):
            now = self._lengths(beta, self.start)[1].sum(axis=0, dtype=np.float64)
            self.start = self.start + np.log(self.trips) - np.log(np.maximum(now, 1e-300))

    def _lengths(self, beta: Matrix, logs: Counts) -> tuple[float, Matrix]:
        """Σ margin · log(weight of all records of that length), and the records per (steps, first, last)."""
        # Each kind has a scale of its own: however rare it is beside the others, its weights do not vanish.
        highest = np.array([logs.ravel()[at].max() if at.any() else 0.0 for at in self.inside])
        tilt = np.exp(logs - highest[self.which]).astype(np.float32)
        flat = beta.reshape(len(beta), -1)
        value = 0.0
        factor = np.zeros((len(beta), len(self.inside)), np.float32)
        for k, at in enumerate(self.inside):
            weight = np.maximum((flat @ np.where(at, tilt.ravel(), np.float32(0.0))).astype(np.float64), 1e-37)
            used = self.margins[k] > 0
            value += float((self.margins[k] * (np.log(weight) + highest[k]))[used].sum())
            factor[:, k] = np.minimum(np.where(used, self.margins[k] / weight, 0.0), MOST)
        records = beta * tilt
        for r in range(len(beta)):
            records[r] *= factor[r][self.which]
        return value, records

    def weighed(self, beta: Matrix, theta: Counts) -> tuple[float, Counts, Matrix]:
        """The part of the convex function that belongs to ends, its gradient, and the records per (steps, first, last)."""
        labels = len(self.trips)
        first, last, trip = theta[:labels], theta[labels : 2 * labels], theta[2 * labels :].reshape(labels, labels)
        value, records = self._lengths(beta, self.start + first[:, None] + last + trip)
        trips = records.sum(axis=0, dtype=np.float64)
        met = np.concatenate([trips.sum(axis=1), trips.sum(axis=0), trips.ravel()])
        value += float((0.5 * self.variance * theta - self.target) @ theta)
        return value, met - self.target + self.variance * theta, records
