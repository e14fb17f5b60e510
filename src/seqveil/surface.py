"""Parameters in messages: the library names a parameter, and the surface through which it was given renders it.

`parameter("item", "COLUMN")` is `item=COLUMN` in a Python call and `--item COLUMN` on the command line. A
surface sets its way of writing once, with `speaking`; from then on every message of the library is written that way. Build
messages when they are needed, never in a module's constants: those would be built before the surface is known.

>>> f"no column holds the labels: add {parameter('item', 'COLUMN')}"
'no column holds the labels: add item=COLUMN'
>>> with speaking(command_line):
...     f"no column holds the labels: add {parameter('item', 'COLUMN')}"
'no column holds the labels: add --item COLUMN'
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Surface = Callable[[str, str | None], str]
"""How a parameter is written: its name as an identifier, and the value that is meant, if any."""


def python_call(name: str, value: str | None = None) -> str:
    """A parameter as an argument of a Python function.

    >>> python_call("max_events", "1000"), python_call("header", "False"), python_call("public_because")
    ('max_events=1000', 'header=False', 'public_because')
    >>> python_call("item", "Origin Station")
    "item='Origin Station'"
    """
    return name if value is None else f"{name}={one_word(value, repr)}"


def command_line(name: str, value: str | None = None) -> str:
    """A parameter as an option of a command; yes and no are options of their own.

    >>> command_line("max_events", "1000"), command_line("header", "False"), command_line("order_is_public", "True")
    ('--max-events 1000', '--no-header', '--order-is-public')
    >>> command_line("item", "Origin Station")
    "--item 'Origin Station'"
    """
    option = name.replace("_", "-")
    if value == "False":
        return f"--no-{option}"
    return f"--{option}" if value is None or value == "True" else f"--{option} {one_word(value)}"


def one_word(value: str, quoted: Callable[[str], str] = shlex.quote) -> str:
    """A value that can be pasted: quoted where it has blanks, unless it is quoted already.

    >>> one_word("COLUMN"), one_word("Start Time"), one_word("'%d/%m %H:%M'")
    ('COLUMN', "'Start Time'", "'%d/%m %H:%M'")
    """
    return quoted(value) if any(c.isspace() for c in value) and value[0] not in "'\"" else value


_SURFACE: ContextVar[Surface] = ContextVar("surface", default=python_call)


def parameter(name: str, value: str | None = None) -> str:
    """A parameter as the current surface writes it."""
    return _SURFACE.get()(name, value)


@contextmanager
def speaking(surface: Surface) -> Iterator[None]:
    """Write parameters this way for as long as the block runs."""
    token = _SURFACE.set(surface)
    try:
        yield
    finally:
        _SURFACE.reset(token)
