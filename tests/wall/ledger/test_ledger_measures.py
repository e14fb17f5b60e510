"""Accounts that add up ρ: their measure is for life, caps are stated as (ε, δ), and no order of runs exceeds one."""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, multiple, rule

from seqveil.errors import BudgetRefused, CallError
from seqveil.tables.units import Record
from seqveil.wall.budget import GRAINS, grains
from seqveil.wall.ledger import Ledger, Spend, schema
from seqveil.wall.ledger.book import Book
from seqveil.wall.ledger.entry import Broken, Entry
from seqveil.wall.measures.delta import in_parts
from seqveil.wall.measures.zcdp import epsilon_of, rho_of, rho_of_pure

MICRO = in_parts("1e-6")


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path)


def run(ledger: Ledger, account: str, epsilon: str, delta: str | None = None, thresholds: str | None = None) -> Spend:
    parts = {"delta": in_parts(delta)} if delta else {}
    parts |= {"thresholds": in_parts(thresholds)} if thresholds else {}
    return ledger.reserve(account, grains(epsilon), unit=Record(), mechanism="m", **parts)


def test_the_first_run_fixes_the_measure(ledger: Ledger) -> None:
    run(ledger, "metro", "1.0", "1e-6")
    run(ledger, "shop", "1.0")

    assert ("zcdp", rho_of(GRAINS, MICRO)) == (ledger.account("metro").measure, ledger.account("metro").reserved)
    assert ("pure", GRAINS) == (ledger.account("shop").measure, ledger.account("shop").reserved)
    assert [entry.kind for entry in ledger.history("shop")] == ["protects", "reserved"]


def test_a_pure_release_enters_as_half_its_square(ledger: Ledger) -> None:
    run(ledger, "metro", "1.0", "1e-6")
    run(ledger, "metro", "0.3")

    assert rho_of(GRAINS, MICRO) + rho_of_pure(grains("0.3")) == ledger.account("metro").reserved
    assert [(grains("1.0"), MICRO), (grains("0.3"), 0)] == [(one.epsilon, one.delta) for one in ledger.charges("metro")]


def test_a_pure_account_refuses_delta_and_says_what_to_type(ledger: Ledger) -> None:
    run(ledger, "metro", "1.0")
    with pytest.raises(CallError, match=r"adds up pure ε.*another account \(account=NAME\)"):
        run(ledger, "metro", "1.0", "1e-6")
    with pytest.raises(CallError, match=r"State its cap without δ, type: seqveil ledger cap metro 3.0 "):
        ledger.set_cap("metro", grains("3.0"), MICRO)

    assert ledger.account("metro").measure == "pure"


def test_a_run_that_was_returned_has_fixed_the_measure(ledger: Ledger) -> None:
    run(ledger, "metro", "1.0").give_back()
    with pytest.raises(CallError, match="for life"):
        run(ledger, "metro", "1.0", "1e-6")


def test_a_cap_without_delta_on_an_unused_account_can_be_stated_again(ledger: Ledger) -> None:
    ledger.set_cap("metro", grains("3.0"))
    with pytest.raises(CallError, match=r"type: seqveil ledger cap metro 3\.0 --delta 1e-6"):
        run(ledger, "metro", "1.0", "1e-6")
    ledger.set_cap("metro", grains("3.0"), MICRO)
    run(ledger, "metro", "1.0", "1e-6")

    assert ledger.account("metro").left == rho_of(grains("3.0"), MICRO) - rho_of(GRAINS, MICRO)


def test_the_cap_of_a_zcdp_account_needs_delta_unless_it_closes_it(ledger: Ledger) -> None:
    run(ledger, "metro", "1.0", "1e-6")
    with pytest.raises(CallError, match=r"type: seqveil ledger cap metro 3\.0 --delta 1e-6"):
        ledger.set_cap("metro", grains("3.0"))
    ledger.set_cap("metro", 0)

    assert ledger.account("metro").left == 0


def test_what_is_refused_says_what_may_be_typed(ledger: Ledger) -> None:
    ledger.set_cap("metro", grains("1.0"), MICRO)
    run(ledger, "metro", "0.8", "1e-6")
    with pytest.raises(BudgetRefused) as refused:
        run(ledger, "metro", "0.8", "1e-6")
    most = str(refused.value).split("use at most epsilon=")[1].split(". ")[0]
    needed = str(refused.value).split("seqveil ledger cap metro ")[1].split(" --delta")[0]
    run(ledger, "metro", most, "1e-6")
    assert ledger.account("metro").left == 0

    ledger.set_cap("metro", grains(needed), MICRO)
    assert (ledger.account("metro").left or 0) > 0


