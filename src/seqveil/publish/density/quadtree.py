"""The noisy quadtree: levels of regions with their answers. Everything in it is noisy or public."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def variance(scale: Floats) -> Floats:
    """The variance of discrete Laplace noise.

    >>> variance(np.array([1.0])).round(4).tolist()
    [1.8413]
    """
    return np.asarray(0.5 / np.sinh(np.minimum(0.5 / scale, 300.0)) ** 2)


@dataclass(slots=True, eq=False)
class Level:
    """The regions of one depth. `parent` numbers the level above; `node` is the number in the private tree.

    `noisy`, `scale` is the answer that no decision of the tree looked at, `estimate`, `spread` (a variance) the best that
    is known of the region alone.
    """

    region: Ints
    node: Ints
    parent: Ints
    estimate: Floats
    spread: Floats
    leaf: NDArray[np.bool_]
    noisy: Ints
    scale: Floats

    @classmethod
    def of(cls, region: Ints, node: Ints, parent: Ints, noisy: Ints, scale: Floats) -> Level:
        """A level as it was counted; leaves are marked later."""
        nothing = np.zeros(len(node), np.bool_)
        return cls(region, node, parent, noisy.astype(np.float64), variance(scale), nothing, noisy, scale)

    def again(self, rows: Ints, noisy: Ints, scale: Floats) -> None:
        """A second, independent answer about some regions: the best estimate weighs both by their inverse variances.

        The paper's weights (theorem 7.6) give the better answer γ⁴ instead of γ² times the weight of the other.
        """
        second = variance(scale)
        both = 1 / (1 / self.spread[rows] + 1 / second)
        self.estimate[rows] = both * (self.estimate[rows] / self.spread[rows] + noisy / second)
        self.spread[rows] = both
        self.noisy[rows], self.scale[rows] = noisy, scale


@dataclass(slots=True, eq=False)
class Quadtree:
    """Levels from the root down."""

    levels: list[Level] = field(default_factory=list)

    @classmethod
    def planted(cls, region: Ints, node: int) -> Quadtree:
        """The root alone, of which nothing is known."""
        one = np.zeros(1, np.int64)
        unknown = Level(
            region[None], one + node, one - 1, np.zeros(1), np.full(1, np.inf), np.zeros(1, np.bool_), one, np.full(1, np.inf)
        )
        return cls([unknown])

    @property
    def leaves(self) -> list[tuple[int, Ints]]:
        """(depth, rows) of the leaves, depth by depth."""
        return [(depth, np.flatnonzero(level.leaf)) for depth, level in enumerate(self.levels)]
