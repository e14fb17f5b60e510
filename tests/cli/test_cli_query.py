"""`seqveil query` answers from the release alone."""

import json
import shlex

import pytest

from sealing import sealed
from seqveil.release import Release
from seqveil.release.grams import GramRelease, GramTable
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat


def test_counts_with_bars(seqveil, small_release):
    """In a pipe every query is a tab-separated line; what the numbers mean goes to stderr."""
    ran = seqveil("query", small_release(), "home work", "work &", "--total")

    assert 0 == ran.code
    assert [
        "query\tcount\tlow\thigh\tkind",
        "home work\t700\t650\t770\tcount",
        "work &\t60\t0\t114\tcount",
        "total\t760\t618\t852\ttotal",
    ] == ran.out.splitlines()
    assert "records cut to their first 5 items, at most 2 per user" in ran.err


def test_estimates_have_no_bar_and_say_so(seqveil, small_release):
    """Grams that were not asked, or are longer than the tree, are estimates."""
    ran = seqveil("query", small_release(), "work home", "home work &")

    assert ["work home\t300\t-\t-\testimate", "home work &\t52\t-\t-\testimate"] == ran.out.splitlines()[1:]
    assert "Markov" in ran.err


def test_json_is_one_object_and_nothing_else(seqveil, small_release):
    """Programs get numbers, nulls for missing bars, and silence on stderr."""
    ran = seqveil("query", small_release(), "home work", "work home", "--total", "--json")
    result = json.loads(ran.out)

    assert "" == ran.err
    assert [["home", "work"], ["work", "home"]] == [answer["query"] for answer in result["answers"]]
    assert (700.0, 650, 770, "count") == tuple(result["answers"][0][k] for k in ("value", "low", "high", "kind"))
    assert (1000.0, None, "estimate") == tuple(result["total"][k] for k in ("value", "low", "kind"))
    assert result["private"] is True


def test_a_label_outside_the_domain_is_a_wrong_call(seqveil, small_release):
    """The label is named, and a command that can be pasted; exit code 2."""
    folder = small_release()
    ran = seqveil("query", folder, "hme work", "work")
    said, _, typed = ran.err.strip().partition(" Try ")

    assert (2, "") == (ran.code, ran.out)
    assert "error: hme is not in the domain of this release: did you mean home?" == said
    assert f"seqveil query {folder} 'home work' work" == typed


@pytest.mark.parametrize("separator", [(), ("--separator", ",")])
def test_what_may_have_been_meant_can_be_pasted(seqveil, small_release, separator):
    """As a shell reads it, also for labels with blanks, quotes and a dash in front."""
    folder = small_release(labels=('West "Ham"', "--Abbey Road"))
    asked = '"West \\"Hamm\\"" "--Abbey Road"' if not separator else 'West "Hamm", --Abbey Road'
    ran = seqveil("query", folder, asked, *separator)
    typed = ran.err.split(" Try ")[1].splitlines()[0]
    name, *words = shlex.split(typed)
    pasted = seqveil(*words)

    assert (2, "seqveil") == (ran.code, name)
    assert (0, "700") == (pasted.code, pasted.out.splitlines()[1].split("\t")[1]), pasted.err


def test_unknown_is_not_zero(seqveil, tmp_path):
    """A label that did not reach the threshold has no count; what the release rules out is said, in JSON as a field."""
    grams = GramTable.of([[0], [0, 0]], count=[900.0, 300.0], scale=20.0, threshold=50)
    release = GramRelease(Domain.of(["home", "shop"]), grams=grams, synthetic=Flat.of([[0]]), l_max=5, n_max=2)
    folder = sealed(release).save(tmp_path / "r")
    ran = seqveil("query", folder, "home shop", "home")
    answer, other = json.loads(seqveil("query", folder, "home shop", "home", "--json").out)["answers"]

    assert "home shop\t-\t-\t-\tnot released" == ran.out.splitlines()[1]
    assert "home shop: not released, at most about 95" in ran.err
    assert "does not mean 0" in ran.err
    assert (None, None, "not released", 95) == (answer["value"], answer["high"], answer["kind"], answer["at_most"])
    assert {"query", "value", "low", "high", "kind", "about"} == set(other)


def test_labels_with_blanks_need_quotes_or_a_separator(seqveil, small_release):
    """Without either the error says what helps; with a separator the query works, and is shown as it can be pasted."""
    folder = small_release(labels=("West Ham", "Abbey Road"))
    refused = seqveil("query", folder, "West Ham")
    answered = seqveil("query", folder, "West Ham, Abbey Road", "--separator", ",")

    assert 2 == refused.code
    assert "--separator" in refused.err
    assert "'\"West Ham\"'" in refused.err
    assert '"West Ham" "Abbey Road"\t700\t650\t770\tcount' == answered.out.splitlines()[1]


def test_an_experiment_is_announced(seqveil, small_release):
    """Answers of a seeded run come with the banner."""
    ran = seqveil("query", small_release(private=False), "home")

    assert ran.err.startswith("EXPERIMENT - NOT PRIVATE")


def test_a_damaged_release_ends_with_1(seqveil, small_release):
    """A changed file is named, and nothing is answered."""
    folder = small_release()
    (folder / "README.txt").write_text("changed")
    ran = seqveil("query", folder, "home")

    assert (1, "") == (ran.code, ran.out)
    assert "README.txt was changed" in ran.err


def test_no_release_ends_with_2(seqveil, tmp_path):
    """A folder that is not there is the caller's mistake."""
    ran = seqveil("query", tmp_path / "nowhere", "home")

    assert 2 == ran.code
    assert "does not exist" in ran.err


class Silent(Release):
    """Somebody's new content, which counts nothing."""

    content, description = "maps", "a map"
    tables = from_saved = None


def test_a_release_that_counts_nothing_is_refused_with_a_sentence(seqveil, tmp_path, monkeypatch):
    """Whether a release answers counts is a capability, not a method that happens to be there."""
    monkeypatch.setattr("seqveil.release.load", lambda folder: Silent(Domain.of(["a"])))

    for queries in (["a"], []):
        ran = seqveil("query", tmp_path / "maps", *queries)
        assert (2, "") == (ran.code, ran.out)
        assert "holds maps, which answers no counts: try seqveil inspect" in ran.err


def test_a_label_with_blanks_that_was_not_quoted_is_recognised(seqveil, small_release):
    """The command that is shown answers."""
    folder = small_release(labels=("West Ham", "Abbey Road"))
    refused = seqveil("query", folder, "West Ham Abbey Road", '"West Ham"')
    typed = refused.err.split(" Try ")[1].splitlines()[0]
    pasted = seqveil(*shlex.split(typed)[1:])

    assert 2 == refused.code
    assert [700, 900] == [int(line.split("\t")[1]) for line in pasted.out.splitlines()[1:]], pasted.err
