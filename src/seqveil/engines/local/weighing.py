"""How much weight units give to labels that nobody has listed, in one pass.

Which labels a unit gives its weight to, where it has too many, is decided by lots: keyed hashes of who the unit is and of the
label's own bytes. Who the unit is: its name, or all of its labels where records own themselves. Two labels of one lot stand in
the order of their bytes. So whatever the key is, a unit gives what it gives whoever else is there. Equal records choose alike,
which takes nothing from what protects them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.engines.protocol import Uniform, Weighed
from seqveil.tables.lots import digested, digests, draw_key, lot_of_label, names_of


@njit(cache=True)
def _weigh(items, offsets, owners, labels, key, shares, weight):  # type: ignore[no-untyped-def]
    """Adds the weights up; the largest sum of squares of one unit, and the most labels that one gave weight to."""
    square, most = np.int64(0), np.int64(0)
    for unit in range(len(offsets) - 1):
        own = items[offsets[unit] : offsets[unit + 1]]
        if len(own) == 0:
            continue
        given = min(len(own), len(shares))
        share = shares[given - 1]
        if len(own) > given:
            owner = owners[unit] if len(owners) else digested(own, labels, key)
            lots = np.empty(len(own), np.uint64)
            for j in range(len(own)):
                lots[j] = lot_of_label(key, owner, labels[own[j]])
            own = own[np.argsort(lots, kind="mergesort")[:given]]
        added = np.int64(0)
        for code in own:
            weight[code] += share
            added += share * share
        square, most = max(square, added), max(most, np.int64(len(own)))
    return square, most


def weights(table: Any, shares: NDArray[np.int64], uniform: Uniform) -> Weighed:
    """The labels that units of a `LabelTable` gave weight to."""
    weight = np.zeros(len(table.words), np.int64)
    owners = np.zeros(0, np.uint64) if table.users is None else names_of(table.users, table.names)
    key, labels = draw_key(uniform), digests(table.words.spans())
    square, most = _weigh(table.flat.items, table.flat.offsets, owners, labels, key, shares, weight)
    given = np.flatnonzero(weight)
    return Weighed(table.words.text(given), weight[given], int(square), int(most), table.users is not None)
