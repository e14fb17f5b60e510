"""The files that verbs write: INTERNAL pages are closed to others, nothing goes through a link, pictures are drawn or refused."""

from __future__ import annotations

import json
import os
import stat

import numpy as np
import pytest

import seqveil as sv


def test_an_internal_page_is_its_owners_alone(seqveil, small_release, tmp_path):
    """Also where a page that all may read is overwritten; a page without raw data is as open as the umask says."""
    raw, page, other = tmp_path / "raw.txt", tmp_path / "r.html", tmp_path / "public.html"
    raw.write_text("home work\nwork\n" * 20)
    page.write_text("old")
    page.chmod(0o666)
    before = os.umask(0)
    try:
        folder = small_release()
        assert 0 == seqveil("report", folder, "--raw", raw, "--out", page, "--overwrite").code
        assert 0 == seqveil("report", folder, "--out", other).code
    finally:
        os.umask(before)

    assert (0o600, 0o666) == tuple(stat.S_IMODE(path.stat().st_mode) for path in (page, other))


@pytest.mark.parametrize("there", [False, True], ids=["dangling", "to a file"])
@pytest.mark.parametrize(
    "call",
    [("report", "--out"), ("report", "--overwrite", "--out"), ("synth", "--out")],
    ids=" ".join,
)
def test_no_verb_writes_through_a_link(seqveil, small_release, tmp_path, call, there):
    """A link planted where a report or synthetic records will go leads nowhere."""
    verb, *options = call
    behind, link = tmp_path / "behind.txt", tmp_path / ("page.html" if verb == "report" else "made.txt")
    if there:
        behind.write_text("mine")
    link.symlink_to(behind)
    ran = seqveil(verb, small_release(), *options, link)

    assert 2 == ran.code
    assert "symbolic link" in ran.err
    assert there == behind.exists()
    assert not there or "mine" == behind.read_text()


def test_synthetic_records_do_not_follow_a_link_in_python(small_release, tmp_path):
    """Writing from Python replaces files as before, but no links."""
    release = sv.load(small_release())
    release.synthesize().write(tmp_path / "s.txt")
    release.synthesize().write(tmp_path / "s.txt")
    (tmp_path / "link.txt").symlink_to(tmp_path / "behind.txt")

    with pytest.raises(sv.errors.CallError, match="symbolic link"):
        release.synthesize().write(tmp_path / "link.txt")
    assert "home work\nwork\n\n" == (tmp_path / "s.txt").read_text()
    assert not (tmp_path / "behind.txt").exists()


def test_a_picture_of_sequences_is_refused_with_a_sentence(seqveil, small_release, tmp_path):
    """Nothing is printed and nothing is drawn; the sentence says which releases have pictures, and what to type instead."""
    folder = small_release()
    ran = seqveil("inspect", folder, "--picture", tmp_path / "p.svg")

    assert (2, "") == (ran.code, ran.out)
    assert "synthetic records; only graphs made by der or graph-random have a map to draw" in ran.err
    assert f"seqveil report {folder}" in ran.err
    assert not (tmp_path / "p.svg").exists()


@pytest.mark.parametrize("as_json", [False, True])
def test_a_picture_of_a_graph_is_drawn(seqveil, tmp_path, as_json):
    """With --json too; a graph without a map is refused."""
    from seqveil.registry import make
    from seqveil.tables.graphs import GraphTable

    domain = sv.Domain.of([f"v{i}" for i in range(12)])
    table = GraphTable(domain, np.arange(11, dtype=np.int32), np.arange(1, 12, dtype=np.int32))
    for method in ("graph-random", "graph-laplace"):
        sv.experiment(table, make(method, {}), epsilon="5.0", seed=1, unit=sv.Edge(1)).save(tmp_path / method)
    options = ("--json",) if as_json else ()
    drawn = seqveil("inspect", tmp_path / "graph-random", "--picture", tmp_path / "p.svg", *options)
    refused = seqveil("inspect", tmp_path / "graph-laplace", "--picture", tmp_path / "q.svg", *options)

    assert 0 == drawn.code
    assert (tmp_path / "p.svg").read_text().startswith("<svg")
    assert (2, False) == (refused.code, (tmp_path / "q.svg").exists())
    assert "no density map" in refused.err
    if as_json:
        assert json.loads(drawn.out)["content"] == "graph"
