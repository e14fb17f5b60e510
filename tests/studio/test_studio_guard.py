"""Attempts to get past the guard, over a real socket. Every one must fail, and change nothing."""

from __future__ import annotations

import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import seqveil as sv
from seqveil.errors import CallError
from seqveil.studio import guard, server
from seqveil.studio.address import Address, Secrets, refuse_remote
from seqveil.studio.shelf import key_of
from studios import Client, Started, raw_request


def test_the_first_address_gives_a_cookie_that_scripts_and_strangers_do_not_get(client: Client):
    first = client.ask("GET", f"/?token={client.studio.secrets.token}")
    cookie = first.headers["set-cookie"]

    assert first.status == 200
    assert cookie.startswith(client.cookie)
    assert {"HttpOnly", "SameSite=Strict"} <= {part.strip() for part in cookie.split(";")}
    assert client.studio.secrets.token not in first.text
    assert client.ask("GET", "/", None, {"cookie": cookie.split(";")[0]}).status == 200


@pytest.mark.parametrize("query", ["", "?token=", "?token=wrong", "?token={token}x", "?token={token}&token={token}"])
def test_without_the_token_nothing_is_shown(client: Client, query: str):
    answer = client.ask("GET", "/" + query.format(token=client.studio.secrets.token))

    assert answer.status == 403
    assert "set-cookie" not in answer.headers
    assert "terminal" in answer.text


@pytest.mark.parametrize("path", ["/", "/ledger", "/static/studio.css", "/runs/0000000000000000/state", "/nowhere"])
@pytest.mark.parametrize("cookie", ["", "seqveil-1=x", "seqveil-{port}=", "seqveil-{port}=wrong", "seqveil-{port}={token}"])
def test_every_page_needs_the_cookie(client: Client, path: str, cookie: str):
    given = cookie.format(port=client.studio.address.port, token=client.studio.secrets.token)

    assert client.ask("GET", path, None, {"cookie": given} if given else {}).status == 403


def test_the_token_opens_the_first_page_only(client: Client):
    """A link of somebody else's with a token must not do anything but enter."""
    token = client.studio.secrets.token

    assert client.ask("GET", f"/ledger?token={token}").status == 403
    assert client.send(f"/new?token={token}", f"secret={client.studio.secrets.form}", cookie="").status == 403


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "localhost", "[::1]:{port}", ""]
)
def test_a_foreign_host_is_refused(client: Client, host: str):
    """DNS rebinding: the name of somebody else's site that leads to this machine."""
    port = client.studio.address.port
    request = f"GET / HTTP/1.1\r\nhost: {host.format(port=port)}\r\ncookie: {client.cookie}\r\nconnection: close\r\n\r\n"

    assert raw_request(port, request.encode()).split(b" ")[1] in (b"421", b"400")


def test_two_hosts_are_refused(client: Client):
    port = client.studio.address.port
    lines = [f"host: 127.0.0.1:{port}", "host: evil.example", f"cookie: {client.cookie}", "connection: close"]
    request = "\r\n".join(["GET / HTTP/1.1", *lines, "", ""])

    assert raw_request(port, request.encode()).split(b" ")[1] in (b"421", b"400")


def test_two_hosts_are_refused_by_the_guard_itself():
    """The server refuses them before it; another server might not."""
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    address, secrets = Address("127.0.0.1", 80), Secrets()
    headers = [(b"host", b"127.0.0.1:80"), (b"host", b"evil.example"), (b"cookie", f"seqveil-80={secrets.cookie}".encode())]
    scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": headers}
    answering = guard.Guard(None, address, secrets, lambda name: None)(scope, None, send)  # type: ignore[arg-type]
    with pytest.raises(StopIteration):  # it waits for nothing, so one step is all of it; a browser may have a loop of its own
        answering.send(None)

    assert sent[0]["status"] == 421


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://{host}", "http://127.0.0.1:1", "http://{host}.evil", ""]
)
def test_a_foreign_origin_changes_nothing(client: Client, origin: str):
    answer = client.send("/new", f"secret={client.studio.secrets.form}", origin=origin.format(host=client.host))

    assert answer.status == 403
    assert client.studio.drafts.ids() == []


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_site_and_another_port_of_this_machine_are_strangers(client: Client, site: str):
    """The cookie goes to every port of this machine; what a page on another port asks for is refused all the same."""
    assert client.get("/", **{"sec-fetch-site": site}).status == 403
    assert client.get("/", **{"sec-fetch-site": "same-origin"}).status == 200
    assert client.send("/new", f"secret={client.studio.secrets.form}", sec_fetch_site=site).status == 403


