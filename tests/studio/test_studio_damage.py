"""What somebody tried by hand: files that change after they were chosen, damaged notes of the studio, clocks, endless work."""

from __future__ import annotations

import os
import re
import signal
import socket
import time
from pathlib import Path

import pytest

from seqveil.studio import orders
from seqveil.studio.drafts import MOST_KEPT, Draft, Drafts
from seqveil.studio.runs import Runs
from studios import Client, Started, fill_in


@pytest.fixture
def filled(serving, data: Path, tmp_path: Path) -> tuple[Client, str, Path]:
    """A draft over a copy of the data, up to its review; and the file of its labels."""
    folder = tmp_path / "data"
    folder.mkdir()
    for name in ("trips.csv", "stations.txt"):
        (folder / name).write_bytes((data / name).read_bytes())
    client: Client = serving(folder)
    return client, fill_in(client, folder), folder / "stations.txt"


STEPS = ("labels", "method", "budget", "review")


def test_labels_that_became_a_link_out_are_not_read(filled: tuple[Client, str, Path], tmp_path: Path):
    """Neither on the page that shows the first ones nor by the method that would count them."""
    client, base, labels = filled
    (tmp_path / "secret.txt").write_text("secret one\nsecret two\n")
    labels.unlink()
    labels.symlink_to(tmp_path / "secret.txt")
    pages = [client.get(f"{base}/{step}").text for step in STEPS] + [client.get(f"{base}/forecast").text]
    published = client.post(f"{base}/publish", reviewed=re.search(r'name="reviewed" value="(\w+)"', pages[3])[1])

    assert [] == [page for page in pages if "secret one" in page]
    assert "choose it again in step 3" in pages[3]
    assert published.status == 400
    assert not client.studio.runs.exists(base.rpartition("/")[2])


def test_a_parameter_that_became_a_link_out_is_not_read(filled: tuple[Client, str, Path], tmp_path: Path):
    client, base, labels = filled
    tree = labels.parent / "tree.txt"
    tree.write_text("home\n")
    client.post(f"{base}/method", method="prefix-hybrid", **{"prefix-hybrid:p.taxonomy": str(tree)})
    tree.unlink()
    tree.symlink_to(tmp_path / "secret.txt")
    (tmp_path / "secret.txt").write_text("secret one\n")
    pages = [client.get(f"{base}/{step}").text for step in STEPS]

    assert [] == [page for page in pages if "secret one" in page]
    assert "choose it again in step 4" in pages[3]


def test_a_pipe_is_no_file_of_labels(filled: tuple[Client, str, Path]):
    """Whoever opened it would wait without end."""
    client, base, labels = filled
    os.mkfifo(labels.parent / "pipe.txt")

    assert client.post(f"{base}/labels/choose", path=str(labels.parent / "pipe.txt")).status == 400


def test_a_huge_file_is_no_file_of_labels(filled: tuple[Client, str, Path], monkeypatch: pytest.MonkeyPatch):
    client, base, labels = filled
    monkeypatch.setattr(orders, "MOST_LABELS", 10)
    answer = client.post(f"{base}/labels/choose", path=str(labels))

    assert answer.status == 400
    assert "one label per line" in answer.text


def test_a_step_whose_parameters_cannot_work_says_so_on_its_own_page(filled: tuple[Client, str, Path]):
    client, base, _ = filled
    client.post(f"{base}/method", method="ngram", **{"ngram:p.l_max": "1000000000"})
    page = client.get(f"{base}/budget")

    assert page.status == 400
    assert 'id="problems"' in page.text
    assert f'href="{base}/method"' in page.text


def test_a_refused_form_leads_back_to_its_page(filled: tuple[Client, str, Path]):
    client, base, _ = filled

    assert 'href="/ledger">Back<' in client.post("/ledger/cap", account="metro", cap="x").text
    assert f'href="{base}/data">Back<' in client.post(f"{base}/data/choose", path="/etc/passwd").text


def test_an_account_that_is_no_file_name_has_a_folder_with_one(filled: tuple[Client, str, Path]):
    client, base, labels = filled
    client.post(f"{base}/budget", epsilon="1", size="", account="../a b/c")

    assert f'value="{labels.parent}/a-b-c-release"' in client.get(f"{base}/review").text


@pytest.mark.parametrize("body", ["", "[]", "5", '{"fields": 5}', "\x00"])
def test_damaged_notes_keep_nobody_from_the_home_page(filled: tuple[Client, str, Path], body: str):
    """A power cut can leave a file empty."""
    client, base, _ = filled
    id = "00000000deadbeef"
    run = client.studio.runs.path(id)
    notes = [client.studio.folder / "drafts" / f"{id}.json", run / "order.json", client.studio.folder / "opened.json"]
    run.mkdir(parents=True, exist_ok=True)
    try:
        for note in notes:
            note.write_text(body)
        answers = [client.get(path).status for path in ("/", f"/new/{id}/data", f"/runs/{id}")]
        home = client.get("/").text
    finally:
        for note in notes:
            note.unlink()

    assert answers[0] == 200
    assert set(answers[1:]) <= {303, 400}
    assert f"{base}/review" in home


def test_a_clock_that_was_set_back_keeps_no_run_from_being_started(tmp_path: Path):
    runs = Runs(tmp_path / "runs", ["true"])
    draft = Draft("0123456789abcdef", {"file": "x"})
    runs.order(draft, [tmp_path])
    early = runs.progress(draft.id).fresh
    later = time.time() + 86_400
    os.utime(runs.path(draft.id) / "order.json", (later, later))

    assert (early, runs.progress(draft.id).fresh) == (True, False)


def test_old_drafts_are_forgotten_and_empty_ones_hide_none(tmp_path: Path):
    drafts = Drafts(tmp_path)
    mine = drafts.new({"file": "trips.csv"})
    for n in range(MOST_KEPT + 20):
        (tmp_path / f"{n:016x}.json").write_text("{}")
        os.utime(tmp_path / f"{n:016x}.json", (n, n))
    fresh = drafts.new()

    assert len(drafts.ids()) == MOST_KEPT
    assert {mine.id, fresh.id} <= set(drafts.ids())
    assert [draft.id for draft in drafts.recent(5, lambda id: False)] == [mine.id]
    assert drafts.recent(5, lambda id: True) == []


def test_a_studio_ends_while_a_page_is_being_made(tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch):
    """A thread that waits for a file would hold it up without end."""
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "home"))
    studio = Started(data)
    stuck = tmp_path / "home" / "studio" / "drafts" / "0123456789abcdef.json"
    stuck.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(stuck)
    request = f"GET /new/{stuck.stem}/data HTTP/1.1\r\nHost: {studio.host}\r\nCookie: {studio.cookie}\r\n\r\n"
    try:
        with socket.create_connection(("127.0.0.1", studio.port)) as sock:
            sock.sendall(request.encode())
            end = held_open(stuck)
            code = studio.end(signal.SIGINT)
            os.close(end)
    finally:
        studio.process.kill()

    assert code == 0


def held_open(pipe: Path) -> int:
    """The other end of a pipe that somebody has begun to read, who waits from now on."""
    deadline = time.monotonic() + 30
    while True:
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:  # nobody reads yet
            assert time.monotonic() < deadline
            time.sleep(0.02)
