"""A publish in bad surroundings: it says what is wrong, ends cleanly, and the ledger stays true."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Callable
from pathlib import Path
from pkgutil import resolve_name
from unittest.mock import patch

import pytest

from seqveil.audit import faults
from seqveil.audit.faults import ACCOUNT, Scene, forked, publish, run_command, verdict
from seqveil.wall.budget import grains
from seqveil.wall.ledger import Ledger

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    faults.warm_up()


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path / "scene").prepare()


def _outcome(scene: Scene, first: Callable[[], object] = lambda: None, *more: str) -> tuple[int, str]:
    """Exit code and words of a publish."""
    paper = scene.folder / "words"
    code = publish(scene, first=first, more=more, paper=paper)
    return code, paper.read_text(encoding="utf-8")


def _statuses(scene: Scene) -> list[str]:
    ledger = Ledger(scene.home)
    return [charge.status for charge in (ledger.charges(ACCOUNT) if ledger.accounts() else [])]


def _hurt(target: str, action: Callable[[], object], turn: int = 1) -> Callable[[], object]:
    """Something happens in the child just before a function of the real code runs for the n-th time."""
    module, _, name = target.rpartition(".")
    real = getattr(resolve_name(module), name)
    calls = []

    def hurting(*given: object, **named: object) -> object:
        calls.append(name)
        if len(calls) == turn:
            action()
        return real(*given, **named)

    return lambda: patch(target, hurting).start()


@pytest.mark.parametrize("limit", [2_000, 30_000, 60_000])
def test_a_full_disk_is_said_in_words(limit: int, scene: Scene) -> None:
    """Files may not grow beyond a limit: in the ledger, in its copy, or not at all; nothing half-written is seen."""

    def small_disk() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    code, words = _outcome(scene, small_disk)

    assert code in (0, 1)
    assert "Traceback" not in words
    assert "internal error" not in words
    assert (code == 0) == scene.out.exists()
    assert [] == verdict(scene)
    assert [] == list(scene.out.parent.glob(".*")) if scene.out.parent.exists() else True


@pytest.mark.parametrize(
    ("turn", "fate", "statuses"), [(1, "Nothing was reserved or spent.", []), (2, "remains charged", ["begun"])]
)
def test_a_disk_that_fills_while_the_release_is_written(turn: int, fate: str, statuses: list[str], scene: Scene) -> None:
    """The release fails, its folder goes, and what became of the ε is said. A disk that is full before costs nothing."""

    def no_room() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))

    code, words = _outcome(scene, _full_at_save(no_room, turn))

    assert 1 == code
    assert "could not be written" in words
    assert fate in words
    assert statuses == _statuses(scene)
    assert [] == list(scene.out.parent.iterdir())


def _full_at_save(no_room: Callable[[], object], turn: int) -> Callable[[], object]:
    """The disk is full from the n-th release on; the first is the rehearsal's."""
    from seqveil.release.release import Release

    real, written = Release._write, []

    def write(release: Release, *given: object) -> object:
        written.append(release)
        if len(written) == turn:
            no_room()
        return real(release, *given)  # type: ignore[arg-type]

    return lambda: patch.object(Release, "_write", write).start()


def test_a_place_where_nothing_can_be_written(scene: Scene) -> None:
    """--out in a folder that takes no files: an error in words, nothing left behind."""
    paper = scene.folder / "words"
    words = scene.words()
    words[words.index("--out") + 1] = "/proc/release"
    code = forked(lambda: run_command(words, scene.home), paper=paper)

    assert 1 == code
    assert "could not be written to /proc/release" in paper.read_text(encoding="utf-8")


