"""`seqveil methods`: what can be typed after --method, and the parameters of each."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from seqveil.cli.console import Json, emit, table


def methods(
    name: Annotated[str | None, typer.Argument(help="A method, to see its parameters.")] = None,
    as_json: Json = False,
) -> None:
    """List the methods, or the parameters of one. Every parameter is an option of `publish` or `mine`.

    Example: seqveil methods ngram
    """
    from seqveil.registry import method, parameters
    from seqveil.registry import methods as known

    if name is None:
        listed = list(known().values())
        if as_json:
            return emit({m.name: {"verb": m.verb, "kind": m.kind, "summary": m.summary} for m in listed})
        return table(["method", "verb", "data", "what it is"], [[m.name, m.verb, m.kind, m.summary] for m in listed])
    chosen = method(name)
    found = parameters(chosen)
    if as_json:
        return emit({key: {"type": _type(kind), "default": _default(default)} for key, (kind, default) in found.items()})
    rows = [["--" + key.replace("_", "-"), _type(kind), str(_default(default))] for key, (kind, default) in found.items()]
    table(["option", "takes", "default"], rows)


def _type(kind: Any) -> str:
    """A type as people read it.

    >>> from typing import Literal
    >>> _type(int | Literal["auto"]), _type(float | None)
    ('int or auto', 'float')
    """
    words = str(kind).replace("typing.", "") if not isinstance(kind, type) else kind.__name__
    for old, new in (("Literal[", ""), ("]", ""), ("'", ""), (" | None", ""), (" | ", " or "), ("Optional[", "")):
        words = words.replace(old, new)
    return words


def _default(default: Any) -> Any:
    return "required" if type(default).__name__ == "_MISSING_TYPE" else default
