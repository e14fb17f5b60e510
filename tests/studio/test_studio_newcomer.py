"""What somebody stumbled over who saw the studio for the first time: words, kept fields, and the way back."""

from __future__ import annotations

import html
import json
import re
import time
from pathlib import Path

import pytest

from studios import Client, ended, fill_in, reviewed


def done(client: Client, task: str) -> str:
    """The page of a task that has ended."""
    deadline = time.monotonic() + 60
    while json.loads(client.get(f"{task}/state").text)["state"] == "running":
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return html.unescape(client.get(task).text)


def test_a_default_of_one_is_a_number(client: Client, data: Path):
    page = client.get(f"{fill_in(client, data)}/who").text

    assert "Empty: yes" not in page
    assert re.search(r'name="unit\.user\.max_sequences"[^>]*placeholder="1"', page)


def test_a_check_keeps_what_was_filled_in(client: Client, data: Path):
    base = fill_in(client, data)
    labelled = client.post(f"{base}/check", back="labels", public_because="printed on every map")
    columns = client.post(f"{base}/check", back="who", **{"layout.user": "card", "layout.item": "ts", "unit": "user"})

    assert labelled.status == columns.status == 303
    assert "printed on every map" in client.get(f"{base}/labels").text
    assert re.search(r'name="layout\.item".*?value="ts" selected', client.get(f"{base}/who").text, re.DOTALL)


def test_a_check_speaks_of_fields_and_not_of_options(client: Client, tmp_path: Path, serving):
    (tmp_path / "taps.csv").write_text("card,ts,station\na,,home\na,never,home\n", encoding="utf-8")
    (tmp_path / "stations.txt").write_text("metro\n", encoding="utf-8")
    own = serving(tmp_path)
    base = own.post("/new").location.removesuffix("/data")
    own.post(f"{base}/data/choose", path=str(tmp_path / "taps.csv"))
    own.post(f"{base}/labels/choose", path=str(tmp_path / "stations.txt"), public_because="a map")
    columns = {"layout.user": "card", "layout.time": "ts", "layout.item": "station", "unit": "user"}
    page = done(own, own.post(f"{base}/check", back="who", **columns).location)

    assert "unreadable or empty time" in page
    assert "“Time format”" in page
    assert "No sequences are left to publish" in page
    assert "--" not in re.sub(r"<[^>]*>", "", page)


def test_the_budget_names_the_number_that_it_assumes(client: Client, data: Path):
    from seqveil.studio.foresight import USUAL_SIZE

    page = client.get(f"{fill_in(client, data)}/budget").text

    assert f"Empty: {USUAL_SIZE:,}." in page
    assert "200000" not in page


def test_labels_are_said_to_be_values_of_the_column(client: Client, data: Path):
    assert "<code><bdi>station</bdi></code> can have" in client.get(f"{fill_in(client, data)}/labels").text


@pytest.mark.parametrize("names", [["card no", "tapped at", "stop name"], ["card", "boarded_at", "stop"]])
def test_columns_of_a_transit_agency_are_recognised(names: list[str]):
    from seqveil.studio.columns import _guesses

    assert list(_guesses(names).values()) == names


def test_a_query_that_fails_among_others_says_which(monkeypatch: pytest.MonkeyPatch):
    from seqveil.errors import CallError
    from seqveil.studio import release

    def refused(*_: object) -> None:
        raise CallError("1 label is needed.")

    monkeypatch.setattr(release, "_answer", refused)

    assert release._answered(None, "a b\nc d", "first")["problems"] == ["a b: 1 label is needed.", "c d: 1 label is needed."]
    assert release._answered(None, "a b", "first")["problems"] == ["1 label is needed."]


def test_a_refused_publication_says_why_beside_its_button(client: Client, data: Path):
    base = fill_in(client, data)
    client.post("/ledger/cap", account="closed", cap="0.1")
    client.post(f"{base}/budget", epsilon="1", account="closed")
    page = client.get(f"{base}/review").text
    beside = page[page.index('id="h-spend"') :]

    assert "exceeds the cap of account <bdi>closed</bdi>" in beside
    assert " disabled>" in beside


