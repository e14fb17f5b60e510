"""Parameters of mechanisms, each with a sentence of help that the command line, the documentation and pages can show.

>>> from dataclasses import dataclass
>>> @dataclass(frozen=True)
... class Tree:
...     h: int = described(12, "Height of the tree.")
>>> Tree(), help_of(Tree)
(Tree(h=12), {'h': 'Height of the tree.'})
"""

from __future__ import annotations

from dataclasses import field, fields
from typing import TypeVar

from seqveil.errors import CallError
from seqveil.surface import parameter

T = TypeVar("T")


def described(default: T, sentence: str) -> T:
    """A field of a mechanism's dataclass: its default and what it means."""
    value: T = field(default=default, metadata={"help": sentence})
    return value


def help_of(mechanism: type) -> dict[str, str]:
    """The sentence of every parameter of a mechanism's class; empty where its author wrote none."""
    return {f.name: str(f.metadata.get("help", "")) for f in fields(mechanism) if f.init}


def unfit(allowed: str, **values: object) -> CallError:
    """The error for parameters whose values do not fit: what was given, what is allowed.

    >>> unfit("a prefix tree needs at least 1 level; 12 is usual.", h=0)
    CallError('h=0: a prefix tree needs at least 1 level; 12 is usual.')
    """
    return CallError(f"{', '.join(parameter(name, repr(value)) for name, value in values.items())}: {allowed}")
