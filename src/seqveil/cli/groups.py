"""Options that several verbs share, written once as a class and given to a verb by a decorator.

>>> class Colours:
...     ink: Annotated[str, typer.Option(help="The colour of letters.")] = "black"
>>> @takes(..., Colours)
... def write(text: str, **given: Any) -> str:
...     return f"{text} in {given['ink']}"
>>> list(inspect.signature(write).parameters), write(text="hi", ink="red")
(['text', 'ink'], 'hi in red')
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from copy import copy
from inspect import Parameter
from itertools import chain
from types import EllipsisType
from typing import Annotated, Any, TypeVar, get_args, get_type_hints

import typer

Verb = TypeVar("Verb", bound=Callable[..., Any])


def names(group: type) -> tuple[str, ...]:
    """The options of a group, in order."""
    return tuple(group.__annotations__)


def takes(*groups: type | EllipsisType) -> Callable[[Verb], Verb]:
    """The verb with the options of the groups, in order; `...` stands for its own ones. It gets the values as keywords."""

    def with_groups(verb: Verb) -> Verb:
        own = inspect.signature(verb, eval_str=True)
        placed = [_own(own) if isinstance(group, EllipsisType) else _shared(group) for group in groups]
        verb.__signature__ = own.replace(parameters=list(chain(*placed)))  # type: ignore[attr-defined]
        return verb

    return with_groups


def _own(signature: inspect.Signature) -> list[Parameter]:
    return [p.replace(kind=Parameter.KEYWORD_ONLY) for p in signature.parameters.values() if p.kind is not Parameter.VAR_KEYWORD]


def _shared(group: type) -> list[Parameter]:
    """The options of a group, under its first line as their heading in --help."""
    heading = (group.__doc__ or "Options").partition("\n")[0].rstrip(".")
    parameters = []
    for name, hint in get_type_hints(group, include_extras=True).items():
        kind, option = get_args(hint)
        option = copy(option)
        if isinstance(option, typer.models.OptionInfo):
            option.rich_help_panel = heading
        default = getattr(group, name, Parameter.empty)
        parameters.append(Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, option]))
    return parameters
