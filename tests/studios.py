"""A client that speaks HTTP to a studio as a browser does, or as it should not; and the forms on the way to a release."""

from __future__ import annotations

import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from seqveil.studio.studio import Studio

LABELS = ["home", "metro", "office", "<b>shop & co</b>", 'park "x"']
"""Public labels, one of which would be markup if it were not escaped."""

DAYS = [["home", "metro", "office"], ["home", "<b>shop & co</b>", "home"], ["office", "metro", "home"], ['park "x"']]


class Answer:
    """What came back: status, headers, text."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status, self.headers, self.body = response.status, response.headers, response.read()
        self.text = self.body.decode("utf-8", "replace")
        self.location = response.headers.get("location", "")


class Client:
    """Requests to a studio: with its cookie and secrets, unless told otherwise."""

    def __init__(self, studio: Studio) -> None:
        self.studio, self.port, self.secret = studio, studio.address.port, studio.secrets.form
        self.host = f"127.0.0.1:{self.port}"
        self.cookie = f"seqveil-{studio.address.port}={studio.secrets.cookie}"

    def ask(self, method: str, path: str, body: str | bytes | None = None, headers: dict[str, str] | None = None) -> Answer:
        """One request on a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, headers or {})
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def get(self, path: str, /, **headers: str) -> Answer:
        return self.ask("GET", path, None, {"cookie": self.cookie, **headers})

    def post(self, path: str, /, **fields: object) -> Answer:
        """A form, as a page of the studio sends it."""
        pairs = {"secret": self.secret, **fields}
        return self.send(path, urlencode(pairs, doseq=True))

    def send(self, path: str, body: str | bytes, /, **changed: str) -> Answer:
        """A form with other headers; one that is empty is left out."""
        usual = {
            "cookie": self.cookie,
            "origin": f"http://{self.host}",
            "content-type": "application/x-www-form-urlencoded",
        }
        headers = {name: value for name, value in (usual | {k.replace("_", "-"): v for k, v in changed.items()}).items() if value}
        return self.ask("POST", path, body, headers)


class Started(Client):
    """The command itself, in a process of its own: it is known by the address that it prints."""

    def __init__(self, folder: Path, remarks: int = subprocess.DEVNULL) -> None:
        command = [sys.executable, "-m", "seqveil", "studio", "--no-open", "--json", "--folder", str(folder)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=remarks, text=True)
        assert self.process.stdout is not None
        self.first = str(json.loads(self.process.stdout.readline())["address"])
        self.port = urlsplit(self.first).port or 0
        self.host = f"127.0.0.1:{self.port}"
        self.cookie = ""
        entered = self.ask("GET", "/?" + urlsplit(self.first).query)
        self.cookie = entered.headers["set-cookie"].split(";")[0]
        secret = re.search(r'name="secret" value="(\w+)"', self.get("/").text)
        assert secret is not None
        self.secret = secret[1]

    def end(self, number: int = signal.SIGINT) -> int:
        """Ask this process to end, or kill it; its exit code."""
        self.process.send_signal(number)
        code = self.process.wait(30)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code


def raw_request(port: int, text: bytes, wait: float = 5.0) -> bytes:
    """Bytes as they are, and what comes back until the connection closes."""
    with socket.create_connection(("127.0.0.1", port), timeout=wait) as sock:
        sock.sendall(text)
        received = b""
        try:
            while chunk := sock.recv(65536):
                received += chunk
        except TimeoutError:
            pass
        return received


def fill_in(client: Client, data: Path, epsilon: str = "2.0", **fields: str) -> str:
    """A draft up to its review, through the forms; its address."""
    base = client.post("/new").location.removesuffix("/data")
    steps: list[tuple[str, dict[str, str]]] = [
        ("data/choose", {"path": str(data / "trips.csv")}),
        ("data", {"reader": "sequences"}),
        ("who", {"layout.user": "card", "layout.time": "ts", "layout.item": "station", "unit": "user"}),
        ("labels/choose", {"path": str(data / "stations.txt")}),
        ("labels", {"labels": "file", "public_because": "a published map"}),
        ("method", {"method": "ngram", "ngram:p.l_max": "4", "ngram:p.n_max": "2"}),
        ("budget", {"epsilon": epsilon, "size": "400", "account": fields.get("account", "metro")}),
    ]
    for step, given in steps:
        answer = client.post(f"{base}/{step}", **given)
        assert answer.status == 303, (step, answer.text)
    return base


def reviewed(client: Client, base: str) -> str:
    """What the last button sends."""
    match = re.search(r'name="reviewed" value="(\w+)"', client.get(f"{base}/review").text)
    assert match is not None
    return match[1]


def ended(client: Client, run: str, seconds: float = 90) -> dict[str, str]:
    """The state of a run when it has ended."""
    deadline = time.monotonic() + seconds
    while (state := json.loads(client.get(f"{run}/state").text))["state"] in ("running", "waiting"):
        assert time.monotonic() < deadline, state
        time.sleep(0.1)
    answer: dict[str, str] = state
    return answer
