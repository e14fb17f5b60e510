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
    """List the methods and say which to take for what, or show one method. Every parameter is an option of the method's verb.

    Example: seqveil methods record-model
    """
    from seqveil import registry

    if name is None:
        return _list(list(registry.methods().values()), as_json)
    chosen = registry.method(name)
    if not as_json:
        say(f"{chosen.name} ({chosen.verb}): {chosen.summary}")
        for line in _advice(chosen):
            say(line)
    _describe({key: one for key, one in registry.parameters(chosen).items() if key not in chosen.implied}, as_json)


def _list(listed: list[Method], as_json: bool) -> None:
    if as_json:
        return emit({m.name: _facts(m) for m in listed})
    rows = [[m.name, m.verb, _kind(m) or "does not load", " or ".join(_units(m)), m.summary] for m in listed]
    table(["method", "verb", "data", "protects", "description"], rows)
    say()
    say("Which to take, by kind of data:")
    table(["data", "take", "for", "instead of", "because"], [_choice(m) for m in chosen_first(listed)])


def chosen_first(listed: list[Method]) -> list[Method]:
    """The methods to look at first, those for one kind of data together, in the order of the registry."""
    first = [m for m in listed if m.good_for and _kind(m)]
    kinds = list(dict.fromkeys(_kind(m) for m in listed))
    return sorted(first, key=lambda m: kinds.index(_kind(m)))


def _choice(method: Method) -> list[str]:
    return [_kind(method) or "", method.name, method.good_for, ", ".join(method.instead_of) or "–", method.because or "–"]


def _facts(method: Method) -> dict[str, Any]:
    listed = {"verb": method.verb, "kind": _kind(method), "units": _units(method), "summary": method.summary}
    listed["measures"] = _measures(method)
    return {**listed, "good_for": method.good_for, "instead_of": list(method.instead_of), "because": method.because}


def _advice(method: Method) -> list[str]:
    """When to take a method, and what is taken before it."""
    from seqveil import registry

    before = [one.name for one in registry.methods().values() if method.name in one.instead_of]
    lines = [f"Good for {method.good_for}."] if method.good_for else []
    if "zcdp" in _measures(method):
        lines.append("Takes --delta: (ε, δ) with Gaussian noise instead of pure ε.")
    if method.because:
        others = f" (instead of {', '.join(method.instead_of)})" if method.instead_of else ""
        lines.append(f"Why{others}: {method.because}.")
    return lines + ([f"Look at {' or '.join(before)} first."] if before else [])


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


def _measures(method: Method) -> list[str]:
    """In which measures it can be charged; none where the class of somebody else's package does not load."""
    from seqveil.wall.mechanism import measures

    return [] if _kind(method) is None else list(measures(method.load()))


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
