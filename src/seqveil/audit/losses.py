"""The privacy loss of an answer as a distribution: every value of log P(answer | D) − log P(answer | D′), and how likely it is.

Under pure ε the largest value says everything. Under zCDP no value is too large: what is promised is the Rényi divergence, at
most ρ·α for every order α > 1 [Bun 2016], and through it δ(ε), the chance that remains beyond a loss of ε. Both are sums
over the distribution, so for answers of a known law they are numbers, not estimates. Floats: trust them down to 1e-9.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seqveil.wall.noise import Law as NoiseLaw
from seqveil.wall.noise import Sigma

MOST_ORDER = 32
"""Rényi divergences are exact up to this order: where an answer weighs most moves away from the truth with the order."""


@dataclass(frozen=True, slots=True, eq=False)
class Losses:
    """Values of the privacy loss, and the log of how likely each is on the data where it is looked at from."""

    loss: NDArray[np.float64]
    log_chance: NDArray[np.float64]

    def renyi(self, order: float) -> float:
        """The Rényi divergence of this order.

        >>> round(Losses.of_counts(0, 1, Sigma(4.0), None).renyi(2), 12)  # α·Δ²/(2σ²)
        0.25
        """
        if math.isinf(self.loss.max()):
            return math.inf
        exponents = self.log_chance + (order - 1) * self.loss
        return float(_log_sum(exponents)) / (order - 1)

    def delta(self, epsilon: float) -> float:
        """δ(ε): by how much the chance of any event exceeds e^ε times its chance on the other data."""
        return float((np.exp(self.log_chance) * -np.expm1(np.minimum(epsilon - self.loss, 0))).sum())

    def with_(self, other: Losses) -> Losses:
        """Two independent answers together: losses add up."""
        loss = np.add.outer(self.loss, other.loss).ravel()
        log_chance = np.add.outer(self.log_chance, other.log_chance).ravel()
        order = np.argsort(loss, kind="stable")
        loss, log_chance = loss[order], log_chance[order]
        first = np.flatnonzero(np.append(True, np.diff(loss) > 1e-11))  # losses of counts lie on a lattice: equal ones are one
        return Losses(loss[first], np.logaddexp.reduceat(log_chance, first))

    @staticmethod
    def nothing() -> Losses:
        """The loss of an answer that does not depend on the data."""
        return Losses(np.zeros(1), np.zeros(1))

    @staticmethod
    def of_counts(here: int, there: int, noise: NoiseLaw, threshold: int | None) -> Losses:
        """A noisy count, released if it reaches the threshold; here and there are the exact ones."""
        moved = abs(here - there)
        reach = (
            math.ceil(13 * noise.value) + (MOST_ORDER + 1) * moved + 3
            if isinstance(noise, Sigma)
            else 40 * math.ceil(noise.value + 1) + moved
        )
        values = np.arange(min(here, there) - reach, max(here, there) + reach + 1)
        p, q = log_masses(noise, values - here), log_masses(noise, values - there)
        if threshold is not None:
            low = values < threshold
            if low.any():  # these look alike
                p, q = (np.append(log[~low], _log_sum(log[low])) for log in (p, q))
        return Losses(p - q, p)


def log_masses(noise: NoiseLaw, x: NDArray[np.int64]) -> NDArray[np.float64]:
    """log P(X = x), from the definition of the law: its weights, divided by the sum of all of them."""
    weight = _log_weights(noise, x)
    reach = math.ceil(45 * noise.value) + 1 if not isinstance(noise, Sigma) else math.ceil(10 * noise.value) + 1
    return np.asarray(weight - _log_sum(_log_weights(noise, np.arange(-reach, reach + 1))))


def _log_weights(noise: NoiseLaw, x: NDArray[np.int64]) -> NDArray[np.float64]:
    away = np.abs(x).astype(np.float64)
    return -(away**2) / (2 * noise.square) if isinstance(noise, Sigma) else -away / noise.value


def _log_sum(logs: NDArray[np.float64]) -> np.float64:
    return np.float64(logs.max() + math.log(np.exp(logs - logs.max()).sum()))
