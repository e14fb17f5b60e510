"""`--once KEY`: a job that is started again spends nothing again."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from processes import run
from seqveil.wall.budget import grains
from seqveil.wall.ledger import Ledger

PUBLISH = (
    *("publish", "people.seq", "--domain", "a,b,c", "--method", "ngram", "--l-max", "3", "--n-max", "2"),
    *("--epsilon", "0.5", "--account", "shop", "--public-because", "x"),
)
KILLED = """
import os, signal
from seqveil.wall.ledger import spend
begin = spend.Spend.begin
def killed(*given):
    begin(*given)
    os.kill(os.getpid(), signal.SIGKILL)
spend.Spend.begin = killed
from seqveil.__main__ import main
main()
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "people.seq").write_text("a b c\nb c\na a\n" * 60, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "home"))
    return tmp_path


def spent() -> int:
    account = Ledger().account("shop")
    return account.spent + account.reserved


def test_the_same_command_again_is_done_already(folder, seqveil) -> None:
    words = [*PUBLISH, "--once", "2026-W47", "--out", "week-47", "--json"]
    first, second = seqveil(*words), seqveil(*words)
    other = seqveil(*PUBLISH, "--once", "2026-W48", "--out", "week-48", "--json")

    assert [0, 0, 0] == [first.code, second.code, other.code]
    again = json.loads(second.out)
    assert again == {"release": json.loads(first.out)["release"], "account": "shop", "once": "2026-W47", "already": True}
    assert "Nothing was spent again" in second.err
    assert grains("1.0") == spent()


@pytest.mark.slow
def test_after_a_kill_the_same_command_does_not_spend_twice(folder, seqveil) -> None:
    words = [*PUBLISH, "--once", "2026-W47", "--out", "week-47"]
    died = run([sys.executable, "-c", KILLED, *words], cwd=folder, env=dict(os.environ), text=True, timeout=60)
    again = seqveil(*words)

    assert -9 == died.returncode
    assert 1 == again.code
    assert "remains charged" in again.err
    assert "--once KEY" in again.err
    assert grains("0.5") == spent()


def test_an_experiment_happens_as_often_as_it_is_run(folder, seqveil) -> None:
    ran = seqveil(*PUBLISH, "--once", "2026-W47", "--seed", "1", "--out", "week-47")

    assert 2 == ran.code
    assert "--once only applies to releases" in ran.err


def test_a_log_in_json_is_all_of_standard_error(folder, seqveil) -> None:
    """Remarks, refusals and wrong calls too: who collects lines needs no second parser."""
    seqveil("ledger", "cap", "shop", "0.5")
    words = ["--log-format", "json", *PUBLISH]
    done, refused = seqveil(*words, "--out", "one"), seqveil(*words, "--out", "two")
    wrong = seqveil("--log-format", "json", "publish", "nowhere.csv", "--domain", "a", "--epsilon", "0", "--out", "three")

    assert [0, 3, 2] == [done.code, refused.code, wrong.code]
    lines = [[json.loads(line) for line in ran.err.splitlines()] for ran in (done, refused, wrong)]
    assert ["reserved", "begun", "committed"] == [line["message"] for line in lines[0] if line["logger"] == "seqveil.run"]
    assert {"level": "ERROR", "exit_code": 3, "budget": "unspent"}.items() <= lines[1][-1].items()
    assert "cap of 0.5" in lines[1][-1]["message"]
    assert {"level": "ERROR", "exit_code": 2}.items() <= lines[2][-1].items()
