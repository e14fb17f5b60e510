"""The options that say how a file is read: one for each field of a layout, with its type, default and help."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any, get_type_hints

import typer

from seqveil.cli.groups import names
from seqveil.sources.layout import Layout
from seqveil.sources.source import Source

_FIELDS = {field.name: field for field in fields(Source)}


def help_of(name: str) -> str:
    """The sentence of help of a field."""
    return str(_FIELDS[name].metadata["help"])


def _group(heading: str) -> type:
    """A group of options for `takes`, made from the fields of a layout."""
    types, own = get_type_hints(Layout), fields(Layout)
    limits = {field.name: {k: v for k, v in field.metadata.items() if k != "help"} for field in own}
    options = {f.name: Annotated[types[f.name], typer.Option(help=help_of(f.name), **limits[f.name])] for f in own}
    defaults = {field.name: field.default for field in own}
    return type("Description", (), {"__doc__": heading, "__annotations__": options, **defaults})


Description = _group("How to read the input.")

Domain = Annotated[str, typer.Option("--domain", help=help_of("domain"))]
Delimiter = Annotated[str | None, typer.Option("--delimiter", help=help_of("delimiter"))]
Header = Annotated[bool, typer.Option("--header/--no-header", help=help_of("header"))]
OrderIsPublic = Annotated[bool, typer.Option("--order-is-public", help=help_of("order_is_public"))]


def described(given: dict[str, Any]) -> dict[str, Any]:
    """What was typed about the layout of the file, of all that was typed."""
    return {name: given[name] for name in names(Description)}
