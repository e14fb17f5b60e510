"""One run of `spark.py`, in a process of its own: it reads taps by day, bounds users to one sequence, publishes n-grams.

An experiment: there is no ledger. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import time
from pathlib import Path
from typing import Any

from spark_taps import labels

OPTIONS: Any = {"user": "card", "time": "ts", "item": "station", "session": "day"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--master", help="Without it, one machine.")
    parser.add_argument("--partitions", type=int)
    parser.add_argument("--rows", action="store_true", help="Have Spark's own reader read the files.")
    given = parser.parse_args()
    started = time.monotonic()
    import seqveil as sv

    clock = _Clock(started)
    domain = sv.Domain.of(labels(), public_because="generated")
    data: Any
    if given.master is None:
        import pyarrow.dataset as ds

        scanner = ds.dataset(given.data).scanner(columns=["card", "ts", "station"])
        data = sv.read_sequences(scanner.to_reader(), domain=domain, **OPTIONS)
        clock.stage("read")
    else:
        from seqveil.sources.spark.session import spark_session

        spark_session(given.master)
        clock.stage("started")
        if given.rows:
            _by_rows()
        data = sv.read_spark(str(given.data), domain=domain, format="parquet", partitions=given.partitions, **OPTIONS)
    release = sv.experiment(data, sv.NGram(l_max=10, n_max=4), "1", seed=1, unit=sv.User(max_sequences=1), listener=clock)
    clock.stage("done")
    processor, peaks = _family()
    print(
        json.dumps(
            {
                "seconds": clock.stages[-1][1],
                "starting": dict(clock.stages).get("started", 0.0),
                "stages": clock.stages,
                "processor": processor,
                "driver": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20 + peaks.get("driver's Java", 0.0),
                "peaks": peaks,
                "grams": len(release.grams.noisy),
                "digest": hashlib.sha256(release.grams.noisy.tobytes()).hexdigest()[:16],
            }
        )
    )


class _Clock:
    """Seconds since the start at which each stage began; listens to the run."""

    def __init__(self, started: float) -> None:
        self._started = started
        self.stages: list[tuple[str, float]] = []

    def stage(self, name: str) -> None:
        self.stages.append((name, round(time.monotonic() - self._started, 2)))

    def warn(self, text: str) -> None:
        pass


def _by_rows() -> None:
    import seqveil.sources.spark.frames as frames

    frames.direct = lambda *given: None


def _family() -> tuple[dict[str, float], dict[str, float]]:
    """This process and all that came from it, by what they are: seconds of processor time, and gigabytes at the peak of one."""
    parent, used, name, peak = {}, {}, {}, {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            fields = (process / "stat").read_text().rpartition(")")[2].split()
            status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines() if ":" in line)
        except OSError:  # it has ended
            continue
        number = int(process.name)
        parent[number], used[number] = int(fields[1]), sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
        name[number], peak[number] = status["Name"].strip(), int(status.get("VmHWM", "0").split()[0]) / 2**20
    own = os.getpid()
    role = {own: "driver's Python"}
    for _ in range(8):
        for number, above in parent.items():
            if above in role and number not in role:
                java, direct = name[number] == "java", above == own
                role[number] = f"{'driver' if direct else 'worker'}'s {'Java' if java else 'Python'}"
    processor: dict[str, float] = {}
    peaks: dict[str, float] = {}
    for number, kind in role.items():
        # what ended children used is counted with their parent, and the driver's includes that of `java -version`
        processor[kind] = round(processor.get(kind, 0.0) + used[number], 2)
        peaks[kind] = round(max(peaks.get(kind, 0.0), peak[number]), 3)
    return processor, peaks


if __name__ == "__main__":
    main()
