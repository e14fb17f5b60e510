"""Random operations against a plain-Python model of what they should add up to."""

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, multiple, rule

from seqveil.errors import BudgetRefused, LedgerError
from seqveil.tables.units import Record
from seqveil.wall.ledger import Ledger

NAMES = st.sampled_from(["a", "b"])


class Accounts(RuleBasedStateMachine):
    """The model: per account a cap and a dictionary of what counts."""

    reserved = Bundle("reserved")
    begun = Bundle("begun")
    released = Bundle("released")

    def __init__(self):
        super().__init__()
        self.directory = Path(tempfile.mkdtemp())
        self.ledger = Ledger(self.directory)
        self.caps: dict[str, int] = {}
        self.counts: dict[str, dict[str, int]] = {"a": {}, "b": {}}
        self.releases: dict[str, str] = {}

    def teardown(self):
        shutil.rmtree(self.directory)

    @rule(name=NAMES, cap=st.integers(0, 12))
    def set_cap(self, name, cap):
        self.ledger.set_cap(name, cap)
        self.caps[name] = cap

    @rule(target=reserved, name=NAMES, grains=st.integers(1, 6))
    def reserve(self, name, grains):
        fits = name not in self.caps or sum(self.counts[name].values()) + grains <= self.caps[name]
        if not fits:
            with pytest.raises(BudgetRefused):
                self.ledger.reserve(name, grains, unit=Record(), mechanism="m")
            return multiple()
        spend = self.ledger.reserve(name, grains, unit=Record(), mechanism="m")
        assert (name not in self.caps) == (spend.warning is not None)
        self.counts[name][spend.id] = grains
        return spend

    @rule(target=begun, spend=consumes(reserved))
    def begin(self, spend):
        spend.begin()
        return spend

    @rule(spend=consumes(reserved))
    def give_back(self, spend):
        spend.give_back()
        del self.counts[spend.account][spend.id]

    @rule(spend=begun)
    def give_back_too_late(self, spend):
        with pytest.raises(LedgerError):
            spend.give_back()

    @rule(target=released, spend=consumes(begun))
    def commit(self, spend):
        spend.commit(f"release of {spend.id}", "digest")
        self.releases[f"release of {spend.id}"] = "committed"
        return f"release of {spend.id}"

    @rule(release=released)
    def withdraw(self, release):
        self.ledger.withdraw(release)
        self.releases[release] = "withdrawn"

    @rule()
    def reopen(self):
        self.ledger = Ledger(self.directory)

    @rule(where=st.floats(0, 1, exclude_max=True))
    def damage_and_restore(self, where):
        """One byte goes bad anywhere in the file; restoring brings back every entry."""
        path = self.ledger.place.ledger
        if not path.exists():
            return
        raw = bytearray(path.read_bytes())
        raw[int(where * len(raw))] ^= 0x55
        path.write_bytes(raw)
        Ledger.restore(self.directory)

    @invariant()
    def adds_up(self):
        accounts = {account.name: account for account in self.ledger.accounts()}
        for name, counts in self.counts.items():
            if name in accounts:
                assert sum(counts.values()) == accounts[name].spent + accounts[name].reserved
                assert self.caps.get(name) == accounts[name].cap
            else:
                assert not counts

    @invariant()
    def no_release_disappears(self):
        charges = [charge for account in self.ledger.accounts() for charge in self.ledger.charges(account.name)]
        assert self.releases == {charge.release: charge.status for charge in charges if charge.release}


Accounts.TestCase.settings = settings(
    max_examples=25, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
TestAccounts = pytest.mark.slow(Accounts.TestCase)
