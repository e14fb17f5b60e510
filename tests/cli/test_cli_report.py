"""`seqveil report` writes one page."""

from __future__ import annotations

import json


def test_a_page_is_written(seqveil, small_release, tmp_path):
    """The page says what was promised, holds nothing INTERNAL, and needs nothing else."""
    ran = seqveil("report", small_release(), "--out", tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")

    assert 0 == ran.code
    assert "Privacy guarantee" in page
    assert "INTERNAL" not in page
    assert not [word for word in ("http://", "https://", "src=", "@import", "url(") if word in page]


def test_raw_data_make_it_internal(seqveil, small_release, tmp_path):
    """The banner is on the page and on stderr."""
    raw = tmp_path / "raw.txt"
    raw.write_text("home work\nwork\n" * 20)
    ran = seqveil("report", small_release(), "--raw", raw, "--out", tmp_path / "r.html")

    assert 0 == ran.code
    assert "INTERNAL" in ran.err
    assert "<strong>INTERNAL</strong>" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_an_experiment_says_so(seqveil, small_release, tmp_path):
    """Nobody takes it for a private release."""
    seqveil("report", small_release(private=False), "--out", tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")

    assert "EXPERIMENT – NOT PRIVATE" in page
    assert "no privacy guarantee" in page


def test_pages_are_not_overwritten_unasked(seqveil, small_release, tmp_path):
    """--overwrite is asking."""
    folder, page = small_release(), tmp_path / "r.html"
    page.write_text("mine")

    assert 2 == seqveil("report", folder, "--out", page).code
    assert "mine" == page.read_text()
    assert 0 == seqveil("report", folder, "--out", page, "--overwrite").code
    assert "mine" != page.read_text(encoding="utf-8")


def test_json_tells_where_it_is(seqveil, small_release, tmp_path):
    """One object on stdout and nothing else."""
    ran = seqveil("report", small_release(), "--out", tmp_path / "r.html", "--json")

    assert ("", False) == (ran.err, json.loads(ran.out)["internal"])