@pytest.mark.parametrize("secret", ["", "secret=", "secret=wrong", "secret={secret}&secret={secret}"])
def test_a_form_without_its_secret_changes_nothing(client: Client, secret: str):
    answer = client.send("/new", secret.format(secret=client.studio.secrets.form))

    assert answer.status == 403
    assert client.studio.drafts.ids() == []


def test_what_changes_something_is_not_a_get(client: Client):
    """No page answers GET and POST with the same function."""
    from seqveil.studio.app import PAGES

    changing = {path for method, path, _ in PAGES if method == "POST"}
    answering = {where for method, _, where in PAGES if method == "GET"} & {
        where for method, _, where in PAGES if method == "POST"
    }

    assert answering == set()
    assert client.get("/new").status == 404
    assert "/new" in changing
    assert client.ask("PUT", "/new", None, {"cookie": client.cookie, "origin": f"http://{client.host}"}).status == 405


@pytest.mark.parametrize("kind", ["multipart/form-data; boundary=x", "application/json", "text/plain", ""])
def test_only_plain_forms_are_read(client: Client, kind: str):
    body = f"secret={client.studio.secrets.form}"

    assert client.send("/new", body, content_type=kind).status in (415, 403)
    assert client.studio.drafts.ids() == []


def test_a_giant_form_is_refused_before_it_is_read(client: Client):
    """By what it declares, and by what it sends where it declares nothing."""
    port = client.studio.address.port
    head = (
        f"POST /new HTTP/1.1\r\nhost: {client.host}\r\norigin: http://{client.host}\r\ncookie: {client.cookie}\r\n"
        "content-type: application/x-www-form-urlencoded\r\nconnection: close\r\n"
    )
    declared = raw_request(port, f"{head}content-length: 99999999999\r\n\r\n".encode())
    chunk = b"10000\r\n" + b"a" * 65536 + b"\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=20) as sock:
        sock.sendall(f"{head}transfer-encoding: chunked\r\n\r\n".encode())
        try:
            for _ in range(1 + guard.MOST_BODY // 65536):
                sock.sendall(chunk)
            streamed = sock.recv(65536)
        except ConnectionError:  # it was cut off while it was still sending
            streamed = b"HTTP/1.1 413 "

    assert declared.split(b" ")[1] == b"413"
    assert streamed.split(b" ")[1] == b"413"


def test_a_form_of_too_many_fields_is_refused(client: Client):
    assert client.send("/new", "&".join(f"a{n}=1" for n in range(guard.MOST_FIELDS + 1))).status == 400


def test_slow_clients_keep_nobody_waiting(serving, monkeypatch: pytest.MonkeyPatch):
    """Many connections that never finish their head, and forms that never end, are cut off; others are served meanwhile."""
    monkeypatch.setattr(server, "HEAD_SECONDS", 1.0)
    monkeypatch.setattr(guard, "BODY_SECONDS", 1.0)
    client = serving()
    port = client.studio.address.port
    slow = [socket.create_connection(("127.0.0.1", port), timeout=10) for _ in range(50)]
    for sock in slow[:25]:
        sock.sendall(b"GET / HT")
    head = f"POST /new HTTP/1.1\r\nhost: {client.host}\r\norigin: http://{client.host}\r\ncookie: {client.cookie}\r\n"
    body = "content-type: application/x-www-form-urlencoded\r\ncontent-length: 100\r\n\r\nsecr"
    for sock in slow[25:]:
        sock.sendall((head + body).encode())
    begun = time.monotonic()
    answer = client.get("/")
    took = time.monotonic() - begun

    assert (answer.status, took < 3.0) == (200, True)
    assert all(sock.recv(10) == b"" for sock in slow[:25])
    assert {sock.recv(12) for sock in slow[25:]} == {b"HTTP/1.1 408"}
    for sock in slow:
        sock.close()


def test_fifty_sessions_read_at_once(client: Client):
    statuses: list[int] = []
    threads = [threading.Thread(target=lambda: statuses.append(client.get("/").status)) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert statuses == [200] * 50


def test_a_release_that_many_open_at_once_is_read_and_drawn_once(client: Client, data: Path, monkeypatch: pytest.MonkeyPatch):
    from seqveil import release as releases
    from seqveil.studio import drawing

    days = sv.table_of([["home", "metro"]] * 50, sv.Domain.of(["home", "metro"], public_because="x"))
    folder = sv.experiment(days, sv.NGram(l_max=3, n_max=2), epsilon="9", seed=1).save(data / "crowded")
    work: list[str] = []
    load, content = releases.load, drawing.content

    def slowly(name: str, done: Callable[..., Any]) -> Callable[..., Any]:
        def doing(*given: Any) -> Any:
            work.append(name)
            time.sleep(0.2)
            return done(*given)

        return doing

    monkeypatch.setattr(releases, "load", slowly("read", load))
    monkeypatch.setattr(drawing, "content", slowly("drawn", content))
    answers: list[Any] = []
    path = f"/releases/{key_of(folder.resolve())}"
    threads = [threading.Thread(target=lambda: answers.append(client.get(path))) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert {answer.status for answer in answers} == {200}
    assert work == ["read", "drawn"]


@pytest.mark.parametrize("path", ["/", "/nowhere", "/static/studio.js", "/?token=wrong"])
def test_every_answer_has_the_strict_headers(client: Client, path: str):
    headers = client.get(path).headers
    policy = dict(rule.strip().partition(" ")[::2] for rule in headers["content-security-policy"].split(";"))

    assert policy["default-src"] == "'none'"
    assert {policy[name] for name in ("script-src", "style-src", "img-src", "connect-src", "form-action")} == {"'self'"}
    assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["cache-control"] == "no-store"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"


def test_no_page_has_an_inline_script_or_style():
    """The policy would block them, and the page would be broken without a word."""
    from importlib.resources import files

    for template in (files("seqveil.studio") / "files").iterdir():
        if template.name.endswith(".j2"):
            text = template.read_text("utf-8")
            assert not [part for part in (" style=", "<style", " onclick=", "javascript:") if part in text], template.name
            assert text.count("<script") == text.count("<script src=") + text.count('<script type="application/json"'), (
                template.name
            )


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "8.8.8.8", "example.org", "localhost.evil"])
def test_no_address_but_this_machines_is_listened_to(host: str):
    with pytest.raises(CallError, match="host="):
        refuse_remote(host, exposed=False)


def test_an_address_of_the_network_needs_the_explicit_flag_and_every_address_at_once_is_never_allowed():
    refuse_remote("127.0.0.1", exposed=False)
    refuse_remote("::1", exposed=False)
    refuse_remote("192.168.1.5", exposed=True)
    with pytest.raises(CallError, match="never allowed"):
        refuse_remote("0.0.0.0", exposed=True)
    assert Address("192.168.1.5", 80).hosts == {"192.168.1.5:80"}


def test_secrets_are_new_at_every_start_and_are_not_shown():
    one, other = Secrets(), Secrets()

    assert len({one.token, one.cookie, one.form, other.token, other.cookie, other.form}) == 6
    assert one.token not in repr(one)
    assert one.cookie not in repr(one)
    assert min(map(len, (one.token, one.cookie))) >= 40


def test_an_unexpected_failure_says_its_type_and_no_value(home, data, monkeypatch: pytest.MonkeyPatch, serving):
    """A message may quote raw data: neither the page nor the terminal shows it."""
    from seqveil.studio import ledger

    def broken(request: object) -> None:
        raise ZeroDivisionError("row 7: card 1234")

    monkeypatch.setattr(ledger, "show", broken)
    client = serving()
    answer = client.get("/ledger")

    assert answer.status == 500
    assert "ZeroDivisionError" in answer.text
    assert "card 1234" not in answer.text


@pytest.mark.slow
def test_nothing_is_logged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """An address could hold what somebody typed: neither requests nor failures appear where the command prints."""
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "home"))
    studio = Started(tmp_path, remarks=subprocess.PIPE)
    studio.get("/ledger?account=secret-name")
    raw_request(studio.port, b"NONSENSE\r\n\r\n")
    studio.process.send_signal(signal.SIGINT)
    printed, remarked = studio.process.communicate(timeout=30)

    assert printed == ""  # beside the address, which was read before
    assert remarked in ("", "Stopped. Releases that are running go on; the next start finds them.\n")
