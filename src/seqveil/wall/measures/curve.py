"""What a zCDP run promises at several δ, for its manifest."""

from __future__ import annotations

from seqveil.facts import Zcdp
from seqveil.wall.budget import GRAINS, MOST_EPSILON, decimal
from seqveil.wall.measures.delta import PARTS, in_parts, stated
from seqveil.wall.measures.guarantee import Guarantee
from seqveil.wall.measures.zcdp import epsilon_of

DELTAS = ("1e-5", "1e-6", "1e-7", "1e-8", "1e-9")
"""Where the curve is printed."""


def curve(guarantee: Guarantee) -> Zcdp | None:
    """ρ, δ and the curve of a run, rounded up; None for a pure one.

    >>> from seqveil.wall.budget import grains
    >>> shown = curve(Guarantee(grains("1.0"), in_parts("1e-6")))
    >>> shown.rho, shown.delta, shown.curve["1e-6"], shown.curve["1e-9"]
    ('0.024355970359', '1e-6', '0.999999999989', '1.28964480674')
    """
    if not guarantee.delta:
        return None
    return Zcdp(
        decimal(guarantee.amount),
        stated(guarantee.delta),
        stated(guarantee.thresholds) if guarantee.thresholds else None,
        points(guarantee.amount, guarantee.thresholds),
    )


def points(rho: int, thresholds: int) -> dict[str, str]:
    """δ → ε of a release that costs ρ, and δ for thresholds.

    A δ of which thresholds leave nothing is not listed, nor one at which ε is more than a manifest may state.

    >>> points(993_000 * GRAINS, 0)
    {'1e-5': '999755.662939646266'}
    """
    left = {delta: in_parts(delta) - thresholds for delta in DELTAS}
    listed = {delta: epsilon_of(rho, parts) for delta, parts in left.items() if 0 < parts < PARTS}
    return {delta: decimal(epsilon) for delta, epsilon in listed.items() if epsilon <= MOST_EPSILON * GRAINS}