def test_a_damaged_ledger_refuses_before_data_is_opened(scene: Scene) -> None:
    """A flipped byte: publish refuses and names the way out; verify refuses too; restore mends it; then it works again."""
    assert 0 == publish(scene)
    scene.out.rename(scene.folder / "first")
    file = next((scene.home / "ledger").glob("*.sqlite*"))
    damaged = bytearray(file.read_bytes())
    damaged[damaged.index(b'{"digest"') + 3] ^= 1  # in an entry: between them a byte means nothing
    file.write_bytes(damaged)
    scene.data.rename(scene.folder / "away")  # whoever opened the data now would say that it is not there
    (scene.folder / "people.seq").write_text("", encoding="utf-8")

    code, words = _outcome(scene)
    assert 1 == code
    assert "seqveil ledger restore" in words
    assert 1 == forked(lambda: run_command(["seqveil", "ledger", "verify"], scene.home))
    assert 0 == forked(lambda: run_command(["seqveil", "ledger", "restore"], scene.home))
    assert 0 == publish(scene)
    assert 2 * grains(faults.EPSILON) == Ledger(scene.home).account(ACCOUNT).spent


def test_a_ledger_of_another_machine_is_refused(scene: Scene) -> None:
    """With advice, before anything is reserved or read."""
    from seqveil.wall.ledger.host import Host

    assert 0 == publish(scene)
    scene.out.rename(scene.folder / "first")
    elsewhere = Host("elsewhere", "another machine", "another boot")
    code, words = _outcome(scene, lambda: patch("seqveil.wall.ledger.host.this_host", lambda: elsewhere).start())

    assert 1 == code
    assert "seqveil ledger adopt" in words
    assert ["committed"] == _statuses(scene)


def test_a_clock_that_goes_backwards_changes_nothing(scene: Scene) -> None:
    """Two releases, the second in the year before: both are counted, in order."""
    from datetime import datetime, timedelta

    class Earlier(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:
            return datetime.now(tz) - timedelta(days=400)  # type: ignore[arg-type]

    assert 0 == publish(scene)
    scene.out.rename(scene.folder / "first")
    assert 0 == publish(scene, first=lambda: patch("seqveil.wall.ledger.turn.datetime", Earlier).start())
    assert ["committed", "committed"] == _statuses(scene)
    assert 0 == forked(lambda: run_command(["seqveil", "ledger", "verify"], scene.home))


def _press_ctrl_c() -> None:
    """Also where the whole suite runs in the background of a shell, which makes everything below it deaf to it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.parametrize(
    ("where", "turn", "statuses", "fate"),
    [
        ("seqveil.wall.ledger.ledger.fingerprint", 1, [], "Nothing was reserved or spent."),
        ("seqveil.wall.run.open_wall", 1, [], "Nothing was reserved or spent."),
        ("seqveil.wall.ledger.spend.Spend.begin", 1, ["returned"], "was returned: no data was read"),
        ("seqveil.wall.run.open_wall", 2, ["begun"], "remains charged: the run may already have read data"),
    ],
)
def test_stopping_says_what_became_of_the_budget(where: str, turn: int, statuses: list[str], fate: str, scene: Scene) -> None:
    """By Ctrl-C: before `begin` nothing is spent, after it the ε remains charged; no traceback, nothing left."""
    code, words = _outcome(scene, _hurt(where, _press_ctrl_c, turn))

    assert 1 == code
    assert fate in words
    assert "interrupted" in words
    assert "Traceback" not in words
    assert statuses == _statuses(scene)
    assert not scene.out.exists()
    assert not scene.out.parent.exists() or [] == list(scene.out.parent.iterdir())


def test_sixteen_processes_race_for_a_cap(scene: Scene) -> None:
    """48 requests for a cap that holds 20: exactly 20 win, whoever they are, and nobody waits for ever."""
    from seqveil.errors import BudgetRefused
    from seqveil.tables.units import Record

    Ledger(scene.home).set_cap(ACCOUNT, 20 * 10 + 9)

    def racer() -> int:
        won = 0
        for turn in range(3):
            try:
                spend = Ledger(scene.home, timeout=60).reserve(ACCOUNT, 10, unit=Record(), mechanism="m")
            except BudgetRefused:
                continue
            spend.begin()
            spend.commit(f"{os.getpid()}/{turn}", "digest")
            won += 1
        return won

    children = []
    for _ in range(16):
        child = os.fork()
        if child == 0:
            os._exit(racer())
        children.append(child)
    won = sum(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children)

    assert 20 == won
    assert 200 == Ledger(scene.home).account(ACCOUNT).spent
