"""`seqveil evaluate` measures a release or a method against raw data."""

from __future__ import annotations

import json

import pytest

import seqveil as sv

RECORDS = [["home", "work", "home"]] * 700 + [["home", "shop"]] * 400 + [["work"]] * 100


@pytest.fixture
def raw(tmp_path):
    """The raw records, one per line."""
    path = tmp_path / "raw.txt"
    path.write_text("".join(" ".join(record) + "\n" for record in RECORDS))
    return path


@pytest.fixture
def release(tmp_path):
    """An experiment made from them."""
    table = sv.table_of(RECORDS, sv.Domain.of(["home", "shop", "work"]))
    return sv.experiment(table, sv.NGram(l_max=4, n_max=3), epsilon="3.0", seed=1).save(tmp_path / "release")


def test_json_has_the_documented_keys(seqveil, raw, release):
    """One object on stdout, nothing on stderr, JSON's keys as docs/evaluate.md lists them."""
    ran = seqveil("evaluate", raw, release, "--json")
    found = json.loads(ran.out)

    assert (0, "") == (ran.code, ran.err)
    for kind in ("full", "truncated"):
        assert ["4", "8", "12", "16", "20"] == list(found["count_error"][kind])
    for kind in ("occurrences_truncated", "documents_full", "gapped_documents"):
        assert ["20", "40", "60", "80", "100"] == list(found["top_k"][kind])
        assert {"true_positive_ratio", "utility_loss"} < set(found["top_k"][kind]["100"])
    assert ("ngram", "3.0", False) == tuple(found["release"][key] for key in ("method", "epsilon", "private"))
    assert 0 <= found["shape"]["transitions"] <= 1
    assert {"truncation", "model", "noise", "total"} == set(found["error_sources"]["4"])


def test_people_read_tables_under_a_banner(seqveil, raw, release):
    """The banner says INTERNAL, the tables are on stdout."""
    ran = seqveil("evaluate", raw, release)

    assert 0 == ran.code
    assert "INTERNAL" in ran.err
    assert "against the full data\t" in ran.out
    assert "coverage\t" in ran.out


def test_experiments_give_mean_and_interval(seqveil, raw):
    """--method, --epsilon and --runs need no release; the method's parameters are options of their own name."""
    domain = ["--domain", "home,shop,work"]
    words = ["--method", "ngram", "--epsilon", "1", "--runs", 2, "--l-max", 4, "--n-max", 2]
    ran = seqveil("evaluate", raw, *domain, *words, "--json")
    found = json.loads(ran.out)

    assert 0 == ran.code
    assert {"mean", "low", "high"} == set(found["count_error"]["full"]["4"])
    made = found["experiments"]
    assert (2, 4, False) == (made["runs"], made["parameters"]["l_max"], made["private"])


def test_experiments_are_shown_as_tables_too(seqveil, raw):
    """Mean and interval stand in one cell."""
    words = ["--domain", "home,shop,work", "--method", "ngram", "--epsilon", "1", "--runs", 2, "--no-sources"]
    ran = seqveil("evaluate", raw, *words)

    assert 0 == ran.code
    assert "2 experiments: mean [95 % interval]" in ran.err
    assert "[" in ran.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "experiments need --domain, --method, --epsilon"),
        (["--method", "ngram", "--epsilon", "1"], "experiments need --domain"),
        (["RELEASE", "--method", "ngram"], "not both"),
        (["RELEASE", "--l-max", "3"], "not both"),
        (["--domain", "home", "--method", "diffpart", "--epsilon", "1"], ""),
    ],
)
def test_wrong_calls_say_what_to_type(seqveil, raw, release, arguments, said):
    """Exit code 2 and a sentence."""
    ran = seqveil("evaluate", raw, *[release if word == "RELEASE" else word for word in arguments])

    assert 2 == ran.code
    assert said in ran.err


def test_a_release_without_sequences_is_refused(seqveil, raw, tmp_path):
    """Patterns, sets and graphs have no sequences to compare."""
    from seqveil.mine.pfs2 import PFS2

    table = sv.table_of(RECORDS, sv.Domain.of(["home", "shop", "work"]))
    folder = sv.experiment(table, PFS2(support=0.2), epsilon="10", seed=1).save(tmp_path / "patterns")
    ran = seqveil("evaluate", raw, folder)

    assert 2 == ran.code
    assert "no sequences to compare" in ran.err
