"""Runs in their own processes: one spend for any number of tabs, and a true word about the ε however a run ends."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from forked import forked
from processes import run as run_command
from seqveil.errors import ReleaseWarning
from seqveil.studio.drafts import Draft
from seqveil.studio.runs import Runs, is_alive
from seqveil.wall.budget import grains
from seqveil.wall.ledger import Ledger
from studios import Client, Started, ended, fill_in, reviewed

pytestmark = pytest.mark.slow

WORKER = ("-m", "seqveil.studio.worker")

SLOW = """
import sys, time
from seqveil.sources.source import Source
from seqveil.wall.ledger.ledger import Ledger

def slowly(owner, name):
    work = getattr(owner, name)
    def waiting(self, *given, **named):
        time.sleep(600)
        return work(self, *given, **named)
    setattr(owner, name, waiting)

{
    "preparing": lambda: slowly(Source, "specimen"),
    "reserved": lambda: slowly(Ledger, "_begin"),
    "committing": lambda: slowly(Ledger, "_commit"),
}[sys.argv.pop(1)]()
from seqveil.studio.worker import main
main()
"""
"""The process of a run that stays for ever at one point of its life."""


def slow_at(point: str) -> list[str]:
    """The command of such a process."""
    return forked("-c", SLOW, point)


def charges(account: str = "metro") -> list[tuple[str, str]]:
    """What the ledger says: amounts and what became of them."""
    ledger = Ledger()
    if account not in [one.name for one in ledger.accounts()]:
        return []
    return [(str(charge.grains), charge.status) for charge in ledger.charges(account)]


def until(what: Callable[[], bool], seconds: float = 60) -> None:
    """Wait for something."""
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


@pytest.fixture
def own(serving, tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> Client:
    """A studio with a ledger of its own, over a copy of the data."""
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "home"))
    folder = tmp_path / "data"
    folder.mkdir()
    for name in ("trips.csv", "stations.txt"):
        (folder / name).write_bytes((data / name).read_bytes())
    client: Client = serving(folder)
    return client


@pytest.fixture
def ignoring() -> Iterator[None]:
    """This process ignores interrupts, and so does every process that it starts, unless that one says otherwise."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)


def folder_of(client: Client) -> Path:
    return client.studio.roots.folders[0]


