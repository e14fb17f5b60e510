"""The reference of the command line: a page per verb, from the commands themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sitebuilder.markdown import cell, fence, table, toctree

REPORTED = (
    "These pages come from the commands themselves; `--help` shows the same, and after `--method NAME` its parameters, too."
)


def pages() -> dict[str, str]:
    """The list of commands, and a page for each."""
    from seqveil.cli.app import VERBS, command_of

    texts = {f"reference/commands/{verb.name}.md": _page(command_of(verb), verb.name, verb.help) for verb in VERBS}
    rows = [[f"[`seqveil {verb.name}`](commands/{verb.name}.md)", cell(verb.help)] for verb in VERBS]
    listing = ["# Command line", REPORTED, table(["command", "what it does"], rows), EXIT_CODES]
    texts["reference/commands.md"] = "\n\n".join([*listing, toctree(f"commands/{verb.name}" for verb in VERBS)])
    return texts


EXIT_CODES = """Results go to standard output, messages for people to standard error. With `--json` a command prints one JSON
object on standard output and nothing else. [Errors and exit codes](errors.md) says how a command can end."""


def _page(command: Any, name: str, summary: str) -> str:
    return "\n\n".join([f"# seqveil {name}", *_command(command, f"seqveil {name}", summary, level=2)]) + "\n"


def _command(command: Any, typed: str, summary: str, level: int) -> Iterator[str]:
    """What a command does, its usage and options, and the same for the commands inside it."""
    yield from _help(command.help or summary)
    inner = getattr(command, "commands", {})
    if inner:
        for name, one in inner.items():
            yield f"{'#' * level} {typed} {name}"
            yield from _command(one, f"{typed} {name}", "", level + 1)
        return
    context = command.make_context(command.name, [], resilient_parsing=True)
    yield fence(" ".join([typed, *command.collect_usage_pieces(context)]))
    panels: dict[str, list[list[str]]] = {}
    for one in command.params:
        if not getattr(one, "hidden", False):
            panel = getattr(one, "rich_help_panel", None) or ("Arguments" if one.param_type_name == "argument" else "Options")
            panels.setdefault(panel, []).append(_row(one, context))
    for panel, rows in panels.items():
        yield f"**{panel}**"
        yield table(["option" if panel != "Arguments" else "argument", "takes", "description"], rows)


def _row(one: Any, context: Any) -> list[str]:
    names, text = one.get_help_record(context)
    flags, _, takes = names.partition(" <")
    return [", ".join(f"`{flag.strip()}`" for flag in flags.replace(" / ", ",").split(",")), cell(takes.rstrip(">")), cell(text)]


def _help(text: str) -> Iterator[str]:
    """The paragraphs of a help text; an example becomes a block of its own."""
    for paragraph in text.split("\n\n"):
        words = " ".join(paragraph.split())
        if words.startswith("Example: "):
            yield fence(words.removeprefix("Example: "))
        elif words:
            yield words.replace("<", "\\<")
