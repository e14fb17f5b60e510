"""Attempts to read, list or write outside the allowed folders."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqveil.errors import CallError
from seqveil.studio.drafts import Draft
from seqveil.studio.orders import source_of
from seqveil.studio.roots import Roots
from seqveil.tables.domain import Domain
from studios import Client


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """An allowed folder with a file, a folder and links; and a secret outside."""
    inside, outside = tmp_path / "in", tmp_path / "in-but-not"
    (inside / "deep").mkdir(parents=True)
    outside.mkdir()
    (inside / "a.csv").write_text("x\n")
    (outside / "secret.csv").write_text("secret\n")
    (inside / "link.csv").symlink_to(outside / "secret.csv")
    (inside / "links").symlink_to(outside)
    (inside / "self").symlink_to(inside / "self")
    (inside / "good.csv").symlink_to(inside / "a.csv")
    return inside


OUT = [
    "{root}/../in-but-not/secret.csv",
    "{root}/deep/../../in-but-not/secret.csv",
    "{root}/link.csv",
    "{root}/links/secret.csv",
    "{root}/links/../secret.csv",
    "{root}-but-not/secret.csv",
    "{root}/self",
    "/etc/passwd",
    "in/a.csv",
    "",
    "~/a.csv",
    "{root}/a.csv\0",
    "//etc/passwd",
    "/proc/self/environ",
]


@pytest.mark.parametrize("path", OUT)
def test_what_leads_out_is_refused(world: Path, path: str):
    with pytest.raises(CallError, match="not in a folder"):
        Roots.of([world]).inside(path.format(root=world))


def test_what_stays_inside_is_allowed(world: Path):
    roots = Roots.of([world])

    assert roots.inside(world / "a.csv") == world / "a.csv"
    assert roots.inside(f"{world}/deep/../a.csv") == world / "a.csv"
    assert roots.inside(world / "good.csv") == world / "a.csv"
    assert roots.inside(world) == world
    assert roots.place(world / "new") == world / "new"


@pytest.mark.parametrize("path", ["{root}/..", "{root}/.", "/", "{root}/links/new", "{root}/../new", "new"])
def test_nothing_is_put_outside(world: Path, path: str):
    with pytest.raises(CallError):
        Roots.of([world]).place(path.format(root=world))


def test_a_listing_shows_neither_links_that_lead_out_nor_hidden_files(world: Path):
    (world / ".hidden").write_text("x")
    names = [entry.name for entry in Roots.of([world]).listing(world)[0]]

    assert names == ["deep", "a.csv", "good.csv"]


@given(st.lists(st.sampled_from(["..", ".", "deep", "links", "a.csv", "link.csv", "in-but-not", "", "self"]), max_size=8))
def test_no_path_leads_out(tmp_path_factory: pytest.TempPathFactory, parts: list[str]):
    base = tmp_path_factory.getbasetemp() / "walk"
    inside, outside = base / "in", base / "in-but-not"
    if not base.exists():
        (inside / "deep").mkdir(parents=True)
        outside.mkdir()
        (inside / "links").symlink_to(outside)
        (inside / "self").symlink_to("self")
    try:
        real = Roots.of([inside]).inside("/".join([str(inside), *parts]))
    except CallError:
        return
    assert os.path.realpath(real) == str(real)
    assert real == inside or inside in real.parents


@pytest.mark.parametrize("path", ["../in-but-not/secret.csv", "link.csv", "links/secret.csv"])
@pytest.mark.parametrize("page", ["data/choose", "data/browse", "labels/choose", "labels/browse"])
def test_no_form_reaches_outside(serving, world: Path, path: str, page: str):
    client: Client = serving(world)
    base = client.post("/new").location.removesuffix("/data")
    client.post(f"{base}/data/choose", path=str(world / "a.csv"))
    answer = client.post(f"{base}/{page}", path=f"{world}/{path}")

    assert answer.status == 400
    assert "secret\n" not in answer.text
    assert "secret.csv" not in client.get(f"{base}/data").text


def test_a_draft_that_names_a_foreign_file_is_not_read(serving, world: Path):
    """A link that is put there after the file was chosen is judged again when the file is opened."""
    client: Client = serving(world)
    base = client.post("/new").location.removesuffix("/data")
    client.post(f"{base}/data/choose", path=str(world / "a.csv"))
    (world / "a.csv").unlink()
    (world / "a.csv").symlink_to(world.parent / "in-but-not" / "secret.csv")

    for answer in (client.post(f"{base}/data/rows"), client.get(f"{base}/data"), client.get(f"{base}/who")):
        assert answer.status == 400
        assert "secret\n" not in answer.text


@pytest.mark.parametrize("name", ["../studio.py", "..%2fstudio.py", "studio.py", "base.html.j2", "%2e%2e/pages.py"])
def test_no_file_but_ours_is_served(client: Client, name: str):
    answer = client.get(f"/static/{name}")

    assert answer.status == 404
    assert "import" not in answer.text


def test_opening_a_release_is_confined_as_well(serving, world: Path):
    client: Client = serving(world)
    release = world.parent / "in-but-not" / "r"
    release.mkdir()
    (release / "manifest.json").write_text("{}")

    assert client.post("/open", path=f"{world}/links/r", what="open").status == 400
    assert client.post("/open", path=str(world / "deep"), what="open").status == 400


@pytest.mark.parametrize(
    "typed", ["{out}/secret.csv", "{root}/../in-but-not/secret.csv", "{out}/a,b.txt", "{root}/links/a,b.txt"]
)
def test_no_typed_label_is_a_path(serving, world: Path, typed: str):
    """A range has two points and a list has commas; so may a path."""
    client: Client = serving(world)
    outside = world.parent / "in-but-not"
    (outside / "a,b.txt").write_text("secret\n")
    base = client.post("/new").location.removesuffix("/data")
    client.post(f"{base}/data/choose", path=str(world / "a.csv"))
    path = typed.format(out=outside, root=world)
    answers = [
        client.post(f"{base}/labels", labels="typed", typed=path, public_because="x"),
        client.post(
            "/experiments", data="file", public="yes", file=str(world / "a.csv"), domain=path, methods="ngram", epsilons="1"
        ),
    ]

    assert [answer.status for answer in answers] == [400, 400]
    assert not [answer for answer in answers if "<bdi>secret</bdi>" in answer.text]


@pytest.mark.parametrize("path", [path for path in OUT if path])
def test_a_file_of_time_bins_is_confined_as_well(world: Path, path: str):
    (world / "a.csv").write_text("t,i\n")
    (world / "bins.tsv").write_text("day\t00:00\t24:00\n")
    fields = {"file": str(world / "a.csv"), "layout.item": "i", "layout.time": "t"}
    roots, labels = Roots.of([world]), Domain.of(["a"])

    with pytest.raises(CallError, match="not in a folder"):
        source_of(Draft("", {**fields, "layout.time_bins": path.format(root=world)}), roots, labels)
    assert len(source_of(Draft("", {**fields, "layout.time_bins": str(world / "bins.tsv")}), roots, labels).domain) == 1
    assert len(source_of(Draft("", {**fields, "layout.time_bins": "60m"}), roots, labels).domain) == 24