def test_any_number_of_tabs_that_publish_at_once_spend_once(own: Client):
    """One draft is one run, whoever presses: the others are led to it."""
    base = fill_in(own, folder_of(own))
    what = reviewed(own, base)
    answers: list[tuple[int, str]] = []

    def press() -> None:
        answer = own.post(f"{base}/publish", reviewed=what)
        answers.append((answer.status, answer.location))

    threads = [threading.Thread(target=press) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    run = base.replace("/new/", "/runs/")
    state = ended(own, run)

    assert set(answers) == {(303, run)}
    assert state["state"] == "released", state
    assert charges() == [(str(grains("2.0")), "committed")]
    assert own.post(f"{base}/publish", reviewed=what).location == run
    folder = own.studio.runs.path(run.rpartition("/")[2])
    until(lambda: not is_alive(folder))
    again = subprocess.run([*forked(*WORKER), str(folder)], check=False)  # a second process has nothing to do
    lines = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
    assert again.returncode == 0
    assert [line for line in lines if line.get("stage") == "preparing" or "state" in line] == [lines[0], lines[-1]]
    assert charges() == [(str(grains("2.0")), "committed")]
    assert own.get(f"{base}/review").location == run


def test_of_many_orders_of_a_draft_one_makes_the_run(tmp_path: Path):
    """The others are told so, and nothing of theirs is left."""
    runs, answers = Runs(tmp_path / "runs", ["true"]), []
    draft = Draft("0123456789abcdef", {"file": "x"})
    gate = threading.Barrier(12)

    def order() -> None:
        gate.wait()
        answers.append(runs.order(draft, [tmp_path]))

    threads = [threading.Thread(target=order) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(answers) == [False] * 11 + [True]
    assert [path.name for path in (tmp_path / "runs").iterdir()] == [draft.id]


def test_a_draft_that_was_changed_meanwhile_is_not_published(own: Client):
    base = fill_in(own, folder_of(own))
    what = reviewed(own, base)
    own.post(f"{base}/budget", epsilon="9.0", account="metro", size="")
    answer = own.post(f"{base}/publish", reviewed=what)

    assert answer.status == 400
    assert "another tab" in answer.text
    assert charges() == []


def test_the_release_is_that_of_the_command_and_of_the_code(own: Client):
    """What is shown to copy makes the same release, but for its noise, its id and its time."""
    import html

    stated = {"dataset_name": "Taps of 'October'", "contact": "privacy@metro.example", "purpose": "night buses"}
    base = fill_in(own, folder_of(own))
    out = re.search(r'name="out" value="([^"]*)"', own.get(f"{base}/review").text)[1]
    page = own.post(f"{base}/review", out=out, account="metro", **stated).text
    shown = {
        name: html.unescape(re.search(rf'<pre id="{name}"[^>]*>(.*?)</pre>', page, re.S)[1]) for name in ("command", "python")
    }
    out = Path(re.search(r"--out (\S+)", shown["command"])[1])
    manifests = []
    assert own.post(f"{base}/publish", reviewed=reviewed(own, base)).status == 303
    assert ended(own, base.replace("/new/", "/runs/"))["state"] == "released"
    manifests.append(json.loads((out / "manifest.json").read_text()))
    words = shown["command"].replace("\\\n", "").replace(str(out), f"{out}-2")
    call = f"import sys; sys.argv = {shlex.split(words)!r}; from seqveil.__main__ import main; main()"
    assert run_command([sys.executable, "-c", call]).returncode == 0
    manifests.append(json.loads((out.parent / f"{out.name}-2" / "manifest.json").read_text()))
    with pytest.warns(ReleaseWarning, match="no cap"):
        exec(shown["python"].replace(str(out), f"{out}-3"), {})
    manifests.append(json.loads((out.parent / f"{out.name}-3" / "manifest.json").read_text()))
    same = ("mechanism", "epsilon", "unit", "neighbours", "domain", "private", "content", "holder")

    assert manifests[0]["mechanism"]["parameters"]["l_max"] == 4
    assert ["metro", *stated.values()] == [manifests[0]["holder"][name] for name in ("account", "dataset", "contact", "purpose")]
    assert len({json.dumps({key: manifest[key] for key in same}, sort_keys=True) for manifest in manifests}) == 1
    assert [status for _, status in charges()] == ["committed"] * 3


@pytest.mark.parametrize(
    ("point", "expected", "said"),
    [
        ("preparing", [], "Nothing was reserved or spent."),
        ("reserved", ["returned"], "was returned: no data was read."),
        ("committing", ["begun"], "remains charged"),
    ],
)
def test_a_cancelled_run_says_what_became_of_its_budget(own: Client, point: str, expected: list[str], said: str, ignoring: None):
    """Also where the studio ignores interrupts, as one does that a script started in the background."""
    own.studio.runs = Runs(own.studio.folder / "runs", slow_at(point))
    base = fill_in(own, folder_of(own))
    run = base.replace("/new/", "/runs/")
    own.post(f"{base}/publish", reviewed=reviewed(own, base))
    stage = {"preparing": "preparing", "reserved": "preparing", "committing": "saving"}[point]
    until(lambda: stage in own.studio.runs.progress(run.rpartition("/")[2]).stages)
    until(lambda: [status for _, status in charges()] == (["reserved"] if point == "reserved" else expected))
    warned = own.get(run).text
    own.post(f"{run}/cancel")
    state = ended(own, run)

    assert ("remains charged" in warned) == (point == "committing")
    assert state["state"] == "cancelled"
    assert said in state["html"]
    assert [status for _, status in charges()] == expected
    assert Ledger().verify().copies_damaged == 0


@pytest.mark.parametrize(
    ("point", "expected", "said"),
    [
        ("preparing", [], "Nothing was reserved or spent."),
        ("reserved", ["reserved"], "remains reserved"),
        ("committing", ["begun"], "remains charged"),
    ],
)
def test_a_killed_run_is_found_and_explained(own: Client, point: str, expected: list[str], said: str):
    """Nobody could write down how it ended: the page says so, and what the ledger has."""
    own.studio.runs = Runs(own.studio.folder / "runs", slow_at(point))
    base = fill_in(own, folder_of(own))
    run = base.replace("/new/", "/runs/")
    id = run.rpartition("/")[2]
    own.post(f"{base}/publish", reviewed=reviewed(own, base))
    stage = {"preparing": "preparing", "reserved": "preparing", "committing": "saving"}[point]
    until(lambda: stage in own.studio.runs.progress(id).stages and [status for _, status in charges()] == expected)
    os.kill(int((own.studio.runs.path(id) / "lock").read_text()), signal.SIGKILL)
    state = ended(own, run)

    assert state["state"] == "lost"
    assert said in state["html"]
    assert "the run goes on" not in state["html"]
    assert [status for _, status in charges()] == expected
    assert Ledger().verify().copies_damaged == 0
    assert own.studio.runs.cancel(id) is False
    assert "ended without a result" in own.get("/").text


def test_a_run_that_the_studio_could_not_start_is_started_once(own: Client, monkeypatch: pytest.MonkeyPatch):
    """The studio was killed between the order and the process: nothing was spent, and the page offers to start it."""
    own.studio.runs = Runs(own.studio.folder / "runs", ["true"])
    base = fill_in(own, folder_of(own))
    run = base.replace("/new/", "/runs/")
    own.post(f"{base}/publish", reviewed=reviewed(own, base))
    early = own.get(run).text
    monkeypatch.setattr("seqveil.studio.runs.STARTING", 0.0)
    late = own.get(run).text
    spent = charges()
    own.studio.runs = Runs(own.studio.folder / "runs", forked(*WORKER))
    for _ in range(3):
        own.post(f"{run}/start")
    state = ended(own, run)

    assert ("is being started" in early, "Start it now" in early) == (True, False)  # nobody presses twice by mistake
    assert "has not started" in late
    assert "Start it now" in late
    assert spent == []
    assert state["state"] == "released"
    assert [status for _, status in charges()] == ["committed"]


def test_a_budget_that_is_refused_costs_nothing_and_says_so(own: Client):
    Ledger().set_cap("metro", grains("1.0"))
    base = fill_in(own, folder_of(own))
    page = own.get(f"{base}/review").text
    own.post(f"{base}/publish", reviewed=reviewed(own, base))
    state = ended(own, base.replace("/new/", "/runs/"))

    assert "would refuse this" in page
    assert state["state"] == "failed"
    assert "Nothing was reserved or spent." in state["html"]
    assert charges() == []


def test_the_studio_may_be_killed_before_and_while_a_run_goes_on(tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch):
    """What was filled in is found again; the run ends by itself, and the next start of the studio finds it with all its words.

    The home is given as people type it: the run, whose folder is another, charges the same ledger.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SEQVEIL_HOME", "home")
    first = Started(data)
    base = fill_in(first, data, account="killed")
    first.end(signal.SIGKILL)
    unspent = charges("killed")
    second = Started(data)
    home = second.get("/").text
    second.post(f"{base}/publish", reviewed=reviewed(second, base))
    second.end(signal.SIGKILL)
    third = Started(data)
    try:
        state = ended(third, base.replace("/new/", "/runs/"))
        later = third.get("/").text
    finally:
        code = third.end(signal.SIGINT)

    assert unspent == []
    assert f"{base}/review" in home
    assert state["state"] == "released"
    assert [status for _, status in charges("killed")] == ["committed"]
    assert f"/releases/{state['release']}" in later
    assert code == 0


def test_a_folder_that_was_typed_and_not_kept_is_reviewed_first(own: Client):
    """Whoever types another folder and presses the last button at once must not publish into the one before."""
    base = fill_in(own, folder_of(own))
    what = reviewed(own, base)
    answer = own.post(f"{base}/publish", reviewed=what, out=str(folder_of(own) / "elsewhere"), account="metro")
    again = own.post(f"{base}/publish", reviewed=what, out=str(folder_of(own) / "elsewhere"), account="metro")

    assert answer.status == 400
    assert "elsewhere" in answer.text
    assert again.status == 400
    assert charges() == []


def test_a_statement_that_would_hide_something_is_refused_in_the_review(own: Client):
    base = fill_in(own, folder_of(own))
    page = own.post(f"{base}/review", out=str(folder_of(own) / "unseen"), account="metro", contact="a\u202eb").text

    assert "“Contact” = " in page
    assert "give 1 to 200 characters on one line, without invisible or control characters" in page
    assert "Spend ε" not in page
