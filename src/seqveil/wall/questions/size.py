"""Size: how many records there are.

Law: the count of records plus discrete Laplace noise. Sensitivity: a unit owns at most m records.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from seqveil.engines.protocol import Tally, engine_of
from seqveil.tables.units import Unit


@dataclass(frozen=True, slots=True)
class Size:
    """The number of records."""

    name: str = "size"

    def slots(self, domain_size: int) -> int:
        return 1

    def influence(self, unit: Unit) -> int:
        return unit.sequences

    def tally(self, table: Any, unit: Unit) -> Tally:
        return Tally(np.zeros(1, np.int64), np.array([engine_of(table).size(table)], np.int64), heaviest=1)
