"""`seqveil link` after the base: merge, embed, match and open as three parties type them, and every way to mix files up."""

from __future__ import annotations

import csv
import json
import re
import shutil
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from seqveil.cli import link_embed, link_open
from seqveil.cli.link import STEPS
from seqveil.link.base import Base
from seqveil.link.key import Key
from seqveil.link.vectors import Vectors
from seqveil.tables.names import Alphabet
from seqveil.tables.write.cells import plain

BADGE = "NOT DIFFERENTIALLY PRIVATE"
GRAMS = {
    "latin": ("a", "e", "n", "i", "l", "an", "s", "x"),
    "а..я,ё": ("а", "о", "в", "и", "ан", "ё"),
    "α..ω": ("α", "σ", "ο", "υ"),
    "U+4E00..U+9FFF": ("王", "小", "明", "李"),
    "가..힣": ("김", "민", "준"),
    "ء..ي": ("م", "ح", "د", "مح"),
}
PEOPLE = {  # alphabet: our names, their names, pairs of rows that are equal after normalisation
    "latin": (
        ["Anna", "", "José", "Weiß", "İnan", "X", "Anna", "王"],
        ["anna", "JOSE\u0301", "WEISS", "inan", "x", "?"],
        [(1, 1), (3, 2), (4, 3), (5, 4), (6, 5), (7, 1)],
    ),
    "а..я,ё": (["Иванов", "Ёлкин"], ["ёлкин", "ИВАНОВ", "Anna"], [(1, 2), (2, 1)]),
    "α..ω": (["ΟΔΥΣΣΕΎΣ", "Bob"], ["οδυσσεύς"], [(1, 1)]),
    "U+4E00..U+9FFF": (["王小明", "李"], ["李", "王 小 明"], [(1, 2), (2, 1)]),
    "가..힣": (["김민준"], ["\u1100\u1175\u11b7\u1106\u1175\u11ab\u110c\u116e\u11ab"], [(1, 1)]),
    "ء..ي": (["مُحَمَّد"], ["محمد"], [(1, 1)]),
}


@pytest.fixture
def place(seqveil, tmp_path):
    """A folder with a base, and the steps after it as short calls."""

    def names(name, rows):
        path = tmp_path / f"{name}.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([["id", "name"], *enumerate(rows, 1)])
        return path

    def embed(name, rows, *more, base="base.json", column="name", key=None):
        files = ["--out", tmp_path / f"vectors-{name}", "--key", key or tmp_path / f"{name}.key"]
        return seqveil("link", "embed", names(name, rows), "--column", column, "--base", tmp_path / base, *files, *more)

    def match(*more, a="a", b="b", out="pairs"):
        return seqveil("link", "match", tmp_path / f"vectors-{a}", tmp_path / f"vectors-{b}", "--out", tmp_path / out, *more)

    def open_(name, *more, key=None, out=None, pairs="pairs", column="name"):
        files = ["--key", tmp_path / f"{key or name}.key", "--out", tmp_path / (out or f"shared-{name}.csv")]
        return seqveil("link", "open", tmp_path / f"{name}.csv", tmp_path / pairs, "--column", column, *files, *more)

    def shared(name):
        with (tmp_path / f"shared-{name}.csv").open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def save(alphabet, name="base.json", grams=None):
        Base(Alphabet.parse(alphabet), grams or GRAMS[alphabet]).save(tmp_path / name)

    return SimpleNamespace(
        path=tmp_path, names=names, embed=embed, match=match, open=open_, shared=shared, save=save, run=seqveil
    )


@pytest.mark.parametrize("alphabet", PEOPLE)
def test_names_of_the_world_find_each_other(place, alphabet):
    """From names to pairs, equal names of every script; both holders see the same pair numbers and their own names."""
    ours, theirs, expected = PEOPLE[alphabet]
    place.save(alphabet)
    ran = [place.embed("a", ours, "--edits", 0), place.embed("b", theirs), place.match(), place.open("a"), place.open("b")]
    a, b = place.shared("a"), place.shared("b")

    assert [(0, "")] * 5 == [(one.code, one.out) for one in ran], [one.err for one in ran]
    assert all(one.err.startswith(BADGE) for one in ran)
    assert [row["pair"] for row in a] == [row["pair"] for row in b] == [str(n) for n in range(1, len(expected) + 1)]
    assert expected == sorted((int(x["row"]), int(y["row"])) for x, y in zip(a, b, strict=True))
    assert all(row["name"] == ours[int(row["row"]) - 1] for row in a)


