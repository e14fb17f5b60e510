"""The vault's order of things: what can fail fails before ε is spent, whom to protect is said, and the ledger is heard."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import patch

import pytest

import seqveil as sv
from seqveil.engines.local.engine import LocalEngine
from seqveil.errors import BudgetExceeded, CallError, ReleaseWarning, RunFailed
from seqveil.tables.units import Record, Unit, User
from seqveil.wall import prepare as preparation
from seqveil.wall.clip import ClipFailed
from seqveil.wall.fate import fates
from seqveil.wall.input import TableInput
from seqveil.wall.rehearsal import rehearse
from seqveil.wall.smallworld import first_labels, small_world
from seqveil.wall.vault import Vault, experiment
from strategies import table_of_codes

SMALL = sv.NGram(l_max=2, n_max=2)
TABLE = table_of_codes([[0, 1], [1, 0, 1], [1]] * 40, 2)


@dataclass(frozen=True)
class Broken:
    """A mechanism that fails in its run."""

    error: type[BaseException]
    kind: ClassVar[str] = "sequences"
    units: ClassVar[tuple[type[Unit], ...]] = (Record, User)
    version: ClassVar[str] = "1"
    paper: ClassVar[str] = "none"
    name: str = "broken"

    def parameters(self) -> dict[str, Any]:
        return {}

    def plan(self, *given: Any) -> Any:
        return SMALL.plan(*given)

    def run(self, wall: Any) -> Any:
        raise self.error("no")


def statuses(home: Path, account: str = "acc") -> list[str]:
    ledger = sv.Ledger(home)
    names = [each.name for each in ledger.accounts()]
    return [charge.status for charge in ledger.charges(account)] if account in names else []


def test_a_table_with_users_needs_its_unit(tmp_path: Path) -> None:
    """Record() would be another promise than the one that people with several records expect."""
    owned = table_of_codes([[0, 1], [1, 0]], 2, [1, 1])
    for work in (lambda: Vault(owned, account="acc", home=tmp_path), lambda: experiment(owned, SMALL, "1", seed=1)):
        with pytest.raises(CallError, match=r"unit=sv\.User\(max_sequences=1\).*unit=sv\.Record\(\)"):
            work()

    assert [] == sv.Ledger(tmp_path).accounts()
    Vault(owned, sv.Record(), account="acc", home=tmp_path)
    experiment(owned, SMALL, "1", seed=1, unit=sv.User(max_sequences=2))


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (MemoryError, RunFailed),
        (ImportError, RunFailed),
        (ZeroDivisionError, ZeroDivisionError),
        (CallError, CallError),
        (RunFailed, RunFailed),
        (BudgetExceeded, BudgetExceeded),
    ],
)
def test_a_mechanism_that_cannot_run_costs_nothing(error: type[Exception], expected: type[Exception], tmp_path: Path) -> None:
    """It fails on the made-up table, before ε is reserved."""
    with pytest.raises(expected):
        Vault(TABLE, account="acc", cap="1", home=tmp_path).release(Broken(error), "0.5")

    assert [] == statuses(tmp_path)


@pytest.mark.parametrize("labels", [2, 50])
def test_an_engine_that_fails_its_checks_costs_nothing(labels: int, tmp_path: Path) -> None:
    """A defect of the engine shows on the made-up table, and no sentence says that ε was charged."""
    table = table_of_codes([[0, 1]], labels)
    with patch.object(LocalEngine, "cut", lambda engine, table, l_max: table), pytest.raises(ClipFailed) as failed:
        Vault(table, account="acc", cap="1", home=tmp_path).release(SMALL, "0.5")

    assert "charged" not in str(failed.value)
    assert ["Nothing was reserved or spent."] == fates(failed.value)
    assert [] == statuses(tmp_path)


def test_too_little_memory_costs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What must still be free when a run begins is asked for before."""
    monkeypatch.setattr(preparation, "HEADROOM", 1 << 60)
    with pytest.raises(RunFailed, match="not enough memory"):
        Vault(TABLE, account="acc", cap="1", home=tmp_path).release(SMALL, "0.5")

    assert [] == statuses(tmp_path)


@pytest.mark.parametrize("labels", [1, 2, 8, 9, 500])
def test_the_rehearsal_looks_at_no_record(labels: int) -> None:
    """Two tables of the same kind over the same labels are rehearsed alike, whatever is in them."""
    seen = []
    for records in ([], [[labels - 1] * 50] * 300):
        table = table_of_codes(records, labels)
        world = small_world(table, first_labels(table.domain))
        seen.append((world.domain, world.flat.items.tolist(), world.flat.offsets.tolist(), world.users))

    assert seen[0] == seen[1]


def test_a_mechanism_that_speaks_of_all_labels_is_rehearsed_over_all() -> None:
    """A public sample belongs to its domain: over a few labels it would be refused."""
    table = table_of_codes([[0, 1]], 50)
    sample = sv.PublicSample(table.domain, table.flat, "made up")
    release = rehearse(sv.TwoPhase(top=2, sample=sample), TableInput(table), sv.Record())

    assert 50 == len(release.domain)


def test_the_same_table_under_another_account_is_told(tmp_path: Path) -> None:
    """By a warning, before the run; the same content counts, not the same object."""
    same = table_of_codes([[0, 1], [1, 0, 1], [1]] * 40, 2)
    other = table_of_codes([[0, 1], [1, 0, 1], [0]] * 40, 2)
    Vault(TABLE, account="a", cap="1", home=tmp_path).release(SMALL, "0.5")
    Vault(TABLE, account="a", home=tmp_path).release(SMALL, "0.5")
    Vault(other, account="b", cap="1", home=tmp_path).release(SMALL, "0.5")
    vault = Vault(same, account="c", cap="1", home=tmp_path)
    with pytest.warns(ReleaseWarning, match="already used under account 'a'"):
        vault.release(SMALL, "0.5")

    assert ["committed"] == statuses(tmp_path, "c")


def test_a_warning_that_is_an_error_costs_nothing(tmp_path: Path) -> None:
    """It is raised before the run begins, so the reservation goes back."""
    vault = Vault(TABLE, account="acc", home=tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ReleaseWarning, match="has no cap"):
            vault.release(SMALL, "0.5")

    assert ["returned"] == statuses(tmp_path)
    with pytest.warns(ReleaseWarning, match="has no cap"):
        vault.release(SMALL, "0.5")
    assert ["returned", "committed"] == statuses(tmp_path)
