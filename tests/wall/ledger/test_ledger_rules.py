"""What the ledger allows and refuses, in one process: amounts, caps, units, names."""

import json
from pathlib import Path

import pytest

from ledgers import publish, reserve
from seqveil.errors import BudgetRefused, CallError
from seqveil.tables.units import Edge, Record, User
from seqveil.wall.budget import GRAINS, grains
from seqveil.wall.ledger import Entry, Ledger, rules
from seqveil.wall.ledger.book import Book


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path)


def test_amounts_are_exact_grains(ledger):
    """0.1 and 0.2 fill a cap of 0.3 to the last grain."""
    ledger.set_cap("metro", grains("0.3"))
    publish(ledger, "r1", epsilon="0.1")
    publish(ledger, "r2", epsilon="0.2")

    assert 0 == ledger.account("metro").left
    with pytest.raises(BudgetRefused):
        reserve(ledger, epsilon="0.000000000001")


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        (
            "1.0",
            "Account 'metro' has a cap of 3.0: spent 2.0, reserved 0.5, requested 1.0, remaining 0.5. "
            "The ε of all releases about the same people add up, so less than this is left for them: use at most 0.5. More is "
            "for whoever answers for these people's privacy to decide, because it weakens the guarantee of every release on this "
            "account; if they raise the cap, type: seqveil ledger cap metro 3.5",
        ),
        (
            "0.500000000001",
            "Account 'metro' has a cap of 3.0: spent 2.0, reserved 0.5, requested 0.500000000001, remaining 0.5. "
            "The ε of all releases about the same people add up, so less than this is left for them: use at most 0.5. More is "
            "for whoever answers for these people's privacy to decide, because it weakens the guarantee of every release on this "
            "account; if they raise the cap, type: seqveil ledger cap metro 3.000000000001",
        ),
    ],
)
def test_over_cap_is_refused_with_what_is_left(ledger, asked, text):
    """A refusal names cap, spent, reserved, requested and remaining, and what to type instead."""
    ledger.set_cap("metro", grains("3.0"))
    publish(ledger, epsilon="2.0")
    reserve(ledger, epsilon="0.5")
    with pytest.raises(BudgetRefused) as refused:
        reserve(ledger, epsilon=asked)

    assert text == str(refused.value)
    assert 3 == refused.value.exit_code


def test_nothing_left_offers_no_smaller_epsilon(ledger):
    """With nothing left the advice does not offer 0.0."""
    ledger.set_cap("my trips", GRAINS)
    publish(ledger, account="my trips")
    with pytest.raises(BudgetRefused) as refused:
        reserve(ledger, "my trips")

    said = str(refused.value)
    assert "remaining 0.0. The ε of all releases about the same people add up, so their budget is used up. More is for" in said
    assert said.endswith("if they raise the cap, type: seqveil ledger cap 'my trips' 2.0")


def test_refusals_write_nothing(ledger):
    """A refused request leaves no trace."""
    ledger.set_cap("metro", GRAINS)
    before = ledger.verify()
    for wrong in (lambda: reserve(ledger, epsilon="2"), lambda: reserve(ledger, private=False)):
        with pytest.raises((BudgetRefused, CallError)):
            wrong()

    assert before == ledger.verify()


def test_lowering_a_cap_below_what_is_spent_leaves_nothing(ledger):
    """A cap may be lowered at any time; nothing becomes negative."""
    publish(ledger, epsilon="2.0")
    ledger.set_cap("metro", GRAINS)

    assert (2 * GRAINS, 0) == (ledger.account("metro").spent, ledger.account("metro").left)


def test_agreed_cap_never_changes_one_that_stands(ledger):
    """A cap given in code sets a missing cap and refuses to move another one."""
    ledger.agree_cap("metro", 2 * GRAINS)
    ledger.agree_cap("metro", 2 * GRAINS)
    with pytest.raises(CallError, match=r"cap = 5\.0, but account 'metro' has a cap of 2\.0"):
        ledger.agree_cap("metro", 5 * GRAINS)

    assert 2 * GRAINS == ledger.account("metro").cap


def test_every_spend_without_a_cap_warns(ledger):
    """Without a cap the caller gets a sentence; with one it gets none."""
    first, second = reserve(ledger), reserve(ledger)
    ledger.set_cap("metro", 9 * GRAINS)
    third = reserve(ledger)

    assert "has no cap" in first.warning
    assert "(2.0 with this run)" in second.warning
    assert third.warning is None


@pytest.mark.parametrize("other", [Record(), Edge(2)])
def test_another_unit_is_refused(ledger, other):
    """An account keeps the unit of its first spend and says what it protects."""
    reserve(ledger, unit=User(max_sequences=5))
    with pytest.raises(CallError) as refused:
        reserve(ledger, unit=other)

    assert str(refused.value).startswith(
        f"Account 'metro' protects user (add or remove one user with all their sequences); this run would protect {other.name}"
    )
    assert GRAINS == ledger.account("metro").reserved


def test_epsilons_of_users_add_up_however_many_sequences_are_used(ledger):
    """The neighbours are the same: refusing would only drive people to a second account, which no cap holds together."""
    reserve(ledger, unit=User(max_sequences=1))
    reserve(ledger, unit=User(max_sequences=5))

    assert 2 * GRAINS == ledger.account("metro").reserved


def test_accounts_that_were_opened_with_a_number_of_sequences_are_accounts_of_users():
    """Earlier ledgers wrote it down; their history stays as it is."""
    book = Book()
    facts = json.dumps({"unit": {"name": "user", "max_sequences": 5}, "neighbours": User().neighbours})
    book.post(Entry(1, "", "protects", "metro", "", 0, facts))

    rules.check_unit(book.account("metro"), User(max_sequences=2))
    with pytest.raises(CallError, match="protects user"):
        rules.check_unit(book.account("metro"), Record())


def test_groups_of_edges_of_another_size_are_another_unit(ledger):
    """ε for any 2 edges says less about any 3."""
    reserve(ledger, unit=Edge(2))
    with pytest.raises(CallError, match=r"protects edge \(k=2\)"):
        reserve(ledger, unit=Edge(3))


@pytest.mark.parametrize("private", [False, None, 0, "yes"])
def test_experiments_cannot_enter(ledger, private):
    """A seeded run is refused before anything is written, not even an account."""
    with pytest.raises(CallError, match="An experiment"):
        reserve(ledger, private=private)

    assert [] == ledger.accounts()
    assert not ledger.place.directory.exists()


@pytest.mark.parametrize("amount", [0, -1, True, 1.0, "1", 10**18 + 1, None])
def test_odd_amounts_are_refused(ledger, amount):
    """Only a whole number of grains from 1 to a million epsilon can be reserved."""
    with pytest.raises(CallError, match="whole number"):
        ledger.reserve("metro", amount, unit=Record(), mechanism="m")


@pytest.mark.parametrize("name", ["", " metro", "a\nb", "a\x1b[31m", "x" * 201, None, "\ud800"])
def test_odd_account_names_are_refused(ledger, name):
    """A name must be printable: it stands in messages and commands."""
    with pytest.raises(CallError, match="printable"):
        ledger.set_cap(name, GRAINS)
