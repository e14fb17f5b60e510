"""The base: merged from releases by public rules, written and read strictly."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from linkage_brute import base_of

from sealing import sealed
from seqveil.errors import CallError, InputProblems
from seqveil.link import Base
from seqveil.release.patterns import PatternRelease, PatternTable
from seqveil.tables.domain import Domain
from seqveil.tables.names import Alphabet


def release(counts: dict[str, float], alphabet: str = "abc", kind: str = "substring", **changes) -> PatternRelease:
    """A sealed release of these grams and noisy counts."""
    domain = Domain.of(list(alphabet))
    patterns = [[alphabet.index(c) for c in gram] for gram in counts]
    table = PatternTable.of(patterns, [int(c) for c in counts.values()], scale=1.0)
    unsealed = PatternRelease(domain, patterns=table, kind=kind, about="occurrences")
    facts = {"mechanism": "prefix-miner", "parameters": {"shortest": 1, "longest": 3}, "epsilon": "0.5", "stages": []}
    return sealed(unsealed, **{**facts, "unused": "0.5", **changes})


def test_merge_sums_noisy_counts_and_breaks_ties_publicly():
    """Negative counts are 0; of equal sums the shorter gram comes first, then the alphabet decides."""
    one = release({"b": 5, "ab": 9, "c": -8, "ba": 4})
    other = release({"a": 5, "c": 9, "aa": 4})

    assert ("c", "ab", "a", "b", "aa", "ba") == Base.merge([one, other], top=75).grams
    assert ("c", "ab", "a") == Base.merge([other, one], top=3).grams


def test_the_base_says_who_spent_what():
    """Both sources with their ε, and that a person in both files the budgets add up; an experiment makes the base not private."""
    base = Base.merge([release({"a": 5}), release({"a": 5}, epsilon="0.25")])
    trial = Base.merge([release({"a": 5}), release({"a": 5}, private=False)])

    assert ["0.5", "0.25"] == [source["epsilon"] for source in base.sources]
    assert base.private
    assert "ε = 0.5 (add or remove one record) and ε = 0.25" in base.spent
    assert "the budgets add up" in base.spent
    assert not trial.private
    assert "NOT differentially private" in trial.spent
    assert base.id == trial.id  # sources do not decide vectors


def test_bases_that_do_not_add_up_are_refused():
    """All reasons at once."""
    with pytest.raises(InputProblems) as caught:
        Base.merge([
            release({"a": 5}),
            release({"a": 5}, alphabet="abcd", kind="prefix", version="2", parameters={"shortest": 1, "longest": 4}),
        ])  # fmt: skip
    message = str(caught.value)

    assert [True] * 4 == [part in message for part in ("kind prefix", "another alphabet", "version 2", "longest is 4")]


def test_merging_nothing_is_refused():
    """No release, one release twice, no gram, a top that is none."""
    one = release({"a": 5})
    for releases, top, message in [([], 75, "nothing to merge"), ([one, one], 75, "2 times"), ([release({})], 75, "no n-grams"),
                                ([one], 0, "1 to 1,000"), ([one], 1001, "1 to 1,000")]:  # fmt: skip
        with pytest.raises(CallError, match=message):
            Base.merge(releases, top)


def test_a_domain_that_is_no_alphabet_is_refused():
    """Labels of several characters are stations, not letters."""
    stations = Domain.of(["Abbey", "West"])
    release = PatternRelease(stations, patterns=PatternTable.of([[0]], [3], 1.0), kind="substring", about="")
    sealed(release)
    with pytest.raises(InputProblems, match="not an alphabet"):
        Base.merge([release])


def test_the_id_covers_all_that_decides_a_vector():
    """Alphabet, its order, the grams and their order; nothing else."""
    base = base_of("ab", "a", "b")
    others = [base_of("ba", "a", "b"), base_of("abc", "a", "b"), base_of("ab", "b", "a"), base_of("ab", "a", "b", "ab")]

    assert 5 == len({base.id, *(other.id for other in others)})
    assert base.id == replace(base, sources=({"private": True},)).id


@pytest.mark.parametrize("base", [base_of("abc", "a", "ab"), Base(Alphabet("мир王"), ("м", "ир", "王"))], ids=["latin", "others"])
def test_save_and_load(tmp_path, base):
    """The same base, whatever script; never over another file."""
    path = base.save(tmp_path / "deep" / "base.json")

    assert base == Base.load(path)
    assert base.id == Base.load(path).id
    assert ["base.json"] == [file.name for file in path.parent.iterdir()]
    with pytest.raises(CallError, match="exists already"):
        base.save(path)


TAMPERED = [
    ({"version": 2}, "has version 2"),
    ({"version": True}, "wrong type"),
    ({"normalisation": 9}, "normalisation 9"),
    ({"format": "something"}, "is not a base"),
    ({"grams": ["a", "b"]}, "its id does not match"),
    ({"alphabet": "abd"}, "its id does not match"),
    ({"private": True}, "its private does not match"),
    ({"grams": []}, "has no n-grams"),
    ({"grams": ["a", "a"]}, "is listed 2 times"),
    ({"grams": ["a", ""]}, "0 characters"),
    ({"grams": ["a" * 13]}, "13 characters"),
    ({"grams": ["x"]}, "outside the alphabet"),
    ({"grams": ["a", 7]}, "not text"),
    ({"grams": ["a"] * 1001}, "at most 1,000"),
    ({"grams": "a"}, "wrong type at 'grams'"),
    ({"alphabet": "a A"}, "blank"),
    ({"alphabet": ""}, "no characters"),
    ({"sources": [{}]}, "a source without"),
    ({"sources": [["a"]]}, "a source without"),
    ({"more": 1}, "unknown key 'more'"),
    ({"id": None}, "wrong type at 'id'"),
]


@pytest.mark.parametrize(("change", "message"), TAMPERED, ids=[message for _, message in TAMPERED])
def test_a_changed_base_is_refused(tmp_path, change, message):
    """Whatever is not what `save` wrote."""
    path = base_of("abc", "a", "ab").save(tmp_path / "base.json")
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(InputProblems, match=message):
        Base.load(path)


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b"7", b"\xff\xfe", b"[" * 100_000, b'{"format": 1e999}', b" " * (1 << 25)],
                         ids=["empty", "cut", "list", "number", "bytes", "deep", "other", "huge"])  # fmt: skip
def test_no_bytes_make_a_traceback(tmp_path, raw):
    """Not JSON, too deep, too long, another file."""
    (tmp_path / "base.json").write_bytes(raw)
    with pytest.raises(InputProblems):
        Base.load(tmp_path / "base.json")


def test_a_missing_base_and_a_folder(tmp_path):
    """Said in words."""
    with pytest.raises(InputProblems, match="cannot be read"):
        Base.load(tmp_path / "none.json")
    with pytest.raises(InputProblems, match="is a folder"):
        Base.load(tmp_path)
