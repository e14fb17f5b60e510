"""`seqveil link psi` as two data holders type it: two folders, three messages, and every way to call it wrongly."""

from __future__ import annotations

import csv
import json
import stat
from types import SimpleNamespace

import pytest

from seqveil.cli.link_psi import MOVES

OURS = [("Meyer", "1985-04-12"), ("Otto", "1990-01-02"), ("=cmd", "1970-05-05"), ("", "")]
THEIRS = [("Meier", "1985-12-04"), ("Cmd", "1970-05-05"), ("Otto", "1991-03-04"), ("Nobody", "2000-01-01")]


@pytest.fixture
def place(seqveil, tmp_path, monkeypatch):
    """Both sides' files, and the moves as short calls."""
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "home"))
    for name, rows in (("ours", OURS), ("theirs", THEIRS)):
        with (tmp_path / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([["last", "birthday"], *rows])
    column = ("--column", "born=birthday")

    def terms(*more, out="terms.json"):
        fields = ["--field", "last:edits", "--field", "born:date", "--rows", "5,7"]
        return seqveil("link", "psi", "terms", *fields, "--tokens", 250, "--out", tmp_path / out, *more)

    def move(verb, *more, **changed):
        people = "ours.csv" if verb in ("start", "finish") else "theirs.csv"
        keep = ["--keep", tmp_path / changed.get("keep", f"secret-{people}")]
        agreed = ["--terms", tmp_path / "terms.json"] if verb in ("start", "answer") else []
        got = {"answer": "1.psi", "finish": "2.psi", "open": "3.psi"}.get(verb)
        received = [] if got is None else [tmp_path / changed.get("message", got)]
        out = changed.get("out", {"start": "1.psi", "answer": "2.psi"}.get(verb, f"shared-{people}"))
        reply = ["--reply", tmp_path / "3.psi"] if verb == "finish" and changed.get("reply", True) else []
        words = [*received, *agreed, *keep, "--out", tmp_path / out, *reply, *changed.get("column", column), *more]
        return seqveil("link", "psi", verb, tmp_path / people, *words)

    def shared(name):
        with (tmp_path / f"shared-{name}.csv").open(encoding="utf-8", newline="") as file:
            return {row["pair"]: row for row in csv.DictReader(file)}

    return SimpleNamespace(path=tmp_path, terms=terms, move=move, shared=shared, run=seqveil)


def test_two_folders_link_their_people(place):
    """Two fields, another column name, a swapped date, a formula in a cell; who learns what is said before anything is read."""
    agreed = place.terms()
    ran = [place.move(verb) for verb in ("start", "answer", "finish", "open")]
    ours, theirs = place.shared("ours"), place.shared("theirs")

    assert [(0, "")] * 5 == [(one.code, one.out) for one in (agreed, *ran)], [one.err for one in ran]
    assert "test up to 1,250 guesses against the answerer's list" in agreed.err
    assert all(one.err.startswith("NOT DIFFERENTIALLY PRIVATE") for one in ran)
    assert ours.keys() == theirs.keys() == {"1", "2"}
    assert {("1", "1"), ("3", "2")} == {(ours[pair]["row"], theirs[pair]["row"]) for pair in ours}
    assert {"last:similar born:similar", "last:equal born:equal"} == {row["agrees"] for row in ours.values()}
    assert {"Meyer", "'=cmd"} == {row["last"] for row in ours.values()}
    assert "agrees" not in theirs["1"]
    assert 0o600 == stat.S_IMODE((place.path / "shared-ours.csv").stat().st_mode)
    assert "1 rows that lack a field in every rule" in ran[0].err


def test_json_is_one_object_on_stdout(place):
    """Every verb; no number of rows stands in what is made before a message is sent."""
    agreed = json.loads(place.terms("--json").out)
    facts = [json.loads(place.move(verb, "--json").out) for verb in ("start", "answer", "finish", "open")]

    assert [["last", "born"]] == agreed["rules"]
    assert [False] * 5 == [one["private"] for one in (agreed, *facts)]
    assert (5 * 250, 7 * 250) == (facts[0]["sent"], facts[1]["sent"])
    assert {"out", "private", "terms", "sent"} == facts[0].keys()
    assert [(2, 2), (2, 2)] == [(one["pairs"], one["rows_in_pairs"]) for one in facts[2:]]


def test_only_the_starter_learns(place):
    """The answerer is done after its move."""
    place.terms("--starter-only", "--rule", "last", "--one-to-one")
    ran = [place.move("start"), place.move("answer")]
    refused = place.move("finish")
    done = place.move("finish", reply=False)

    assert [0, 0, 2, 0] == [one.code for one in (*ran, refused, done)]
    assert "its secrets are erased" in ran[1].err
    assert "by the terms only you learn the pairs: omit --reply FILE" in refused.err
    assert {"1", "2", "3"} == set(place.shared("ours"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--field", "name"], "--field 'name' does not say how it is compared: write name:edits, or exact, edits, sound, date"),
        (["--field", "name:guess"], "field 'name' is compared by 'guess': use exact, edits, sound, date"),
        (["--field", "a:exact", "--rule", "b"], "rule 'b' names 'b', which is no field"),
        (["--field", "a:exact", "--rule", "a", "--at-least", 1], "--rule and --at-least are both given"),
        (["--field", "a:exact", "--at-least", 2], "--at-least 2: give a number from 1 to 1"),
        (["--field", "a:edits", "--alphabet", "cyrillic"], "cyrillic is not the name of an alphabet: write а..я,ё"),
        (["--field", "a:edits", "--tokens", 0], "rows and tokens must be 1 or more"),
    ],
)
def test_wrong_terms(place, words, said):
    """What is wrong, what is allowed, what to type."""
    ran = place.run("link", "psi", "terms", "--rows", "10", "--out", place.path / "t.json", *words)

    assert (2, True) == (ran.code, said in ran.err), ran.err
    assert not (place.path / "t.json").exists()


@pytest.mark.parametrize("rows", ["many", "1,2,3", "-5", "5,", "0"])
def test_wrong_numbers_of_rows(place, rows):
    """One number for both, or one for each."""
    ran = place.run("link", "psi", "terms", "--field", "a:exact", f"--rows={rows}", "--out", place.path / "t.json")

    assert 2 == ran.code
    assert "rows" in ran.err


def test_wrong_moves(place):
    """Columns that are not there, messages that do not belong, files that exist; nothing is written."""
    place.terms()
    cases = [
        (place.move("start", column=()), "no column 'born'"),
        (place.move("start", column=("--column", "x=birthday")), "the terms have no field 'x'; they have last, born"),
        (place.move("start", column=("--column", "birthday")), "write FIELD=COLUMN, such as last=birthday"),
        (place.move("start", out="ours.csv"), "exists already"),
        (place.move("answer", message="ours.csv"), "is not a message of a linkage, or was truncated"),
        (place.move("finish"), "holds no session"),
    ]

    assert [] == [(said, ran.err) for ran, said in cases if ran.code != 2 or said not in ran.err]
    assert not (place.path / "1.psi").exists()
    place.move("start")
    assert "is move 1 of a session" in place.move("finish", message="1.psi").err
    assert "missing required" in place.run("link", "psi", "start", place.path / "ours.csv").err


def test_a_list_of_lines(place):
    """A .txt file has one name per line; more fields need a table."""
    for name in ("ours", "theirs"):
        (place.path / f"{name}.txt").write_text("Anna\nBob\n")
    terms, keep = place.path / "t.json", place.path / "k"
    place.run("link", "psi", "terms", "--field", "name:edits", "--rows", "5", "--out", terms)
    more = place.terms()
    words = ["--keep", keep, "--out", place.path / "x.psi"]
    refused = place.run("link", "psi", "start", place.path / "ours.txt", "--terms", place.path / "terms.json", *words)

    assert (0, 2, True) == (more.code, refused.code, "the terms compare 2 fields: give a table" in refused.err)
    assert 0 == place.run("link", "psi", "start", place.path / "ours.txt", "--terms", terms, *words).code


@pytest.mark.parametrize("verb", MOVES)
def test_every_verb_shows_an_example(seqveil, verb):
    """To copy."""
    ran = seqveil("link", "psi", verb, "--help")

    assert 0 == ran.code
    assert f"Example: seqveil link psi {verb}" in " ".join(ran.out.split())


@pytest.mark.slow
def test_two_processes_link_over_a_connection(place, tmp_path):
    """As typed on two machines; the address is the loopback's."""
    import os
    import socket
    import subprocess
    import sys

    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    assert [0, 0] == [place.terms().code, place.run("link", "psi", "key", "--out", tmp_path / "pair.key").code]

    def typed(verb, people):
        words = ["--terms", "terms.json", "--keep", f"secret-{verb}", "--key", "pair.key", "--column", "born=birthday"]
        call = [sys.executable, "-m", "seqveil", "link", "psi", verb, f"127.0.0.1:{port}", f"{people}.csv", *words]
        environment = {**os.environ, "SEQVEIL_HOME": str(tmp_path / verb)}
        out = ["--out", f"shared-{people}.csv"]
        return subprocess.Popen([*call, *out], cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True)

    with typed("serve", "ours") as server:
        assert any("listening on" in line for line in server.stderr)
        with typed("join", "theirs") as client:
            said = client.stderr.read()
        rest = server.stderr.read()
    ours, theirs = place.shared("ours"), place.shared("theirs")

    assert (0, 0) == (server.returncode, client.returncode), (rest, said)
    with typed("serve", "ours") as server:  # the same command again: the reply is sent once more, and nothing else happens
        assert any("listening on" in line for line in server.stderr)
        with typed("join", "theirs") as client:
            assert "you have your rows already" in client.stderr.read()
    assert {("1", "1"), ("3", "2")} == {(ours[pair]["row"], theirs[pair]["row"]) for pair in ours}
    refused = place.run("link", "psi", "join", "nowhere", tmp_path / "theirs.csv", "--terms", tmp_path / "terms.json", "--keep",
                        tmp_path / "k", "--key", tmp_path / "pair.key", "--out", tmp_path / "x.csv")  # fmt: skip
    assert (2, True) == (refused.code, "'nowhere' is no address: write HOST:PORT, such as 127.0.0.1:7410" in refused.err)


@pytest.mark.slow
def test_the_demo_runs_two_parties(seqveil, tmp_path):
    """Every move a process of its own; a folder has its own files and the other side's messages, and nothing else."""
    out = tmp_path / "psi-demo"
    facts = json.loads(seqveil("link", "psi", "demo", "--out", out, "--people", 150, "--json").out)
    contents = {side: {path.name for path in (out / f"hospital-{side}").iterdir()} for side in "ab"}

    assert {"precision": 1.0, "recall": 1.0, "f1": 1.0} == facts["pairs within one edit"]
    assert 0.9 < facts["the same patient"]["recall"]
    assert contents["a"] == contents["b"] == {
        "terms.json", "patients.csv", "secret", "ledger", "shared.csv", "move-1.psi", "move-2.psi", "move-3.psi"
    }  # fmt: skip
