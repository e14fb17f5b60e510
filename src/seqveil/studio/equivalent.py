"""The same release as a command and as Python code, to copy. Both are made from the request itself, by `seqveil.surface`."""

from __future__ import annotations

import shlex
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any

from seqveil.surface import command_line, python_call

if TYPE_CHECKING:
    from seqveil.studio.drafts import Draft
    from seqveil.wall.lifecycle import Request


def command(draft: Draft, request: Request[Any]) -> str:
    """The command that makes the same request, one option per line."""
    from seqveil.registry import parameters
    from seqveil.studio.orders import method_of, usual_parameters
    from seqveil.wall.budget import decimal

    source: Any = request.input
    method = method_of(draft)
    words = [f"seqveil {method.verb} {shlex.quote(str(source.data))}"]
    words += [_option(name, value) for name, value in _layout(source).items()]
    if source.reader != method.kind:
        words.append(_option("kind", source.reader))
    words.append(_option("domain", draft.get("domain")))
    if draft.get("public_because"):
        words.append(_option("public_because", draft.get("public_because")))
    words.append(_option("unit", request.unit.name))
    words += [_option(name, value) for name, value in _unlike(request.unit).items()]
    words.append(_option("method", method.name))
    usual = usual_parameters(draft, method)
    given, changed = usual | draft.under("p."), {*parameters(method)} & {*_unlike(request.mechanism), *usual}
    words += [_option(name, value) for name, value in given.items() if name in changed]
    words += [_option(name, value) for name, value in _stated(request).items()]
    words += [_option("epsilon", decimal(request.epsilon)), _option("account", request.account), _option("out", str(request.out))]
    return " \\\n  ".join(words)


def python(draft: Draft, request: Request[Any]) -> str:
    """Python code that makes the same request."""
    from seqveil.wall.budget import decimal

    source: Any = request.input
    because = f", {python_call('public_because', repr(draft.get('public_because')))}" if draft.get("public_because") else ""
    options = "".join(f",\n    {python_call(name, repr(value))}" for name, value in _layout(source).items())
    usual = next(one.default for one in fields(source) if one.name == "reader")
    reader = f",\n    {python_call('reader', repr(source.reader))}" if source.reader != usual else ""
    mechanism, imported = _mechanism(request.mechanism)
    unit = f"sv.{type(request.unit).__name__}({', '.join(python_call(n, repr(v)) for n, v in _unlike(request.unit).items())})"
    stated = _stated(request)
    purpose = f"    {python_call('purpose', repr(stated.pop('purpose')))},\n" if "purpose" in stated else ""
    account = "".join(f", {python_call(name, repr(value))}" for name, value in {"account": request.account, **stated}.items())
    return (
        f"import seqveil as sv\n{imported}\n"
        f"domain = sv.Domain.parse({draft.get('domain')!r}{because})\n"
        f"source = sv.Source(\n    {str(source.data)!r},\n    domain{reader}{options},\n)\n"
        f"vault = sv.Vault(source, {unit}{account})\n"
        f"release = vault.release(\n    {mechanism},\n    {python_call('epsilon', repr(decimal(request.epsilon)))},\n"
        f"    {python_call('out', repr(str(request.out)))},\n{purpose})\n"
    )


def _stated(request: Request[Any]) -> dict[str, str]:
    """What the data holder states, by the names of the options."""
    holder = request.holder
    given = {"dataset_name": holder.dataset, "contact": holder.contact, "purpose": holder.purpose}
    return {name: text for name, text in given.items() if text is not None}


def _option(name: str, value: Any) -> str:
    if value is True or value is False:
        return command_line(name, str(value))
    text = shlex.quote(str(value))
    # A value that begins with a dash would be taken for an option.
    return f"{command_line(name)}={text}" if str(value).startswith("-") else command_line(name, text)


def _layout(source: Any) -> dict[str, Any]:
    """What of the description of the input is unlike its default, but the data, the domain and the reader."""
    rest = ("data", "domain", "reader")
    return {one.name: getattr(source, one.name) for one in fields(source) if one.name not in rest and _differs(source, one)}


def _unlike(owner: Any) -> dict[str, Any]:
    return {one.name: getattr(owner, one.name) for one in fields(owner) if _differs(owner, one)}


def _differs(owner: Any, one: Any) -> bool:
    return one.default is MISSING or getattr(owner, one.name) != one.default


def _mechanism(mechanism: Any) -> tuple[str, str]:
    """The call that makes a mechanism, and the import that it needs beside ours."""
    import seqveil

    owner = type(mechanism)
    given = ", ".join(python_call(name, repr(value)) for name, value in _unlike(mechanism).items())
    if getattr(seqveil, owner.__name__, None) is owner:
        return f"sv.{owner.__name__}({given})", ""
    return f"{owner.__name__}({given})", f"from {owner.__module__} import {owner.__name__}\n"