def test_a_refused_pure_run_is_told_the_pure_epsilon_that_is_left(ledger: Ledger) -> None:
    ledger.set_cap("metro", grains("1.0"), MICRO)
    with pytest.raises(BudgetRefused) as refused:
        run(ledger, "metro", "0.8")
    run(ledger, "metro", str(refused.value).split("use at most epsilon=")[1].split(". ")[0])


def test_thresholds_are_added_up_and_taken_from_the_delta_of_the_cap(ledger: Ledger) -> None:
    ledger.set_cap("metro", grains("3.0"), MICRO)
    one = run(ledger, "metro", "1.0", "1e-6", "4e-7")
    two = run(ledger, "metro", "0.5", "1e-6", "4e-7")
    account = ledger.account("metro")
    assert account.delta_reserved == in_parts("8e-7")
    assert account.allowed() == rho_of(grains("3.0"), in_parts("2e-7"))
    with pytest.raises(BudgetRefused, match=r"thresholds would use δ = 1\.2e-6.*--delta 2\.4e-6"):
        run(ledger, "metro", "0.1", "1e-6", "4e-7")

    two.give_back()
    one.begin()
    one.commit("r1", "digest")
    account = ledger.account("metro")
    assert (account.delta_spent, account.delta_reserved) == (in_parts("4e-7"), 0)
    assert account.reserved == 0


def test_a_delta_that_is_advised_is_one(ledger: Ledger) -> None:
    """Thresholds of more than half of δ = 1 cannot be doubled; of all of it, nothing is promised, and that is said."""
    ledger.set_cap("metro", grains("3.0"), in_parts("0.7"))
    with pytest.raises(BudgetRefused, match=r"thresholds would use δ = 8e-1.*--delta 9e-1$"):
        run(ledger, "metro", "1.0", "0.9", "0.8")
    ledger.set_cap("metro", grains("3.0"), in_parts("0.9"))
    run(ledger, "metro", "1.0", "0.9", "0.8")
    with pytest.raises(BudgetRefused, match="thresholds would use all of δ, and no cap allows that"):
        run(ledger, "metro", "1.0", "0.9", "0.8")

    assert "--delta 9e-1" in (run(ledger, "shop", "1.0", "0.9", "0.8").warning or "")
    assert "together they promise nothing" in (run(ledger, "shop", "1.0", "0.9", "0.8").warning or "")


def test_a_pure_run_too_large_for_any_cap_is_refused(ledger: Ledger) -> None:
    run(ledger, "metro", "1.0", "1e-6")
    with pytest.raises(CallError, match="use at most 1414"):
        run(ledger, "metro", "1415")
    run(ledger, "metro", "1414")


def test_it_survives_damage_and_restore(ledger: Ledger) -> None:
    ledger.set_cap("metro", grains("3.0"), MICRO)
    run(ledger, "metro", "1.0", "1e-6", "4e-7")
    before = ledger.account("metro")
    ledger.place.ledger.write_bytes(b"no ledger" * 1000)
    Ledger.restore(ledger.place.directory.parent)

    assert before == ledger.account("metro")


def test_an_older_seqveil_cannot_take_rho_for_epsilon(ledger: Ledger) -> None:
    """It compares the layout's number, and knows no entry of this kind when it restores from copies."""
    run(ledger, "metro", "1.0", "1e-6")
    connection = sqlite3.connect(ledger.place.ledger)
    assert connection.execute("SELECT version FROM schema_version").fetchall() == [(3,)]
    connection.close()

    assert schema.VERSION == 3
    copied = [json.loads(line) for line in (ledger.place.copies / "first.jsonl").read_text().splitlines()]
    assert "measured" in [line[2] for line in copied if line[0] != "seal"]


