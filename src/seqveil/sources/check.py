"""What a reading leaves out and what a publication would cut. INTERNAL: exact counts, for the holder alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.sources.layout import Layout
from seqveil.sources.tally import Tally
from seqveil.tables.pairs import wraps
from seqveil.tables.sequences import SequenceTable

_QUANTILES = {"min": 0.0, "25%": 0.25, "50%": 0.5, "75%": 0.75, "90%": 0.9, "95%": 0.95, "99%": 0.99, "max": 1.0}


def check_sequences(
    table: SequenceTable, tally: Tally, layout: Layout, *, l_max: int | None = None, max_sequences: int | None = None
) -> dict[str, Any]:
    """Everything that `seqveil check` reports, as one JSON object."""
    lengths = table.flat.lengths
    return {
        "internal": True,
        "format": layout.describe(),
        "rows": {"read": tally.rows, "broken": tally.broken_rows},
        "items": {
            "read": tally.items,
            "kept": len(table.flat.items),
            "outside_domain": tally.outside,
            "examples_outside": list(tally.examples),
        },
        "dropped_events": {
            "no_user": tally.no_user,
            "no_session": tally.no_session,
            "unreadable_time": tally.bad_time,
            "no_item": tally.no_item,
            "journey_outside_domain": tally.cut_off,
            "outside_time_bins": tally.outside_calendar,
            "beyond_max_events": tally.beyond_cap,
        },
        "times": _times(table),
        "sequences": {"kept": len(table.flat), "left_empty": _left_empty(table, tally, layout)},
        "users": _users(table, tally),
        "domain": {"labels": len(table.domain), "never_seen": len(table.domain) - len(np.unique(table.flat.items))},
        "l_max": None if l_max is None else _beyond_length(lengths, l_max),
        "max_sequences": None if max_sequences is None else _beyond_sequences(table, max_sequences),
        "lengths": quantiles(lengths),
        "sequences_per_user": None if table.users is None else quantiles(_per_user(table)),
    }


def _times(table: SequenceTable) -> dict[str, int] | None:
    """Records in which the bins begin anew, and their items from there on: a tree that grows to later times leaves them out."""
    if table.domain.calendar is None:
        return None
    rows, after = wraps(table.flat, len(table.domain.calendar))
    return {"sequences_that_wrap": len(rows), "items_after_the_wrap": after}


def quantiles(values: NDArray[np.int64]) -> dict[str, int]:
    """Smallest values with at least the given share at or below them; nothing for no values.

    >>> quantiles(np.array([1, 2, 3, 4]))["50%"], quantiles(np.array([], np.int64))
    (2, {})
    """
    if not len(values):
        return {}
    cuts = np.quantile(values, list(_QUANTILES.values()), method="inverted_cdf")
    return {name: int(cut) for name, cut in zip(_QUANTILES, cuts, strict=True)}


def _left_empty(table: SequenceTable, tally: Tally, layout: Layout) -> int | None:
    """Records of which nothing is left; unknown where sessions make several sequences of one record."""
    return None if tally.records is None or layout.cut.needs_time else tally.records - len(table.flat)


def _users(table: SequenceTable, tally: Tally) -> dict[str, int] | None:
    if table.users is None or tally.users is None:
        return None
    kept = len(np.unique(table.users))
    return {"seen": tally.users, "kept": kept, "left_empty": tally.users - kept}


def _per_user(table: SequenceTable) -> NDArray[np.int64]:
    assert table.users is not None
    return np.unique(table.users, return_counts=True)[1].astype(np.int64)


def _beyond_length(lengths: NDArray[np.int64], l_max: int) -> dict[str, int]:
    """Sequences longer than l_max, and the items that are cut from them."""
    excess = np.maximum(lengths - l_max, 0)
    return {"value": l_max, "longer_sequences": int(np.count_nonzero(excess)), "items_cut": int(excess.sum())}


def _beyond_sequences(table: SequenceTable, m: int) -> dict[str, int]:
    """Users with more than m sequences, and the sequences that are left out for it."""
    excess = np.zeros(0, np.int64) if table.users is None else np.maximum(_per_user(table) - m, 0)
    return {"value": m, "users_above": int(np.count_nonzero(excess)), "sequences_left_out": int(excess.sum())}
