"""Size: how many records there are.

Law: the count of records plus discrete Laplace noise. Sensitivity: a unit owns at most m records.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from seqveil.tables.units import Unit
from seqveil.wall.questions.protocol import Tally


@dataclass(frozen=True, slots=True)
class Size:
    """The number of records."""

    name: str = "size"

    def slots(self, domain_size: int) -> int:
        return 1

    def influence(self, unit: Unit) -> int:
        return unit.sequences

    def tally(self, table: Any, unit: Unit) -> Tally:
        return Tally(np.zeros(1, np.int64), np.array([len(table)], np.int64))
