"""The folder that goes back to both data holders: pairs of matching positions, no distances. NOT differentially private."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from seqveil.errors import InputProblems
from seqveil.link.columns import ROWS_AT_ONCE, open_columns, whole, write_columns
from seqveil.link.sealed import README, new_folder, open_sealed, seal, write_manifest

FORMAT, VERSION = "seqveil linkage pairs", 1
PAIRS = "pairs.parquet"
_FACTS: dict[str, tuple[type, ...]] = {
    "base": (str,), "a": (str,), "b": (str,), "thresholds": (str,), "one_to_one": (bool,), "pairs": (int,),
}  # fmt: skip
_SCHEMA = pa.schema([whole("a"), whole("b")])
_TEXT = """Matching positions in the vectors of two data holders. Row n, counted from 1, is "pair n" for both.
Each data holder learns which of its own names the other one seems to have, and how many. Wrong pairs reveal something about
people whom the two do not share. Only a data holder's key turns a position into a row of its file."""


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """`a[n]` and `b[n]` are positions from 1, ordered by a, then b.

    `squared[n]` is their squared distance in units of 1 / scale²; it stays with the third party and is in no file.
    `vectors_a` and `vectors_b` are the digests of the folders, `thresholds` says whose were used.
    """

    a: NDArray[np.int32]
    b: NDArray[np.int32]
    vectors_a: str
    vectors_b: str
    base_id: str
    thresholds: Literal["a", "b"]
    one_to_one: bool
    squared: NDArray | None = None

    def __len__(self) -> int:
        return len(self.a)

    def save(self, out: str | Path) -> Path:
        """As a folder that is whole or not there at all."""
        target = Path(out)
        facts = {
            "base": self.base_id, "a": self.vectors_a, "b": self.vectors_b, "thresholds": self.thresholds,
            "one_to_one": self.one_to_one, "pairs": len(self),
        }  # fmt: skip
        with new_folder(target) as work:
            write_columns(work / PAIRS, _SCHEMA, self._parts())
            write_manifest(work, FORMAT, VERSION, facts, _TEXT)
            seal(work, target)
        return target

    def _parts(self) -> Iterator[list[Any]]:
        for at in range(0, len(self), ROWS_AT_ONCE):
            to = slice(at, at + ROWS_AT_ONCE)
            yield [pa.array(self.a[to].astype(np.int64)), pa.array(self.b[to].astype(np.int64))]

    @classmethod
    def load(cls, folder: str | Path) -> Pairs:
        """Read strictly: whatever is not exactly what `save` writes is refused."""
        folder = Path(folder)
        facts, _ = open_sealed(folder, FORMAT, VERSION, _FACTS, {PAIRS, README}, "match")
        if facts["thresholds"] not in ("a", "b") or not 0 <= facts["pairs"] < 2**40:
            raise InputProblems(str(folder), ["manifest.json: 'thresholds' or 'pairs' has an impossible value"])
        batches = open_columns(folder / PAIRS, _SCHEMA, facts["pairs"])
        a, b = np.empty(facts["pairs"], np.int32), np.empty(facts["pairs"], np.int32)
        at, last = 0, (0, 0)
        for batch in batches:
            one, other = (column.to_numpy() for column in batch.columns)
            if not _is_list(one, other, last):
                raise InputProblems(str(folder), ["the pairs are not ordered positions from 1: it was not written by Seqveil"])
            a[at : at + len(batch)], b[at : at + len(batch)] = one, other
            at, last = at + len(batch), (int(one[-1]), int(other[-1]))
        return cls(a, b, facts["a"], facts["b"], facts["base"], facts["thresholds"], facts["one_to_one"])


def _is_list(a: NDArray[np.int64], b: NDArray[np.int64], last: tuple[int, int]) -> bool:
    """Whether pairs go on from the last one, each after the one before, in positions of 32 bits."""
    if min(a.min(), b.min()) < 1 or max(a.max(), b.max()) >= 2**31:
        return False
    key = a << 32 | b
    return bool(key[0] > last[0] << 32 | last[1] and (key[1:] > key[:-1]).all())
