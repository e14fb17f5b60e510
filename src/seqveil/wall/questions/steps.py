"""Steps: how often records go from one place to a neighbour of it, for public pairs of places.

Law: of every record, the first `most` steps that are listed count; plus discrete Laplace noise. A step is two items next to each
other in one record; it is listed if the pair of their codes has a slot. Several pairs may share a slot: then they are counted
together, for example all steps to the east.

Charge: what is paid for it.

Clip: `most`, which the engine applies while it counts. The wall compares what the heaviest record added with the influence.

Sensitivity: a record adds one for each of at most `most` steps, each to one slot. So a unit with m records moves m·most in L1.
The list depends on public parameters and noisy answers only. tests/wall/questions/test_steps_sensitivity.py enumerates it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.engines.protocol import Tally, engine_of
from seqveil.errors import CallError
from seqveil.tables.units import Unit
from seqveil.wall.questions.alphabet import Alphabet
from seqveil.wall.questions.units import records_of


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """The first `most` listed steps of every record: slot `listed[a, b]` for a step from code a to code b, none for -1.

    >>> places = Alphabet.identity(3)
    >>> line = np.array([[-1, 0, -1], [1, -1, 2], [-1, 3, -1]], np.int32)  # three stops on a line: steps to the next one
    >>> Steps(places, line, most=5).slots(3)
    4
    """

    alphabet: Alphabet
    listed: NDArray[np.int32]
    most: int
    name: str = "steps"

    def __post_init__(self) -> None:
        listed, size = self.listed, self.alphabet.size
        if not isinstance(listed, np.ndarray) or listed.shape != (size, size) or listed.dtype != np.int32:
            raise CallError(f"listed must be a table (int32) with a row and a column for each of the {size} codes.")
        used = np.unique(listed[listed >= 0])
        if not len(used) or used[-1] != len(used) - 1:
            raise CallError("the slots of listed steps must be 0, 1, 2, … without a gap, and at least one step must be listed.")
        if self.most < 1:
            raise CallError(f"most = {self.most}: at least 1 step of a record must count.")

    def slots(self, domain_size: int) -> int:
        self.alphabet.of(domain_size)
        return int(self.listed.max()) + 1

    def influence(self, unit: Unit) -> int:
        return self.most * records_of(unit, self.name)

    def tally(self, table: Any, unit: Unit) -> Tally:
        codes = self.alphabet.of(len(table.domain))
        return engine_of(table).steps(table, codes, self.listed, self.slots(len(codes)), self.most)
