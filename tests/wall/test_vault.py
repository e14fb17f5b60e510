"""The vault: reserved before data, committed before the release is out, capped; and how many records of a user count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy import stats

import seqveil as sv
from seqveil.errors import BudgetRefused, CallError
from seqveil.tables.units import Record, Unit, User
from seqveil.wall.budget import GRAINS
from seqveil.wall.noise import SeededNoise
from seqveil.wall.run import open_wall
from seqveil.wall.vault import Vault, experiment
from strategies import table_of_codes

TABLE = table_of_codes([[0, 1], [1, 0, 1], [1]] * 40, 2)
SMALL = sv.NGram(l_max=2, n_max=2)


@dataclass(frozen=True)
class Watcher:
    """A mechanism that looks at the ledger while it runs, and may fail."""

    kind: ClassVar[str] = "sequences"
    units: ClassVar[tuple[type[Unit], ...]] = (Record, User)
    version: ClassVar[str] = "1"
    paper: ClassVar[str] = "none"
    home: Any = None
    fails: bool = False
    name: str = "watcher"

    def parameters(self):
        return {}

    def plan(self, epsilon, domain, unit, records=None):
        return SMALL.plan(epsilon, domain, unit, records)

    def run(self, wall):
        SEEN.append([(charge.grains, charge.status) for charge in sv.Ledger(self.home).charges("acc")])
        if self.fails and SEEN[-1]:  # the rehearsal on a made-up table comes before anything is charged
            raise RuntimeError("the mechanism broke")
        return SMALL.run(wall)


SEEN: list[Any] = []


def charges(home):
    return [(charge.grains, charge.status) for charge in sv.Ledger(home).charges("acc")]


def test_a_release_is_reserved_before_it_runs_and_committed_before_it_is_returned(tmp_path):
    """While the mechanism runs its ε stands in the ledger; when the release comes out it is committed under its id.

    It was rehearsed before, on a made-up table, when nothing was in the ledger.
    """
    SEEN.clear()
    release = Vault(TABLE, account="acc", cap="1", home=tmp_path).release(Watcher(tmp_path), "0.5")
    (_, during), after = SEEN, sv.Ledger(tmp_path).charges("acc")[0]

    assert [] == SEEN[0]
    assert GRAINS // 2 == during[0][0] == after.grains
    assert "committed" == after.status != during[0][1]
    assert release.manifest.release == after.release
    assert (True, "0.5") == (release.manifest.private, release.manifest.epsilon)


def test_a_run_that_fails_remains_charged(tmp_path):
    """Data was read: the ε is spent, no release exists."""
    SEEN.clear()
    with pytest.raises(RuntimeError):
        Vault(TABLE, account="acc", cap="1", home=tmp_path).release(Watcher(tmp_path, fails=True), "0.5")

    assert [GRAINS // 2] == [grains for grains, _ in charges(tmp_path)]
    assert "committed" not in {status for _, status in charges(tmp_path)}


def test_over_the_cap_is_refused_before_the_mechanism_runs(tmp_path):
    """The second release would pass the cap: refused, nothing more is spent; the mechanism saw a made-up table only."""
    SEEN.clear()
    vault = Vault(TABLE, account="acc", cap="0.8", home=tmp_path)
    vault.release(SMALL, "0.5")
    with pytest.raises(BudgetRefused, match=r"0\.3"):
        vault.release(Watcher(tmp_path), "0.5")

    assert [[(GRAINS // 2, "committed")]] == SEEN
    assert [GRAINS // 2] == [grains for grains, _ in charges(tmp_path)]
    vault.release(SMALL, "0.3")


@pytest.mark.parametrize("epsilon", ["0", "-1", "nan", "inf", "1e-13", "2000000", "one", None])
def test_a_stated_epsilon_must_make_sense(epsilon, tmp_path):
    """What is not a number above 0 with at most 12 decimals is refused before anything is written."""
    with pytest.raises(CallError, match="epsilon"):
        Vault(TABLE, account="acc", home=tmp_path).release(SMALL, epsilon)

    assert [] == sv.Ledger(tmp_path).accounts()


@pytest.mark.parametrize("seed", [None, 7])
def test_an_experiment_is_marked_and_in_no_ledger(seed, tmp_path, monkeypatch):
    """Seeded and noise-free runs say that they are not private, and leave no trace in the ledger."""
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path))
    release = experiment(TABLE, SMALL, "1.0", seed=seed)
    saved = release.save(tmp_path / "r")

    assert release.manifest.private is False
    assert all("EXPERIMENT" in path.name for path in saved.iterdir() if path.name.startswith(("grams", "synthetic")))
    assert [] == sv.Ledger(tmp_path).accounts()


def test_a_seed_repeats_an_experiment_and_releases_never_repeat(tmp_path):
    """Equal seeds give equal grams; two private releases of the same table differ."""
    noisy = [experiment(TABLE, SMALL, "1.0", seed=s).grams.noisy.tolist() for s in (7, 7, 8)]
    vault = Vault(TABLE, account="acc", cap="1", home=tmp_path)
    private = [vault.release(SMALL, "0.1").grams.noisy.tolist() for _ in range(2)]

    assert noisy[0] == noisy[1] != noisy[2]
    assert private[0] != private[1]


@pytest.mark.parametrize(
    ("unit", "mechanism", "message"),
    [
        (User(2), SMALL, "which user owns each record"),
        (Record(), sv.DER(), "der works on a graph, but the data holds sequences"),
        (sv.Edge(1), SMALL, "ngram cannot protect the unit edge: it protects record or user"),
    ],
)
def test_a_promise_that_cannot_be_made_costs_nothing(tmp_path, unit, mechanism, message):
    """Records without owners are no users, and a method that cannot protect the unit is refused before ε is reserved."""
    with pytest.raises(CallError, match=message):
        Vault(TABLE, unit, account="acc", home=tmp_path).release(mechanism, "1.0")

    assert [] == sv.Ledger(tmp_path).accounts()


def test_a_vault_says_nothing_raw():
    """Its repr names the account and the unit only."""
    assert "Vault(account='acc', unit=User(max_sequences=2))" == repr(Vault(TABLE, User(2), account="acc"))


def kept(users: list[int], m: int, seed: int) -> list[int]:
    """Which rows remain, told by their length."""
    table = table_of_codes([[0] * (i + 1) for i in range(len(users))], 1, users)
    wall = open_wall(table, User(max_sequences=m), GRAINS, SeededNoise(seed))
    return (wall._Wall__table.flat.lengths - 1).tolist()


@pytest.mark.parametrize("m", [1, 2, 5])
def test_at_most_m_records_of_a_user_are_used(m):
    """Every user keeps min(m, what they have), in the order of the table; many users and few."""
    users = [3, 3, 3, 1, 3, 2, 2, 3, -9, 2**62]
    for seed in range(20):
        rows = kept(users, m, seed)
        assert sorted(rows) == rows
        assert {u: min(m, users.count(u)) for u in set(users)} == {u: [users[r] for r in rows].count(u) for u in set(users)}


def test_where_nobody_is_named_every_record_is_its_own_user():
    """Without owners nothing is dropped; with unit Record nothing is dropped either."""
    table = table_of_codes([[0]] * 5, 1)
    owned = table_of_codes([[0]] * 5, 1, [1] * 5)

    assert 5 == len(open_wall(table, User(max_sequences=1), 1, SeededNoise(1))._Wall__table)
    assert 5 == len(open_wall(owned, Record(), 1, SeededNoise(1))._Wall__table)
    assert 1 == len(open_wall(owned, User(max_sequences=1), 1, SeededNoise(1))._Wall__table)


@pytest.mark.slow
def test_which_records_are_kept_is_uniform_and_independent_of_other_users():
    """Two of three records of one user: each pair equally likely; with another user beside, all pairs of pairs are."""
    pairs = {(0, 1): 0, (0, 2): 1, (1, 2): 2}
    alone = [pairs[tuple(kept([1, 1, 1], 2, seed))] for seed in range(1_500)]
    table = np.zeros((3, 3))
    for seed in range(1_500):
        rows = kept([1, 1, 1, 0, 0, 0], 2, 10_000 + seed)
        table[pairs[tuple(rows[:2])], pairs[tuple(r - 3 for r in rows[2:])]] += 1

    assert stats.chisquare(np.bincount(alone, minlength=3)).pvalue > 1e-6
    assert stats.chisquare(table.ravel()).pvalue > 1e-6


def test_what_is_no_table_no_mechanism_and_no_domain_is_told(tmp_path):
    """Python's own errors would speak of attributes."""
    domain = sv.Domain.of(["a", "b"])
    vault = Vault(sv.table_of([["a"]], domain), account="shop", home=tmp_path)
    with pytest.raises(CallError, match=r"give a table or a source, for example sv\.read_sequences"):
        Vault("trips.csv", account="shop", home=tmp_path)
    with pytest.raises(CallError, match=r"give NGram\(…\) with its parameters, not the class"):
        vault.release(sv.NGram, epsilon=1)
    with pytest.raises(CallError, match=r"is not a Domain: give one, for example sv\.Domain\.parse"):
        sv.read_sequences("trips.csv", domain="stations.txt")
    with pytest.raises(CallError, match="none yet"):
        vault._ledger.account("shop")
