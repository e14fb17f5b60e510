"""One lifecycle: the same words, the same ledger entries and the same refusals, whoever calls it."""

from __future__ import annotations

import gzip
import hashlib
import os
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import seqveil as sv
from seqveil.cli.app import main
from seqveil.errors import BudgetRefused, CallError, InputProblems, LedgerError, ReleaseWarning, RunFailed
from seqveil.sources.name_source import NameSource
from seqveil.sources.source import Source
from seqveil.surface import command_line, speaking
from seqveil.tables.names import Alphabet
from seqveil.wall.fate import fates
from seqveil.wall.ledger import Ledger, turn
from strategies import table_of_codes

SMALL = sv.NGram(l_max=2, n_max=2)
TABLE = table_of_codes([[0, 1], [1, 0, 1], [1]] * 40, 2)
CAPPED = "ignore:Account .* has no cap:seqveil.errors.ReleaseWarning"


def command(*words: object) -> int:
    """A command in this process; its exit code."""
    sys.argv = ["seqveil", *map(str, words)]
    try:
        main()
    except SystemExit as end:
        return int(end.code or 0)
    return 0


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of ledgers, for commands and for Python alike."""
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.seq").write_text("a b\nb a b\nb\n" * 40, encoding="utf-8")
    (tmp_path / "names.txt").write_text("Anna\nHannah\nBob\n" * 60, encoding="utf-8")
    return tmp_path / "home"


@pytest.fixture
def people(home: Path) -> Source:
    """The file that `publish` below is given, as a source."""
    return Source(home.parent / "people.seq", sv.Domain.of(["a", "b"], public_because="x"))


def publish(*more: object, out: str = "out", account: str = "shop") -> int:
    words = (
        "people.seq",
        "--method",
        "ngram",
        "--domain",
        "a,b",
        "--l-max",
        2,
        "--n-max",
        2,
        "--public-because",
        "x",
        "--account",
        account,
    )
    return command("publish", *words, "--account", account, *(more or ("--epsilon", "0.5")), "--out", out)


def in_python(data: Any, account: str = "shop", **more: Any) -> list[str]:
    """A release from Python; its warnings, as the command line would write them."""
    with warnings.catch_warnings(record=True) as caught, speaking(command_line):
        warnings.simplefilter("always")
        sv.Vault(data, account=account).release(SMALL, "0.5", **more)
    assert {ReleaseWarning} == {warning.category for warning in caught}
    assert {__file__} == {warning.filename for warning in caught}
    return [str(warning.message) for warning in caught]


def warned(text: str) -> list[str]:
    return [line.removeprefix("warning: ") for line in text.splitlines() if line.startswith("warning: ")]


def entries(home: Path, account: str) -> list[tuple[str, int, dict[str, Any]]]:
    """What was written about an account: kinds, amounts and facts; of ids and digests only that they are there."""
    written = [entry for entry in Ledger(home).history(account) if entry.account]
    ids = {"release": "id", "digest": "SHA-256"}
    return [
        (entry.kind, entry.grains, {name: ids.get(name, value) for name, value in entry.details().items()}) for entry in written
    ]


def statuses(home: Path) -> list[str]:
    ledger = Ledger(home)
    return [charge.status for account in ledger.accounts() for charge in ledger.charges(account.name)]


def test_python_and_the_command_line_warn_and_write_alike(home: Path, people: Source, capfd: Any) -> None:
    """The same file, parameters and kind of account: the same warnings, the same entries; the file is recognised either way."""
    assert 0 == publish(account="first")
    typed = warned(capfd.readouterr().err)
    assert 0 == publish(account="typed", out="typed")
    typed_again = warned(capfd.readouterr().err)
    called = in_python(people, account="called", out="called")

    assert ["no cap"] == [word for line in typed for word in ["no cap"] if word in line]
    assert 2 == len(typed_again)
    assert "The same data was already used under account 'first'" in typed_again[1]
    assert [line.replace("typed", "called") for line in typed_again[:1]] == called[:1]
    assert "The same data was already used under accounts 'first', 'typed'" in called[1]
    assert "use --account first" in called[1]
    assert entries(home, "typed") == entries(home, "called")


@pytest.mark.filterwarnings(CAPPED)
@pytest.mark.parametrize("when", ["at once", "later", "twice"])
def test_the_ledger_has_the_digest_of_what_is_saved(when: str, home: Path, people: Source) -> None:
    """Whether it is saved before it is committed or long after, the manifest on disk has the digest in the ledger."""
    vault = sv.Vault(people, account="shop")
    release = vault.release(SMALL, "0.5", out="out" if when == "at once" else None)
    if when != "at once":
        release.save("out")
    if when == "twice":
        release.save("again")
    (charge,) = Ledger(home).charges("shop")

    for folder in ("out", "again") if when == "twice" else ("out",):
        digest = hashlib.sha256(Path(folder, "manifest.json").read_bytes()).hexdigest()
        assert ("committed", digest, release.manifest.release) == (charge.status, charge.digest, charge.release)
        assert digest == sv.load(folder).digest


class Doubtful(sv.NGram):
    """A mechanism whose plan expects little."""

    def plan(self, *arguments: Any) -> Any:
        return replace(super().plan(*arguments), warnings=["noise will swamp it"])


def test_an_epsilon_that_protects_nothing_is_warned_about(home: Path) -> None:
    """In Python as on the command line: 20 is not, more is."""
    table = sv.table_of([["a"]] * 10, sv.Domain.of(["a"], public_because="it is an example"))
    vault = sv.Vault(table, unit=sv.Record(), account="large", cap="1000", home=home)
    vault.release(sv.NGram(l_max=2), "20")
    with pytest.warns(ReleaseWarning, match=r"epsilon = 20\.5 is too large to protect anything: one record .* epsilon=1\.0"):
        vault.release(sv.NGram(l_max=2), "20.5")


def test_warnings_of_a_plan_reach_python_too(home: Path) -> None:
    """Before the ledger's, as on the command line; where warnings are errors, before anything is reserved."""
    mechanism = Doubtful(l_max=2, n_max=2)
    with pytest.warns(ReleaseWarning, match="noise will swamp it"), pytest.warns(ReleaseWarning, match="has no cap"):
        sv.Vault(TABLE, account="shop").release(mechanism, "0.5")
    with pytest.raises(ReleaseWarning, match="noise will swamp it") as stopped:
        sv.Vault(TABLE, account="strict").release(mechanism, "0.5")

    assert ["Nothing was reserved or spent."] == fates(stopped.value)
    assert ["shop"] == [account.name for account in Ledger(home).accounts()]


