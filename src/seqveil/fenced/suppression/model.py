"""(K, C)_L-privacy: what is asked of the suppressed table, and in one sentence what it protects and what not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError
from seqveil.numbers import ratio, shown
from seqveil.surface import parameter

_FINEST = 10**9
"""C has at most nine decimals, so that comparing s/n with it stays inside 64-bit integers."""

Share = str | float | Fraction


class Limits(NamedTuple):
    """C of every sensitive value as a fraction, over / under; values are counted through all attributes."""

    over: NDArray[np.int64]
    under: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class KCL:
    """Every sequence of at most L points that occurs at all occurs in K records, and reveals no sensitive value above C.

    C is one share for all sensitive attributes, or one for each. `l=None` sets no bound: the adversary may know a whole
    trajectory.

    >>> KCL.of(30, "0.6", 3)
    KCL(k=30, c=(Fraction(3, 5),), l=3)
    >>> KCL.of(30, ["0.6", "0.25"], 3).c
    (Fraction(3, 5), Fraction(1, 4))
    >>> KCL.of(30, 1.5, 3)
    Traceback (most recent call last):
    seqveil.errors.CallError: C is 1.5: it is the highest allowed confidence, from 0 to 1, e.g. c=0.6.
    """

    k: int
    c: tuple[Fraction, ...]
    l: int | None  # noqa: E741 - the model's own letter

    @classmethod
    def of(cls, k: int, c: Share | Sequence[Share], l: int | None) -> KCL:  # noqa: E741
        """The model with its thresholds checked."""
        shares = tuple(map(_confidence, [c] if isinstance(c, str | float | int | Fraction) else c))
        if not shares:
            raise CallError(f"no C is given: give one, or one for each sensitive attribute, e.g. {parameter('c', '0.6')}.")
        if k < 1:
            raise CallError(f"K is {k}: it is how many records must share a sequence, at least 1, e.g. {parameter('k', '30')}.")
        if l is not None and l < 1:
            raise CallError(f"L is {l}: it is how many points an adversary may know, at least 1, e.g. {parameter('l', '3')}.")
        return cls(k, shares, l)

    @classmethod
    def k_anonymity(cls, k: int) -> KCL:
        """k-anonymity of trajectories: L unbounded, C = 1."""
        return cls.of(k, 1, None)

    @classmethod
    def confidence_bounding(cls, c: Share | Sequence[Share]) -> KCL:
        """Confidence bounding: L unbounded, K = 1."""
        return cls.of(1, c, None)

    def confidences(self, attributes: int) -> tuple[Fraction, ...]:
        """C of each attribute.

        >>> KCL.of(30, "0.6", 3).confidences(2)
        (Fraction(3, 5), Fraction(3, 5))
        """
        if len(self.c) not in (1, attributes):
            raise CallError(
                f"C is given {len(self.c)} times, but there are {attributes} sensitive attributes: give {parameter('c')} once "
                "for all of them, or once for each, in the same order."
            )
        return self.c * (attributes // len(self.c))

    def limits(self, values: Sequence[Sequence[str]]) -> Limits:
        """C of every value, for kernels."""
        shares = [c for c, listed in zip(self.confidences(len(values)), values, strict=True) for _ in listed]
        return Limits(np.array([c.numerator for c in shares], np.int64), np.array([c.denominator for c in shares], np.int64))

    def badge(self, values: Mapping[str, Sequence[str]]) -> str:
        """What the output protects and what not, in one sentence; `values` are the listed ones of each attribute.

        >>> KCL.of(30, "0.6", 3).badge({"diagnosis": ["HIV"]})[:77]
        'NOT DIFFERENTIALLY PRIVATE: anyone who knows at most 3 points of a trajectory'
        >>> KCL.of(30, ["0.6", "0.4"], 3).badge({"diagnosis": ["HIV", "Flu"], "fare": ["welfare"]})[132:246]
        'share of at most 0.6 of these has the same diagnosis (of HIV, Flu), and at most 0.4 the same fare (of welfare). It'
        """
        from seqveil.badge import BADGE

        points = "any number of" if self.l is None else f"at most {self.l}"
        shares = [f"at most {float(c):.4g}" for c in self.confidences(len(values))]
        named = [f"the same {attribute} (of {', '.join(listed)})" for attribute, listed in values.items()]
        first, *others = zip(shares, named, strict=True)
        return (
            f"{BADGE}: anyone who knows {points} points of a trajectory finds either no matching record or at least {self.k}, "
            f"and a share of {first[0]} of these has {first[1]}"
            + "".join(f", and {share} {same}" for share, same in others)
            + ". "
            "It does not protect against those who know more points, other columns, absent points, other sensitive "
            "values, the details of this method or another release of the same people, and the records are real."
        )


def _confidence(c: Share) -> Fraction:
    try:
        share = ratio(c)
    except ValueError:
        raise CallError(f"C is {shown(c)}: it must be a number from 0 to 1, e.g. {parameter('c', '0.6')}.") from None
    if not 0 <= share <= 1:
        raise CallError(f"C is {c}: it is the highest allowed confidence, from 0 to 1, e.g. {parameter('c', '0.6')}.")
    if share.denominator > _FINEST:
        raise CallError(f"C is {c}: it can have at most nine decimals, e.g. {parameter('c', '0.6')}.")
    return share
