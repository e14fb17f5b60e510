"""The folder that goes to the third party: vectors and thresholds in a secret order. NOT differentially private.

manifest.json      the base's id and the lengths of its grams, how many vectors, which threshold
vectors.parquet    counts O_s(g), and where thresholds are personal, `reach`
README.txt
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from seqveil.errors import InputProblems
from seqveil.link.base import LONGEST_GRAM, MOST_GRAMS
from seqveil.link.columns import open_columns, whole
from seqveil.link.sealed import README, open_sealed
from seqveil.link.thresholds import KINDS, MOST_EDITS

FORMAT, VERSION = "seqveil linkage vectors", 1
VECTORS = "vectors.parquet"
MOST_ROWS = 2**31 - 2
"""Positions fit into 32 bits."""

_FACTS: dict[str, tuple[type, ...]] = {
    "base": (str,), "k": (int,), "scale": (int,), "lengths": (list,), "rows": (int,), "bits": (int,),
    "edits": (int, type(None)), "threshold": (str, type(None)), "reach": (int, type(None)), "personal": (bool,),
}  # fmt: skip
_ID = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """One data holder's vectors as the third party has them. `reach`: None without thresholds, else one for all or one for each.

    `digest` is the SHA-256 of the manifest, which covers every other file: by it keys and pairs say which folder they mean.
    """

    counts: NDArray[np.uint8] | NDArray[np.uint16]
    reach: NDArray[np.int64] | int | None
    base_id: str
    lengths: NDArray[np.int64]
    digest: str
    edits: int | None = None
    threshold: str | None = None

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def scale(self) -> int:
        """Coordinates are integers in units of 1 / scale."""
        return math.lcm(*self.lengths.tolist())

    @property
    def weights(self) -> NDArray[np.int64]:
        """What one occurrence adds to each coordinate, in these units."""
        return self.scale // self.lengths

    @property
    def reaches(self) -> NDArray[np.int64]:
        """The reach of every vector, in units of 1 / scale²."""
        return self.reach if isinstance(self.reach, np.ndarray) else np.full(len(self), self.reach or 0, np.int64)

    @classmethod
    def load(cls, folder: str | Path) -> Vectors:
        """Read strictly: whatever is not exactly what `write_vectors` writes is refused."""
        folder = Path(folder)
        facts, digest = open_sealed(folder, FORMAT, VERSION, _FACTS, {VECTORS, README}, "embed")
        if problems := _problems(facts):
            raise InputProblems(str(folder), problems)
        batches = open_columns(folder / VECTORS, schema_of(facts["k"], facts["bits"], facts["personal"]), facts["rows"])
        counts = np.empty((facts["rows"], facts["k"]), np.uint8 if facts["bits"] == 8 else np.uint16)
        reach = np.empty(facts["rows"], np.int64) if facts["personal"] else facts["reach"]
        at = 0
        for batch in batches:
            to = slice(at, at + len(batch))
            counts[to] = batch.column(0).flatten().to_numpy(zero_copy_only=False).reshape(-1, facts["k"])
            if facts["personal"]:
                reach[to] = batch.column(1).to_numpy()
            at += len(batch)
        if facts["personal"] and at and reach.min() < 0:
            raise InputProblems(str(folder), ["has a negative reach: it was not written by Seqveil"])
        lengths = np.array(facts["lengths"], np.int64)
        return cls(counts, reach, facts["base"], lengths, digest, facts["edits"], facts["threshold"])


def schema_of(k: int, bits: int, personal: bool) -> pa.Schema:
    """The columns of vectors.parquet."""
    item = whole("element", pa.uint8() if bits == 8 else pa.uint16())
    return pa.schema([whole("counts", pa.list_(item, k)), *([whole("reach")] if personal else [])])


def _problems(facts: dict[str, Any]) -> list[str]:
    """What keeps a manifest from being that of vectors."""
    lengths = facts["lengths"]
    if not 1 <= len(lengths) <= MOST_GRAMS or not all(type(q) is int and 1 <= q <= LONGEST_GRAM for q in lengths):
        return [f"manifest.json: 'lengths' must be those of 1 to {MOST_GRAMS:,} n-grams of 1 to {LONGEST_GRAM} characters"]
    named, reach = facts["threshold"], facts["reach"]
    impossible = {
        "base": not _ID.fullmatch(facts["base"]),
        "k": facts["k"] != len(lengths),
        "scale": facts["scale"] != math.lcm(*lengths),
        "rows": not 1 <= facts["rows"] <= MOST_ROWS,
        "bits": facts["bits"] not in (8, 16),
        "edits": facts["edits"] is not None and not 0 <= facts["edits"] <= MOST_EDITS,
        "threshold": named is not None and named not in KINDS,
        "reach": (reach is not None and not 0 <= reach < 2**62)
        or (named is not None) != (reach is not None or facts["personal"]),
        "personal": facts["personal"] and reach is not None,
    }
    return [f"manifest.json: {key!r} has an impossible value" for key, wrong in impossible.items() if wrong]
