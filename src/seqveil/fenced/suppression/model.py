"""(K, C)_L-privacy: what is asked of the suppressed table, and in one sentence what it protects and what not."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from seqveil.errors import CallError
from seqveil.numbers import ratio, shown
from seqveil.surface import parameter

_FINEST = 10**9
"""C has at most nine decimals, so that comparing s/n with it stays inside 64-bit integers."""


@dataclass(frozen=True, slots=True)
class KCL:
    """Every sequence of at most L points that occurs at all occurs in K records, and reveals no sensitive value above C.

    `l=None` sets no bound: the adversary may know a whole trajectory.

    >>> KCL.of(30, "0.6", 3)
    KCL(k=30, c=Fraction(3, 5), l=3)
    >>> KCL.of(30, 1.5, 3)
    Traceback (most recent call last):
    seqveil.errors.CallError: C is 1.5: it is the highest allowed confidence, from 0 to 1, e.g. c=0.6.
    """

    k: int
    c: Fraction
    l: int | None  # noqa: E741 - the model's own letter

    @classmethod
    def of(cls, k: int, c: str | float | Fraction, l: int | None) -> KCL:  # noqa: E741
        """The model with its thresholds checked."""
        try:
            share = ratio(c)
        except ValueError:
            raise CallError(f"C is {shown(c)}: it must be a number from 0 to 1, e.g. {parameter('c', '0.6')}.") from None
        if not 0 <= share <= 1:
            raise CallError(f"C is {c}: it is the highest allowed confidence, from 0 to 1, e.g. {parameter('c', '0.6')}.")
        if share.denominator > _FINEST:
            raise CallError(f"C is {c}: it can have at most nine decimals, e.g. {parameter('c', '0.6')}.")
        if k < 1:
            raise CallError(f"K is {k}: it is how many records must share a sequence, at least 1, e.g. {parameter('k', '30')}.")
        if l is not None and l < 1:
            raise CallError(f"L is {l}: it is how many points an adversary may know, at least 1, e.g. {parameter('l', '3')}.")
        return cls(k, share, l)

    @classmethod
    def k_anonymity(cls, k: int) -> KCL:
        """k-anonymity of trajectories: L unbounded, C = 1."""
        return cls.of(k, 1, None)

    @classmethod
    def confidence_bounding(cls, c: str | float) -> KCL:
        """Confidence bounding: L unbounded, K = 1."""
        return cls.of(1, c, None)

    def badge(self, values: tuple[str, ...]) -> str:
        """What the output protects and what not, in one sentence.

        >>> KCL.of(30, "0.6", 3).badge(("HIV",))[:77]
        'NOT DIFFERENTIALLY PRIVATE: anyone who knows at most 3 points of a trajectory'
        """
        from seqveil.badge import BADGE

        points = "any number of" if self.l is None else f"at most {self.l}"
        named = ", ".join(values) or "nothing"
        return (
            f"{BADGE}: anyone who knows {points} points of a trajectory finds either no matching record or at least {self.k}, "
            f"and a share of at most {float(self.c):.4g} of these has the same sensitive value (of {named}). "
            "It does not protect against those who know more points, other columns, absent points, other sensitive "
            "values, the details of this method or another release of the same people, and the records are real."
        )
