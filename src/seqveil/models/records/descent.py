"""Minimize a smooth convex function of many variables: L-BFGS with backtracking, without products that use several threads."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba import njit
from numpy.typing import NDArray

Vector = NDArray[np.float64]

MEMORY = 16
"""Earlier steps that shape the next one."""

BLUR = 1e-7
"""Values are sums of single-precision numbers: differences below this share of them say nothing."""


FARTHEST = 1.0
"""No variable, times its unit, moves farther in one step."""


@njit(cache=True)
def _dot(a, b):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@njit(cache=True)
def _direction(gradient, moved, turned, number):  # type: ignore[no-untyped-def]
    """The two-loop recursion over the last `number` moves (newest last) and the turns of the gradient along them."""
    out = -gradient
    alpha = np.zeros(number)
    for k in range(number - 1, -1, -1):
        alpha[k] = _dot(moved[k], out) / _dot(moved[k], turned[k])
        for i in range(len(out)):
            out[i] -= alpha[k] * turned[k, i]
    if number:
        out *= _dot(moved[number - 1], turned[number - 1]) / _dot(turned[number - 1], turned[number - 1])
    for k in range(number):
        beta = _dot(turned[k], out) / _dot(moved[k], turned[k])
        for i in range(len(out)):
            out[i] += (alpha[k] - beta) * moved[k, i]
    return out


def minimized(value: Callable[[Vector], tuple[float, Vector]], start: Vector, calls: int, unit: Vector | float = 1.0) -> Vector:
    """The best point after so many calls of `value`, which gives the value and its gradient.

    >>> minimized(lambda x: (float(((x - 3) ** 2).sum()), 2 * (x - 3)), np.zeros(2), calls=10).round(3).tolist()
    [3.0, 3.0]
    """
    moved, turned = np.zeros((MEMORY, len(start))), np.zeros((MEMORY, len(start)))
    number = 0
    here = start
    height, gradient = value(here)
    used = 1
    while used < calls:
        direction = _direction(gradient, moved, turned, number)
        slope = _dot(gradient, direction)
        if not slope < 0:
            break
        step = min(1.0, FARTHEST / max(float(np.abs(direction * unit).max()), 1e-300))
        while used < calls:
            there = here + step * direction
            new_height, new_gradient = value(there)
            used += 1
            if new_height <= height + 1e-4 * step * slope + BLUR * abs(height):
                break
            step *= max(0.1, min(0.5, 0.5 * slope * step / min(slope * step - (new_height - height), -1e-300)))
        else:
            break
        move, turn = there - here, new_gradient - gradient
        if _dot(move, turn) > 1e-12:
            if number == MEMORY:
                moved[:-1], turned[:-1] = moved[1:].copy(), turned[1:].copy()
                number -= 1
            moved[number], turned[number] = move, turn
            number += 1
        here, height, gradient = there, new_height, new_gradient
    return here
