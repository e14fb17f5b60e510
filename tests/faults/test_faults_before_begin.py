"""What can fail without the data fails before ε is spent: real processes in bad surroundings, and the ledger after them."""

from __future__ import annotations

import fcntl
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from processes import run
from seqveil.audit import faults
from seqveil.wall.ledger import Ledger

pytestmark = pytest.mark.slow

WORDS = ("--domain", "a,b,c", "--epsilon", "5", "--l-max", "4", "--n-max", "3", "--public-because", "x")


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    """Kernels are compiled once for all: on a fresh machine that takes longer than the patience here."""
    faults.warm_up()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a small file of sequences, and one of events."""
    (tmp_path / "people.seq").write_text("a b c\nb c\na a\n" * 60, encoding="utf-8")
    rows = "".join(f"u{k % 50},{k},{'abc'[k % 3]}\n" for k in range(300))
    (tmp_path / "people.csv").write_text(f"who,when,what\n{rows}", encoding="utf-8")
    return tmp_path


def command(place: Path, *more: str, first: Callable[[], object] | None = None, python: str = "") -> int:
    """A `seqveil publish` as a process that is started; its exit code."""
    words = [*(("-c", python) if python else ("-m", "seqveil")), "publish", "people.seq", *WORDS, "--out", "out", *more]
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    environment = {**os.environ, "SEQVEIL_HOME": str(place / "home")}
    try:
        ran = subprocess.run(
            [sys.executable, *words], cwd=place, env=environment, preexec_fn=first, timeout=60, check=False, **quiet
        )  # type: ignore[call-overload]
    except subprocess.TimeoutExpired:
        return 99
    return int(ran.returncode)


def forked(place: Path, *more: str, python: str = "", stderr: int | None = None) -> int:
    """The same, where neither the start of Python nor what is loaded when matters."""
    words = [*(("-c", python) if python else ("-m", "seqveil")), "publish", "people.seq", *WORDS, "--out", "out", *more]
    environment = {**os.environ, "SEQVEIL_HOME": str(place / "home")}
    return run([sys.executable, *words], cwd=place, env=environment, stderr=stderr, timeout=60).returncode


def statuses(place: Path) -> list[str]:
    ledger = Ledger(place / "home")
    return [charge.status for account in ledger.accounts() for charge in ledger.charges(account.name)]


def intact_or_published(place: Path, code: int) -> bool:
    """A run that failed has spent nothing; one that did not is committed and on disk."""
    out = (place / "out").exists()
    if code == 99:
        return statuses(place) == []
    return (statuses(place), out) == (["committed"], True) if code == 0 else (statuses(place), out) == ([], False)


@pytest.mark.parametrize("megabytes", [600, 800, 900, 1000, 1600, 4000])
def test_too_little_memory_for_the_libraries_costs_nothing(megabytes: int, place: Path) -> None:
    """Whatever fails to load or to compile under a limit of address space, the ε is intact.

    Also where a library never comes back: OpenBLAS goes in circles when it gets no memory while it is loaded.
    """
    limit = megabytes << 20
    code = command(place, first=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))

    assert intact_or_published(place, code)
    assert code == 0 or megabytes < 4000


@pytest.mark.parametrize("closed", [(1, 2), (0, 1, 2)])
def test_closed_streams_stop_nothing(closed: tuple[int, ...], place: Path) -> None:
    """`>&- 2>&-`: nobody is told, but the release is made, and no file takes the place of a stream.

    One closed stream: tests/cli/test_cli_streams_of_a_process.py, and full devices under each.
    """
    code = command(place, first=lambda: [os.close(number) for number in closed])

    assert 0 == code
    assert ["committed"] == statuses(place)


def test_json_needs_a_standard_output(place: Path) -> None:
    """A result that nobody could get is refused before it costs anything."""
    assert 2 == command(place, "--json", first=lambda: os.close(1))
    assert intact_or_published(place, 2)


def test_remarks_into_a_pipe_that_nobody_reads_stop_nothing(place: Path) -> None:
    """The reader of stderr has gone away."""
    read, write = os.pipe()
    os.close(read)
    try:
        assert 0 == forked(place, stderr=write)
    finally:
        os.close(write)
    assert ["committed"] == statuses(place)


def test_a_lock_that_somebody_else_holds_on_the_folder_is_not_waited_for(place: Path) -> None:
    """Another program has locked the folder in which the release will be."""
    handle = os.open(place, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        assert 0 == forked(place)
    finally:
        os.close(handle)
    assert ["committed"] == statuses(place)


@pytest.mark.skipif(os.geteuid() == 0 and not Path("/proc/sys").is_dir(), reason="needs a folder in which nobody may write")
def test_a_folder_that_takes_no_files_costs_nothing(place: Path) -> None:
    """Also where its mode says otherwise: /proc is found out by trying."""
    for out in ("/proc/release", "/proc/sys/release", "people.seq/release"):
        assert 0 != forked(place, "--out", out)
    assert intact_or_published(place, 1)


@pytest.mark.parametrize("missing", ["seqveil.wall.noise.digits", "pyarrow.parquet", "numba", "seqveil.publish.records.tables"])
def test_a_library_that_does_not_load_costs_nothing(missing: str, place: Path) -> None:
    """A broken installation is noticed before ε is reserved, whichever part of it a run would need last."""
    python = f"import sys; sys.modules[{missing!r}] = None; from seqveil.cli.app import main; main()"

    assert 0 != command(place, python=python)
    assert intact_or_published(place, 1)


def test_a_writer_that_fails_costs_nothing(place: Path) -> None:
    """Files may not grow: the made-up release is written first, in the place where the real one will be."""
    python = (
        "import resource, signal\n"
        "from seqveil.release.release import Release\n"
        "write = Release._write\n"
        "def full(*given):\n"
        "    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))\n"
        "    return write(*given)\n"
        "Release._write = full\n"
        "from seqveil.cli.app import main; main()\n"
    )

    assert 1 == forked(place, python=python)
    assert intact_or_published(place, 1)