ORDERS: dict[str, tuple[Callable[[], object], type[Exception]]] = {
    "epsilon": (lambda: sv.Vault(TABLE, account="a").release(SMALL, "0"), CallError),
    "unit": (lambda: sv.Vault(TABLE, sv.User(1), account="a").release(SMALL, 1), CallError),
    "mechanism": (lambda: sv.Vault(TABLE, account="a").release("ngram", 1), CallError),  # type: ignore[arg-type]
    "noise": (lambda: sv.Vault(TABLE, account="a").release(SMALL, "0.000000000001"), CallError),
    "folder that exists": (lambda: sv.Vault(TABLE, account="a").release(SMALL, 1, out="."), CallError),
    "folder that cannot be": (lambda: sv.Vault(TABLE, account="a").release(SMALL, 1, out="/proc/release"), RunFailed),
    "stream length": (lambda: sv.stream.lis(epsilon=1, account="a"), CallError),
    "stream account": (lambda: sv.stream.lis(length=5, epsilon=1), CallError),
    "stream epsilon": (lambda: sv.stream.lis(length=5, epsilon=0, account="a"), CallError),
    "stream experiment": (lambda: sv.stream.lis(length=5, epsilon=1, account="a", method="hierarchy", buckets=2), CallError),
    "stream state": (lambda: sv.stream.lis(length=5, epsilon=1, account="a", state="/proc/state"), CallError),
}


@pytest.mark.parametrize("order", ORDERS)
def test_an_impossible_order_reserves_nothing(order: str, home: Path) -> None:
    """From Python: it is refused, the exception says that nothing was reserved, and the ledger has not heard of it."""
    work, kind = ORDERS[order]
    with pytest.raises(kind) as refused:
        work()

    assert ["Nothing was reserved or spent."] == fates(refused.value)
    assert [] == Ledger(home).accounts()


