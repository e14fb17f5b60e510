"""Sequences of labels: trips, clicks, histories of events. One person may own several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from seqveil.kinds.kind import Kind
from seqveil.kinds.world import BECAUSE, Content, Odd
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.units import Record, Unit, User

KIND = Kind(
    name="sequences",
    noun="sequences",
    table="seqveil.tables.sequences:SequenceTable",
    readers={"inspect": "seqveil.sources.sequences:inspect_sequences", "read": "seqveil.sources:read_sequences"},
    units=("seqveil.tables.units:Record", "seqveil.tables.units:User"),
    contents=("record-model", "grams", "prefixes", "patterns", "histogram"),
    evaluator="seqveil.evaluate.kinds.sequences:SequenceEvaluator",
    views={"check": "seqveil.cli.check:check_sequences_file"},
    world="seqveil.kinds.sequences:SequenceWorld",
    simulated="seqveil.simulate.records:sequences",
)

LABELS = "abcz"
"""Nobody in the base data has z: a label that only one person may have."""

LONG = 9
"""The length of the longest of the worst records."""

_REHEARSED = [[0, 1], [1, 2, 0, 1], [0, 1, 2] * 6, [2, 1, 1, 2, 3, 0], [0]] * 24


class SequenceWorld:
    """Records of labels."""

    @property
    def domain(self) -> Domain:
        return Domain.of(list(LABELS), public_because=BECAUSE)

    def units(self) -> list[Unit]:
        return [Record(), User(max_sequences=2)]

    def table(self, people: Sequence[Content], unit: Unit, domain: Domain | None = None) -> Any:
        from seqveil.tables.sequences import SequenceTable

        owners = np.array([i for i, records in enumerate(people) for _ in records], np.int64)
        records = [record for records in people for record in records]
        return SequenceTable(domain or self.domain, Flat.of(records), owners if isinstance(unit, User) else None)

    def rehearsal(self, domain: Domain, users: bool) -> Any:
        records = [tuple(code % len(domain) for code in record) for record in _REHEARSED]
        pairs = [tuple(records[at : at + 2]) for at in range(0, len(records), 2)]
        return self.table(pairs, User() if users else Record(), domain)

    def bases(self) -> list[list[Content]]:
        few = ["abca", "bc", "abab", "c", "ab"]
        many = [word for word in ("abc", "abca", "bcab", "cc", "a", "aab", "bca", "cab") for _ in range(4)]
        return [[], [_word(w) for w in few], [_word(w) for w in many]]

    def odd(self) -> dict[str, Odd]:
        three = Domain.range(1, 3, public_because=BECAUSE)
        one = Domain.range(1, 1, public_because=BECAUSE)
        return {
            "an empty table": Odd([], three),
            "records without items": Odd([((),), ((),)], three),
            "one label": Odd([((0,),), ((0, 0, 0),)] * 20, one),
            "one label and no data": Odd([], one),
            "a rare label only": Odd([((2,) * 8,)], three),
            "a large domain": Odd([((0, 50_000),)] * 5, Domain.range(1, 100_000, public_because=BECAUSE)),
        }

    def worst(self, unit: Unit) -> list[Content]:
        records = ["z" * LONG, "z", "abcz" * 3, "aaaa", "a" + "z" * 3]
        if isinstance(unit, User):  # one of them owns more than may be used
            return [tuple(_word(w)[0] for w in ("zzzz", "zz")), tuple(_word("zzzzz")[0] for _ in range(5)), _word("abz")]
        return [_word(record) for record in records]

    def every(self) -> Iterator[Content]:
        for length in range(1, 4):
            yield from (((record),) for record in product((0, 1, 3), repeat=length))

    def changed(self, content: Content, random: np.random.Generator) -> Content:
        records = [list(record) for record in content]
        record = records[int(random.integers(len(records)))]
        at = int(random.integers(len(record)))
        how = int(random.integers(3))
        if how == 0 and len(record) < 2 * LONG:
            record.insert(at, int(random.integers(len(LABELS))))
        elif how == 1 and len(record) > 1:
            del record[at]
        else:
            record[at] = int(random.integers(len(LABELS)))
        return tuple(tuple(record) for record in records)

    def write(self, people: Sequence[Content], path: Path) -> list[str]:
        lines = [" ".join(LABELS[c] for c in record) for records in people for record in records]
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return ["--format", "lines", "--domain", ",".join(LABELS)]


def _word(word: str) -> Content:
    return (tuple(LABELS.index(letter) for letter in word),)
