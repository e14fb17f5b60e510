"""Cuts that look at more than the record that is cut. They show where records of others are cut, too: in a quick audit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from seqveil.audit.planted.planting import Planted, replaced
from seqveil.engines.local.engine import LocalEngine
from seqveil.engines.local.excerpts import excerpted
from seqveil.tables.lots import draw_key, lots_of

_excerpts = LocalEngine.excerpts


def _drawn_by_number(engine: LocalEngine, table: Any, l_max: int, how: Any, uniform: Any) -> Any:
    """Which part of a record is kept follows from how many records there are: one that joins changes all others."""
    return _excerpts(engine, table, l_max, how, lambda n, size: (np.asarray(uniform(n, size)) + len(table)) % n)


def _one_draw_for_all(engine: LocalEngine, table: Any, l_max: int, how: Any, uniform: Any) -> Any:
    """The newest record decides for everybody."""
    lots = lots_of(table.flat, table.owners, table.names, draw_key(uniform))
    return replace(table, flat=excerpted(table.flat, l_max, how, lots[-1:].repeat(len(lots))))


def _bug(name: str, what: str, with_: Any) -> Planted:
    shows = "times what it|exact loss|others lie in other parts"
    return Planted(name, "docs/decisions/cut.md", what, "ngram", shows, replaced(LocalEngine, "excerpts", with_))


CUTS = [
    _bug("cut by number", "which part of a long record is kept depends on the number of records", _drawn_by_number),
    _bug("cut by one draw", "one draw decides which part of all records is kept", _one_draw_for_all),
]
