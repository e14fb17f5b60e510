"""Times over a timed domain: visits per bin, places per bin, and places in order, against the raw table. INTERNAL."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seqveil.evaluate.comparison import Metrics
from seqveil.evaluate.histogram import Histogram, apart
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.pairs import wraps

LONGEST = 8
"""Of a record, the places of so many items are put in order: pairs grow with the square."""


def time_errors(domain: Domain, raw: Flat, synthetic: Flat) -> Metrics:
    """How far the synthetic records are from the raw ones in when they are where; empty where labels have no times.

    All but `backwards` are total variation, the share of visits (or of pairs) that would have to change; `count` also counts
    that there are too few or too many: Σ |difference| / Σ raw.

    >>> from seqveil.tables.calendar import Calendar
    >>> two = Domain.of(["a", "b"]).at_times(Calendar.parse("12h"))
    >>> time_errors(two, Flat.of([[0, 3], [0, 2]]), Flat.of([[0, 3], [1, 2]]))["visits_per_bin"]
    0.25
    """
    if domain.calendar is None:
        return {}
    bins = len(domain.calendar)
    tables: dict[str, tuple[NDArray[np.integer], NDArray[np.integer]]] = {
        "visits_per_bin": (raw.items % bins, synthetic.items % bins),
        "place_per_bin": (raw.items, synthetic.items),
        "departures_per_bin": (_firsts(raw) % bins, _firsts(synthetic) % bins),
        "ordered_places": (_ordered(raw, bins, len(domain.untimed)), _ordered(synthetic, bins, len(domain.untimed))),
        "trip_per_departure": (_trips(raw, bins, len(domain)), _trips(synthetic, bins, len(domain))),
    }
    out: Metrics = {}
    for name, (mine, theirs) in tables.items():
        ours, drawn = Histogram.of(mine), Histogram.of(theirs)
        every = np.union1d(ours.keys, drawn.keys)
        a, b = ours.at(every), drawn.at(every)
        out[name] = apart(a, b)
        out[f"{name}_count"] = float(np.abs(a - b).sum() / max(a.sum(), 1.0))
    return out | {"backwards": backwards(synthetic, bins), "backwards_raw": backwards(raw, bins)}


def backwards(flat: Flat, bins: int) -> float:
    """The share of records in which a later item stands at an earlier bin.

    >>> backwards(Flat.of([[0, 1], [1, 0], [1]]), 2)
    0.3333333333333333
    """
    return float(len(wraps(flat, bins)[0]) / max(len(flat), 1))


def _firsts(flat: Flat) -> NDArray[np.int64]:
    return flat.items[flat.offsets[:-1][flat.lengths > 0]].astype(np.int64)


def _trips(flat: Flat, bins: int, labels: int) -> NDArray[np.int64]:
    """First label with its time, and last place, as one number."""
    last = flat.items[flat.offsets[1:][flat.lengths > 0] - 1].astype(np.int64) // bins
    return np.asarray(_firsts(flat) * (labels // bins) + last)


def _ordered(flat: Flat, bins: int, places: int) -> NDArray[np.int64]:
    """All pairs of different places of which one comes after the other in a record, as one number, once for every such record."""
    place = flat.items.astype(np.int64) // bins
    owner = np.repeat(np.arange(len(flat), dtype=np.int64), flat.lengths)
    position = np.arange(len(place)) - flat.offsets[owner]
    pairs = [np.zeros((2, 0), np.int64)]
    for step in range(1, min(LONGEST, len(place))):
        first = np.flatnonzero((owner[step:] == owner[:-step]) & (position[step:] < LONGEST))
        a, b = place[first], place[first + step]
        pairs.append(np.stack([owner[first], a * places + b])[:, a != b])
    whose, which = np.concatenate(pairs, axis=1)
    order = np.lexsort((which, whose))
    whose, which = whose[order], which[order]
    fresh = np.append(True, (whose[1:] != whose[:-1]) | (which[1:] != which[:-1]))[: len(which)]
    return np.asarray(which[fresh])
