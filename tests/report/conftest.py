"""A real browser without a driver package: Chromium on a pipe, spoken to in its own protocol (CDP)."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import seqveil as sv

LABELS = ["home", "metro", "office", "café", "park", "<b>shop & co</b>"]


def _chromium() -> str | None:
    return next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None)


def _install() -> None:
    """Debian's own package, where this process may install it; SEQVEIL_NO_INSTALL=1 forbids it."""
    if os.environ.get("SEQVEIL_NO_INSTALL") or not hasattr(os, "geteuid") or os.geteuid() != 0 or not shutil.which("apt-get"):
        return
    unattended = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update", "-q"], ["apt-get", "install", "-qy", "--no-install-recommends", "chromium"]):
        try:
            subprocess.run(command, timeout=240, check=False, capture_output=True, env=unattended)
        except (OSError, subprocess.TimeoutExpired):
            return


class Browser:
    """One page of a headless Chromium; remembers every request and every message of the console."""

    def __init__(self, executable: str, profile: Path) -> None:
        to_read, self._to = os.pipe()
        self._from, to_write = os.pipe()
        for end in (self._to, self._from):
            os.set_inheritable(end, False)
        # Chromium reads commands from descriptor 3 and answers on 4: a small Python puts the pipes there and becomes it.
        script = (
            "import fcntl, os, sys; r, w = (fcntl.fcntl(int(n), fcntl.F_DUPFD, 10) for n in sys.argv[1:3]); "
            "os.dup2(r, 3); os.dup2(w, 4); os.execv(sys.argv[3], sys.argv[3:])"
        )
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--disable-dev-shm-usage"]
        quiet = ["--no-first-run", "--disable-background-networking", "--disable-component-update", f"--user-data-dir={profile}"]
        self._process = subprocess.Popen(
            [sys.executable, "-c", script, str(to_read), str(to_write), executable, *options, *quiet],
            pass_fds=(to_read, to_write),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(to_write)
        self._buffer, self._last = b"", 0
        self.requests: list[str] = []
        self.complaints: list[str] = []

    def start(self) -> None:
        """Open one page and listen to it."""
        target = self._ask("Target.createTarget", {"url": "about:blank"})["targetId"]
        self._session = self._ask("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self._ask(f"{domain}.enable")

    def _receive(self, deadline: float) -> dict[str, Any]:
        import select

        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._from], [], [], max(deadline - time.monotonic(), 0))
            if not ready:
                raise TimeoutError("the browser does not answer")
            chunk = os.read(self._from, 1 << 20)
            if not chunk:
                raise TimeoutError("the browser ended")
            self._buffer += chunk
        message, _, self._buffer = self._buffer.partition(b"\0")
        answer: dict[str, Any] = json.loads(message)
        self._note(answer)
        return answer

    def _note(self, message: dict[str, Any]) -> None:
        details = message.get("params", {})
        match message.get("method"):
            case "Network.requestWillBeSent":
                self.requests.append(details["request"]["url"])
            case "Runtime.exceptionThrown":
                self.complaints.append(str(details["exceptionDetails"].get("text")))
            case "Log.entryAdded":
                self.complaints.append(str(details["entry"]["text"]))

    def _ask(self, method: str, parameters: dict[str, Any] | None = None) -> Any:
        self._last += 1
        call: dict[str, Any] = {"id": self._last, "method": method, "params": parameters or {}}
        if hasattr(self, "_session"):
            call["sessionId"] = self._session
        os.write(self._to, json.dumps(call).encode() + b"\0")
        deadline = time.monotonic() + 30
        while True:
            answer = self._receive(deadline)
            if answer.get("id") == self._last:
                assert "error" not in answer, answer
                return answer["result"]

    def open(self, page: Path, width: int = 1100, height: int = 900, dark: bool = False) -> None:
        """Load a page and wait until it has loaded."""
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self._ask("Emulation.setEmulatedMedia", {"features": scheme})
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self._ask("Emulation.setDeviceMetricsOverride", size)
        self.requests.clear()
        self.complaints.clear()
        self._ask("Page.navigate", {"url": page.resolve().as_uri()})
        deadline = time.monotonic() + 30
        while self.run("document.readyState") != "complete" or self.run("location.protocol") != "file:":
            assert time.monotonic() < deadline, "the page does not load"
            time.sleep(0.05)

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        answer = self._ask("Runtime.evaluate", {"expression": script, "returnByValue": True, "awaitPromise": True})
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def screenshot(self, path: Path) -> None:
        """The whole page as PNG."""
        data = self._ask("Page.captureScreenshot", {"format": "png", "captureBeyondViewport": True})["data"]
        path.write_bytes(base64.b64decode(data))

    def close(self) -> None:
        """End this browser and nothing else."""
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._to)
        os.close(self._from)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Chromium, installed from Debian where that is allowed; otherwise the tests that need it say why they are skipped."""
    if _chromium() is None:
        _install()
    executable = _chromium()
    if executable is None:
        pytest.skip("no Chromium on this machine, and it may not be installed here: apt-get install chromium")
    browser = Browser(executable, tmp_path_factory.mktemp("profile"))
    try:
        browser.start()
        yield browser
    finally:
        browser.close()


@pytest.fixture(scope="session")
def trips() -> sv.SequenceTable:
    """Days of a small town, one label of which would be markup if it were not escaped."""
    domain = sv.Domain.of(LABELS, public_because="a published map")
    home, metro, office, cafe, park, shop = LABELS
    days = {(home, metro, office, metro, home): 900, (home, cafe, home): 600, (home, park, shop, home): 500, (office,): 200}
    return sv.table_of([day for day, times in days.items() for _ in range(times)], domain)


@pytest.fixture(scope="session")
def written(trips: sv.SequenceTable, tmp_path_factory: pytest.TempPathFactory) -> Callable[[bool], Path]:
    """Writes the page of one experiment, with or without raw data."""
    from seqveil.report.page import write_report

    release = sv.experiment(trips, sv.NGram(l_max=6, n_max=3), epsilon="4.0", seed=3)
    folder = tmp_path_factory.mktemp("pages")

    def write(raw: bool) -> Path:
        return write_report(release, folder / f"{raw}.html", raw=trips if raw else None)

    return write
