"""`seqveil link base` as people type it: through the wall and the ledger, and silent about every row."""

from __future__ import annotations

import json
import re

import pytest

from seqveil.release import load

NAMES = ["Anna", "Hannah", "Johanna", "Bob"] * 100
WORLD = {
    "latin": ("Émile", "é"),
    "а..я,ё": ("Фёдор", "ф"),
    "α..ω": ("ΟΔΥΣΣΕΎΣ", "σ"),
    "U+4E00..U+9FFF": ("王小明", "王"),
    "가..힣": ("김민준", "김"),
    "ء..ي": ("مُحَمَّد", "م"),
}


@pytest.fixture
def names(tmp_path):
    """Writes a file of names."""

    def write(rows=NAMES, name="names.csv"):
        path = tmp_path / name
        path.write_text("name\n" + "".join(f"{row}\n" for row in rows), encoding="utf-8")
        return path

    return write


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A ledger of its own."""
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "home"))


@pytest.mark.parametrize("method", ["prefix-miner", "two-phase"])
def test_a_base_is_an_ordinary_private_release(seqveil, names, tmp_path, home, method):
    """Charged to an account, saved as substrings over the alphabet; inspect and query understand it."""
    out = tmp_path / "base-a"
    ran = seqveil("link", "base", names(), "--column", "name", "--epsilon", 20, "--out", out, "--method", method, "--json")
    facts, release = json.loads(ran.out), load(out)

    assert (0, 1) == (ran.code, len(ran.out.splitlines()))
    assert (method, "20.0", True, "names") == (facts["method"], facts["epsilon"], facts["private"], facts["account"])
    assert ("substring", 26) == (release.kind, len(release.domain))
    assert release.count(["a"]).value > 300
    assert release.manifest.mechanism.parameters["h"] == 8
    assert 0 == seqveil("query", out, "a n", "--json").code
    assert "20.0" in seqveil("ledger", "show").out


@pytest.mark.parametrize("alphabet", WORLD)
def test_names_of_the_world_are_mined(seqveil, names, tmp_path, home, alphabet):
    """Every script end to end; a large alphabet costs no enumeration."""
    name, letter = WORLD[alphabet]
    letter = {"é": "e"}.get(letter, letter)
    call = [
        "link",
        "base",
        names([name] * 500),
        "--column",
        "name",
        "--alphabet",
        alphabet,
        "--epsilon",
        4,
        "--out",
        tmp_path / "b",
    ]
    ran = seqveil(*call, "--public-because", "an alphabet", "--top", 5)

    assert 0 == ran.code
    assert load(tmp_path / "b").count([letter]).value > 200


def test_nothing_that_is_said_depends_on_rows(seqveil, names, tmp_path, home):
    """Ordinary names, no names at all, and rows of every strange sort: the same words, the same exit code."""
    said = set()
    odd = ["", ",", '"', "\x00", "x" * 5000, "王", "\u202eevil\x1b[31m", "İẞ", "Alice", "Alice"]
    for k, rows in enumerate([NAMES, [], odd, ["A"], odd * 50]):
        folder = tmp_path / str(k)
        folder.mkdir()
        ran = seqveil("link", "base", names(rows), "--column", "name", "--epsilon", 1, "--out", folder / "b", "--account", k)
        err = ran.err.replace(str(folder), "").replace(f"'{k}'", "").replace(f"cap {k}", "cap")
        # That a release is empty is told from the release alone.
        said.add((ran.code, ran.out, "".join(line for line in err.splitlines(True) if "the release is empty" not in line)))

    assert 1 == len(said)
    assert 0 == said.pop()[0]


def test_everything_wrong_is_told_at_once_and_nothing_is_spent(seqveil, tmp_path, home):
    """Alphabet, method, ε, file, column and folder in one message."""
    (tmp_path / "b").mkdir()
    ran = seqveil(
        "link", "base", tmp_path / "no.csv", "--alphabet", "z..a", "--method", "ngram", "--epsilon", "x", "--out", tmp_path / "b"
    )

    assert 2 == ran.code
    assert re.search(r"no\.csv: (there is no such file|does not exist)", ran.err)
    for part in ("--column", "runs backwards", "prefix-miner or two-phase", "epsilon", "exists already"):
        assert part in ran.err
    assert "no.csv" not in seqveil("ledger", "show").out


@pytest.mark.parametrize(
    ("extra", "text"),
    [
        (["--column", "nome"], r"has no column 'nome' \(--column\)"),
        (["--column", "name", "--unit", "user"], "add --user COLUMN"),
        (["--column", "name", "--user", "card"], r"has no column 'card' \(--user\)"),
        (["--column", "name", "--longest", 9], "a tree of (h = )?8 levels"),
        (["--column", "name", "--unit", "edge"], "edge.*(user or record|record or user)"),
    ],
)
def test_wrong_calls_end_with_2(seqveil, names, tmp_path, home, extra, text):
    """What was given, what is allowed."""
    ran = seqveil("link", "base", names(), "--epsilon", 1, "--out", tmp_path / "b", *extra)

    assert (2, True) == (ran.code, re.search(text, ran.err) is not None), ran.err
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize("out", ["there", "dangling", "names.csv/b", "names.csv/b/c", "x" * 300])
def test_a_place_that_cannot_be_written_costs_nothing(seqveil, names, tmp_path, home, out):
    """A link to nowhere, a file where a folder is needed, a name too long: told before ε is reserved."""
    (tmp_path / "there").mkdir()
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    ran = seqveil("link", "base", names(), "--column", "name", "--epsilon", 1, "--out", tmp_path / out)

    assert (2, True) == (ran.code, "choose another --out" in ran.err), ran.err
    assert "names" not in seqveil("ledger", "show").out


def test_the_cap_refuses_with_3(seqveil, names, tmp_path, home):
    """What the account cannot pay is not mined."""
    seqveil("ledger", "cap", "names", "0.5")
    ran = seqveil("link", "base", names(), "--column", "name", "--epsilon", 1, "--out", tmp_path / "b")

    assert 3 == ran.code
    assert not (tmp_path / "b").exists()


def test_a_dry_run_opens_nothing_and_a_seed_makes_an_experiment(seqveil, names, tmp_path, home):
    """The plan needs no file; an experiment is marked and charges nobody."""
    plan = seqveil("link", "base", tmp_path / "no.csv", "--epsilon", 1, "--out", tmp_path / "b", "--dry-run", "--json")
    ran = seqveil("link", "base", names(), "--column", "name", "--epsilon", 1, "--out", tmp_path / "b", "--seed", 1, "--json")

    assert ["1.0"] == [stage["epsilon"] for stage in json.loads(plan.out)["stages"]]
    assert (False, None) == (json.loads(ran.out)["private"], json.loads(ran.out)["account"])
    assert "EXPERIMENT" in ran.err


def test_people_with_several_rows_are_protected_whole(seqveil, tmp_path, home):
    """--user with --max-sequences: the unit of the manifest is the person."""
    path = tmp_path / "names.csv"
    path.write_text("name,card\n" + "Anna,1\nAnne,1\nBob,2\n,\n" * 50)
    call = ["link", "base", path, "--column", "name", "--user", "card", "--max-sequences", 2, "--epsilon", 1]
    ran = seqveil(*call, "--out", tmp_path / "b", "--json")

    assert {"name": "user", "max_sequences": 2} == json.loads(ran.out)["unit"]
