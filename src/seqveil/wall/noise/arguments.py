"""What a source of noise refuses to draw, and how it says so."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError
from seqveil.wall.noise.protocol import Law
from seqveil.wall.noise.whole import whole

MOST_PASSING = 50_000_000
"""More noisy zeros than this could not be drawn, kept or published."""

MOST_THRESHOLD = 2**62
"""A threshold is compared with int64 counts."""


def refuse_flood(law: Law, threshold: int, slots: int) -> None:
    """Refuse a threshold that noise alone would pass more than 50 million times.

    A caller whose `slots` depend on raw data asks this first with a public bound on them, so that whether a run is
    refused reveals nothing about the data.

    >>> from seqveil.wall.noise import Scale
    >>> refuse_flood(Scale(1.0), 40, 10**20)
    >>> refuse_flood(Scale(1.0), 2, 10**20)  # doctest: +NORMALIZE_WHITESPACE
    Traceback (most recent call last):
    seqveil.errors.CallError: noise of scale 1 alone would pass the threshold 2 about 1e+19 times, and at most
    50,000,000 can be drawn; raise the threshold to 29 or give more epsilon.
    """
    if slots == 0:
        return
    log_expected = math.log(slots) + law.log_probability(threshold)
    if log_expected > math.log(MOST_PASSING):
        enough = law.threshold_for(math.log(MOST_PASSING) - math.log(slots))
        raise CallError(
            f"{law.stated} alone would pass the threshold {threshold} about "
            f"1e+{round(log_expected / math.log(10))} times, and at most {MOST_PASSING:,} can be drawn; "
            f"raise the threshold to {enough} or give more epsilon."
        )


def threshold_argument(threshold: int) -> int:
    threshold = whole("threshold", threshold, 0)
    if threshold > MOST_THRESHOLD:
        raise CallError(f"threshold = {threshold}: give a whole number from 0 to 2**62.")
    return threshold


def passing_arguments(law: Law, threshold: int, slots: int) -> tuple[int, int]:
    threshold, slots = threshold_argument(threshold), whole("slots", slots, 0)
    refuse_flood(law, threshold, slots)
    return threshold, slots


def distinct_arguments(k: int, n: int) -> tuple[int, int]:
    k, n = whole("k", k, 0), whole("n", n, 0)
    if k > n:
        raise CallError(f"{k} distinct integers below {n} do not exist: give k of at most n.")
    return k, n


def exponential_arguments(scores: NDArray[np.int64], rate: Fraction) -> tuple[NDArray[np.int64], Fraction]:
    scores = np.asarray(scores)
    if scores.ndim != 1 or scores.size == 0 or not np.can_cast(scores.dtype, np.int64):
        raise CallError(f"scores of shape {scores.shape} and type {scores.dtype}: give a flat array of int64, at least one.")
    if not isinstance(rate, (int, Fraction)) or rate <= 0:
        raise CallError(f"rate = {rate!r}: give an exact number above 0, for example Fraction(1, 2).")
    return scores.astype(np.int64), Fraction(rate)


def ladder_arguments(widths: NDArray[np.int64]) -> NDArray[np.int64]:
    widths = np.asarray(widths)
    if widths.ndim != 1 or widths.size == 0 or not np.can_cast(widths.dtype, np.int64) or widths.min() < 0:
        raise CallError(
            f"widths of shape {widths.shape} and type {widths.dtype}: give a flat array of int64, none below 0, at least one."
        )
    return widths.astype(np.int64)


def overlap_arguments(ones: int, zeros: int, chosen: int, rate: Fraction) -> tuple[int, int, int, Fraction]:
    ones, zeros, chosen = whole("ones", ones, 0), whole("zeros", zeros, 0), whole("chosen", chosen, 0)
    if chosen > ones + zeros:
        raise CallError(f"{chosen} cells of {ones + zeros} cannot be chosen: give at most as many as there are.")
    if not isinstance(rate, (int, Fraction)) or rate <= 0:
        raise CallError(f"rate = {rate!r}: give an exact number above 0, for example Fraction(1, 2).")
    return ones, zeros, chosen, Fraction(rate)
