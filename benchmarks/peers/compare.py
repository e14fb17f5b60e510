"""What people use today, on the same files, by the same metrics, in the same run: `make bench-peers`.

Each peer lives in an environment of its own (.venv-peers) and runs in a process of its own; a peer that does not install or
does not finish is skipped and said. The output of each is records in a text file, which Seqveil's yardstick then measures.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seqveil.errors import CallError
from seqveil.evaluate.bench.data import find, read
from seqveil.evaluate.bench.page import write_page
from seqveil.evaluate.bench.tables import table
from seqveil.evaluate.yardstick import Yardstick
from seqveil.sources import read_sequences
from seqveil.tables.flat import Flat

HERE = Path(__file__).resolve().parent
VENV = Path(".venv-peers")
PEERS = {"pm4py": "pm4py==2.7.23.11", "prefixspan": "prefixspan==0.5.2"}
FILES = {
    "msnbc.seq.gz": ("1..17", "take msnbc990928.seq of the UCI repository, drop its 7 header lines, gzip it under this name"),
    "us_flights.seq.gz": (
        "observed",
        "concatenate the two US_flights files of the KDD 2018 pathpy tutorial, blanks between airports, gzip",
    ),
}
K = 10
"""How long a prefix pm4py looks at."""

COLUMNS = (
    "T and F: mean relative error of 10,000 random counts of up to 4 items, against truncated and full data. "
    "occT and docF: share of the true top K contiguous patterns found, by occurrences in truncated and by records in full data. "
    "verbatim: synthetic records of 5 items and more that exactly one true record equals. "
    "MB: peak memory of the process."
)


def spent(epsilon: float, k: int) -> float:
    """What pm4py's variant query really spends when it is asked for ε: every level of k spends ε again, and more.

    Each level but the last publishes a noisy count and whether it passed, cut to a whole number by truncation, which loses
    ln(2e^ε − 1) in the worst case; the last one loses ε + ln 2.

    >>> round(spent(1.0, 4), 2), round(spent(1.0, 10), 1)
    (6.16, 15.1)
    """
    return (k - 1) * math.log(2 * math.exp(epsilon) - 1) + epsilon + math.log(2)


def asked_for(loss: float, k: int) -> float:
    """The ε to ask for so that no more than `loss` is really spent.

    >>> round(spent(asked_for(1.0, 10), 10), 6)
    1.0
    """
    low, high = 0.0, loss
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if spent(middle, k) <= loss else (low, middle)
    return low


def pruning(epsilon: float, labels: int) -> int:
    """The least count that keeps false prefixes from multiplying: below one false child per prefix.

    >>> pruning(1.0, 17)
    20
    """
    return max(20, math.ceil(math.log(labels + 1) / epsilon))


@dataclass(frozen=True)
class Contest:
    """One line of the table: what runs, and what it really spends."""

    label: str
    loss: str
    command: list[str]


def install() -> dict[str, str]:
    """The peers' environment; what does not install, with the reason."""
    python = VENV / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
    missing = {}
    for name, requirement in PEERS.items():
        command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", requirement]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            missing[name] = (done.stderr.strip().splitlines() or ["pip failed"])[-1]
    return missing


