"""RegionTable: the density map of a graph, regions of the upper triangle with their noisy counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import ReleaseDamaged
from seqveil.release.limits import MOST_PAIRS, refuse_beyond, refuse_odd_noise
from seqveil.release.parquet import Kind
from seqveil.tables.triangle import cells

if TYPE_CHECKING:
    import pyarrow as pa

_SIDES = ("top", "bottom", "left", "right")
COLUMNS: dict[str, Kind] = {**dict.fromkeys(_SIDES, "whole"), "count": "whole", "noisy": "whole", "scale": "number"}
"""What a density map is rebuilt from."""


@dataclass(frozen=True, slots=True, eq=False)
class RegionTable:
    """`region[i]` is (top, bottom, left, right): rows top..bottom-1, columns left..right-1, pairs row < column only.

    `count` is the published number of edges; `noisy` is one unselected answer with discrete Laplace noise of `scale`, from
    which error bars are made.
    """

    region: NDArray[np.int64]
    count: NDArray[np.int64]
    noisy: NDArray[np.int64]
    scale: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.region)

    @property
    def cells(self) -> NDArray[np.int64]:
        """How many pairs each region holds."""
        return cells(self.region)

    def check(self, vertices: int) -> None:
        """Damage is refused, never repaired."""
        region = self.region
        sound = len(region) == 0 or (
            region.min() >= 0
            and bool((region[:, 1] <= vertices).all() and (region[:, 3] <= vertices).all())
            and bool(((self.count >= 0) & (self.count <= self.cells)).all())
            and bool((region[:, 0] <= region[:, 1]).all() and (region[:, 2] <= region[:, 3]).all())
            and bool((np.isfinite(self.scale) & (self.scale > 0)).all())
            and int(self.cells.sum()) == vertices * (vertices - 1) // 2
        )
        if not sound:
            raise ReleaseDamaged("The regions do not divide the pairs of vertices. Copy the release again.")

    def to_columns(self) -> pa.Table:
        import pyarrow as pa

        sides = {side: self.region[:, i].astype(np.int32) for i, side in enumerate(_SIDES)}
        return pa.table({**sides, "count": self.count, "noisy": self.noisy, "scale": self.scale})

    @classmethod
    def from_columns(cls, column: dict[str, Any]) -> RegionTable:
        region = np.stack([np.asarray(column[side], np.int64) for side in _SIDES], axis=1)
        count, noisy = (np.asarray(column[name], np.int64) for name in ("count", "noisy"))
        scale = np.asarray(column["scale"], np.float64)
        refuse_odd_noise(noisy, scale)
        refuse_beyond("number of rows of the regions", int((region[:, 1] - region[:, 0]).sum()), MOST_PAIRS)
        return cls(region, count, noisy, scale)
