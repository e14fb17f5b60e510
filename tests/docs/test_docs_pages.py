"""What stands in blocks of the documentation runs: commands, Python, and the files that readers are asked to save."""

from __future__ import annotations

from pathlib import Path

import pytest
from consoles import Reader, blocks, commands, missing

from sitebuilder.nav import DOCS, written

PAGES = [page for page in written() if not page.startswith("tutorials/") and any(blocks((DOCS / page).read_text("utf-8")))]


@pytest.fixture
def reader(tmp_path, monkeypatch, seqveil):
    """In an empty folder, with an empty ledger."""
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "home"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return Reader(tmp_path / "work", seqveil)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::seqveil.errors.ReleaseWarning")
@pytest.mark.parametrize("page", PAGES)
def test_a_reader_can_follow_the_page(page, reader):
    """Every command ends as the page says, and prints what the page shows."""
    wrong = reader.follow((DOCS / page).read_text("utf-8"))

    assert not wrong, "\n\n".join(wrong)


def test_pages_with_blocks_are_seen():
    """The tutorial and the how-to pages are among them."""
    assert {"start/tutorial.md", "how-to/own-csv.md", "how-to/streams.md"} <= set(PAGES)


def test_what_is_not_as_the_page_says_is_seen(reader):
    """A wrong exit code, a line that is not printed, an option that does not exist."""
    shown = "$ seqveil methods\nmethod verb data protects description\nnothing like this\n$ seqveil methods --nonsense\n"
    page = f"```console\n{shown}```\n"
    first, second = reader.follow(page)

    assert "did not print 'nothing like this'" in first
    assert "ended with 2, not 0" in second


def test_files_and_python_are_part_of_a_page(reader):
    """A block with a name is saved, and Python of one block is there in the next."""
    wrong = reader.follow(
        "```text file=a.txt\nA\n```\n```python\nx = 1\n```\n```python\nassert x == 1\n```\n```console\n$ cat a.txt\nA\n```\n"
    )

    assert [] == wrong
    assert "A\n" == Path("a.txt").read_text()


def test_numbers_and_blanks_are_not_compared():
    """Noise is random, and a table is as wide as the terminal."""
    assert [] == missing(
        ["all trips   199,877", "error: …, remaining 0.5. …", "…"], "all trips\t12\nerror: cap, remaining 1.5. Use"
    )
    assert ["trips 1"] == missing(["trips 1"], "all trips 1")
    [one] = commands("$ seqveil x\nout\n[exit code 3]\n")
    assert ("seqveil x", ["out"], 3) == (one.line, one.shown, one.code)
