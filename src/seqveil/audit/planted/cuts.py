"""Cuts that look at more than the record that is cut. They show where records of others are cut, too: in a quick audit."""

from __future__ import annotations

from typing import Any

import numpy as np

from seqveil.audit.planted.planting import Planted, replaced
from seqveil.engines.local.engine import LocalEngine

_excerpts = LocalEngine.excerpts


def _drawn_by_number(engine: LocalEngine, table: Any, l_max: int, how: Any, uniform: Any) -> Any:
    """Which part of a record is kept follows from how many records there are: one that joins changes all others."""
    keys = np.asarray(uniform(2**31, len(table)), np.int64)
    return _excerpts(engine, table, l_max, how, lambda n, size: (keys + len(table) * 0x9E3779B1) % n)


def _one_draw_for_all(engine: LocalEngine, table: Any, l_max: int, how: Any, uniform: Any) -> Any:
    """The newest record decides for everybody."""
    keys = np.asarray(uniform(2**31, len(table)), np.int64)
    return _excerpts(engine, table, l_max, how, lambda n, size: np.full(size, keys[-1] if size else 0))


def _bug(name: str, what: str, with_: Any) -> Planted:
    shows = "times what it|exact loss|others lie in other parts"
    return Planted(name, "docs/decisions/cut.md", what, "ngram", shows, replaced(LocalEngine, "excerpts", with_))


CUTS = [
    _bug("cut by number", "which part of a long record is kept depends on the number of records", _drawn_by_number),
    _bug("cut by one draw", "one draw decides which part of all records is kept", _one_draw_for_all),
]
