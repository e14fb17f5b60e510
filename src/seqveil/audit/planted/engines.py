"""Engines that forget what makes a sensitivity true: the checks of wall/clip.py must end the run before anything is released."""

from __future__ import annotations

from typing import Any

import numpy as np

from seqveil.audit.planted.planting import Planted, replaced
from seqveil.engines.local.engine import LocalEngine

_grams, _parts, _clipped = LocalEngine.grams, LocalEngine.parts, LocalEngine.clipped_supports


def _every_record_twice(engine: LocalEngine, table: Any, deepest: int, **capped: Any) -> Any:
    return _grams(engine, table.take(np.repeat(np.arange(len(table)), 2)), deepest, **capped)


def _uncapped(engine: LocalEngine, table: Any, patterns: Any, **bounds: Any) -> Any:
    return engine.supports(table, patterns)


def _unclipped(engine: LocalEngine, table: Any, patterns: Any, *, most: int, fair: bool) -> Any:
    return _clipped(engine, table, patterns, most=len(patterns), fair=fair)


def _overlapping(engine: LocalEngine, table: Any, n: int, uniform: Any) -> Any:
    return [table, *_parts(engine, table, n, uniform)[1:]]


def _bug(name: str, what: str, audit: str, shows: str, method: str, with_: Any) -> Planted:
    seen = f"ClipFailed.*{shows}|distinguished by (error|stages)"  # as the audit sees it: the run of one neighbour ends
    return Planted(name, "a new engine", what, audit, seen, replaced(LocalEngine, method, with_))


ENGINES = [
    _bug("engine cut", "records are not cut", "ngram", "longer than l_max", "cut", lambda engine, table, l_max: table),
    _bug(
        "engine bound",
        "a user's records are not bounded",
        "ngram",
        "more records of a user",
        "bounded",
        lambda engine, table, m, uniform: table,
    ),
    _bug("engine twice", "a task that ran twice counts twice", "ngram", "more paths", "grams", _every_record_twice),
    _bug("engine cap", "a record may add to any number of counts", "pfs2", "one record add more", "shrunk_supports", _uncapped),
    _bug(
        "engine clip",
        "a record may count for any number of patterns",
        "pfs2",
        "one record add more",
        "clipped_supports",
        _unclipped,
    ),
    _bug("engine parts", "a record lies in two parts", "pfs2", "not a partition", "parts", _overlapping),
]
