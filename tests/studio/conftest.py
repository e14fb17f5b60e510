"""A studio on a real socket of this machine."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from forked import forked
from seqveil.studio.address import Address, listening
from seqveil.studio.app import application
from seqveil.studio.roots import Roots
from seqveil.studio.runs import Runs
from seqveil.studio.server import server
from seqveil.studio.studio import Studio
from seqveil.studio.tasks import Tasks
from studios import DAYS, LABELS, Client


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small log and its labels."""
    folder = tmp_path_factory.mktemp("data")
    lines = ["card,ts,station"]
    for n in range(400):
        lines += [f"c{n},{t},{_cell(item)}" for t, item in enumerate(DAYS[n % len(DAYS)])]
    (folder / "trips.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "stations.txt").write_text("\n".join(LABELS) + "\n", encoding="utf-8")
    return folder


def _cell(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if '"' in text else text


Starting = Callable[..., Client]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A ledger, drafts and runs of this file's own."""
    folder = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SEQVEIL_HOME", str(folder))
        yield folder


@pytest.fixture(autouse=True, scope="module")
def patient() -> Iterator[None]:
    """Pages wait for their pictures, however busy the machine is; what happens without them is tested on its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("seqveil.studio.release.PATIENCE", 60.0)
        yield


@contextmanager
def _starting(data: Path) -> Iterator[Starting]:
    """Starts studios on free ports, in threads; all of them end with the block."""
    ending: list[Callable[[], None]] = []

    def start(*folders: Path) -> Client:
        sock = listening("127.0.0.1", 0)
        studio = Studio(Roots.of(folders or (data,)), Address("127.0.0.1", sock.getsockname()[1]))
        studio.runs = Runs(studio.folder / "runs", forked("-m", "seqveil.studio.worker"))
        studio.tasks = Tasks(forked("-m", "seqveil.studio.work"))
        running = server(application(studio))
        thread = threading.Thread(target=running.run, kwargs={"sockets": [sock]}, daemon=True)
        thread.start()

        def stop() -> None:
            running.should_exit = True
            thread.join(10)
            studio.tasks.close()
            sock.close()

        ending.append(stop)
        return Client(studio)

    try:
        yield start
    finally:
        for stop in ending:
            stop()


@pytest.fixture
def serving(home: Path, data: Path) -> Iterator[Starting]:
    """Studios for one test."""
    with _starting(data) as start:
        yield start


@pytest.fixture(scope="module")
def client(home: Path, data: Path) -> Iterator[Client]:
    """One studio over the folder of the data, for all tests of a file."""
    with _starting(data) as start:
        yield start()
