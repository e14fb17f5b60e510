"""`seqveil bench` runs what a file declares."""

from __future__ import annotations

import gzip

import pytest

BENCH = """
title = "Tiny"
data = "tiny.seq"
domain = "a,b"
epsilons = ["1.0"]
runs = 2
measure = ["count_error"]
[[methods]]
label = "n-gram"
method = "ngram"
l_max = 3
n_max = 2
[[tables]]
title = "Errors"
metric = "count_error.full.{x}"
x = [4]
x_name = "≤"
[[plots]]
name = "e"
title = "Errors"
metric = "count_error.full.4"
against = "epsilon"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with a bench and its data."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "tiny.toml").write_text(BENCH)
    (tmp_path / "tiny.seq").write_text("a b\nb\n" * 200)
    return tmp_path


def test_the_table_is_printed_and_the_page_written(seqveil, folder):
    """Markdown on stdout, a page with when and where, a plot beside it; words on the page stay."""
    page = folder / "docs" / "tiny.md"
    first = seqveil("bench", "tiny", "--data", folder, "--page", page, "--machine", "a desk")
    page.write_text(page.read_text() + "\nA remark.\n")
    seqveil("bench", "tiny", "--data", folder, "--page", page)
    text = page.read_text()

    assert 0 == first.code
    assert "| method | ε | ≤ 4 |" in first.out
    assert "A remark." in text
    assert 1 == text.count("### Errors")
    assert "](plots/tiny-e.svg)" in text
    assert (folder / "docs" / "plots" / "tiny-e.svg").exists()
    assert 2 == len((folder / "results" / "tiny.jsonl").read_text().splitlines())


def test_without_a_name_the_benches_are_listed(seqveil, folder):
    """Those of the folder and the project's own."""
    ran = seqveil("bench")

    assert "tiny\tTiny" in ran.out
    assert "msnbc-count\t" in ran.out


def test_an_unknown_bench_and_missing_data_say_what_to_do(seqveil, folder):
    """Exit code 2 with the names there are, or the file that is missing."""
    unknown, missing = seqveil("bench", "nope"), seqveil("bench", "tiny", "--data", folder / "elsewhere")

    assert (2, 2) == (unknown.code, missing.code)
    assert "tiny" in unknown.err
    assert "tiny.seq is not in" in missing.err


def test_fresh_forgets_earlier_results(seqveil, folder):
    """Otherwise nothing is run twice."""
    seqveil("bench", "tiny", "--data", folder)
    (folder / "results" / "tiny.jsonl").write_text('{"old": true}\n')
    seqveil("bench", "tiny", "--data", folder, "--fresh", "--runs", 1)

    assert 1 == len((folder / "results" / "tiny.jsonl").read_text().splitlines())


def test_quality_prints_what_is_measured_and_what_is_left_out(seqveil, folder):
    """One simulated set without any file, and one whose file is missing; the page says what was typed, and resumes."""
    page = folder / "docs" / "quality.md"
    words = ["quality", "--sets", "sepsis,helpdesk", "--epsilon", "1", "--runs", 1, "--data", folder, "--page", page]
    (folder / "helpdesk.seq.gz").write_bytes(gzip.compress(b"a b c\n" * 200 + b"b a\n" * 100))
    ran = seqveil("bench", *words)

    assert 0 == ran.code
    assert "### ngram, ε = 1, one seed" in ran.out
    assert "| helpdesk | " in ran.out
    assert "Left out: sepsis (sepsis.seq.gz is not in" in ran.out
    assert "`seqveil bench quality --method ngram --epsilon 1 --runs 1 --sets sepsis,helpdesk`" in page.read_text()
    assert 1 == len((folder / "results" / "quality.jsonl").read_text().splitlines())
    seqveil("bench", *words)
    assert 1 == len((folder / "results" / "quality.jsonl").read_text().splitlines())
    seqveil("bench", *words, "--fresh")
    assert 1 == len((folder / "results" / "quality.jsonl").read_text().splitlines())
    assert "quality\tWhole records" in seqveil("bench").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["quality", "tiny"], "`quality` runs alone"),
        (["tiny", "--sets", "msnbc"], "--sets: only for `seqveil bench quality`"),
        (["quality", "--sets", "nope"], "--sets nope: unknown; choose among msnbc"),
        (["quality", "--method", "der"], "der works on graph, not on sequences: choose another --method"),
        (["quality", "--epsilon", "0"], "--epsilon 0: give numbers above 0"),
    ],
)
def test_wrong_calls_of_quality_are_refused_in_words(seqveil, folder, words, said):
    """Before anything is read."""
    ran = seqveil("bench", *words)

    assert 2 == ran.code
    assert said in ran.err
