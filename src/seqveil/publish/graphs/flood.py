"""What methods for graphs refuse before asking anything: noise that alone would make a graph too large to hold in memory."""

from __future__ import annotations

from seqveil.errors import CallError

MOST_EDGES = 50_000_000
"""More synthetic edges than this could not be drawn, kept or published."""


def refuse_flood(vertices: int, edges: float) -> None:
    """Refuse when noise may make this many edges. Both numbers are public, so a refusal reveals nothing about the data.

    >>> refuse_flood(5_000, 1e12)
    >>> refuse_flood(1_000_000, 1e12)
    Traceback (most recent call last):
    seqveil.errors.CallError: at this ε, noise alone could make 499,999,500,000 edges; at most 50,000,000 ...: give more ε.
    """
    possible = min(vertices * (vertices - 1) // 2, edges)
    if possible > MOST_EDGES:
        raise CallError(
            f"at this ε, noise alone could make {possible:,.0f} edges; at most {MOST_EDGES:,} can be held in memory: give more ε."
        )
