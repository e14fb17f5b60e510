"""`read_sequences`, and how readers get their documentation: from the fields of the one description."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields
from inspect import Parameter
from typing import TYPE_CHECKING, Any, TypeVar, Unpack, get_type_hints

from seqveil.sources.layout import Layout, Options
from seqveil.sources.source import Source

if TYPE_CHECKING:
    from seqveil.tables.domain import Domain
    from seqveil.tables.sequences import SequenceTable

Function = TypeVar("Function", bound=Callable[..., Any])


def documented(reader: Function) -> Function:
    """The reader with every option of a layout in its signature and its docstring, where `help` and notebooks look."""
    own = inspect.signature(reader)
    options, types = fields(Layout), get_type_hints(Layout)
    shared = [Parameter(o.name, Parameter.KEYWORD_ONLY, default=o.default, annotation=types[o.name]) for o in options]
    named = [parameter for parameter in own.parameters.values() if parameter.kind is not Parameter.VAR_KEYWORD]
    lines = "\n".join(f"        {o.name}: {o.metadata['help']}" for o in options)
    reader.__signature__ = own.replace(parameters=[*named, *shared])  # type: ignore[attr-defined]
    reader.__doc__ = f"{(reader.__doc__ or '').rstrip()}\n\n    Options:\n{lines}\n    "
    return reader


@documented
def read_sequences(
    data: Any, *, domain: Domain, on_format: Callable[[str], None] | None = None, **options: Unpack[Options]
) -> SequenceTable:
    """The sequences of a file (str or Path) or of a data frame (Polars, pandas, PyArrow), encoded against the domain.

    Args:
        data: a path (also of a pipe or a folder, or "-" for standard input), a list of paths of files of one format, or any
            object with the Arrow stream interface.
        domain: the public labels.
        on_format: called with the format in words, before a row is read.

    Raises:
        InputProblems: everything that is wrong with the format; never anything from a row.
    """
    source = Source(data, domain, **options)
    if on_format is not None:
        on_format(source.description)
    table: SequenceTable = source.read()
    return table
