"""What a running step is called, in the cell of a notebook: Python's counterpart of the bars that commands show on a terminal.

Names of steps come from public parameters, and nothing else is shown: no count, no share, no time. IPython is never imported by
us: where a kernel runs it is there already.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from html import escape
from typing import Any, TypeVar, cast

Stage = Callable[[str], None]
Function = TypeVar("Function", bound=Callable[..., Any])

_open = False
"""Whether a step is shown already: what runs inside it shows nothing of its own."""


class Line:
    """One line of a cell: a moving bar and the name of the step, or nothing."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        """
        >>> Line("planning: <a>")._repr_html_()
        '<progress style="vertical-align:middle"></progress> planning: &lt;a&gt;'
        """
        return f'<progress style="vertical-align:middle"></progress> {escape(self._text)}' if self._text else ""


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook.

    >>> in_notebook()
    False
    """
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel")


@contextmanager
def stages(what: str) -> Iterator[Stage]:
    """Shows each named step in the cell until the next one, and nothing at the end. Elsewhere it does nothing.

    >>> with stages("publishing") as stage:     # no notebook here, so nothing is shown
    ...     stage("exploration tree")
    """
    global _open
    if _open or not in_notebook():
        yield lambda name: None
        return
    display, shown = sys.modules["IPython"].display, []  # type: ignore[var-annotated]

    def show(line: Line) -> None:
        with suppress(Exception):  # a front end that has gone is no reason to lose a release
            if shown:
                shown[0].update(line)
            else:
                shown.append(display.display(line, display_id=True))

    _open = True
    try:
        yield lambda name: show(Line(f"{what}: {name}"))
    finally:
        _open = False
        if shown:
            show(Line(""))


def shows(what: str) -> Callable[[Function], Function]:
    """For functions that tell `on_step` what they do: in a notebook, a caller who brings none sees it in the cell."""

    def decorated(function: Function) -> Function:
        @wraps(function)
        def showing(*given: Any, **named: Any) -> Any:
            if "on_step" in named:
                return function(*given, **named)
            with stages(what) as stage:
                return function(*given, **named, on_step=stage)

        return cast(Function, showing)

    return decorated