def test_json_is_one_object_on_stdout(place):
    """Every step; what was left out is told to the holder only."""
    place.save("latin")
    ran = [place.embed("a", ["Anna", "", "zz", "Ann"], "--edits", 1, "--json"), place.embed("b", ["Hanna"], "--json")]
    ran += [place.match("--json"), place.open("a", "--json"), place.open("b", "--json")]
    facts = [json.loads(one.out) for one in ran]

    assert all(one.code == 0 and len(one.out.splitlines()) == 1 and one.err.strip().startswith(BADGE) for one in ran)
    assert all(one["private"] is False for one in facts)
    assert (4, 2, {"empty": 1, "without_gram": 1}) == (facts[0]["rows"], facts[0]["vectors"], facts[0]["left_out"])
    assert ({"a": 2, "b": 1}, 2) == (facts[2]["vectors"], facts[2]["pairs"])
    assert ("a", "b") == (facts[3]["side"], facts[4]["side"])
    assert (2, 1) == (facts[3]["rows_in_pairs"], facts[4]["rows_in_pairs"])
    assert "left_out" not in (place.path / "vectors-a" / "manifest.json").read_text()


@pytest.mark.parametrize(
    ("kind", "rows"),
    [
        ("neighbours", {"1", "2", "3"}),
        ("lengths", {"1", "2", "3"}),
        ("sqrt_k", {"1", "2", "3"}),
        ("1.5", {"1", "2", "3"}),
        ("personal", {"2"}),
    ],
)
def test_names_one_edit_apart_are_found_with_sound_thresholds(place, kind, rows):
    """Duplicated rows are in as many pairs as there are rows; either holder may give thresholds. The thesis' one misses some."""
    place.save("latin")
    place.embed("a", ["Nilsan", "Xaxexix", "Nilsan"])
    ran = place.embed("b", ["Nilsen", "Xaxexix"], "--edits", 1, "--threshold", kind)
    assert (kind in ("personal", "1.5")) == ("may miss names" in ran.err)
    assert 0 == place.match().code
    assert 0 == place.open("a").code

    assert rows == {row["row"] for row in place.shared("a")}


def test_batches_make_no_difference(place, monkeypatch):
    """Every row has the same vector and the same reach, however few names are held at once; opening likewise."""
    place.save("latin")
    rows = [f"{a}{b}{c}" for a in ("An", "Le", "", "Zz") for b in ("na", "x", "lisa") for c in ("", "Ö", "son")]
    outcomes = []
    for name, size in (("one", 10**6), ("two", 2), ("five", 5)):
        monkeypatch.setattr(link_embed, "ROWS", size)
        monkeypatch.setattr(link_open, "ROWS", size)
        place.embed(name, rows, "--edits", 1)
        vectors, key = Vectors.load(place.path / f"vectors-{name}"), Key.load(place.path / f"{name}.key")
        parts = zip(key.rows.tolist(), vectors.counts.tolist(), vectors.reaches.tolist(), strict=True)
        outcomes.append(sorted(parts))
    place.match(a="one", b="two")
    place.open("one")
    place.open("two")

    assert outcomes[0] == outcomes[1] == outcomes[2]
    assert all(row["name"] == rows[int(row["row"]) - 1] for row in [*place.shared("one"), *place.shared("two")])


def test_names_of_every_sort_come_back_from_a_table(place):
    """Line ends of all kinds, quotes, commas: one row of shared.csv is one row of the names."""
    place.save("latin")
    names = ["An\rna", "An\r\nna", "An\nna", 'An"na', "An,na", "=anna"]
    pq.write_table(pa.table({"name": names}), place.path / "names.parquet")
    call = [place.path / "names.parquet", "--column", "name"]
    for side, more in (("a", ["--edits", 0]), ("b", [])):
        files = ["--out", place.path / f"vectors-{side}", "--key", place.path / f"{side}.key"]
        assert 0 == place.run("link", "embed", *call, "--base", place.path / "base.json", *files, *more).code
    place.match("--one-to-one")
    out = ["--key", place.path / "a.key", "--out", place.path / "shared-a.csv"]
    assert 0 == place.run("link", "open", place.path / "names.parquet", place.path / "pairs", "--column", "name", *out).code

    assert sorted(names) == sorted(plain(row["name"]) for row in place.shared("a"))
    assert "'=anna" in {row["name"] for row in place.shared("a")}


