"""HTML templates: whatever a page shows is escaped, and a name that is not there is an error instead of an empty place."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from seqveil.extras import need

if TYPE_CHECKING:
    from jinja2 import Environment


def templates(package: str, finalize: Callable[[Any], Any] | None = None) -> Environment:
    """The templates in `files/` of a package; `finalize` is applied to every value that is shown.

    >>> templates("seqveil.report").from_string("{{ label }}").render(label="<b>")
    '&lt;b&gt;'
    """
    need("pages")
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(package, "files"),
        autoescape=True,
        finalize=finalize,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
