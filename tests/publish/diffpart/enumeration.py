"""Noise that takes every branch: the exact law of a small run, found by walking all of its outcomes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations
from math import comb, exp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.wall.noise import Law, Scale, Sigma


class EveryNoise:
    """Takes one branch per draw and knows its probability, so that a caller can walk all of them.

    Laplace draws are lumped into ≤ −reach, −reach+1 … reach−1, ≥ reach: enough where only passing a threshold matters and
    no count lies further than that from it. Tails are taken as 0, since they do not decide who passes.
    """

    private = False
    kind = "every outcome"

    def __init__(self, script: list[int], reach: int) -> None:
        self._script = script
        self._reach = reach
        self.at = 0
        self.widths: list[int] = []
        self.chance = 1.0

    def _take(self, chances: list[float]) -> int:
        branch = self._script[self.at] if self.at < len(self._script) else 0
        self.at += 1
        self.widths.append(len(chances))
        self.chance *= chances[branch]
        return branch

    def laplace(self, scale: Scale, size: int) -> NDArray[np.int64]:
        q = exp(-1 / scale.value)
        r = self._reach
        tail = q**r / (1 + q)
        middle = [q ** abs(x) * (1 - q) / (1 + q) for x in range(-r + 1, r)]
        return np.array([self._take([tail, *middle, tail]) - r for _ in range(size)], np.int64)

    def gaussian(self, sigma: Sigma, size: int) -> NDArray[np.int64]:
        raise NotImplementedError

    def beyond(self, law: Law, threshold: int, size: int) -> NDArray[np.int64]:
        return np.zeros(size, np.int64)

    def passing(self, law: Law, threshold: int, slots: int) -> int:
        p = law.probability(threshold)
        return self._take([comb(slots, k) * p**k * (1 - p) ** (slots - k) for k in range(slots + 1)])

    def distinct(self, k: int, n: int) -> NDArray[Any]:
        subsets = list(combinations(range(n), k))
        return np.array(subsets[self._take([1 / len(subsets)] * len(subsets))], np.int64)

    def below(self, n: int, size: int) -> NDArray[Any]:
        raise NotImplementedError

    def exponential(self, scores: NDArray[np.int64], rate: Fraction) -> int:
        weights = [exp(float(rate) * score) for score in scores.tolist()]
        return self._take([weight / sum(weights) for weight in weights])


def law(run: Callable[[EveryNoise], Any], reach: int) -> dict[Any, float]:
    """The exact probability of every outcome of `run`."""
    chances: dict[Any, float] = {}
    for outcome, chance in _walk(run, reach):
        chances[outcome] = chances.get(outcome, 0.0) + chance
    return chances


def _walk(run: Callable[[EveryNoise], Any], reach: int) -> Iterator[tuple[Any, float]]:
    script: list[int] = []
    while True:
        noise = EveryNoise(script, reach)
        yield run(noise), noise.chance
        # The next script: the last branch that has a sister takes it, everything after it starts anew.
        taken = [*script[: noise.at], *[0] * (noise.at - len(script))]
        while taken and taken[-1] + 1 == noise.widths[len(taken) - 1]:
            taken.pop()
        if not taken:
            return
        taken[-1] += 1
        script = taken


def loss(one: dict[Any, float], other: dict[Any, float]) -> float:
    """The largest log-ratio between two laws; infinite where only one of them reaches an outcome."""
    outcomes = [o for o in one.keys() | other.keys() if max(one.get(o, 0.0), other.get(o, 0.0)) > 1e-12]
    ratios = [one.get(o, 0.0) / other[o] if other.get(o, 0.0) > 0 else np.inf for o in outcomes]
    return float(np.max(np.abs(np.log(np.maximum(ratios, 1e-300)))))
