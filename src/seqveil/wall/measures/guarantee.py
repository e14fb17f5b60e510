"""What a run is asked to guarantee: ε alone, or (ε, δ) by way of zCDP."""

from __future__ import annotations

from dataclasses import dataclass

from seqveil.errors import CallError
from seqveil.surface import parameter
from seqveil.wall.budget import decimal
from seqveil.wall.measures.delta import stated
from seqveil.wall.measures.measure import Measure
from seqveil.wall.measures.zcdp import rho_of


@dataclass(frozen=True, slots=True)
class Guarantee:
    """ε in grains, and δ in parts of 10⁻¹⁸; without δ it is pure. `thresholds` is the part of δ that is spent on thresholds.

    >>> from seqveil.wall.budget import grains
    >>> from seqveil.wall.measures.delta import in_parts
    >>> Guarantee(grains("1.0")).amount == grains("1.0")
    True
    >>> decimal(Guarantee(grains("1.0"), in_parts("1e-6")).amount)
    '0.024355970359'
    """

    epsilon: int
    delta: int = 0
    thresholds: int = 0

    @property
    def measure(self) -> Measure:
        """In what it is charged."""
        return "zcdp" if self.delta else "pure"

    @property
    def amount(self) -> int:
        """What a run may spend, in grains of its measure; CallError where that is nothing."""
        if not self.delta:
            return self.epsilon
        left = self.delta - self.thresholds
        given = f"{parameter('epsilon', decimal(self.epsilon))} {parameter('delta', stated(self.delta))}"
        if left <= 0:
            raise CallError(
                f"{given}: thresholds take δ = {stated(self.thresholds)} of it, so nothing is left for the noise. Give a larger "
                "delta, or leave less of it to thresholds."
            )
        amount = rho_of(self.epsilon, left)
        if not amount:
            raise CallError(
                f"{given}: too small for any noise. Give a larger epsilon, for example {parameter('epsilon', '1.0')}."
            )
        return amount

    def __str__(self) -> str:
        """
        >>> print(Guarantee(10**12), Guarantee(10**12, 10**12))
        ε = 1.0 ε = 1.0 at δ = 1e-6
        """
        return f"ε = {decimal(self.epsilon)}" + (f" at δ = {stated(self.delta)}" if self.delta else "")