BROKEN: dict[str, tuple[bytes, dict[str, Any]]] = {
    "x.csv": ("it\xe9m,page\na,b\n".encode("latin-1"), {"item": "page"}),
    "x.csv.gz": (gzip.compress(b"page\n" + b"a\n" * 9999)[:-9], {"item": "page"}),
    "x.seq.gz": (b"a b\n", {}),
    "x.parquet": (b"PAR1 and no more PAR1", {"item": "page"}),
    "x.xes": (b"<log><trace>", {}),
    "x.graphml": (b"<graphml><graph>", {"reader": "graph", "order_is_public": True}),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_file_whose_format_is_broken_costs_nothing(name: str, home: Path) -> None:
    """Made-up rows are read without a mistake; so the file itself is inspected, too, before anything is reserved."""
    body, options = BROKEN[name]
    file = home.parent / name
    file.write_bytes(body)
    graph = "reader" in options
    vault = sv.Vault(Source(file, sv.Domain.of(["a", "b"]), **options), unit=sv.Edge() if graph else sv.Record(), account="a")
    mechanism: Any = sv.GraphDegrees() if graph else SMALL
    with pytest.raises(InputProblems) as refused:
        vault.release(mechanism, 1)

    assert ["Nothing was reserved or spent."] == fates(refused.value)
    assert [] == Ledger(home).accounts()


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz"])
def test_names_in_a_broken_file_cost_nothing(name: str, home: Path) -> None:
    """The same for what `link base` reads."""
    file = home.parent / name
    file.write_bytes(BROKEN[name][0])
    with pytest.raises(InputProblems) as refused:
        sv.Vault(NameSource(file, Alphabet.parse("latin"), column="page"), sv.Record(), account="a").release(SMALL, 1)

    assert ["Nothing was reserved or spent."] == fates(refused.value)
    assert [] == Ledger(home).accounts()


STREAM = ("stream", "lis", "people.seq", "--length", 5, "--epsilon", 1)
BASE = ("link", "base", "names.txt", "--epsilon", 1)
COMMANDS = {
    "publish epsilon": lambda: publish("--epsilon", "0.000000000001"),
    "publish folder": lambda: publish("--epsilon", 1, out="/proc/release"),
    "link base epsilon": lambda: command(*BASE[:-1], "0.000000000001", "--out", "base"),
    "link base folder": lambda: command(*BASE, "--out", "/proc/base"),
    "stream method": lambda: command(*STREAM, "--method", "hierarchy", "--buckets", 2),
    "stream state": lambda: command(*STREAM, "--state", "/proc/state"),
}


@pytest.mark.parametrize("order", COMMANDS)
def test_an_impossible_command_reserves_nothing(order: str, home: Path, capfd: Any) -> None:
    """From the command line: it says so too."""
    assert COMMANDS[order]() in (1, 2)
    assert "Nothing was reserved or spent." in capfd.readouterr().err
    assert [] == Ledger(home).accounts()


def test_a_budget_that_is_refused_says_that_nothing_was_spent(home: Path, capfd: Any) -> None:
    """Through every caller."""
    Ledger(home).set_cap("shop", 1)
    with pytest.raises(BudgetRefused) as refused:
        sv.Vault(TABLE, account="shop").release(SMALL, 1)
    with pytest.raises(BudgetRefused) as stream:
        sv.stream.lis(length=5, epsilon=1, account="shop")

    assert ["Nothing was reserved or spent."] == fates(refused.value) == fates(stream.value)
    assert 3 == publish("--epsilon", 1)
    assert "Nothing was reserved or spent." in capfd.readouterr().err
    assert [] == statuses(home)


class Gone:
    """A listener whose terminal has gone."""

    def stage(self, name: str) -> None:
        if name != "preparing":
            raise OSError(5, "Input/output error")

    def warn(self, text: str) -> None:
        pass


def test_a_listener_that_breaks_loses_no_release(home: Path) -> None:
    """Once the run has begun, nothing that it does counts."""
    release = sv.Vault(TABLE, account="shop").release(SMALL, 1, out="out", listener=Gone())

    assert release.digest == sv.load("out").digest
    assert ["committed"] == statuses(home)


def test_a_listener_that_breaks_before_the_run_costs_nothing(home: Path) -> None:
    """What it raises for a warning ends the run, and the ε is returned."""

    class Strict(Gone):
        def warn(self, text: str) -> None:
            raise OSError(5, text)

    with pytest.raises(OSError, match="has no cap") as stopped:
        sv.Vault(TABLE, account="shop").release(SMALL, 1, listener=Strict())

    assert ["ε = 1.0 on account 'shop' was returned: no data was read."] == fates(stopped.value)
    assert ["returned"] == statuses(home)


class Press:
    """Ctrl-C at the n-th line that runs in the wall and the ledger once a reservation is durable."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, line: int) -> None:
        self.left: int | None = None
        self.pressed = False
        real = Ledger.reserve

        def reserve(*arguments: Any, **named: Any) -> Any:
            spend = real(*arguments, **named)
            self.left = line
            return spend

        monkeypatch.setattr(Ledger, "reserve", reserve)

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        name = frame.f_code.co_filename
        if self.left is not None and not self.pressed and f"{os.sep}seqveil{os.sep}wall{os.sep}" in name and event == "line":
            if self.left == 0:
                self.pressed = True
                raise KeyboardInterrupt
            self.left -= 1
        return self


CALLERS: dict[str, Callable[[], object]] = {
    "vault": lambda: sv.Vault(TABLE, account="shop").release(SMALL, 1),
    "stream": lambda: sv.stream.lis(length=5, epsilon=1, account="shop").close(),
    "stream with a state": lambda: sv.stream.lis(length=5, epsilon=1, account="shop", state="s").close(),
    "publish": lambda: publish("--epsilon", 1),
    "link base": lambda: command(*BASE, "--out", "base", "--account", "shop"),
}


@pytest.mark.filterwarnings(CAPPED)
@pytest.mark.parametrize("line", [0, 1, 2, 3, 4, 6, 10, 40, 100])
@pytest.mark.parametrize("caller", CALLERS)
def test_an_interrupt_never_strands_a_reservation(
    caller: str, line: int, home: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    """Wherever it comes after the reservation: it was returned or the run had begun, and whoever called is told which."""
    press = Press(monkeypatch, line)
    heard = ""
    sys.settrace(press)
    try:
        CALLERS[caller]()
    except KeyboardInterrupt as stopped:
        heard = " ".join(fates(stopped))
    finally:
        sys.settrace(None)
    heard += capfd.readouterr().err
    (status,) = statuses(home)

    assert press.pressed
    assert status in ("returned", "begun", "committed")
    fate = "was returned: no data was read." if status == "returned" else "remains charged: the run may already have read data."
    assert f"ε = 1.0 on account 'shop' {fate}" in heard
    assert status != "returned" or not Path("s").exists()


@pytest.mark.filterwarnings(CAPPED)
@pytest.mark.parametrize("again", [0, 1, 2])
@pytest.mark.parametrize(("turns", "message"), [(["after"], "was not charged"), (["never", "before"], "was returned")])
def test_a_second_interrupt_strands_no_reservation(
    turns: list[str], message: str, again: int, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C as `reserve` or `begin` is written, and again while the ε is returned. Whoever goes on pressing hears the truth."""
    real, left = turn._end, [*turns, *["before"] * again]

    def end(one: turn.Turn, place: Any) -> None:
        press = left.pop(0) if one.book.charges and left else "never"
        if press == "before":
            raise KeyboardInterrupt
        real(one, place)
        if press == "after":
            raise KeyboardInterrupt

    monkeypatch.setattr(turn, "_end", end)
    with pytest.raises(KeyboardInterrupt) as stopped:
        sv.Vault(TABLE, account="shop").release(SMALL, 1)
    (heard,) = fates(stopped.value)

    assert [] == left
    assert (message if again < 2 else "remains reserved") in heard
    assert ["returned" if again < 2 else "reserved"] == statuses(home)


@pytest.mark.filterwarnings(CAPPED)
def test_a_release_that_is_saved_and_not_committed_says_where_it_is(
    home: Path, capfd: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its ε is spent and it is complete: whoever paid for it must find it."""

    def commit(*arguments: Any) -> None:
        raise LedgerError("the disk is full")

    monkeypatch.setattr(Ledger, "_commit", commit)
    with pytest.raises(LedgerError) as stopped:
        sv.Vault(TABLE, account="shop").release(SMALL, 1, out="called")
    assert 1 == publish("--epsilon", 1, out="typed")

    message = "ε = 1.0 on account 'shop' remains charged. The release is in {}; the ledger has no digest of it."
    assert [message.format("called")] == fates(stopped.value)
    assert message.format("typed") in capfd.readouterr().err
    assert sv.load("called").manifest.private
    assert ["begun", "begun"] == statuses(home)


@pytest.mark.filterwarnings(CAPPED)
def test_a_child_that_is_forked_during_a_run_saves_nothing(home: Path) -> None:
    """Both processes go on with one reservation; only the one that made it may have a release."""
    work, release = sv.Vault(TABLE, account="shop"), Path("out")

    class Forking(Gone):
        child = 0

        def stage(self, name: str) -> None:
            if name == "reading":
                self.child = os.fork()
                if self.child:
                    os.waitpid(self.child, 0)

    listener, parent = Forking(), os.getpid()
    try:
        work.release(SMALL, 1, out=release, listener=listener)
    finally:
        if os.getpid() != parent:
            os._exit(0)

    assert ["committed"] == statuses(home)
    assert [release] == sorted(Path().glob("out*"))
    assert sv.load(release).digest == Ledger(home).charges("shop")[0].digest
