"""How deep the quadtree may grow, how small its regions may get, and what each level may spend: all public.

The height is that of [Chen thesis, §7.4.1] (docs/soundness.md, 'Heights and budgets of DER'), the budgets of [Cormode 2012].
"""

from __future__ import annotations

import math

from seqveil.wall import GRAINS

_CUBE_ROOT = 2 ** (1 / 3)


def height(vertices: int, epsilon_count: int, k: int) -> int:
    """The largest h that equation 7.4 allows, with correlated sensitivity k (an edge is one cell); 0 where none does.

    ∛2·(2^h)² − (2^h)^(5/3) ≤ (∛2 − 1)·|V|²·ε_count / (2√2·k): a leaf of |V|²/4^h cells must be larger than twice the
    standard deviation of its noise.

    >>> height(7115, GRAINS // 2, 1), height(8, GRAINS, 10), height(2, GRAINS, 1)
    (10, 0, 0)
    """
    allowed = (_CUBE_ROOT - 1) * vertices**2 * (epsilon_count / GRAINS) / (2 * math.sqrt(2) * k)
    h = 0
    while _CUBE_ROOT * 4.0 ** (h + 1) - 2 ** ((h + 1) * 5 / 3) <= allowed:
        h += 1
    return h


def least_sizes(vertices: int, h: int, smallest: float) -> tuple[int, ...]:
    """The cells that every region at depth 1..h must have: `smallest` times an even division of the upper triangle.

    >>> least_sizes(100, 3, 0.25)
    (309, 77, 19)
    """
    pairs = vertices * (vertices - 1) // 2
    return tuple(max(1, int(smallest * pairs / 4**depth)) for depth in range(1, h + 1))


def count_budgets(epsilon_count: int, h: int) -> list[int]:
    """Grains for the counts at depth 1..h: the geometric scheme of [Cormode 2012], the root's share moved to the leaves.

    The last level takes what the others leave, so the sum is ε_count exactly.

    >>> shares = count_budgets(10**12, 4)
    >>> sum(shares) == 10**12, [round(s / 10**12, 3) for s in shares]
    (True, [0.151, 0.19, 0.239, 0.421])
    """
    whole = 2 ** ((h + 1) / 3) - 1
    inner = [int(2 ** (depth / 3) * (_CUBE_ROOT - 1) / whole * epsilon_count) for depth in range(1, h)]
    return [*inner, epsilon_count - sum(inner)]