def test_no_pair_at_all_is_an_answer(place):
    """Two strangers: empty pairs, empty files with a header."""
    place.save("latin")
    place.embed("a", ["Anna"], "--edits", 0)
    place.embed("b", ["Xix"])
    ran = [place.match(), place.open("a"), place.open("b")]

    assert [0, 0, 0] == [one.code for one in ran], [one.err for one in ran]
    assert "pair,row,name\n" == (place.path / "shared-a.csv").read_text()


def test_one_to_one_pairs_everybody_once(place):
    """Three equal names here, two there: two pairs."""
    place.save("latin")
    place.embed("a", ["Anna"] * 3, "--edits", 0)
    place.embed("b", ["Anna"] * 2)

    assert 6 == json.loads(place.match("--json").out)["pairs"]
    assert 2 == json.loads(place.match("--one-to-one", "--json", out="once").out)["pairs"]
    assert 1 == place.match("--most-pairs", 5, out="many").code
    assert not (place.path / "many").exists()


def test_of_two_thresholds_the_first_decides_and_that_is_said(place):
    """Otherwise nobody would know whose edits were allowed."""
    place.save("latin")
    place.embed("a", ["Anna"], "--edits", 0)
    place.embed("b", ["Ann"], "--edits", 1)
    one, other = place.match(), place.match(a="b", b="a", out="turned")

    assert ("0 pairs" in one.err, "1 pairs" in other.err) == (True, True)
    assert all("Both folders have thresholds" in ran.err for ran in (one, other))
    assert "a" == json.loads(place.match("--json", out="third").out)["thresholds"]


def test_mixed_up_vectors_are_refused_with_2(place):
    """Another base, no thresholds, the same folder twice, no folder, changed bytes, a folder of pairs."""
    place.save("latin")
    place.save("latin", "other.json", ("a", "n"))
    place.embed("a", ["Anna"], "--edits", 1)
    place.embed("b", ["Anna"])
    place.embed("c", ["Anna"], base="other.json")
    place.match()
    shutil.copytree(place.path / "vectors-b", place.path / "vectors-d")
    with (place.path / "vectors-d" / "vectors.parquet").open("ab") as file:
        file.write(b"x")
    shutil.copytree(place.path / "pairs", place.path / "vectors-e")
    refused = {
        "different bases": place.match(b="c", out="x"),
        "have no thresholds": place.match(a="b", b="c", out="x"),
        "are the same folder": place.match(b="a", out="x"),
        "is not a folder": place.match(b="nobody", out="x"),
        "was changed or truncated": place.match(b="d", out="x"),
        "is not a folder of seqveil linkage vectors": place.match(b="e", out="x"),
        "exists already": place.match(out="pairs"),
    }

    for text, ran in refused.items():
        assert (2, True) == (ran.code, text in ran.err), (text, ran.err)
    assert not (place.path / "x").exists()


def test_mixed_up_keys_and_names_are_refused_with_2(place):
    """A key or pairs of other vectors, a names file with other rows, an --out that exists; several problems at once."""
    place.save("latin")
    place.embed("a", ["Anna"], "--edits", 1)
    place.embed("b", ["Anna", "Lena"])
    place.embed("c", ["Lena"])
    place.match()
    place.match(b="c", out="others")
    place.open("b")
    refused = {
        "belongs to the vectors": place.open("c", out="x.csv"),
        "give the key written": place.open("b", pairs="others", out="x.csv"),
        "has 1 rows, but 2 rows were embedded": place.open("a", key="b", out="x.csv"),
        "has other names than were embedded": place.open("c", key="a", out="x.csv"),
        "check --column": place.open("a", column="id", out="x.csv"),
        "exists already": place.open("b"),
        "does not exist": place.open("a", key="nobody", out="x.csv"),
        "no column 'nome'": place.open("a", column="nome", out="x.csv"),
    }
    many = place.open("b", column="nome", key="nobody", pairs="nowhere")

    for text, ran in refused.items():
        assert (2, True) == (ran.code, text in ran.err), (text, ran.err)
    assert not (place.path / "x.csv").exists()
    assert "4 problems:" in many.err


