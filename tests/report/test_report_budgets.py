"""The report for a privacy officer: sums against a policy, and a page that shows them escaped."""

from __future__ import annotations

import pytest

from seqveil.errors import InputProblems
from seqveil.report.budgets import budgets, page
from seqveil.report.policy import Policy, Rule, read_policy
from seqveil.wall.budget import decimal, grains
from seqveil.wall.ledger import Account
from seqveil.wall.measures.delta import in_parts
from seqveil.wall.measures.zcdp import epsilon_of, rho_of

RECORDS, USERS = {"name": "record"}, {"name": "user"}
ACCOUNTS = [
    Account("metro", USERS, cap=grains("4.0"), spent=grains("2.0"), reserved=grains("0.5")),
    Account("metro-trips", USERS, spent=grains("1.0")),
    Account("<b>shop</b>", RECORDS, spent=grains("0.25")),
]
POLICY = """
cap = "3.0"
signed_off_by = "A <i>"
signed_off_on = 2026-11-18
[accounts.metro]
cap = 3
dataset = "taps"
[accounts.metro-trips]
cap = "1.0"
dataset = "taps"
signed_off_by = "B"
[accounts.gone]
cap = "0"
"""


@pytest.fixture
def policy(tmp_path):
    path = tmp_path / "policy.toml"
    path.write_text(POLICY)
    return path


def test_accounts_and_datasets_are_added_up_against_the_policy(policy):
    shown = budgets(ACCOUNTS, read_policy(policy)).to_dict()
    taps, metro, trips, shop = shown["datasets"][0], *shown["accounts"]

    assert shown["exceeded"]
    assert (shown["all"]["spent"], shown["all"]["reserved"], shown["all"]["cap"]) == ("3.25", "0.5", "3.0")
    assert "exceeds the policy's cap by 0.75" in shown["all"]["remarks"]
    assert any("different units" in remark for remark in shown["all"]["remarks"])
    assert (taps["name"], taps["spent"], taps["reserved"]) == ("taps", "3.0", "0.5")
    assert not metro["exceeded"]
    assert metro["remarks"] == ["nobody signed the cap off", "the ledger allows 4.0, more than the policy"]
    assert trips["remarks"] == ["the ledger enforces no cap"]  # exactly at its cap
    assert shop["remarks"] == ["the policy has no cap for it"]
    assert shown["not_in_the_ledger"] == ["gone"]


def test_one_grain_more_exceeds(policy):
    trips = Account("metro-trips", USERS, spent=grains("1.0") + 1)

    assert budgets([trips], read_policy(policy)).exceeded
    assert not budgets([Account("metro-trips", USERS, spent=grains("1.0"))], read_policy(policy)).exceeded


def test_without_a_policy_nothing_is_exceeded():
    assert not budgets(ACCOUNTS).exceeded


def test_without_a_policy_the_caps_are_those_of_the_ledger():
    """Nobody is told what a policy lacks that was never given."""
    metro, trips, *_ = budgets(ACCOUNTS).accounts

    assert (grains("4.0"), None) == (metro.cap, trips.cap)
    assert "policy" not in " ".join(metro.remarks + trips.remarks)


def test_the_page_is_escaped_and_needs_no_network(policy):
    text = page(budgets(ACCOUNTS, read_policy(policy)))

    assert "More was spent than the policy allows" in text
    assert "&lt;b&gt;shop" in text
    assert "<b>shop" not in text
    assert "A &lt;i&gt;" in text
    assert "http://" not in text
    assert "https://" not in text


def test_all_that_is_wrong_with_a_policy_is_said_at_once(tmp_path):
    path = tmp_path / "policy.toml"
    path.write_text('cap = "many"\nsigned_off_on = "soon"\ncolour = 1\n[accounts.metro]\ncap = true\ndataset = ""\n')

    with pytest.raises(InputProblems) as error:
        read_policy(path)
    assert len(error.value.problems) == 5


def test_an_account_in_zcdp_is_shown_at_its_delta_and_held_to_its_cap(tmp_path):
    """Its ρ as ε at the δ of the policy, or of its cap; what is reserved is what ε grows by."""
    rho = rho_of(grains("1.0"), in_parts("1e-6"))
    account = Account("metro", USERS, cap=grains("4.0"), cap_delta=in_parts("1e-6"), spent=rho, reserved=rho, measure="zcdp")
    (tmp_path / "policy.toml").write_text('[accounts.metro]\ncap = "1.2"\ndelta = "1e-9"\nsigned_off_by = "B"\n')
    plain, stricter = budgets([account]), budgets([account], read_policy(tmp_path / "policy.toml"))
    (mine,), (theirs,) = plain.accounts, stricter.accounts

    assert mine.spent <= grains("1.0") < mine.total == epsilon_of(2 * rho, in_parts("1e-6"))
    assert theirs.total == epsilon_of(2 * rho, in_parts("1e-9"))
    assert theirs.exceeded
    assert f"ε at δ = 1e-9, from ρ = {decimal(2 * rho)}" in theirs.remarks
    assert theirs.to_dict()["delta"] == "1e-9"
    assert "ε at δ = 1e-6" in page(plain)


def test_thresholds_that_used_up_delta_exceed_any_cap():
    account = Account("metro", USERS, cap=0, cap_delta=in_parts("1e-6"), delta_spent=in_parts("1e-6"), spent=1, measure="zcdp")

    assert budgets([account], Policy(accounts={"metro": Rule(cap=grains("9.0"))})).accounts[0].exceeded
