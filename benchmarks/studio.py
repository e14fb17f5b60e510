"""How quick the studio is, against its targets: the first page, publishing beside the command, the page of a release, a query.

    python benchmarks/studio.py [ROUNDS]     the simulated city and, where $SEQVEIL_DATA has it, MSNBC; three rounds

Prints a table for docs/studio.md: of every figure the median of all rounds, with the least and the most. The machine should do
nothing else meanwhile; how busy it was is printed below.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from seqveil.errors import CallError
from seqveil.evaluate.bench.data import find
from seqveil.studio.shelf import key_of

QUERIES = 30
LATE = "data-drawing"
"""What a page has while its pictures are drawn."""
TARGETS = {
    "start to first page": "2 s",
    "publish, from the button to the end": "1.5 times the command",
    "the same by the command": "",
    "page of a release made just now": "1 s",
    "page of a release read for the first time": "1 s",
    "until its pictures are there": "",
    "processor time of both": "",
    "the same page again": "1 s",
    "size of the page": "1.5 MB",
    "query": "100 ms",
    "query, release of 60,000 n-grams": "100 ms",
}
Figures = dict[str, list[float]]


class Studio:
    """The command in a process of its own, and requests to it."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "seqveil", "studio", "--no-open", "--json", "--folder", str(folder)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self.process.stdout is not None
        first = urlsplit(json.loads(self.process.stdout.readline())["address"])
        self.host, self.cookie = first.netloc, ""
        self._connection = http.client.HTTPConnection(str(first.hostname), first.port, timeout=600)
        self.cookie = self.ask("GET", f"/?{first.query}")[1]["set-cookie"].split(";")[0]
        self.secret = str(re.findall(r'name="secret" value="(\w+)"', self.ask("GET", "/")[2])[0])

    def ask(self, method: str, address: str, /, **fields: str) -> tuple[int, http.client.HTTPMessage, str]:
        """Status, headers and text."""
        headers = {"cookie": self.cookie, "origin": f"http://{self.host}", "content-type": "application/x-www-form-urlencoded"}
        body = urlencode({"secret": self.secret, **fields}) if method == "POST" else None
        self._connection.request(method, address, body, headers if method == "POST" else {"cookie": self.cookie})
        answer = self._connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()

    def end(self) -> None:
        self.process.terminate()
        self.process.wait()


def write_msnbc(folder: Path) -> tuple[Path, str]:
    """The clicks of MSNBC, one visit per line, and their labels."""
    return Path(shutil.copy(find("msnbc.seq.gz"), folder)), "1..17"


def write_city(folder: Path) -> tuple[Path, str]:
    """The demo's city, one trip per line, and its labels."""
    from seqveil.simulate.city import trips
    from seqveil.tables.write import write_sequences

    day = trips()
    (folder / "stations.txt").write_text("\n".join(day.domain.labels(range(len(day.domain)))) + "\n", encoding="utf-8")
    return write_sequences(folder / "trips.seq", day.domain, day.flat), str(folder / "stations.txt")


def write_large(folder: Path) -> Path:
    """An experiment with more than 60,000 n-grams."""
    import numpy as np

    import seqveil as sv
    from seqveil.tables.flat import Flat

    random = np.random.default_rng(1)
    offsets = np.concatenate([[0], np.cumsum(random.integers(2, 9, 30_000))])
    items = np.minimum(random.zipf(1.3, int(offsets[-1])) - 1, 399).astype(np.int32)
    table = sv.SequenceTable(sv.Domain.range(1, 400), Flat(items, offsets))
    release = sv.experiment(table, sv.NGram(l_max=8, n_max=3), epsilon="30", seed=1)
    assert len(release.grams) >= 60_000
    return release.save(folder / "large")


def published(studio: Studio, file: Path, labels: str) -> tuple[str, float]:
    """A release through the forms: its address, and the seconds from the button to the end."""
    base = studio.ask("POST", "/new")[1]["location"].removesuffix("/data")
    way = {"labels": "typed", "typed": labels} if ".." in labels else {"labels": "file"}
    forms: list[tuple[str, dict[str, str]]] = [("data/choose", {"path": str(file)}), ("data", {}), ("who", {"unit": "record"})]
    forms += [] if ".." in labels else [("labels/choose", {"path": labels})]
    forms += [("labels", {**way, "public_because": "a public list"})]
    for step, fields in forms:
        assert studio.ask("POST", f"{base}/{step}", **fields)[0] == 303, step
    method = re.findall(r'name="method" value="([^"]+)" checked', studio.ask("GET", f"{base}/method")[2])[0]
    studio.ask("POST", f"{base}/method", method=method)
    studio.ask("POST", f"{base}/budget", epsilon="1.0", size="", account="bench")
    reviewed = re.findall(r'name="reviewed" value="(\w+)"', studio.ask("GET", f"{base}/review")[2])[0]
    begun = time.perf_counter()
    studio.ask("POST", f"{base}/publish", reviewed=reviewed)
    while (state := json.loads(studio.ask("GET", base.replace("/new/", "/runs/") + "/state")[2]))["state"] in (
        "waiting",
        "running",
    ):
        time.sleep(0.05)
    assert state["state"] == "released", state
    return f"/releases/{state['release']}", time.perf_counter() - begun


