"""`--config FILE`: a small TOML file with a whole run, or with any part of it.

    l_max = 20                  # a parameter of the method

    [source]                    # how the input is read, by the names of the options
    file = "trips.csv"
    user = "card"

    [run]                       # every other option of the command
    epsilon = "1.0"
    out = "release"

What is typed on the command line wins.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import typer

from seqveil.errors import CallError, InputProblems
from seqveil.sources.layout import Layout

MOST_BYTES = 1 << 14
"""A file of parameters has some lines; Python's parser takes minutes for a dotted name of a hundred thousand parts."""

SOURCE = ("file", "domain", "kind", "public_because", "order_is_public", *(field.name for field in fields(Layout)))
"""What `[source]` may hold: what is read, over which labels, and how."""

MORE_FILES = "seqveil.more_files"
"""Where a context keeps all but the first of the files that a configuration lists."""

_SCALARS = (str, int, float, bool)
_SECTIONS = ("source", "run")
_ADVICE = "write one value per name, such as l_max = 20; options go under [source] and [run]"


def read_config(path: Path) -> dict[str, Any]:
    """The values in a file, and its two sections; everything that is wrong with it is raised at once."""
    name = f"--config {path}"
    try:
        with path.open("rb") as file:
            raw = file.read(MOST_BYTES + 1)  # no more: the file may be a device that never ends
    except OSError as error:
        raise CallError(f"{name}: cannot be read ({error.strerror}): check the path.") from None
    if len(raw) > MOST_BYTES:
        raise CallError(f"{name}: is larger than {MOST_BYTES:,} bytes: give a small TOML file with lines such as l_max = 20.")
    try:
        values = tomllib.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        why = str(error) if isinstance(error, tomllib.TOMLDecodeError) else "not UTF-8 text, or a number or nesting without end"
        raise CallError(f"{name}: is not TOML ({why}): write lines such as l_max = 20.") from None
    if problems := _unfit(values) + _twice(values):
        raise InputProblems(name, problems)
    return {key: _spelled(value) if key in _SECTIONS else value for key, value in _spelled(values).items()}


def method_parameters(path: Path) -> dict[str, Any]:
    """The parameters of the method that stand in a file: all that is in no section."""
    return {name: value for name, value in read_config(path).items() if name not in _SECTIONS}


def use_config(context: typer.Context, path: Path | None) -> Path | None:
    """The option `--config` of a command: its sections become the defaults of the command's other options."""
    if path is None or context.resilient_parsing:
        return path
    values = read_config(path)
    options = {_typed(option): str(option.name) for option in context.command.params if option.name != "config"}
    allowed = {"source": [n for n in options if n in SOURCE], "run": [n for n in options if n not in SOURCE]}
    problems = _outside_sections(values, allowed)
    for section, other in zip(_SECTIONS, reversed(_SECTIONS), strict=True):
        elsewhere = [name for name in values.get(section, {}) if name in allowed[other]]
        problems += [f"[{section}] has no option {name!r}: move it to [{other}]" for name in elsewhere]
        problems += _unknown(section, [name for name in values.get(section, {}) if name not in elsewhere], allowed[section])
    if problems:
        raise InputProblems(f"--config {path}", problems)
    given = {**values.get("source", {}), **values.get("run", {})}
    if isinstance(given.get("file"), list):
        given["file"], *context.meta[MORE_FILES] = given["file"]
    context.default_map = {**(context.default_map or {}), **{options[name]: value for name, value in given.items()}}
    return path


def no_folder_needed(context: typer.Context, dry_run: bool) -> bool:
    """The option `--dry-run` of a command: `--out` need not be given, because nothing is written."""
    if dry_run and not context.resilient_parsing:
        context.default_map = {"out": "release", **(context.default_map or {})}
    return dry_run


def _outside_sections(values: Iterable[str], allowed: dict[str, list[str]]) -> list[str]:
    """Options of the command that stand where parameters of the method belong."""
    from seqveil.registry import methods, parameters

    own = {name for method in methods().values() for name in parameters(method)}
    return [
        f"{name!r} is no parameter of a method: move it to [{section}]"
        for name in values
        for section, options in allowed.items()
        if name.replace("-", "_") in options and name not in own
    ]


def _typed(option: Any) -> str:
    """The name of an option as it is typed, without its dashes."""
    word = str(option.name) if option.param_type_name == "argument" else max(option.opts, key=len)
    return word.lstrip("-").replace("-", "_")


def _unknown(section: str, given: Iterable[str], allowed: list[str]) -> list[str]:
    """Names that are no options of the command."""
    problems = []
    for name in given:
        if name not in allowed:
            near = get_close_matches(name, allowed, 1, 0.6)
            advice = f"did you mean {near[0]}?" if near else f"use one of {', '.join(allowed)}"
            problems.append(f"[{section}] has no option {name[:40]!r}: {advice}")
    return problems


def _unfit(values: dict[str, Any]) -> list[str]:
    problems = []
    for name, value in values.items():
        inner = value if name in _SECTIONS and isinstance(value, dict) else {name: value}
        unfit = {n: v for n, v in inner.items() if not isinstance(v, _SCALARS) and not (name == "source" and _is_files(n, v))}
        problems += [f"{n[:40]!r} is {_kind(v)}: {_ADVICE}" for n, v in unfit.items()]
    return problems


def _is_files(name: str, value: object) -> bool:
    """Whether a value is a list of files, the one option that may be several."""
    return name == "file" and isinstance(value, list) and bool(value) and all(isinstance(one, str) for one in value)


def _spelled(values: dict[str, Any]) -> dict[str, Any]:
    """Names as Python writes them: `l-max` is `l_max`, as on the command line.

    >>> _spelled({"l-max": 20, "theta": 3})
    {'l_max': 20, 'theta': 3}
    """
    return {name.replace("-", "_"): value for name, value in values.items()}


def _twice(values: dict[str, Any]) -> list[str]:
    """Names that stand in a file with a dash and with an underscore."""
    sections = [values, *(values[name] for name in _SECTIONS if isinstance(values.get(name), dict))]
    both = [name for section in sections for name in section if "-" in name and name.replace("-", "_") in section]
    return [f"{name[:40]!r} stands there twice, once with _: leave one out" for name in both]


def _kind(value: object) -> str:
    return "a table" if isinstance(value, dict) else "a list" if isinstance(value, list) else "a date or time"
