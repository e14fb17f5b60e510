"""How a page is drawn: Jinja templates that escape everything, and show no character that cannot be seen."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse

from seqveil.notation import printable
from seqveil.studio.words import without_command

if TYPE_CHECKING:
    from seqveil.studio.guard import Form
    from seqveil.studio.studio import Studio


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("seqveil.studio", "files"),
        autoescape=True,
        finalize=_visible,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["whole"] = lambda number: f"{number:,.0f}"
    environment.filters["size"] = _size
    environment.filters["sentence"] = _sentence
    environment.filters["without_command"] = without_command
    return environment


def _visible(value: Any) -> Any:
    """Whatever a page shows, from whomever it is: line breaks stay, other invisible characters are spelled."""
    if not isinstance(value, str) or hasattr(value, "__html__"):
        return value
    return "\n".join(map(printable, value.split("\n")))


_WORD = re.compile(r"[a-z]+(?= )")


def _sentence(text: str) -> str:
    """A message of the library as a sentence: with a capital letter, unless it begins with a name or a symbol.

    >>> _sentence("no file is chosen."), _sentence("trips.csv: no item column given."), _sentence("ε = 2 is too much.")
    ('No file is chosen.', 'trips.csv: no item column given.', 'ε = 2 is too much.')
    """
    return text[:1].upper() + text[1:] if _WORD.match(text) else text


def _size(number: int) -> str:
    """
    >>> _size(512), _size(1_500_000)
    ('512 bytes', '1.5 MB')
    """
    for unit, whole in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if number >= whole:
            return f"{number / whole:.1f} {unit}"
    return f"{number} bytes"


def page(request: Request, template: str, status: int = 200, **content: Any) -> HTMLResponse:
    """A page as a response."""
    body = _environment().get_template(f"{template}.html.j2").render(secret=request.scope["secret"], **content)
    return HTMLResponse(body, status)


def to(path: str) -> RedirectResponse:
    """After a change: the page to look at, with GET."""
    return RedirectResponse(path, 303)


def studio_of(request: Request) -> Studio:
    """The studio that a request is for."""
    studio: Studio = request.app.state.studio
    return studio


def form_of(request: Request) -> Form:
    """The fields of a form, which the guard has read and checked."""
    form: Form = request.scope["form"]
    return form


def field_of(request: Request, name: str, default: str = "") -> str:
    """One field of a form; the last one where it was sent twice."""
    values = form_of(request).get(name, [])
    return values[-1] if values else default
