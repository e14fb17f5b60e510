"""The command that starts the local web page: what it prints, and what it refuses before it listens."""

from __future__ import annotations

import signal
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from typer.testing import CliRunner

from seqveil.cli.app import app
from seqveil.errors import CallError
from studios import Started


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--host", "0.0.0.0"], "--host 0.0.0.0: the studio would be reachable from other machines"),
        (["--host", "192.168.1.5"], "--exposed allows it all the same"),
        (["--host", "example.org"], "is not an IP address"),
        (["--folder", "nowhere"], "--folder nowhere is not a folder"),
    ],
)
def test_a_wrong_call_is_refused_before_anything_listens(words: list[str], said: str):
    outcome = CliRunner().invoke(app, ["studio", "--no-open", *words])

    assert isinstance(outcome.exception, CallError)
    assert said in str(outcome.exception)


def test_a_port_that_is_taken_is_named():
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        outcome = CliRunner().invoke(app, ["studio", "--no-open", "--port", str(taken.getsockname()[1])])

    assert isinstance(outcome.exception, CallError)
    assert "cannot listen on 127.0.0.1" in str(outcome.exception)


@pytest.mark.slow
def test_the_address_is_printed_with_its_token_and_ctrl_c_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "home"))
    (tmp_path / "data").mkdir()
    studio = Started(tmp_path / "data")
    try:
        page = studio.get("/")
    finally:
        code = studio.end(signal.SIGINT)

    assert len(parse_qs(urlsplit(studio.first).query)["token"][0]) >= 40
    assert page.status == 200
    assert str(tmp_path / "data") in page.text
    assert code == 0


def test_the_browser_is_opened_through_a_file_that_others_cannot_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A command line is visible to every user of the machine; the token is not on it, and the file goes with the studio."""
    import time
    import webbrowser

    from seqveil.studio.address import Address
    from seqveil.studio.entrance import open_browser
    from seqveil.studio.roots import Roots
    from seqveil.studio.studio import Studio

    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    studio = Studio(Roots.of([tmp_path]), Address("127.0.0.1", 1), folder=tmp_path / "kept")
    with open_browser(studio, wanted=True):
        deadline = time.monotonic() + 120
        while not opened and time.monotonic() < deadline:
            time.sleep(0.02)
        path = Path(urlsplit(opened[0]).path)
        mode, text = path.stat().st_mode & 0o777, path.read_text("utf-8")

    assert studio.secrets.token not in opened[0]
    assert mode == 0o600
    assert studio.address.first(studio.secrets) in text
    assert not path.exists()
