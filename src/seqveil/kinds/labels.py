"""Labels that nobody has listed: what a discovery finds out. Read from whatever holds sequences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from seqveil.kinds.kind import Kind
from seqveil.kinds.sequences import LABELS, SequenceWorld
from seqveil.kinds.world import Content, Odd
from seqveil.tables.domain import Domain
from seqveil.tables.units import Unit, User

KIND = Kind(
    name="labels",
    noun="labels that nobody has listed",
    table="seqveil.tables.unlisted:LabelTable",
    readers={"inspect": "seqveil.sources.unlisted:inspect_labels", "read": "seqveil.sources.unlisted:read_labels"},
    formats="sequences",
    units=("seqveil.tables.units:Record", "seqveil.tables.units:User"),
    contents=("labels",),
    world="seqveil.kinds.labels:LabelWorld",
    unlisted=True,
)


class LabelWorld(SequenceWorld):
    """The made-up sequences, of which only the labels are kept; everything that one unit has is one record."""

    @property
    def domain(self) -> Domain:
        from seqveil.tables.unlisted import UNKNOWN

        return UNKNOWN

    def table(self, people: Sequence[Content], unit: Unit, domain: Domain | None = None) -> Any:
        from seqveil.tables.unlisted import labels_of

        records = [[LABELS[code] for code in record] for person in people for record in person]
        owners = [f"person {i}" for i, person in enumerate(people) for _ in person]
        return labels_of(records, owners if isinstance(unit, User) else None)

    def rehearsal(self, domain: Domain, users: bool) -> Any:
        return super().rehearsal(Domain.of(list(LABELS)), users)

    def odd(self) -> dict[str, Odd]:
        return {
            "an empty table": Odd([], self.domain),
            "records without items": Odd([((),), ((),)], self.domain),
            "a rare label only": Odd([((2,) * 8,)], self.domain),
        }

    def every(self) -> Iterator[Content]:
        for size in range(1, len(LABELS) + 1):
            yield from ((chosen,) for chosen in combinations(range(len(LABELS)), size))