def commanded(file: Path, labels: str, out: Path) -> float:
    """Seconds that the command takes for the same."""
    options = [
        "--domain",
        labels,
        "--public-because",
        "a public list",
        "--epsilon",
        "1",
        "--account",
        "bench",
        "--unit",
        "record",
    ]
    command = [sys.executable, "-m", "seqveil", "publish", str(file), *options, "--out", str(out)]
    begun = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - begun


def asked(studio: Studio, release: str, label: str) -> list[float]:
    """Seconds for each of some queries of three kinds."""
    took = []
    for n in range(QUERIES):
        fields = urlencode({"q": label, "how": ("count", "begins", "visits")[n % 3]})
        begun = time.perf_counter()
        assert studio.ask("GET", f"{release}/query?{fields}")[0] == 200
        took.append(time.perf_counter() - begun)
    return took


def opened(studio: Studio, release: str) -> tuple[float, float]:
    """Seconds and megabytes of the page of a release."""
    begun = time.perf_counter()
    status, _, page = studio.ask("GET", release)
    assert status == 200
    return time.perf_counter() - begun, len(page.encode()) / 1e6


def processor(studio: Studio) -> float:
    """Seconds of processor time that the studio has used; 0 where the system does not say."""
    try:
        fields = Path(f"/proc/{studio.process.pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def settled(studio: Studio) -> None:
    """Wait until the studio does nothing, at least for some seconds."""
    time.sleep(3)
    before = -1.0
    while (now := processor(studio)) > before + 0.02:
        before = now
        time.sleep(1)


def one_round(write: Callable[[Path], tuple[Path, str]], figures: Figures) -> None:
    """Measure everything once, in a folder and with a ledger of its own."""
    with tempfile.TemporaryDirectory() as work:
        os.environ["SEQVEIL_HOME"] = f"{work}/home"
        folder = Path(work) / "data"
        folder.mkdir()
        file, labels = write(folder)
        label = "1" if ".." in labels else '"Amber 1"'
        Studio(folder).end()  # what is compiled or read from disk for the first time is not of this start
        begun = time.perf_counter()
        studio = Studio(folder)
        figures["start to first page"].append(time.perf_counter() - begun)
        try:
            release, took = published(studio, file, labels)
            figures["publish, from the button to the end"].append(took)
            time.sleep(1)  # as long as somebody takes who reads that it is ready
            seconds, size = opened(studio, release)
            figures["page of a release made just now"].append(seconds)
            figures["size of the page"].append(size)
            figures["query"].append(statistics.median(asked(studio, release, label)))
        finally:
            studio.end()
        figures["the same by the command"].append(commanded(file, labels, folder / "command"))
        large = write_large(folder)
        studio = Studio(folder)
        try:
            settled(studio)  # libraries are loaded while people look at the first page; the newest release is, too: not this one
            page, before = f"/releases/{key_of((folder / 'command').resolve())}", processor(studio)
            begun = time.perf_counter()
            figures["page of a release read for the first time"].append(opened(studio, page)[0])
            while LATE in studio.ask("GET", page)[2]:
                pass  # as the page itself looks again: every answer waits a moment for the pictures
            figures["until its pictures are there"].append(time.perf_counter() - begun)
            figures["processor time of both"].append(processor(studio) - before)
            figures["the same page again"].append(opened(studio, page)[0])
            key = f"/releases/{key_of(large.resolve())}"
            opened(studio, key)
            figures["query, release of 60,000 n-grams"].append(statistics.median(asked(studio, key, "1 2")))
        finally:
            studio.end()


def cell(name: str, values: list[float]) -> str:
    """The median, with the least and the most."""
    unit, scale, places = ("ms", 1000, 0) if name.startswith("query") else ("MB", 1, 2) if "size" in name else ("s", 1, 1)
    low, middle, high = (f"{scale * value:.{places}f}" for value in (min(values), statistics.median(values), max(values)))
    return f"{middle} {unit}" if low == high else f"{middle} {unit} ({low} to {high})"


def main() -> None:
    """Print the table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    measured: dict[str, Figures] = {}
    busy = [os.getloadavg()[0]]
    for name, write in (("MSNBC (989,818 records)", write_msnbc), ("simulated city (200,000)", write_city)):
        measured[name] = {figure: [] for figure in TARGETS}
        try:
            for _ in range(rounds):
                one_round(write, measured[name])
                busy.append(os.getloadavg()[0])
        except CallError as missing:
            print(missing, file=sys.stderr)
            del measured[name]
    print(f"| figure | {' | '.join(measured)} | target |")
    print(f"|---{'|---' * len(measured)}|---|")
    for figure, target in TARGETS.items():
        print(f"| {figure} | {' | '.join(cell(figure, figures[figure]) for figures in measured.values())} | {target} |")
    print(f"\n{rounds} rounds, {os.cpu_count()} cores, load average {min(busy):.1f} to {max(busy):.1f}")


if __name__ == "__main__":
    main()
