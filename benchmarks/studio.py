"""How quick the studio is, against its targets: the first page, publishing beside the command, the page of a release, a query.

    python benchmarks/studio.py                     MSNBC, found through $SEQVEIL_DATA, else the simulated city

Times are medians; the machine should do nothing else meanwhile.
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
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from seqveil.errors import CallError
from seqveil.evaluate.bench.data import find

STARTS, QUERIES = 3, 30


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


def write_data(folder: Path) -> tuple[Path, str]:
    """A file of sequences, one per line, and its labels."""
    try:
        return Path(shutil.copy(find("msnbc.seq.gz"), folder)), "1..17"
    except CallError:
        from seqveil.simulate.city import trips
        from seqveil.tables.write import write_sequences

        day = trips()
        (folder / "stations.txt").write_text("\n".join(day.domain.labels(range(len(day.domain)))) + "\n", encoding="utf-8")
        return write_sequences(folder / "trips.seq", day.domain, day.flat), str(folder / "stations.txt")


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
    begun = time.perf_counter()
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
    subprocess.run(
        [sys.executable, "-m", "seqveil", "publish", str(file), *options, "--out", str(out)], check=True, capture_output=True
    )
    return time.perf_counter() - begun


def main() -> None:
    """Print each figure beside its target."""
    with tempfile.TemporaryDirectory() as work:
        os.environ["SEQVEIL_HOME"] = f"{work}/home"
        folder = Path(work) / "data"
        folder.mkdir()
        file, labels = write_data(folder)
        starts = []
        for _ in range(STARTS):
            begun = time.perf_counter()
            studio = Studio(folder)
            starts.append(time.perf_counter() - begun)
            studio.end()
        studio = Studio(folder)
        try:
            release, took = published(studio, file, labels)
            command = commanded(file, labels, folder / "command")
            begun = time.perf_counter()
            page = studio.ask("GET", release)[2]
            first = time.perf_counter() - begun
            label = "1" if ".." in labels else '"Amber 1"'
            queries = []
            for n in range(QUERIES):
                begun = time.perf_counter()
                studio.ask("GET", f"{release}/query?{urlencode({'q': label, 'how': ('count', 'begins', 'visits')[n % 3]})}")
                queries.append(time.perf_counter() - begun)
        finally:
            studio.end()
    print(f"data\t{file.name}")
    print(f"start to first page\t{statistics.median(starts):.2f} s\ttarget 2 s")
    print(f"publish, from the button\t{took:.2f} s\ttarget {1.5 * command:.2f} s (1.5 times the command, {command:.2f} s)")
    print(f"page of the release, first time\t{first:.2f} s, {len(page.encode()) / 1e6:.2f} MB\ttarget 1 s, 1.5 MB")
    print(f"query\t{1000 * statistics.median(queries):.1f} ms (most {1000 * max(queries):.1f})\ttarget 100 ms")


if __name__ == "__main__":
    main()
