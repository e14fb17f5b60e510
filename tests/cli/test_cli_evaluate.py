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
    facts = json.loads(ran.out)

    assert (0, "") == (ran.code, ran.err)
    for kind in ("full", "truncated"):
        assert ["4", "8", "12", "16", "20"] == list(facts["count_error"][kind])
    for kind in ("occurrences_truncated", "documents_full", "gapped_documents"):
        assert ["20", "40", "60", "80", "100"] == list(facts["top_k"][kind])
        assert {"true_positive_ratio", "utility_loss"} < set(facts["top_k"][kind]["100"])
    assert ("ngram", "3.0", False) == tuple(facts["release"][key] for key in ("method", "epsilon", "private"))
    assert 0 <= facts["shape"]["transitions"] <= 1
    assert ["records", "length", "lengths", "first", "last", "trip"] == list(facts["whole_records"])
    assert ["false_steps", "missing_steps", "unseen_records", "unseen"] == list(facts["paths"])
    assert {"truncation", "model", "noise", "total"} == set(facts["error_sources"]["4"])


def test_people_read_tables_under_a_banner(seqveil, raw, release):
    """The banner says INTERNAL, the tables are on stdout."""
    ran = seqveil("evaluate", raw, release)

    assert 0 == ran.code
    assert "INTERNAL" in ran.err
    assert "against the full data\t" in ran.out
    assert "coverage\t" in ran.out
    assert "mean length, synthetic / raw\t" in ran.out


def test_experiments_give_mean_and_interval(seqveil, raw):
    """--method, --epsilon and --runs need no release; the method's parameters are options of their own name."""
    domain = ["--domain", "home,shop,work"]
    words = ["--method", "ngram", "--epsilon", "1", "--runs", 2, "--l-max", 4, "--n-max", 2]
    ran = seqveil("evaluate", raw, *domain, *words, "--json")
    facts = json.loads(ran.out)

    assert 0 == ran.code
    assert {"mean", "low", "high"} == set(facts["count_error"]["full"]["4"])
    experiments = facts["experiments"]
    assert (2, 4, False) == (experiments["runs"], experiments["parameters"]["l_max"], experiments["private"])


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


def test_a_mined_release_is_evaluated(seqveil, raw, tmp_path):
    """Patterns are compared with the true ones of the same form, as tables and as JSON."""
    table = sv.table_of(RECORDS, sv.Domain.of(["home", "shop", "work"]))
    folder = sv.experiment(table, sv.PFS2(support=0.2), epsilon="10", seed=1).save(tmp_path / "patterns")
    read, shown = seqveil("evaluate", raw, folder, "--json"), seqveil("evaluate", raw, folder)
    patterns = json.loads(read.out)["patterns"]

    assert (0, 0, True) == (read.code, shown.code, json.loads(read.out)["internal"])
    assert "subsequence" == patterns["form"]
    assert 0 <= patterns["f_score"] <= 1
    assert "INTERNAL" in shown.err
    assert "from the released counts" in shown.out


@pytest.mark.parametrize("words", [["--method", "two-phase", "--top", 3], ["--method", "ffs", "--longest", 2, "--top", 3]])
def test_miners_are_evaluated_by_experiments(seqveil, raw, words):
    """Like methods that publish."""
    ran = seqveil("evaluate", raw, "--domain", "home,shop,work", *words, "--epsilon", 5, "--runs", 2, "--json")

    assert 0 == ran.code, ran.err
    assert {"mean", "low", "high"} == set(json.loads(ran.out)["patterns"]["f_score"])


@pytest.fixture
def people(tmp_path):
    """A relational table."""
    path = tmp_path / "people.csv"
    path.write_text("sex,smokes\n" + "f,no\nm,yes\nm,no\n" * 200)
    return path


CATEGORIES = "sex=f,sex=m,smokes=no,smokes=yes"


@pytest.mark.parametrize(("verb", "method"), [("publish", "diffpart"), ("mine", "itemsets")])
def test_relational_files_are_evaluated(seqveil, people, tmp_path, verb, method):
    """Published and mined, with the release's own domain."""
    call = [people, "--kind", "relational", "--domain", CATEGORIES, "--method", method, "--epsilon", 5]
    call += ["--top", 4] if verb == "mine" else []
    published = seqveil(verb, *call, "--seed", 1, "--out", tmp_path / "r", "--public-because", "a form")
    ran = seqveil("evaluate", people, tmp_path / "r", "--kind", "relational", "--json")

    assert (0, 0) == (published.code, ran.code), published.err + ran.err
    assert ("sets" if verb == "publish" else "patterns") in json.loads(ran.out)


def test_data_of_another_kind_is_refused(seqveil, people, release):
    """A release of sequences is not compared with rows of a table."""
    ran = seqveil("evaluate", people, release, "--kind", "relational")

    assert 2 == ran.code
    assert "--kind 'relational' does not fit this method, which works on sequences" in ran.err


def test_a_stream_is_not_evaluated(seqveil, raw):
    """It says where to look instead."""
    ran = seqveil("evaluate", raw, "--domain", "home", "--method", "binary", "--epsilon", 1)

    assert 2 == ran.code
    assert "--dry-run" in ran.err


def test_gram_releases_show_patterns_from_both_sides(seqveil, raw, release):
    """Top K mined from the synthetic records, and straight from the released counts."""
    facts = json.loads(seqveil("evaluate", raw, release, "--json").out)
    shown = seqveil("evaluate", raw, release).out

    assert facts["top_k_released"].keys() < facts["top_k"].keys()
    assert "from released counts" in shown
    assert "from synthetic records" in shown
