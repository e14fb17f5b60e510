"""How long, and how much memory, reading and grouping an event log takes.

    python benchmarks/read_events.py --events 10000000 --format csv.gz

The log is simulated into a temporary folder (users, times and stations in random order, which is the hard case), read in
a process of its own, and removed. Time includes the start of that process.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

STEP = 5_000_000
READ = """
import json, resource, sys, time
from seqveil.tables.domain import Domain
from seqveil.sources import read_sequences
begun = time.perf_counter()
table = read_sequences(sys.argv[1], domain=Domain.range(1, 1000), user="card", time="ts", item="station", session="day")
print(json.dumps({
    "seconds": round(time.perf_counter() - begun, 1),
    "peak_gb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
    "events": len(table.flat.items),
    "sequences": len(table.flat),
    "users": int(table.users.max()) + 1,
}))
"""


def simulate(path: Path, events: int) -> None:
    """An event log of `events` rows, about 50 a user over 30 days, written part by part."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    draw = np.random.default_rng(7)
    schema = pa.schema({"card": pa.string(), "ts": pa.int64(), "station": pa.int32()})
    packed = pa.CompressedOutputStream(path, "gzip") if path.suffix == ".gz" else pa.OSFile(str(path), "wb")
    with packed as sink:
        writer = (pa.parquet.ParquetWriter if path.suffix == ".parquet" else pa.csv.CSVWriter)(sink, schema)
        for start in range(0, events, STEP):
            n = min(STEP, events - start)
            cards = pa.array(draw.integers(0, max(1, events // 50), n)).cast(pa.string())
            times = pa.array(draw.integers(1_700_000_000, 1_702_592_000, n))
            writer.write(pa.table([cards, times, pa.array(draw.integers(1, 1001, n, np.int32))], schema))
        writer.close()


def main() -> None:
    """Simulate, read, report one JSON object."""
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--events", type=int, default=10_000_000)
    words.add_argument("--format", default="parquet", choices=["parquet", "csv", "csv.gz"])
    asked = words.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"events.{asked.format}"
        simulate(path, asked.events)
        begun = time.perf_counter()
        done = subprocess.run([sys.executable, "-c", READ, str(path)], capture_output=True, text=True, check=True)
        result = {"format": asked.format, "file_gb": round(path.stat().st_size / 2**30, 2), **json.loads(done.stdout)}
        print(json.dumps(result | {"process_seconds": round(time.perf_counter() - begun, 1)}))


if __name__ == "__main__":
    main()
