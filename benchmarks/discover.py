"""How much of the data discovered labels cover: shares of occurrences and of labels, at several ε and bounds of labels.

    SEQVEIL_DATA=… python benchmarks/discover.py --seeds 5

Each line of a file is a record that is protected; of the check-ins each user is. A line of JSON per set, ε and bound: means over
the seeds. Experiments: the noise is seeded.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import data
import seqveil as sv
from seqveil.errors import CallError
from seqveil.simulate import logs
from seqveil.sources.unlisted import labels_source
from seqveil.tables.unlisted import LabelTable, Unlisted

FILES = {
    "us_flights": "us_flights.seq.gz",
    "bible": "bible.seq.gz",
    "retail": "retail.dat.gz",
    "foursquare, by day": "foursquare_nyc_daily.seq.gz",
    "nasa": "nasa_aug95.seq.gz",
    "bms1": "bms1.seq.gz",
    "leviathan": "leviathan.seq.gz",
    "T10I4D100K": "T10I4D100K.dat.gz",
}
SIMULATED: dict[str, Callable[[], Any]] = {
    "bike days (simulated)": logs.bike_days,
    "clicks (simulated)": logs.clicks,
    "web sessions (simulated)": logs.web_sessions,
}


def occurrences(source: Any) -> dict[str, int]:
    """How often each label occurs in the rows; in the clear, for this comparison alone."""
    from seqveil.sources.sequences import decided, rows_over
    from seqveil.sources.tally import Tally

    met: Any = Unlisted()
    table = rows_over(source, decided(source), met, Tally())
    words = [word.decode("utf-8", "replace") for word in met.words()]
    return dict(zip(words, np.bincount(table.flat.items, minlength=len(words)).tolist(), strict=True))


def of_file(name: str, **options: Any) -> tuple[LabelTable, dict[str, int]] | None:
    """A file's labels, and how often each occurs."""
    if (path := data.find(name)) is None:
        return None
    source = labels_source(path, **options)
    return source.read(), occurrences(source)


def of_table(table: Any) -> tuple[LabelTable, dict[str, int]]:
    """A simulated table, as if nobody had listed its labels."""
    from seqveil.tables.unlisted import labels_of

    labels = table.domain.labels(range(len(table.domain)))
    counts = np.bincount(table.flat.items, minlength=len(labels)).tolist()
    return labels_of([[labels[code] for code in record] for record in table.flat]), dict(zip(labels, counts, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--epsilon", nargs="+", default=["0.2", "1"])
    parser.add_argument("--most", nargs="+", type=int, default=[10, 30, 100, 300])
    given = parser.parse_args()
    sets: dict[str, Callable[[], tuple[LabelTable, dict[str, int]] | None]] = {
        **{name: (lambda file=file: of_file(file)) for name, file in FILES.items()},
        "foursquare, by user": lambda: of_file(
            "foursquare_nyc_checkins.txt.gz", format="events", user="1", item="2", time="3", header=False
        ),
        **{name: (lambda make=make: of_table(make())) for name, make in SIMULATED.items()},
    }
    for name, read in sets.items():
        if (labels := read()) is None:
            continue
        table, counts = labels
        unit: Any = sv.Record() if table.users is None else sv.User(1)
        size = {"units": len(table), "labels": len(table.words), "labels a unit": round(float(table.flat.lengths.mean()), 1)}
        for epsilon in given.epsilon:
            for most in given.most:
                print(json.dumps({"set": name, **size, **measured(table, counts, unit, epsilon, most, given.seeds)}), flush=True)


def measured(table: LabelTable, counts: dict[str, int], unit: Any, epsilon: str, most: int, seeds: int) -> dict[str, Any]:
    """Means over the seeds."""
    whole, covered, labels, began = sum(counts.values()), [], [], time.perf_counter()
    for seed in range(seeds):
        try:
            release = sv.experiment(table, sv.Discover(most), epsilon, seed=seed, delta="1e-6", unit=unit)
        except CallError as refusal:
            return {"epsilon": epsilon, "most": most, "refused": str(refusal)}
        names = release.domain.labels(range(len(release)))
        covered.append(sum(counts[label] for label in names) / whole)
        labels.append(len(names))
    return {
        "epsilon": epsilon,
        "most": most,
        "threshold": round(release.threshold / release.grid, 1),
        "covered": round(float(np.mean(covered)), 4),
        "found": round(float(np.mean(labels)), 1),
        "share of labels": round(float(np.mean(labels)) / len(counts), 4),
        "seconds": round((time.perf_counter() - began) / seeds, 2),
    }


if __name__ == "__main__":
    main()
