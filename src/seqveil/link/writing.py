"""The embedding phase [Bonomi thesis, §4.4], done by each data holder: names in, the third party's folder and a key out.

Memory is bounded by a batch of names and a few numbers per row: counts wait in a file of the unfinished folder until the secret
order is drawn.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from seqveil.errors import CallError, InputProblems
from seqveil.link.base import Base
from seqveil.link.columns import ROWS_AT_ONCE, write_columns
from seqveil.link.embedding import LONGEST_NAME, embed
from seqveil.link.key import Key, Seen
from seqveil.link.pending import awaiting, settle
from seqveil.link.sealed import new_folder, seal, write_manifest
from seqveil.link.thresholds import FROM_EDITS, Threshold
from seqveil.link.vectors import FORMAT, MOST_ROWS, VECTORS, VERSION, schema_of
from seqveil.link.whole import refuse_existing
from seqveil.surface import parameter

_SHOWN = 5

_TEXT = """One data holder's names as vectors in a secret order, for the third party that matches them.
They state how often each n-gram of the base occurs in each name, without noise. Anyone with a list of common names can infer the
base from them and recover most names: treat this folder like the names themselves. Give it to the third party only, and delete
it when the matching is done."""


@dataclass(frozen=True, slots=True)
class Written:
    """What was written, and what only the data holder may know: how many names got no vector, and why."""

    folder: Path
    key: Path
    digest: str
    rows: int
    vectors: int
    empty: int
    """Names without a character of the alphabet."""
    without_gram: int
    """Names without an n-gram of the base: their vectors would be 0 and match each other."""
    threshold: Threshold | None


def write_vectors(
    base: Base,
    batches: Iterable[list[str]],
    out: str | Path,
    key: str | Path,
    threshold: str | None = None,
    edits: int | None = None,
) -> Written:
    """Embed all names; the folder and the key are both there and whole, or neither is (`pending` says how).

    Thresholds that follow from the number of edits need `edits`; without it none are written: the other data holder gives them.
    """
    target, key = Path(out), Path(key)
    settle(key)
    refuse_existing(target, "folder")
    refuse_existing(key, "file for the key")
    if target.resolve() in (key.resolve(), *key.resolve().parents):
        raise CallError(
            f"the key {key} would be inside {target}, which goes to the third party: choose a file elsewhere with "
            f"{parameter('key', 'FILE')}."
        )
    rule = threshold_of(threshold, edits)
    with new_folder(target) as work:
        spool = work / "counts.spool"
        with spool.open("wb") as file:
            spooled = _spool(base, batches, rule, file)
        order = secret_order(len(spooled.rows))
        bits = 8 if spooled.most < 256 else 16
        facts = _facts(base, rule, len(order), bits)
        counts = np.memmap(spool, np.uint16, "r", shape=(len(order), len(base)))
        schema = schema_of(len(base), bits, spooled.reach is not None)
        write_columns(work / VECTORS, schema, _shuffled(counts, spooled.reach, order, schema))
        del counts
        spool.unlink()
        digest = write_manifest(work, FORMAT, VERSION, facts, _TEXT)
        with awaiting(key, target, digest):
            Key(digest, spooled.seen.names, spooled.rows[order], spooled.seen.digest).save(key)
            seal(work, target)
    names = spooled.seen.names
    return Written(target, key, digest, names, len(order), spooled.empty, names - spooled.empty - len(order), rule)


def threshold_of(text: str | None, edits: int | None) -> Threshold | None:
    """The rule of a threshold and a number of edits; None where the other data holder decides.

    >>> threshold_of("neighbours", None), threshold_of(None, 1)
    (None, Threshold(kind='neighbours', edits=1, distance=None))
    """
    named = text is None or text.strip().replace("-", "_") in FROM_EDITS
    return None if edits is None and named else Threshold.parse(text or "neighbours", edits)


def secret_order(n: int) -> NDArray[np.int64]:
    """A random order that nobody can guess: positions must not reveal rows."""
    return np.argsort(np.frombuffer(secrets.token_bytes(8 * n), np.uint64))


@dataclass(frozen=True, slots=True, eq=False)
class _Spooled:
    """What stays in memory while counts are on disk; by vector, in the order of the file."""

    seen: Seen
    empty: int
    rows: NDArray[np.int64]
    reach: NDArray[np.int64] | None
    most: int


def _spool(base: Base, batches: Iterable[list[str]], rule: Threshold | None, file: BinaryIO) -> _Spooled:
    seen, empty, most = Seen(), 0, 0
    rows, reaches = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    personal = rule is not None and rule.personal
    for batch in batches:
        flat = base.alphabet.encode(batch)
        lengths = flat.lengths
        _refuse_long(lengths, seen.names)
        counts = embed(base, flat)
        fit: NDArray[np.bool_] = np.asarray(counts.any(1))
        if personal and rule is not None:
            reaches.append(rule.reaches(base, flat.take(fit)))
        rows.append(seen.names + 1 + np.flatnonzero(fit))
        counts[fit].tofile(file)
        seen.add(batch)
        empty, most = empty + int((lengths == 0).sum()), max(most, int(counts.max(initial=0)))
        if seen.names > MOST_ROWS:
            raise InputProblems("the names", [f"have more than {MOST_ROWS:,} rows: split it into several files"])
    embedded = np.concatenate(rows)
    if not len(embedded):
        problem = f"none of the {seen.names:,} names contains an n-gram of the base" if seen.names else "there are no names"
        advice = f"check {parameter('column')}, and that the alphabet of the base is that of the names"
        raise InputProblems("the names", [f"{problem}: {advice}"])
    return _Spooled(seen, empty, embedded, np.concatenate(reaches) if personal else None, most)


def _refuse_long(lengths: NDArray[np.int64], before: int) -> None:
    long = np.flatnonzero(lengths > LONGEST_NAME)
    if len(long):
        problems = [
            f"row {before + row + 1:,} has {lengths[row]:,} characters: a name has at most {LONGEST_NAME:,}"
            for row in long[:_SHOWN]
        ]
        raise InputProblems("the names", problems, unlisted=len(long) - len(problems))


def _facts(base: Base, rule: Threshold | None, rows: int, bits: int) -> dict[str, Any]:
    return {
        "base": base.id, "k": len(base), "scale": base.scale, "lengths": base.lengths.tolist(), "rows": rows, "bits": bits,
        "edits": None if rule is None else rule.edits, "threshold": None if rule is None else rule.kind,
        "reach": None if rule is None else rule.reach(base), "personal": rule is not None and rule.personal,
    }  # fmt: skip


def _shuffled(
    counts: NDArray, reach: NDArray[np.int64] | None, order: NDArray[np.int64], schema: pa.Schema
) -> Iterator[list[Any]]:
    """The columns of the vectors file in the secret order."""
    kind = schema.field("counts").type
    for at in range(0, len(order), ROWS_AT_ONCE):
        rows = order[at : at + ROWS_AT_ONCE]
        values = pa.array(counts[rows].ravel(), kind.value_type)
        lists = pa.FixedSizeListArray.from_arrays(values, type=kind)
        yield [lists] if reach is None else [lists, pa.array(reach[rows])]
