"""What a release costs at the ledger however long its history is, and who is served when many come at once. `make bench-ledger`.

One release is opening the ledger, reserve, fingerprint, begin and commit: five turns, three of which write. Run it alone: most of
its time is waiting for the disk.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles

from seqveil.tables.units import Record
from seqveil.wall.ledger import Ledger, copies, history, schema
from seqveil.wall.ledger.turn import entry

SIZES = (100, 10_000, 100_000)
BAR = 50.0
"""Milliseconds a release may take at the longest history."""

SPREAD = 1.0
"""Seconds by which an earlier process may be served after a later one, and between the first and the last that are done."""

ACCOUNT = "metro"


def long_ledger(home: Path, entries: int) -> None:
    """A ledger of that many entries, written in one transaction."""
    ledger = Ledger(home)
    ledger.reserve(ACCOUNT, 1, unit=Record(), mechanism="ngram")
    connection = schema.connect(ledger.place.ledger, 30.0)
    connection.execute("BEGIN IMMEDIATE")
    book = history.folded(connection)
    while book.seq < entries:
        spend = secrets.token_hex(8)
        steps: dict[str, dict[str, str]] = {
            "reserved": {"mechanism": "ngram"},
            "begun": {},
            "seen": {"fingerprint": secrets.token_hex(32)},
            "committed": {"release": secrets.token_hex(16), "digest": secrets.token_hex(32)},
        }
        for kind, facts in steps.items():
            fresh = entry(book, kind, ACCOUNT, "" if kind == "seen" else spend, 10 if kind == "reserved" else 0, **facts)
            schema.append(connection, fresh)
            book.post(fresh)
    last = schema.seal(connection, book)
    connection.execute("COMMIT")
    copies.write(connection, last, ledger.place.copies)
    connection.close()


def release(home: Path) -> None:
    """What one release asks of the ledger."""
    ledger = Ledger(home)
    with ledger.reserve(ACCOUNT, 10, unit=Record(), mechanism="ngram") as spend:
        spend.begin(ledger.fingerprint(secrets.token_bytes(64)))
        spend.commit(secrets.token_hex(16), secrets.token_hex(32))


@dataclass
class Times:
    """Milliseconds of each release: on the clock, and of this process alone."""

    clock: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)


def speed(root: Path, releases: int) -> dict[int, Times]:
    """Releases at ledgers of every size in turn, so that all of them share the load of the machine."""
    taken = {entries: Times() for entries in SIZES}
    for entries in SIZES:
        long_ledger(root / str(entries), entries)
    os.sync()
    for _ in range(releases):
        for entries, times in taken.items():
            clock, cpu = time.perf_counter(), time.process_time()
            release(root / str(entries))
            times.clock.append(1000 * (time.perf_counter() - clock))
            times.cpu.append(1000 * (time.process_time() - cpu))
    return taken


def full_check(home: Path) -> float:
    """Seconds of `verify`."""
    begun = time.perf_counter()
    assert Ledger(home).verify().copies_damaged == 0
    return time.perf_counter() - begun


def race(root: Path, racers: int) -> list[dict[str, float]]:
    """When each of many processes that start at once asked, got its reservation, and was done; only those that were served."""
    home = root / "race"
    Ledger(home).set_cap(ACCOUNT, 10**9)
    ear, mouth = os.pipe()
    start = time.monotonic() + 1.0
    children = []
    for number in range(racers):
        if (child := os.fork()) == 0:
            code = 1
            try:
                os.close(ear)
                ledger = Ledger(home)
                time.sleep(max(0.0, start - time.monotonic()))
                asked = time.monotonic() - start
                with ledger.reserve(ACCOUNT, 10, unit=Record(), mechanism="ngram") as spend:
                    got = time.monotonic() - start
                    spend.begin()
                    spend.commit(f"release {number}", "digest")
                done = time.monotonic() - start
                os.write(mouth, json.dumps({"asked": asked, "got": got, "done": done}).encode() + b"\n")
                code = 0
            finally:
                os._exit(code)
        children.append(child)
    os.close(mouth)
    with os.fdopen(ear) as heard:
        served = [json.loads(line) for line in heard]
    for child in children:
        os.waitpid(child, 0)
    return served


def out_of_order(served: list[dict[str, float]]) -> float:
    """The longest time by which somebody asked before another and was served after it."""
    in_order = sorted(served, key=lambda one: one["got"])
    worst = latest = 0.0
    for one in in_order:
        worst, latest = max(worst, latest - one["asked"]), max(latest, one["asked"])
    return worst


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--releases", type=int, default=60, help="releases timed at each size")
    parser.add_argument("--racers", type=int, default=64)
    options = parser.parse_args()
    missed = 0
    print(f"load when started: {os.getloadavg()[0]:.2f}\n")
    print("| entries | ms per release, median | 95 % of them under | CPU ms, median | full check (`verify`), s |")
    print("|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for entries, times in speed(root, options.releases).items():
            middle, most, check = median(times.clock), quantiles(times.clock, n=20)[-1], full_check(root / str(entries))
            print(f"| {entries:,} | {middle:.1f} | {most:.1f} | {median(times.cpu):.1f} | {check:.2f} |", flush=True)
        missed += middle > BAR
        served = race(root, options.racers)
        spent = Ledger(root / "race").account(ACCOUNT).spent // 10
    done = [one["done"] for one in served]
    order, spread = out_of_order(served), max(done) - min(done)
    missed += len(served) < options.racers or spent != len(served) or order > SPREAD or spread > SPREAD
    print("\n| processes at once | served | all done after, s | first to last done, s | out of order by, s |")
    print("|---:|---:|---:|---:|---:|")
    print(f"| {options.racers} | {len(served)} | {max(done):.2f} | {spread:.2f} | {order:.3f} |")
    print(f"\nbars: {BAR:g} ms a release at {SIZES[-1]:,} entries; all served, within {SPREAD:g} s of each other: ", end="")
    print("MISSED" if missed else "met")
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()
