"""Sets of labels: baskets, diagnoses, whatever holds sequences, without order and repeats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from seqveil.kinds.kind import Kind
from seqveil.kinds.sequences import LABELS, SequenceWorld
from seqveil.kinds.world import Content
from seqveil.tables.domain import Domain
from seqveil.tables.units import Unit

KIND = Kind(
    name="sets",
    noun="sets",
    table="seqveil.tables.sets:SetTable",
    readers={"inspect": "seqveil.sources.sets:inspect_sets", "read": "seqveil.sources.sets:read_sets"},
    formats="sequences",
    units=("seqveil.tables.units:Record", "seqveil.tables.units:User"),
    contents=("sets", "set-model", "patterns"),
    evaluator="seqveil.evaluate.kinds.sets:SetEvaluator",
    views={"check": "seqveil.cli.check:check_sequences_file"},
    world="seqveil.kinds.sets:SetWorld",
    simulated="seqveil.simulate.records:sets",
)


class SetWorld(SequenceWorld):
    """The made-up sequences, as sets."""

    def table(self, people: Sequence[Content], unit: Unit, domain: Domain | None = None) -> Any:
        from seqveil.tables.sets import SetTable

        return SetTable.of(super().table(people, unit, domain))

    def every(self) -> Iterator[Content]:
        for size in range(1, len(LABELS) + 1):
            yield from ((chosen,) for chosen in combinations(range(len(LABELS)), size))