def test_what_embed_refuses(place):
    """Before anything is written: all at once, and nothing is left of a run that fails on its way."""
    place.save("latin")
    place.save("а..я,ё", "russian.json")
    base = json.loads((place.path / "base.json").read_text())
    (place.path / "future.json").write_text(json.dumps({**base, "version": 2}))
    (place.path / "forged.json").write_text(json.dumps({**base, "grams": ["a", "b"]}))
    many = place.embed("a", ["Anna"], "--edits", -1, base="none.json", column="nome")
    refused = {
        "has version 2": place.embed("a", ["Anna"], base="future.json"),
        "its id does not match": place.embed("a", ["Anna"], base="forged.json"),
        "none of the 1 names contains an n-gram": place.embed("a", ["Anna"], base="russian.json"),
        "there are no names": place.embed("a", []),
        "depends on the number of edits": place.embed("a", ["Anna"], "--threshold", "lengths"),
        "unknown threshold 'near'": place.embed("a", ["Anna"], "--threshold", "near", "--edits", 1),
        "unknown threshold 'number'": place.embed("a", ["Anna"], "--threshold", "number"),
        "would be inside": place.embed("a", ["Anna"], key=place.path / "vectors-a" / "k"),
        "a name has at most 65,535": place.embed("a", ["Anna", "a" * 70_000]),
    }

    assert (2, True) == (many.code, "3 problems:" in many.err), many.err
    for text, ran in refused.items():
        assert (2, True) == (ran.code, text in ran.err), (text, ran.err)
    left = {path.name for path in place.path.iterdir()}
    assert {"base.json", "russian.json", "future.json", "forged.json", "a.csv"} == left
    assert 0 == place.embed("a", ["Anna"]).code
    again = place.embed("a", ["Anna"])
    assert (2, 2) == (again.code, again.err.count("exists already"))


def test_merging(place, seqveil, small_release, tmp_path):
    """Two bases of one kind become one file that says what was spent; whatever else is given is refused, all at once."""
    names = place.names("names", ["Anna", "Hannah", "Lena"] * 100)
    call = ["link", "base", names, "--column", "name", "--epsilon", 2, "--top", 12]
    for name, more in {
        "a": [],
        "b": [],
        "digits": ["--alphabet", "a..z,0..9"],
        "short": ["--longest", 2],
        "exp": ["--seed", 1],
    }.items():
        assert 0 == seqveil(*call, "--out", tmp_path / name, "--account", "merging", "--public-because", "x", *more).code
    ran = seqveil("link", "merge", tmp_path / "a", tmp_path / "b", "--top", 5, "--out", tmp_path / "base.json", "--json")
    facts = json.loads(ran.out)
    exp = seqveil("link", "merge", tmp_path / "a", tmp_path / "exp", "--out", tmp_path / "exp.json")
    refused = {
        "another alphabet": ("a", "digits"),
        "longest is 2": ("a", "short"),
        "2 times": ("a", "a"),
        "only one base": ("a",),
        "synthetic records, not mined": ("a", small_release().name),
        "does not exist": ("a", "nowhere"),
    }

    assert (0, 5, True, ["2.0", "2.0"]) == (ran.code, facts["grams"], facts["private"], [s["epsilon"] for s in facts["sources"]])
    assert facts["id"] == Base.load(tmp_path / "base.json").id
    assert (0, True) == (exp.code, "NOT differentially private" in exp.err)
    for text, folders in refused.items():
        ran = seqveil("link", "merge", *(tmp_path / folder for folder in folders), "--out", tmp_path / "x.json")
        assert (2, True) == (ran.code, text in ran.err), (text, ran.err)
    taken = seqveil("link", "merge", tmp_path / "a", tmp_path / "b", "--out", tmp_path / "base.json")
    assert (2, True) == (taken.code, "exists already" in taken.err)


@pytest.mark.parametrize("step", STEPS)
def test_every_step_shows_an_example(seqveil, step):
    """To copy; and whether it is private."""
    ran = seqveil("link", step, "--help")
    text = " ".join(ran.out.split())

    assert 0 == ran.code
    assert f"Example: seqveil link {step}" in text
    assert step not in ("embed", "match", "open") or "NOT differentially private" in text


@pytest.mark.slow
def test_the_demo_runs_three_parties(seqveil, tmp_path):
    """Every step a process of its own; only what is to be sent leaves a folder; an older demo is replaced, nothing else is."""
    out = tmp_path / "link-demo"
    facts = json.loads(seqveil("link", "demo", "--out", out, "--people", 300, "--epsilon", 20, "--json").out)
    third = {path.name for path in (out / "third-party").iterdir()}
    (tmp_path / "mine").mkdir()
    refused = seqveil("link", "demo", "--out", tmp_path / "mine")

    assert 1.0 == facts["pairs within one edit"]["recall"]
    assert facts["the same patient"]["recall"] == 1.0
    assert facts["pairs"] >= 60
    assert {"vectors-a", "vectors-b", "pairs"} == third
    assert not list((out / "hospital-b").glob("*-a*"))
    assert 2 == refused.code
    assert re.search(r"mine exists and (is not|was not written by) a demo: choose another folder", refused.err)
