"""Forms that follow from dataclasses: one control for each parameter, with its type, default and sentence of help.

There is no list of methods, kinds or parameters here: whatever is registered gets a form.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, fields
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from seqveil.registry import Method, parameters
from seqveil.studio.words import field_name


@dataclass(frozen=True, slots=True)
class Control:
    """One line of a form. `shape` is number, whole, text, choice or flag; `usual` is the default, in words."""

    name: str
    label: str
    help: str
    shape: Literal["number", "whole", "text", "choice", "flag"]
    value: str
    usual: str
    choices: tuple[str, ...] = ()
    required: bool = False
    least: int | None = None


def control(name: str, wanted: Any, default: Any, help: str, value: str, **more: Any) -> Control | None:
    """The control for a type; None for a type that cannot be typed into a form.

    >>> control("l_max", int | Literal["auto"], 20, "Longest record.", "").shape
    'text'
    >>> control("n_max", int, 5, "Longest n-gram.", "4").value, control("sample", dict | None, None, "", "")
    ('4', None)
    >>> control("max_sequences", int, 1, "Sequences of a user.", "").usual, control("header", bool, True, "", "").usual
    ('1', 'yes')
    """
    options = [
        one for one in (get_args(wanted) if get_origin(wanted) in (Union, UnionType) else (wanted,)) if one is not NoneType
    ]
    words = tuple(str(word) for one in options if get_origin(one) is Literal for word in get_args(one))
    plain = [one for one in options if get_origin(one) is not Literal]
    if any(one not in (bool, int, float, str) for one in plain):
        return None
    usual = "" if default is None or default is MISSING else {"True": "yes", "False": "no"}.get(str(default), str(default))
    shape: Any = "text"
    if words and not plain:
        shape = "choice"
    elif plain == [bool]:
        shape, words = "flag", ("yes", "no")
    elif not words and plain == [int]:
        shape = "whole"
    elif not words and plain == [float]:
        shape = "number"
    return Control(name, field_name(name), help, shape, value, usual, words, **more)


def method_controls(method: Method, given: Mapping[str, str]) -> tuple[list[Control], list[str]]:
    """The parameters of a method as controls, and the names of those that only Python can give."""
    shown, others = [], []
    for name, one in parameters(method).items():
        if name in method.implied:
            continue
        drawn = control(f"p.{name}", one.type, one.default, one.help, given.get(name, ""), required=one.required)
        if drawn is None:
            others.append(name)
        else:
            shown.append(_renamed(drawn, name))
    return shown, others


def field_controls(owner: type, given: Mapping[str, str], prefix: str) -> list[Control]:
    """The fields of a dataclass as controls (of a layout, or of a unit of privacy)."""
    hints = get_type_hints(owner)
    controls = []
    for one in fields(owner):
        least = one.metadata.get("min", 1 if hints[one.name] is int else None)
        drawn = control(
            prefix + one.name,
            hints[one.name],
            _default(one),
            str(one.metadata.get("help", "")),
            given.get(one.name, ""),
            least=least,
        )
        if drawn is not None:
            controls.append(_renamed(drawn, one.name))
    return controls


def read_fields(owner: type, given: Mapping[str, str]) -> dict[str, Any]:
    """What was filled in for the fields of a dataclass, as their types say; what was left empty keeps its default."""
    from seqveil.errors import CallError
    from seqveil.numbers import whole
    from seqveil.surface import parameter

    hints = get_type_hints(owner)
    values: dict[str, Any] = {}
    for one in fields(owner):
        text = given.get(one.name, "")
        if not text:
            continue
        wanted = hints[one.name]
        if wanted is bool:
            values[one.name] = text == "yes"
        elif wanted is int or int in get_args(wanted):
            try:
                values[one.name] = whole(text)
            except ValueError:
                raise CallError(
                    f"{parameter(one.name, repr(text[:40]))} is not a whole number: write one, for example 1."
                ) from None
        else:
            values[one.name] = text
    return values


def _default(one: Field[Any]) -> Any:
    return None if one.default is MISSING else one.default


def _renamed(one: Control, name: str) -> Control:
    from dataclasses import replace

    return replace(one, label=field_name(name))
