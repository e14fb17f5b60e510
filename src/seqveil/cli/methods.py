"""`seqveil methods`: what can be typed after --method, and the parameters of each."""

from __future__ import annotations

from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

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

    >>> _type(int | Literal["auto"]), _type(float | None)
    ('int or auto', 'float')
    """
    choices = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    words = []
    for choice in choices:
        if get_origin(choice) is Literal:
            words += [str(word) for word in get_args(choice)]
        elif choice is not NoneType:
            words.append(getattr(choice, "__name__", str(choice)))
    return " or ".join(words)


def _default(default: Any) -> Any:
    return "required" if type(default).__name__ == "_MISSING_TYPE" else default
