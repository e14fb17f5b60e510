"""The guard before every page: who may ask, and what leaves with an answer.

In this order, each refusal with one plain sentence and nothing else:

1. `Host` is one of our own names. A foreign name that resolves to this machine (DNS rebinding) is refused.
2. The request comes from our own page or from the address bar: `Origin` and `Sec-Fetch-Site` say so. Another port of this machine
   is a stranger, too.
3. The cookie of this start, or the token of the first address.
4. What changes something is POST, is small, arrives in time, and repeats the secret of our forms.

Every answer carries headers that keep it out of caches, frames and other origins, and let a page load only our own files.
What fails inside is answered with a page that names no value: a traceback may quote raw data.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, parse_qsl

from seqveil.studio.address import Address, Secrets
from seqveil.studio.words import on_page
from seqveil.surface import speaking

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]
Form = dict[str, list[str]]

MOST_BODY = 1 << 20
"""Bytes of a form; the longest are pasted lists of labels. Files are never sent to the studio: it reads them where they are."""

MOST_FIELDS = 1000
BODY_SECONDS = 15.0
"""How long the body of a form may take to arrive."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""No inline script or style, no eval, nothing from elsewhere; there is no exception."""

HEADERS = (
    ("content-security-policy", POLICY),
    ("cache-control", "no-store"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=()"),
    ("referrer-policy", "same-origin"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
)


class Refused(Exception):
    """A request that is not answered: its status, and one sentence."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status, self.text = status, text


class Guard:
    """An ASGI application around the pages."""

    def __init__(self, app: App, address: Address, secrets: Secrets, on_failure: Callable[[str], None]) -> None:
        self._app, self._address, self._secrets, self._on_failure = app, address, secrets, on_failure
        self._cookie = f"seqveil-{address.port}"

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        begun = False

        async def sent(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                own = {name for name, _ in HEADERS}
                kept = [(name, value) for name, value in message.get("headers", ()) if name.decode("latin-1").lower() not in own]
                message = {**message, "headers": [*kept, *((name.encode(), value.encode()) for name, value in HEADERS)]}
            await send(message)

        try:
            await self._answer(scope, receive, sent)
        except Refused as refused:
            await _plain(sent, refused.status, refused.text)
        except Exception as error:
            # Its message may quote raw data; its type may not.
            self._on_failure(type(error).__name__)
            if not begun:
                await _plain(sent, 500, f"Internal error ({type(error).__name__}). Nothing that was running has been stopped.")

    async def _answer(self, scope: Message, receive: Receive, send: Send) -> None:
        headers = _Headers(scope["headers"])
        self._check_host(headers)
        entering = self._token(scope)
        self._check_origin(headers, scope["method"], entering)
        if entering:
            return await self._enter(send)
        self._check_cookie(headers)
        if scope["method"] == "POST":
            body = await _body(headers, receive)
            scope["form"] = self._form(headers, body)
            receive = _given(body, receive)
        elif scope["method"] not in ("GET", "HEAD"):
            raise Refused(405, "Only GET and POST are answered here.")
        scope["secret"] = self._secrets.form
        with speaking(on_page):
            await self._app(scope, receive, send)

    def _check_host(self, headers: _Headers) -> None:
        given = headers.all("host")
        if len(given) != 1 or given[0] not in self._address.hosts:
            raise Refused(421, f"This is the studio of another address. Open {self._address.url} as the terminal shows it.")

    def _token(self, scope: Message) -> bool:
        """Whether this is the first address, with its token."""
        if scope["path"] != "/" or scope["method"] != "GET":
            return False
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
        return len(given) == 1 and hmac.compare_digest(given[0].encode(), self._secrets.token.encode())

    def _check_origin(self, headers: _Headers, method: str, entering: bool) -> None:
        origins, sites = headers.all("origin"), headers.all("sec-fetch-site")
        own = {f"http://{host}" for host in self._address.hosts}
        if any(origin not in own for origin in origins) or (method == "POST" and not origins):
            raise Refused(403, "This request comes from another page. Nothing was changed.")
        if not entering and any(site not in ("same-origin", "none") for site in sites):
            raise Refused(403, "This request comes from another page. Open the studio from the address bar.")

    async def _enter(self, send: Send) -> None:
        """The cookie instead of the token. Not by a redirect: a strict cookie does not follow one that began elsewhere."""
        cookie = f"{self._cookie}={self._secrets.cookie}; HttpOnly; SameSite=Strict; Path=/"
        page = (
            '<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/">'
            '<link rel="icon" href="/static/icon.svg"><title>Seqveil Studio</title><p><a href="/">Open the studio</a></p></html>'
        )
        await _send(send, 200, page.encode(), [("content-type", "text/html; charset=utf-8"), ("set-cookie", cookie)])

    def _check_cookie(self, headers: _Headers) -> None:
        given = []
        for line in headers.all("cookie"):
            try:
                given += [morsel.value for name, morsel in SimpleCookie(line).items() if name == self._cookie]
            except CookieError:
                continue
        if not any(hmac.compare_digest(value.encode(), self._secrets.cookie.encode()) for value in given):
            raise Refused(403, "Open the studio with the whole address that the terminal shows, with its token.")

    def _form(self, headers: _Headers, body: bytes) -> Form:
        if headers.first("content-type").partition(";")[0].strip().lower() != "application/x-www-form-urlencoded":
            raise Refused(415, "Only forms of the studio are accepted; files are never sent to it.")
        try:
            pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict")
        except ValueError:
            raise Refused(400, "The form cannot be read. Go back, and send it again.") from None
        form: Form = {}
        for name, value in pairs:
            form.setdefault(name, []).append(value)
        secret = form.pop("secret", [])
        if len(secret) != 1 or not hmac.compare_digest(secret[0].encode(), self._secrets.form.encode()):
            raise Refused(403, "This form is not of this start of the studio. Reload the page, and send it again.")
        return form


class _Headers:
    """The headers of a request, by name."""

    def __init__(self, pairs: Iterable[tuple[bytes, bytes]]) -> None:
        self._pairs = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in pairs]

    def all(self, wanted: str) -> list[str]:
        return [value for name, value in self._pairs if name == wanted]

    def first(self, wanted: str) -> str:
        return next(iter(self.all(wanted)), "")


async def _body(headers: _Headers, receive: Receive) -> bytes:
    """The body of a form, refused as soon as it is too long or too slow."""
    declared = headers.first("content-length")
    if declared.isdigit() and int(declared) > MOST_BODY:
        raise Refused(413, f"The form is larger than {MOST_BODY:,} bytes. Files are not sent to the studio: choose them by name.")
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    raise Refused(400, "The form did not arrive.")
                body += message.get("body", b"")
                if len(body) > MOST_BODY:
                    raise Refused(413, f"The form is larger than {MOST_BODY:,} bytes.")
                if not message.get("more_body"):
                    return bytes(body)
    except TimeoutError:
        raise Refused(408, "The form took too long to arrive.") from None


def _given(body: bytes, receive: Receive) -> Receive:
    """The body once more, for whoever asks for it."""
    waiting = [body]

    async def again() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return again


async def _plain(send: Send, status: int, text: str) -> None:
    await _send(send, status, (text + "\n").encode(), [("content-type", "text/plain; charset=utf-8")])


async def _send(send: Send, status: int, body: bytes, headers: list[tuple[str, str]]) -> None:
    named = [*headers, ("content-length", str(len(body)))]
    await send(
        {"type": "http.response.start", "status": status, "headers": [(n.encode(), v.encode("latin-1")) for n, v in named]}
    )
    await send({"type": "http.response.body", "body": body})