def test_a_folder_of_files_is_published_as_one(tmp_path: Path, serving):
    folder = tmp_path / "taps"
    folder.mkdir()
    for month in ("jan", "feb"):
        rows = "".join(f"{month}{n},{t},{item}\n" for n in range(100) for t, item in enumerate(("home", "metro")))
        (folder / f"{month}.csv").write_text("card,ts,station\n" + rows, encoding="utf-8")
    (tmp_path / "stations.txt").write_text("home\nmetro\n", encoding="utf-8")
    own = serving(tmp_path)
    base = own.post("/new").location.removesuffix("/data")
    own.post(f"{base}/data/browse", path=str(folder))
    offered = own.get(f"{base}/data").text
    assert own.post(f"{base}/data/choose", path=str(folder)).status == 303
    chosen = own.get(f"{base}/data").text
    raw = own.post(f"{base}/data/rows").text
    assert own.post(f"{base}/data").location.endswith("/who")
    columns = own.get(f"{base}/who").text
    assert (
        own.post(f"{base}/who", unit="user", **{"layout.user": "card", "layout.time": "ts", "layout.item": "station"}).status
        == 303
    )
    inside = own.post(f"{base}/labels/choose", path=str(folder / "jan.csv"))
    own.post(f"{base}/labels/choose", path=str(tmp_path / "stations.txt"), public_because="a map")
    assert own.post(f"{base}/labels", labels="file", public_because="a map").status == 303
    page = done(own, own.post(f"{base}/check", back="labels").location)
    own.post(f"{base}/method")
    own.post(f"{base}/budget", epsilon="1")
    review = html.unescape(own.get(f"{base}/review").text)
    assert own.post(f"{base}/publish", reviewed=reviewed(own, base)).status == 303

    assert ended(own, base.replace("/new/", "/runs/"))["state"] == "released"
    assert (tmp_path / "taps-release" / "manifest.json").is_file()
    assert "Use all files of this folder" in offered
    assert "3 columns" in chosen
    assert "feb0" in raw
    assert '<option value="card" selected>' in columns
    assert "is the data to be protected" in html.unescape(inside.text)
    assert re.search(r"rows read</th><td>400</td>", page)
    assert f"seqveil publish {folder} " in review
    assert f"--out {tmp_path}/taps-release" in review


def test_a_folder_that_is_none_of_one_format_is_refused(tmp_path: Path, serving):
    inner, outer = tmp_path / "open" / "taps", tmp_path / "secret.csv"
    inner.mkdir(parents=True)
    outer.write_text("card,station\n", encoding="utf-8")
    (inner / "a.csv").write_text("card,station\n", encoding="utf-8")
    own = serving(tmp_path / "open")
    base = own.post("/new").location.removesuffix("/data")
    (inner / "b.txt").write_text("x", encoding="utf-8")
    mixed = own.post(f"{base}/data/choose", path=str(inner))
    (inner / "b.txt").unlink()
    (inner / "b.csv").symlink_to(outer)
    linked = own.post(f"{base}/data/choose", path=str(inner))
    (inner / "b.csv").unlink()
    root = own.post(f"{base}/data/choose", path=str(tmp_path / "open"))

    assert [mixed.status, linked.status, root.status] == [400, 400, 400]
    assert "several formats" in mixed.text
    assert "is not in a folder that this studio was started with" in html.unescape(linked.text)
    assert "choose one below it" in root.text or "not only files" in root.text
    assert own.post(f"{base}/data/choose", path=str(inner)).status == 303
    (inner / "b.csv").symlink_to(outer)
    assert own.post(f"{base}/who", **{"layout.user": "card", "layout.item": "station"}).status == 400


def test_a_cap_below_what_is_spent_says_so(client: Client):
    from seqveil.tables.units import Record
    from seqveil.wall.budget import grains
    from seqveil.wall.ledger import Ledger

    with Ledger().reserve("late cap", grains("1.0"), unit=Record(), mechanism="ngram") as spend:
        spend.begin()
        spend.commit("cd" * 16, "digest")
    said = html.unescape(client.post("/ledger/cap", account="late cap", cap="0.5").text)

    assert "ε = 1.0 is already spent or reserved, more than the cap" in said
    assert "already spent" not in client.post("/ledger/cap", account="late cap", cap="1.0").text


def test_a_warning_about_a_cap_names_no_command():
    from seqveil.studio.words import without_command
    from seqveil.wall.ledger import Account
    from seqveil.wall.ledger.rules import uncapped

    shown = without_command(uncapped(Account("trips")) or "")

    assert shown.startswith("Account 'trips' has no cap")
    assert "seqveil" not in shown