@pytest.mark.parametrize(
    "kinds",
    [
        [("protects", 0, {"unit": {"name": "record"}, "neighbours": ""}), ("measured", 0, {"measure": "zcdp"})],
        [("measured", 0, {"measure": "zcdp"}), ("measured", 0, {"measure": "zcdp"})],
        [("measured", 0, {"measure": "rdp"})],
        [("measured", 0, {"measure": "zcdp"}), ("cap", GRAINS, {})],
        [("cap", GRAINS, {"delta": "1e-6"})],
        [
            ("protects", 0, {"unit": {"name": "record"}, "neighbours": ""}),
            ("reserved", GRAINS, {"mechanism": "m", "epsilon": "2.0", "delta": "1e-6"}),
        ],
    ],
)
def test_a_history_that_mixes_measures_is_broken(kinds: list[tuple[str, int, dict]]) -> None:
    book = Book()

    def post() -> None:
        for number, (kind, amount, facts) in enumerate(kinds, 1):
            spend = "s" if kind == "reserved" else ""
            book.post(Entry(number, "", kind, "metro", spend, amount, json.dumps(facts)).after(book.head))

    with pytest.raises(Broken):
        post()


class Caps(RuleBasedStateMachine):
    """Whatever is asked for in whatever order, the sum of what was granted keeps the cap that held when it was granted."""

    reserved = Bundle("reserved")

    def __init__(self) -> None:
        super().__init__()
        self.directory = Path(tempfile.mkdtemp())
        self.ledger = Ledger(self.directory)
        self.ledger.set_cap("z", grains("2.0"), MICRO)
        self.ledger.set_cap("p", grains("2.0"))
        self.cap = grains("2.0")
        self.granted: dict[str, tuple[int, int]] = {}
        self.pure: dict[str, int] = {}

    def teardown(self) -> None:
        shutil.rmtree(self.directory)

    def total(self) -> tuple[int, int]:
        return sum(rho for rho, _ in self.granted.values()), sum(delta for _, delta in self.granted.values())

    @rule(cap=st.sampled_from(["0.5", "1.0", "2.0"]))
    def cap_of_z(self, cap: str) -> None:
        self.ledger.set_cap("z", grains(cap), MICRO)
        self.cap = grains(cap)

    @rule(
        target=reserved,
        epsilon=st.integers(1, 2 * GRAINS),
        delta=st.sampled_from(["1e-9", "1e-6", "1e-3"]),
        share=st.sampled_from([0, 4]),
    )
    def gaussian(self, epsilon: int, delta: str, share: int) -> object:
        thresholds = in_parts(delta) * share // 10
        rho, more = rho_of(epsilon, in_parts(delta) - thresholds), thresholds
        before, deltas = self.total()
        left = MICRO - deltas - more
        fits = left > 0 and epsilon_of(before + rho, left) <= self.cap
        try:
            spend = self.ledger.reserve("z", epsilon, unit=Record(), mechanism="m", delta=in_parts(delta), thresholds=thresholds)
        except CallError:
            assert rho == 0
            return multiple()
        except BudgetRefused:
            assert not fits
            return multiple()
        assert fits
        self.granted[spend.id] = (rho, more)
        return spend

    @rule(target=reserved, epsilon=st.integers(1, GRAINS))
    def pure_run(self, epsilon: int) -> object:
        rho = rho_of_pure(epsilon)
        before, deltas = self.total()
        left = MICRO - deltas
        fits = left > 0 and epsilon_of(before + rho, left) <= self.cap
        try:
            spend = self.ledger.reserve("z", epsilon, unit=Record(), mechanism="m")
        except BudgetRefused:
            assert not fits
            return multiple()
        assert fits
        self.granted[spend.id] = (rho, 0)
        return spend

    @rule(epsilon=st.integers(1, GRAINS))
    def pure_account(self, epsilon: int) -> None:
        if sum(self.pure.values()) + epsilon > grains("2.0"):
            with pytest.raises(BudgetRefused):
                self.ledger.reserve("p", epsilon, unit=Record(), mechanism="m")
            return
        spend = self.ledger.reserve("p", epsilon, unit=Record(), mechanism="m")
        self.pure[spend.id] = epsilon

    @rule(spend=consumes(reserved))
    def give_back(self, spend: Spend) -> None:
        spend.give_back()
        del self.granted[spend.id]

    @rule(spend=consumes(reserved))
    def commit(self, spend: Spend) -> None:
        spend.begin()
        spend.commit(f"release of {spend.id}", "digest")

    @invariant()
    def adds_up(self) -> None:
        account, pure = self.ledger.account("z"), self.ledger.account("p")
        assert self.total() == (account.total, account.delta)
        assert sum(self.pure.values()) == pure.total <= grains("2.0")
        assert account.measure == "zcdp"


Caps.TestCase.settings = settings(max_examples=6, stateful_step_count=12, deadline=None, suppress_health_check=list(HealthCheck))
TestCaps = Caps.TestCase
