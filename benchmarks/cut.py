"""What each cut does to time, ends and counts, without noise: `python benchmarks/cut.py`.

Histories of users over three months are simulated, with known shares per month; MSNBC sessions and the check-ins of Foursquare
users are read from $SEQVEIL_DATA where they are. Items are the numbers of their events, so every cut is the one that a run makes.
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent))

import data
import seqveil as sv
from seqveil.engines.local.engine import ENGINE
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.sequences import SequenceTable

WAYS = ("first", "window", "sample")
DRAWS = 20
"""Random cuts are drawn this often; means are printed."""

Log = tuple[
    Flat, NDArray[np.integer], NDArray[np.integer], int
]  # positions of events as records; label and period of each; labels


def bike_share(users: int = 20_000, labels: int = 50, seed: int = 1) -> Log:
    """Riders join over three months and ride a heavy-tailed number of times, more in spring; every month has its own stations."""
    random = np.random.default_rng(seed)
    records, label, period = [], [], []
    at = 0
    for joined, rate in zip(random.uniform(0, 90, users), random.lognormal(-1.5, 1.2, users), strict=True):
        days = np.sort(random.uniform(joined, 90, random.poisson(rate * (90 - joined))))
        days = days[random.uniform(0, 1, len(days)) < 0.4 + 0.6 * days / 90]
        month = (days // 30).astype(np.int64)
        home = int(random.integers(labels))
        there = (random.zipf(1.6, len(days)) + 7 * month) % labels
        records.append(np.arange(at, at + len(days)))
        label.append(np.where(random.uniform(0, 1, len(days)) < 0.3, home, there))
        period.append(month)
        at += len(days)
    return Flat.of(r for r in records if len(r)), np.concatenate(label), np.concatenate(period), labels


def sessions(path: Path) -> Log:
    """A log of sessions; a period is a third of the session."""
    table = sv.read_sequences(path, domain=Domain.range(1, 17))
    flat = table.flat
    place = np.arange(len(flat.items)) - np.repeat(flat.offsets[:-1], flat.lengths)
    third = place * 3 // np.maximum(np.repeat(flat.lengths, flat.lengths), 1)
    return Flat(np.arange(len(flat.items)), flat.offsets), flat.items, third, len(table.domain)  # type: ignore[arg-type]


def foursquare(path: Path) -> Log:
    """All check-ins of a user as one record; a period is a quarter of the time."""
    with gzip.open(path) as file:
        rows = np.loadtxt(file, dtype=np.int64)
    offsets = np.append(np.flatnonzero(np.diff(rows[:, 0], prepend=-1)), len(rows))
    codes = np.unique(rows[:, 1], return_inverse=True)[1]
    quarter = (rows[:, 2] - rows[:, 2].min()) * 4 // (np.ptp(rows[:, 2]) + 1)
    return Flat(np.arange(len(rows)), offsets), codes, quarter, int(codes.max()) + 1  # type: ignore[arg-type]


def distance(a: NDArray[np.integer], b: NDArray[np.integer]) -> float:
    """Total variation of two vectors of counts."""
    return float(np.abs(a / a.sum() - b / b.sum()).sum() / 2)


def measured(log: Log, l_max: int, way: str, seed: int) -> dict[str, float]:
    """One cut against the whole."""
    flat, label, period, labels = log
    random = np.random.default_rng(seed)
    table = SequenceTable(Domain.range(1, len(flat.items)), Flat(flat.items.astype(np.int32), flat.offsets))
    if way == "first":
        kept = ENGINE.cut(table, l_max).flat
    else:
        kept = ENGINE.excerpts(table, l_max, way, lambda n, size: random.integers(0, n, size)).flat  # type: ignore[arg-type]

    def pairs(f: Flat) -> NDArray[np.integer]:
        inner = np.ones(len(f.items), np.bool_)
        inner[f.offsets[:-1][f.lengths > 0]] = False
        where = np.flatnonzero(inner)
        return np.bincount(label[f.items[where - 1]].astype(np.int64) * labels + label[f.items[where]], minlength=labels**2)

    def counts(of: NDArray[np.integer], where: NDArray[np.integer]) -> NDArray[np.integer]:
        return np.bincount(of[where], minlength=int(of.max()) + 1)

    size = int(period.max()) + 1
    shares = [np.bincount(period[f.items], minlength=size) / len(f.items) for f in (flat, kept)]
    some = flat.lengths > 0
    return {
        "items kept": len(kept.items) / len(flat.items),
        "length": float(kept.lengths.mean()),
        **{f"share {i + 1}": float(shares[1][i]) for i in range(size)},
        "time": float(np.abs(shares[0] - shares[1]).sum() / 2),
        "labels": distance(counts(label, flat.items), counts(label, kept.items)),
        "pairs": distance(pairs(flat), pairs(kept)),
        "first": distance(counts(label, flat.items[flat.offsets[:-1][some]]), counts(label, kept.items[kept.offsets[:-1][some]])),
        "last": distance(
            counts(label, flat.items[flat.offsets[1:][some] - 1]), counts(label, kept.items[kept.offsets[1:][some] - 1])
        ),
    }


def report(name: str, log: Log, l_max: int) -> None:
    """One table."""
    flat, _, period, _ = log
    true = np.bincount(period[flat.items]) / len(flat.items)
    longer = float((flat.lengths > l_max).mean())
    print(f"\n{name}: {len(flat):,} records, {len(flat.items):,} items, {longer:.1%} longer than l_max = {l_max}")
    print("true shares of the periods: " + ", ".join(f"{share:.3f}" for share in true))
    for way in WAYS:
        runs = [measured(log, l_max, way, seed) for seed in range(1 if way == "first" else DRAWS)]
        print(f"  {way:7}" + "  ".join(f"{key} {np.mean([run[key] for run in runs]):.3f}" for key in runs[0]))


if __name__ == "__main__":
    rides = bike_share()
    for l_max in (10, 20, 50):
        report("bike share (simulated)", rides, l_max)
    if (path := data.find("msnbc.seq.gz")) is not None:
        report("msnbc, thirds of a session", sessions(path), 20)
    if (path := data.find("foursquare_nyc_checkins.txt.gz")) is not None:
        report("foursquare, all check-ins of a user", foursquare(path), 20)
