"""`seqveil methods`: the methods that --method takes, and the parameters of each."""

from __future__ import annotations

from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

import typer

from seqveil.cli.console import Json, emit, say, table

if TYPE_CHECKING:
    from seqveil.registry import Method, Parameter


def methods(
    name: Annotated[str | None, typer.Argument(help="Method whose parameters to show.")] = None,
    as_json: Json = False,
) -> None:
    """List the methods, or the parameters of one method. Every parameter is an option of the method's verb.

    Example: seqveil methods record-model
    """
    from seqveil import registry

    if name is None:
        return _list(list(registry.methods().values()), as_json)
    chosen = registry.method(name)
    if not as_json:
        say(f"{chosen.name} ({chosen.verb}): {chosen.summary}")
    _describe({key: one for key, one in registry.parameters(chosen).items() if key not in chosen.implied}, as_json)


def _list(listed: list[Method], as_json: bool) -> None:
    if as_json:
        return emit({m.name: {"verb": m.verb, "kind": _kind(m), "units": _units(m), "summary": m.summary} for m in listed})
    rows = [[m.name, m.verb, _kind(m) or "does not load", " or ".join(_units(m)), m.summary] for m in listed]
    table(["method", "verb", "data", "protects", "description"], rows)


def _describe(parameters: dict[str, Parameter], as_json: bool) -> None:
    if as_json:
        return emit(
            {key: {"type": type_text(one.type), "default": _default(one), "help": one.help} for key, one in parameters.items()}
        )
    rows = [
        ["--" + key.replace("_", "-"), type_text(one.type), default_text(one), one.help or "–"] for key, one in parameters.items()
    ]
    table(["option", "takes", "default", "description"], rows)


def _kind(method: Method) -> str | None:
    """The kind of data of a method; None where the class of somebody else's package does not load."""
    try:
        return method.kind
    except Exception:  # somebody else's package must not keep ours from being listed
        return None


def _units(method: Method) -> list[str]:
    return [] if _kind(method) is None else [unit.name for unit in method.units]


def type_text(kind: Any) -> str:
    """A type as people read it.

    >>> type_text(int | Literal["auto"]), type_text(float | None)
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


def _default(one: Parameter) -> Any:
    return "required" if one.required else one.default


def default_text(one: Parameter) -> str:
    """A default as people read it."""
    return "–" if _default(one) is None else str(_default(one))
