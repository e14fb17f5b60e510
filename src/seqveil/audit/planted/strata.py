"""Strata and what is asked in them, done wrongly: each takes away one thing that the proof of docs/mechanisms/strata.md needs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from seqveil.audit.planted.planting import Planted, both, replaced, unchecked
from seqveil.engines.local.engine import LocalEngine
from seqveil.engines.local.records import ANY
from seqveil.tables.flat import Flat
from seqveil.tables.units import Unit
from seqveil.wall.questions.windows import Windows
from seqveil.wall.wall import Wall

_strata, _windows, _cut = LocalEngine.strata, LocalEngine.windows, LocalEngine.cut


def _by_uncut_length(engine: LocalEngine, table: Any, bounds: Any) -> Any:
    """Records that are longer than the last bound lie in no stratum, or in the last one without a cut."""
    return [
        replace(stratum, l_max=ANY, high=ANY if stratum.high == bounds[-1] else stratum.high)
        for stratum in _strata(engine, table, bounds)
    ]


def _everything_in_each(engine: LocalEngine, table: Any, bounds: Any) -> Any:
    cut = _cut(engine, table, bounds[-1])
    return [cut for _ in bounds]


def _by_rank(engine: LocalEngine, table: Any, bounds: Any) -> Any:
    """Equal shares of the records, from short to long: who else is there decides in which stratum a record lies."""
    cut = _cut(engine, table, bounds[-1])
    order = np.argsort(cut.flat.lengths, kind="stable")
    return [cut.take(np.sort(rows)) for rows in np.array_split(order[cut.flat.lengths[order] > 0], len(bounds))]


def _across_records(engine: LocalEngine, table: Any, contexts: Any, codes: Any, wide: int, **capped: Any) -> Any:
    """The items of all records in one row: windows reach from the end of one record into the next."""
    items = table.flat.items
    joined = replace(getattr(table, "table", table), flat=Flat(items, np.array([0, len(items)])), users=None)
    return _windows(engine, joined, contexts, codes, wide, **capped)


def _of_one_sequence(question: Windows, unit: Unit) -> int:
    return question.l_max - int(question.contexts.shape[1])


def _as_stated(wall: Wall, kind: str, stated: Any) -> int:
    return int(stated(wall.unit))


def _bug(name: str, what: str, shows: str, plant: Any) -> Planted:
    return Planted(name, "docs/mechanisms/strata.md", what, "record-model", shows, plant)


_CLIP = r"ClipFailed.*strata that are not theirs|distinguished by (error|stages)"

STRATA = [
    _bug("strata uncut", "a stratum goes by the length before the cut", _CLIP, replaced(LocalEngine, "strata", _by_uncut_length)),
    _bug("strata overlap", "a record lies in every stratum", _CLIP, replaced(LocalEngine, "strata", _everything_in_each)),
    _bug(
        "strata overlap, unchecked",
        "a record lies in every stratum, and nobody looks",
        "others lie in other parts, or a record lies in several",
        lambda: both(unchecked, replaced(LocalEngine, "strata", _everything_in_each)),
    ),
    _bug(
        "strata by rank",
        "strata are equal shares of the records",
        "others lie in other parts, or a record lies in several",
        lambda: both(unchecked, replaced(LocalEngine, "strata", _by_rank)),
    ),
    _bug(
        "windows across",
        "a window reaches from one record into the next",
        "ClipFailed.*(add more|can add)|distinguished by (error|stages)",
        replaced(LocalEngine, "windows", _across_records),
    ),
    _bug(
        "windows across, unchecked",
        "a window reaches from one record into the next, and nobody looks",
        "times what it|exact loss",
        lambda: both(unchecked, replaced(LocalEngine, "windows", _across_records)),
    ),
    _bug(
        "strata hi",
        "windows in a stratum have the noise of one sequence of a user, not of m",
        "cannot be asked in strata",
        replaced(Windows, "influence", _of_one_sequence),
    ),
    _bug(
        "strata hi, unchecked",
        "windows in a stratum have the noise of one sequence of a user, not of m, and nobody looks",
        "times what it|exact loss",
        lambda: both(
            unchecked,
            replaced(Windows, "influence", _of_one_sequence),
            replaced(Wall, "_Wall__bound", _as_stated),
        ),
    ),
]
