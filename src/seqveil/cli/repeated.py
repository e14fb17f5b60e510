"""Options that are typed twice. Typer would take the last one in silence, and the run would not be the one that was meant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from seqveil.errors import InputProblems

_ADVICE = {"item": " For a table with one journey per row, use --origin COLUMN and --destination COLUMN."}
"""What people mean who type an option twice, where that is known."""


def refuse_repeated(command: Any, context: Any, words: list[str]) -> None:
    """Refuse every option, and every parameter of a method, that has one value and is typed more than once; all at once.

    A switch such as --json may be repeated: it says the same again. One with two sides (--header, --no-header) may not.
    """
    if context.resilient_parsing:  # the shell completes a line
        return
    values, rest, order = command.make_parser(context).parse_args(args=list(words))
    given = Counter(option for option in order if option.param_type_name == "option" and _has_one_value(option))
    problems = [_problem(max(option.opts, key=len), number, option.name) for option, number in given.items() if number > 1]
    if context.ignore_unknown_options:  # then what is left are parameters of the method; the first may stand where FILE should
        places = [values.get(one.name) for one in command.params if one.param_type_name == "argument"]
        problems += repeated_parameters([*(one for one in places if isinstance(one, str)), *rest])
    if problems:
        raise InputProblems("", problems)


def repeated_parameters(words: Iterable[str]) -> list[str]:
    """Parameters of a method that stand among the words more than once.

    >>> repeated_parameters(["--l-max", "20", "--theta=3", "--l_max=30"])
    ['--l-max is given 2 times, but has one value: give it once.']
    """
    named = Counter(word.partition("=")[0].replace("_", "-") for word in words if word.startswith("--") and word != "--")
    return [_problem(name, number) for name, number in named.items() if number > 1]


def _has_one_value(option: Any) -> bool:
    return not (option.multiple or option.count or option.nargs != 1 or (option.is_flag and not option.secondary_opts))


def _problem(option: str, number: int, name: str | None = None) -> str:
    return f"{option} is given {number} times, but has one value: give it once.{_ADVICE.get(name or '', '')}"
