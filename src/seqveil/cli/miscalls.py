"""Calls that typer could not read, as errors like all others: what is wrong, what is allowed, what to type.

Typer reports one missing option at a time, in a box, and does not quote what was typed. Its exceptions are public by their base
class only, so they are distinguished by name.
"""

from __future__ import annotations

import difflib
import re
import sys
from typing import Any

from typer.exceptions import TyperException

from seqveil.errors import CallError, InputProblems


def in_our_words(error: TyperException) -> CallError | None:
    """The same complaint from us, or None where typer's own is right (a verb without words shows its help)."""
    context: Any = getattr(error, "ctx", None)
    kind = type(error).__name__
    if kind == "BadOptionUsage":
        return CallError(f"{error.option_name} needs a value.")  # type: ignore[attr-defined]
    if kind == "NoArgsIsHelpError":
        return None
    if context is None:
        return CallError(error.format_message())
    sentence = {"MissingParameter": _missing, "BadParameter": _unfit, "NoSuchOption": _unknown_option}.get(kind, _other)
    return CallError(f"{sentence(error, context)} See {context.command_path} --help.")


def refuse_numbers(context: Any) -> None:
    """Numbers that typer lets pass and no run can work with: NaN, infinities, and what does not fit into 64 bits."""
    numbers = {name: v for name, v in context.params.items() if isinstance(v, int | float) and not isinstance(v, bool)}
    beyond = {name for name, value in numbers.items() if not -(2**64) <= value <= 2**64}
    named = [_named(parameter) for parameter in context.command.params if parameter.name in beyond]
    if named:
        raise InputProblems("", [f"{option} is out of range: give a number of at most 2^64" for option in named])


def _missing(error: Any, context: Any) -> str:
    """All that is missing: typer takes what was typed first, so what it has not taken was not typed."""
    wanted = [p for p in context.command.get_params(context) if p.required and p.name not in context.params]
    named = [_named(parameter) for parameter in wanted or [error.param]]
    what = "options" if all(name.startswith("-") for name in named) else "arguments"
    return f"missing required {what if len(named) > 1 else what[:-1]}: {', '.join(named)}.{_example(context)}"


def _unfit(error: Any, context: Any) -> str:
    """A value of another kind, with the value."""
    given = f"{_named(error.param)}{_typed(error.param)}"
    should = re.sub(r"^Input should be |, unable to parse .*$", "", error.message).rstrip(".")
    if should == error.message.rstrip("."):
        return f"{given}: {should}."
    plain = should.replace("a valid integer", "a whole number").replace("a valid number", "a number")
    plain = plain.replace("greater than or equal to", "at least").replace("less than or equal to", "at most")
    return f"{given} is not allowed: it must be {plain}."


def before_the_verb(option: str, context: Any) -> str | None:
    """What is wrong with an option of the program itself that stands among those of a verb; None for any other."""
    own = [word for parameter in context.find_root().command.params for word in parameter.opts if context.parent is not None]
    if option not in own or not option.startswith("--"):
        return None
    return f"{option} stands before the verb: seqveil {option} … {context.info_name} …"


def _unknown_option(error: Any, context: Any) -> str:
    if misplaced := before_the_verb(error.option_name, context):
        return f"{misplaced}."
    near = " or ".join(error.possibilities or [])
    return f"unknown option {error.option_name}{f' (did you mean {near}?).' if near else '.'}"


def _other(error: Any, context: Any) -> str:
    """An unknown command, or unexpected arguments."""
    if unknown := re.match(r"No such command '(.*?)'", error.message):
        verbs = context.command.list_commands(context)
        near = difflib.get_close_matches(unknown[1], verbs, n=2)
        meant = f" (did you mean {' or '.join(near)}?)." if near else f": use one of {', '.join(verbs)}."
        return f"unknown command {unknown[1]!r}{meant}"
    if spare := re.fullmatch(r"Got unexpected extra argument(?:s|\(s\))? \((.*)\)", error.message.rstrip(".")):
        return f"unexpected {'arguments' if ' ' in spare[1] else 'argument'} {spare[1]!r}."
    return f"{error.format_message().rstrip('.')}."


def _named(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return str(parameter.metavar or parameter.name.upper()).strip("[]").removesuffix("...")
    return str(max(parameter.opts, key=len))


def _typed(parameter: Any) -> str:
    """What was typed for an option, as far as the words of the command tell."""
    for place, word in enumerate(sys.argv):
        option, equals, value = word.partition("=")
        if option in getattr(parameter, "opts", ()):
            value = value if equals else next(iter(sys.argv[place + 1 :]), "")
            return f" {value!r:.60}"
    return ""


def _example(context: Any) -> str:
    """The first example of the verb's help."""
    example = re.search(r"Example: (.*?)(?:\n\s*\n|\n\s*Example:|$)", context.command.help or "", re.DOTALL)
    return f" For example: {' '.join(example[1].split())}." if example else ""
