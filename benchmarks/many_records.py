"""How long, and how much memory, a method takes to publish very many short sequences.

    python benchmarks/many_records.py --sequences 100000000 --method record-model

Sequences are simulated (17 labels, 1 to 20 items, 4 on average, like web visits). The time is that of the release,
with seeded noise and compiled code loaded; the peak of memory is that of the whole process, the data included.
"""

from __future__ import annotations

import argparse
import json
import resource
import time

import numpy as np

from seqveil.registry import make
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.sequences import SequenceTable
from seqveil.wall.vault import experiment

LABELS, L_MAX, PART = 17, 20, 5_000_000


def simulate(sequences: int) -> SequenceTable:
    """Labels stay as they are in half of the steps, so that n-grams differ in frequency."""
    random = np.random.default_rng(1)
    weights = 1 / np.arange(1, LABELS + 1)
    lengths = np.minimum(random.geometric(0.25, sequences), L_MAX).astype(np.int8)
    offsets = np.zeros(sequences + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    items = np.empty(offsets[-1], np.int32)
    for begin in range(0, len(items), PART):
        part = items[begin : begin + PART]
        part[:] = random.choice(LABELS, len(part), p=weights / weights.sum())
        same = np.flatnonzero(random.random(len(part) - 1) < 0.5) + 1
        part[same] = part[same - 1]
    return SequenceTable(Domain.range(1, LABELS), Flat(items, offsets))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sequences", type=int, default=100_000_000)
    parser.add_argument("--method", default="record-model")
    parser.add_argument("--epsilon", default="1")
    options = parser.parse_args()
    mechanism = make(options.method, {"l_max": L_MAX}, "publish")
    experiment(simulate(10_000), mechanism, options.epsilon, seed=1)
    table = simulate(options.sequences)
    begun, processor = time.perf_counter(), time.process_time()
    release = experiment(table, mechanism, options.epsilon, seed=1)
    print(
        json.dumps(
            {
                "sequences": len(table),
                "items": len(table.flat.items),
                "seconds": round(time.perf_counter() - begun, 1),
                "processor_seconds": round(time.process_time() - processor, 1),
                "peak_gb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
                "drawn": len(release.synthetic),
            }
        )
    )


if __name__ == "__main__":
    main()
