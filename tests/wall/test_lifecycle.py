"""One lifecycle: the same words, the same ledger entries and the same refusals, whoever calls it."""

from __future__ import annotations

import gzip
import hashlib
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import seqveil as sv
from lifecycles import BASE, CAPPED, SMALL, TABLE, command, publish, statuses
from seqveil.errors import BudgetRefused, CallError, InputProblems, ReleaseWarning, RunFailed
from seqveil.sources.name_source import NameSource
from seqveil.sources.source import Source
from seqveil.surface import command_line, speaking
from seqveil.tables.names import Alphabet
from seqveil.wall.fate import fates
from seqveil.wall.ledger import Ledger


@pytest.fixture
def people(home: Path) -> Source:
    """The file that `publish` below is given, as a source."""
    return Source(home.parent / "people.seq", sv.Domain.of(["a", "b"], public_because="x"))


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

    def plan(self, *arguments: Any, **measure: Any) -> Any:
        return replace(super().plan(*arguments, **measure), warnings=["noise will swamp it"])


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
