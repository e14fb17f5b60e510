"""The reference of methods' parameters: every one with its sentence, from the dataclasses of the mechanisms."""

from __future__ import annotations

from seqveil import registry
from seqveil.cli.methods import default_text, type_text
from sitebuilder.markdown import cell, table

ABOUT = """A parameter is an option of the method's verb (`--l-max 20`), an argument of its Python class (`l_max=20`) and
a key of a [run file](../formats.md#a-whole-run-in-a-file). `seqveil methods NAME` and the studio show the
same sentences. All parameters are public, and must be chosen without looking at the data."""


def pages() -> dict[str, str]:
    """One page with all registered methods."""
    parts = ["# Parameters of methods", ABOUT]
    for method in registry.OURS:
        given = {name: one for name, one in registry.parameters(method).items() if name not in method.implied}
        parts += [f"## {method.name}", f"`seqveil {method.verb}`: {cell(method.summary)}."]
        rows = [
            [f"`--{name.replace('_', '-')}`", cell(type_text(one.type)), cell(default_text(one)), cell(one.help)]
            for name, one in given.items()
        ]
        parts.append(table(["option", "takes", "default", "description"], rows) if rows else "It has no parameters.")
    return {"reference/parameters.md": "\n\n".join(parts) + "\n"}
