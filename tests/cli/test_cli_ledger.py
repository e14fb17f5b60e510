"""`seqveil ledger` as a person or a program sees it."""

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from seqveil.cli.ledger import ledger_app
from seqveil.errors import CallError, LedgerError
from seqveil.tables.units import User
from seqveil.wall.budget import GRAINS
from seqveil.wall.ledger import Ledger


@pytest.fixture
def ledger(tmp_path, monkeypatch) -> Ledger:
    """A ledger with one release of 1.0 and one run of 0.25 that died, found through $SEQVEIL_HOME."""
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path))
    ledger = Ledger()
    ledger.set_cap("metro", 3 * GRAINS)
    unit = User(max_sequences=5)
    spend = ledger.reserve("metro", GRAINS, unit=unit, mechanism="ngram", fingerprint=ledger.fingerprint(b"trips"))
    spend.begin()
    spend.commit("release-1", "abc")
    ledger.reserve("metro", GRAINS // 4, unit=unit, mechanism="ngram").begin()
    return ledger


def typed(*words: str) -> str:
    return CliRunner().invoke(ledger_app, words, catch_exceptions=False).stdout


def test_show_in_a_pipe_is_tab_separated(ledger):
    """One header line, one line per account."""
    assert "account\tunit\tcap\tspent\treserved\tremaining\nmetro\tuser\t3.0\t1.0\t0.25\t1.75\n" == typed("show")


def test_show_one_account_lists_its_releases(ledger):
    """With a name, what was spent on what follows."""
    expected = [
        "epsilon\tmechanism\tstatus\trelease",
        "1.0\tngram\tcommitted\trelease-1",
        "0.25\tngram\tbegun\t–",
    ]

    assert expected == typed("show", "metro").splitlines()[3:]


def test_show_json_is_one_object(ledger):
    """Amounts are decimals in strings, so that no reader rounds them."""
    facts = json.loads(typed("show", "metro", "--json"))

    expected = {
        "account": "metro",
        "unit": {"name": "user"},
        "neighbours": "add or remove one user with all their sequences",
        "cap": "3.0",
        "spent": "1.0",
        "reserved": "0.25",
        "left": "1.75",
    }

    assert [expected] == facts["accounts"]
    assert ["committed", "begun"] == [charge["status"] for charge in facts["charges"]]


def test_show_without_a_ledger_says_how_to_start(tmp_path, monkeypatch):
    """Nothing there yet is no error, and nothing is created."""
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "none"))

    assert "No accounts yet" in typed("show")
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("cap", "answer"),
    [
        ("3.5", "Account 'metro': cap 3.5, used 1.25, remaining 2.25.\n"),
        ("1", "Account 'metro': cap 1.0, used 1.25, remaining 0.0.\n"),
        ("0", "Account 'metro': cap 0.0, used 1.25, remaining 0.0.\n"),
    ],
)
def test_cap(ledger, cap, answer):
    """A cap is raised, lowered or closed, and the answer says what is left."""
    assert answer == typed("cap", "metro", cap)


def test_cap_before_first_use(ledger):
    """An account may be capped before anything is published."""
    typed("cap", "new", "0.1")

    assert "new\tnot used yet\t0.1\t0.0\t0.0\t0.1" == typed("show", "new").splitlines()[1]


@pytest.mark.parametrize("cap", ["three", "nan", "1e99", "0.0000000000001", "-0.5"])
def test_odd_caps_are_wrong_calls(ledger, cap):
    """What is no amount is refused with an example, and changes nothing."""
    with pytest.raises(CallError, match="for example"):
        typed("cap", "metro", "--", cap)

    assert 3 * GRAINS == ledger.account("metro").cap


@pytest.mark.parametrize("cap", ["three", "1e99", "-0.5"])
def test_what_a_cap_may_be_is_what_the_help_says(ledger, cap):
    """0 closes an account, so no message may ask for more than 0."""
    with pytest.raises(CallError, match=r"give a number from 0 \(closes the account\) to 1,000,000, for example 3\.0"):
        typed("cap", "metro", "--", cap)


def test_history_tells_everything_but_the_fingerprint(ledger):
    """Every entry in order, with its facts; the fingerprint stays in the ledger."""
    entries = json.loads(typed("history", "metro", "--json"))["entries"]
    kinds = ["cap", "protects", "reserved", "seen", "begun", "committed", "reserved", "begun"]

    assert kinds == [entry["kind"] for entry in entries]
    assert "fingerprint" not in json.dumps(entries)
    assert typed("history", "metro").splitlines()[6].endswith("committed\t\tdigest abc; release release-1")


def test_withdraw_keeps_the_epsilon(ledger):
    """A withdrawn release remains spent, and the answer says so."""
    assert "Release release-1 is withdrawn. Its epsilon of 1.0 remains spent.\n" == typed("withdraw", "release-1")
    assert GRAINS == ledger.account("metro").spent
    assert "withdrawn" == json.loads(typed("show", "metro", "--json"))["charges"][0]["status"]


def test_verify_and_restore(ledger):
    """Whole: says how much. Damaged: refused, restored, whole again."""
    counted = {"entries": 10, "accounts": 1, "copies_whole": 2, "copies_damaged": 0}
    expected = {"whole": True, **counted, "kept_aside": None}

    assert "The ledger is intact: 9 entries, 1 account, 2 automatic copies intact.\n" == typed("verify")
    raw = bytearray(ledger.place.ledger.read_bytes())
    raw[raw.rindex(b"begun")] ^= 1
    ledger.place.ledger.write_bytes(raw)
    with pytest.raises(LedgerError, match="seqveil ledger restore"):
        typed("verify", "--json")
    answer = typed("restore")

    assert answer.startswith("Restored: 10 entries, 1 account, 2 automatic copies intact. The damaged files are kept in ")
    assert expected == json.loads(typed("verify", "--json"))
    assert "nothing to restore" in typed("restore")


def test_adopt_says_where(ledger):
    """Taking over a moved ledger names its directory."""
    assert str(ledger.place.directory) in typed("adopt")


def test_importing_the_command_is_light():
    """The help must not wait for the ledger's or anyone's heavy modules."""
    code = "import sys, seqveil.cli.ledger; print([m for m in ('numpy', 'sqlite3', 'polars', 'numba') if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "[]\n" == run.stdout
