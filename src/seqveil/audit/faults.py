"""Killing `seqveil publish` at every step it takes, and looking at what is left.

Production code has no fail points. A child process counts what it asks of the system (opening, renaming, syncing, locking,
removing) by an audit hook and by wrapping `os.fsync`, and kills itself with SIGKILL before the n-th of these; or its parent kills
it after a random time. Children are forked from a process that has loaded everything and opened no data, so that three
hundred deaths take a minute.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

STEPS = {
    "open", "os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.link", "os.chmod", "os.utime", "os.truncate", "os.scandir",
    "os.listdir", "shutil.rmtree", "sqlite3.connect", "sqlite3.connect/handle", "fcntl.flock", "fcntl.lockf",
}  # fmt: skip
"""What is counted as a step, beside `os.fsync`."""

EPSILON = "0.25"
ACCOUNT = "people"


@dataclass(frozen=True, slots=True)
class Scene:
    """A place for one killing: a data file, a ledger of its own, and where the release would go."""

    folder: Path

    @property
    def out(self) -> Path:
        return self.folder / "out" / "release"

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def data(self) -> Path:
        return self.folder / "people.seq"

    def prepare(self, records: int = 40) -> Scene:
        """Made-up data, and nothing else."""
        self.folder.mkdir(parents=True)
        self.data.write_text("a b c a\nb c\na a b\nc\n" * (records // 4), encoding="utf-8")
        return self

    def words(self, *more: str) -> list[str]:
        """What is typed."""
        return [
            "seqveil", "publish", str(self.data), "--domain", "a,b,c", "--epsilon", EPSILON, "--l-max", "4", "--n-max", "3",
            "--account", ACCOUNT, "--public-because", "made up", "--out", str(self.out), *more,
        ]  # fmt: skip


def warm_up() -> None:
    """Load and compile everything that a publish needs, without opening a file that matters or starting a thread."""
    import pyarrow.parquet  # noqa: F401

    import seqveil as sv
    from seqveil.cli import app, ordering, releasing  # noqa: F401
    from seqveil.cli import publish as publish_verb  # noqa: F401
    from seqveil.wall.noise import Scale, SecureNoise

    table = sv.table_of([["a", "b"], ["c"]] * 4, sv.Domain.of(["a", "b", "c"]))
    sv.experiment(table, sv.NGram(l_max=4, n_max=3), EPSILON, seed=1)
    SecureNoise().laplace(Scale(1.0), 2)
    # What looks at a scene afterwards must not be loaded between two of them: the second would take fewer steps.
    with tempfile.TemporaryDirectory() as folder:
        scene = Scene(Path(folder) / "scene").prepare()
        publish(scene)
        after_death(scene)


def run_command(words: list[str], home: Path) -> int:
    """The command in this process; its exit code."""
    from seqveil.cli.app import main

    os.environ["SEQVEIL_HOME"] = str(home)
    sys.argv = words
    try:
        main()
    except SystemExit as left:
        return int(left.code or 0)
    return 0


class Steps:
    """Counts steps, and dies before the n-th."""

    def __init__(self, last: int | None) -> None:
        self.taken, self._last, self._inside = 0, last, False
        self._fsync = os.fsync
        os.fsync = self._synced  # type: ignore[assignment]
        sys.addaudithook(self._heard)

    def _heard(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in STEPS:
            self._step()

    def _synced(self, handle: Any) -> None:
        self._step()
        self._fsync(handle)
        self._step()

    def _step(self) -> None:
        if self.taken == self._last:
            os.kill(os.getpid(), signal.SIGKILL)
        self.taken += 1


def forked(work: Callable[[], int], kill_after: float | None = None, patience: float = 60.0, paper: Path | None = None) -> int:
    """Run work in a child, its output on paper; its exit code, or below 0 the signal that ended it."""
    heard, mouth = os.pipe()  # not a file: a child whose disk is full can still speak
    with warnings.catch_warnings():  # newer Pythons warn of threads; the child here uses none of its parent's
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        code = 70
        try:
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            for stream in (1, 2):
                os.dup2(mouth, stream)
            # Whoever forked may have put other objects there.
            sys.stdout, sys.stderr = os.fdopen(1, "w", encoding="utf-8"), os.fdopen(2, "w", encoding="utf-8")
            code = work()
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)
    os.close(mouth)
    begun = time.monotonic()
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            with os.fdopen(heard, "rb") as words:
                if paper is not None:
                    paper.write_bytes(words.read())
            return os.waitstatus_to_exitcode(status)
        spent = time.monotonic() - begun
        if spent > (patience if kill_after is None else kill_after):
            os.kill(child, signal.SIGKILL)
        time.sleep(0.001)


def publish(
    scene: Scene,
    die_at: int | None = None,
    kill_after: float | None = None,
    first: Callable[[], object] = lambda: None,
    more: tuple[str, ...] = (),
    paper: Path | None = None,
) -> int:
    """A publish in a child, killed before a step, or after a time, or not at all; `first` is done in the child before it."""

    def work() -> int:
        first()
        if die_at is not None:
            Steps(die_at)
        return run_command(scene.words(*more), scene.home)

    return forked(work, kill_after, paper=paper)


def count_steps(scene: Scene) -> int:
    """How many steps a publish takes that nobody kills."""
    journal = scene.folder / "steps"

    def work() -> int:
        steps = Steps(None)
        code = run_command(scene.words(), scene.home)
        taken = steps.taken
        journal.write_text(str(taken), encoding="utf-8")
        return code

    if forked(work) != 0:
        raise AssertionError("an uninterrupted publish failed")
    return int(journal.read_text(encoding="utf-8"))


def verdict(scene: Scene) -> list[str]:
    """What is wrong after a death; empty when every promise about dying was kept."""
    from seqveil.release import load
    from seqveil.wall.budget import grains
    from seqveil.wall.ledger import Ledger

    problems, visible = [], 0
    if scene.out.exists():
        visible = 1
        try:
            load(scene.out)
        except Exception as error:
            problems.append(f"a release under its final name does not load: {type(error).__name__}: {error}")
    try:
        ledger = Ledger(scene.home)
        counted = sum(c.grains for c in (ledger.charges(ACCOUNT) if ledger.accounts() else []) if c.status != "returned")
    except Exception as error:
        return [*problems, f"the ledger does not open: {type(error).__name__}: {error}"]
    if counted < visible * grains(EPSILON):
        problems.append("the ledger shows less than what was released")
    return problems


def after_death(scene: Scene) -> list[str]:
    """The verdict, and that the next run works and clears away what the dead one left."""
    problems = verdict(scene)
    seen = scene.out.exists()
    if seen:
        scene.out.rename(scene.folder / "kept")
    code = publish(scene)
    if code != 0:
        problems.append(f"the next run ended with exit code {code}")
    elif not scene.out.exists():
        problems.append("the next run left no release")
    left = [p.name for p in scene.out.parent.iterdir() if p.name != scene.out.name] if scene.out.parent.exists() else []
    if left:
        problems.append(f"the next run left {left} behind")
    from seqveil.wall.budget import grains
    from seqveil.wall.ledger import Ledger

    counted = sum(c.grains for c in Ledger(scene.home).charges(ACCOUNT) if c.status != "returned")
    if counted < (1 + seen) * grains(EPSILON):
        problems.append("after the next run the ledger shows less than what was released")
    return problems