def run(command: list[str], minutes: int) -> dict[str, float] | str:
    """Seconds and megabytes of a process, or why there are none."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60 * minutes, check=False)
    except subprocess.TimeoutExpired:
        return f"not finished in {minutes} minutes"
    if done.returncode:
        return (done.stderr.strip().splitlines() or [f"ended with {done.returncode}"])[-1]
    measured: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return measured


def contests(path: Path, domain: str, labels: int, out: Path, missing: dict[str, str]) -> list[Contest]:
    """Who runs on a file."""
    theirs, ours = str(VENV / "bin" / "python"), sys.executable
    small = asked_for(1.0, K)
    entries = [
        Contest(
            f"Seqveil {method}", "1.0", [ours, str(HERE / "ours.py"), "publish", str(path), domain, str(out), method, "1.0", "1"]
        )
        for method in ("record-model", "ngram", "prefix" if labels < 100 else "prefix-hybrid")
    ]
    if "pm4py" not in missing:
        for epsilon in (1.0, small):
            words = [theirs, str(HERE / "pm4py_variants.py"), str(path), str(out), repr(epsilon), str(K)]
            label = f"pm4py laplace, asked for ε = {epsilon:.3g}, k = {K}, p = {pruning(epsilon, labels)}"
            entries.append(Contest(label, f"{spent(epsilon, K):.2f}", [*words, str(pruning(epsilon, labels))]))
    entries.append(Contest("order-2 Markov, no privacy", "∞", [theirs, str(HERE / "markov.py"), str(path), str(out), "1"]))
    return entries


def verbatim(raw: Flat, synthetic: Flat) -> int:
    """How many records of 5 items and more that exactly one person has also stand among the synthetic ones."""
    once = {key for key, n in Counter(row.tobytes() for row in raw if len(row) >= 5).items() if n == 1}
    return len(once & {row.tobytes() for row in synthetic if len(row) >= 5})


def published(name: str, path: Path, domain: str, missing: dict[str, str], minutes: int, skipped: list[str]) -> str:
    """The table of everybody who publishes records."""
    data = read(path, domain)
    labels = len(data.domain)
    yard = Yardstick(data.flat, labels, 20)
    rows: list[list[Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "synthetic.txt"
        for contest in contests(path, domain, labels, out, missing):
            print(f"{name}: {contest.label}", file=sys.stderr, flush=True)
            out.unlink(missing_ok=True)
            measured = run(contest.command, minutes)
            if isinstance(measured, str):
                skipped.append(f"{contest.label} on {name}: {measured}")
                continue
            synthetic = read_sequences(out, domain=data.domain).flat
            errors, patterns = yard.count_error(synthetic), yard.top_k(synthetic)
            ratios = [
                patterns[kind][k]["true_positive_ratio"]
                for kind in ("occurrences_truncated", "documents_full")
                for k in (20, 100)
            ]
            rows.append(
                [contest.label, contest.loss, f"{measured['seconds']:.1f}", f"{measured['mb']:,.0f}"]
                + [f"{errors[kind][4]:.3f}" for kind in ("truncated", "full")]
                + [f"{ratio:.0%}" for ratio in ratios]
                + [f"{verbatim(data.flat, synthetic):,}"]
            )
    header = ["method", "ε really spent", "seconds", "MB", "T", "F", "occT 20", "occT 100", "docF 20", "docF 100", "verbatim"]
    return f"## {name}\n\n{table(header, rows)}"


def mined(name: str, path: Path, domain: str, missing: dict[str, str], minutes: int, skipped: list[str]) -> str:
    """The table of everybody who mines the top 100 gapped patterns exactly."""
    rows, answers = [], []
    with tempfile.TemporaryDirectory() as folder:
        for label, program, words in (
            ("Seqveil top_gapped", [sys.executable, str(HERE / "ours.py"), "mine"], [domain]),
            ("prefixspan", [str(VENV / "bin" / "python"), str(HERE / "prefixspan_top.py")], []),
        ):
            if label in missing:
                continue
            print(f"{name}: {label}", file=sys.stderr, flush=True)
            out = Path(folder) / f"{len(rows)}.json"
            measured = run([*program, str(path), *words, str(out), "100"], minutes)
            if isinstance(measured, str):
                skipped.append(f"{label} on {name}: {measured}")
                continue
            answers.append(sorted((support for support, _ in json.loads(out.read_text(encoding="utf-8"))), reverse=True))
            rows.append([label, f"{measured['seconds']:.2f}", f"{measured['mb']:,.0f}"])
    same = (
        "The supports agree." if len(answers) == 2 and answers[0] == answers[1] else "The supports were not compared or differ."
    )
    return f"### Top 100 gapped patterns of {name}\n\n{table(['miner', 'seconds', 'MB'], rows)}\n\n{same}"


def main() -> None:
    """Compare and write the page."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--data", type=Path, help="Folder of the data files (default: $SEQVEIL_DATA).")
    words.add_argument("--page", type=Path, default=Path("docs/results/peers.md"))
    words.add_argument("--minutes", type=int, default=10, help="how long a peer may take")
    words.add_argument("--machine", default="")
    options = words.parse_args()
    try:
        paths = {name: find(name, options.data, get) for name, (_, get) in FILES.items()}
    except CallError as absent:
        sys.exit(f"error: {absent}")
    missing = install()
    skipped = [f"{name}: did not install ({reason})" for name, reason in missing.items()]
    parts = []
    for name, (domain, _) in FILES.items():
        path = paths[name]
        parts.append(published(name, path, domain, missing, options.minutes, skipped))
        parts.append(mined(name, path, domain, missing, options.minutes, skipped))
    parts += [f"Skipped: {line}" for line in skipped]
    note = f"Single runs; ours with seed 1. {COLUMNS}"
    write_page(options.page, "What people use today", parts, "make bench-peers", options.machine or "this machine", note)
    print("\n\n".join(parts))


if __name__ == "__main__":
    main()
