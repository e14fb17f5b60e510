"""`publish --method NAME --help` lists the parameters of that method; so do `mine` and `plan`.

Plain `--help` does not: a method's class loads array libraries, and help appears at once.
"""

from __future__ import annotations

from inspect import Parameter, Signature
from typing import Annotated, Any

import typer


def with_parameters(command: Any) -> Any:
    """The command, with a panel of method parameters in its help; its own options stay as they are."""
    write = command.format_help

    def format_help(context: Any, formatter: Any) -> None:
        own, method = command.params, context.params.get("method")
        command.params = [*own, *options_of(method)] if method else own
        try:
            write(context, formatter)
        finally:
            command.params = own

    command.format_help = format_help
    return command


def options_of(method: str) -> list[Any]:
    """The parameters of a method as options that can be shown; none for an unknown method."""
    from seqveil import registry
    from seqveil.cli.methods import default_text, type_text

    chosen = registry.methods().get(method)
    try:
        given = registry.parameters(chosen) if chosen else {}
    except Exception:  # the class of somebody else's package does not load: help is shown without it
        given = {}

    def shown(**_: Any) -> None: ...

    options = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[str | None, option])
        for name, one in given.items()
        if chosen and name not in chosen.implied
        for default in [None if one.default is None else default_text(one)]
        for option in [
            typer.Option(
                "--" + name.replace("_", "-"),
                help=one.help,
                metavar=type_text(one.type),
                rich_help_panel=f"Parameters of {method}",
            )
        ]
    ]
    shown.__signature__ = Signature(options)  # type: ignore[attr-defined]
    shown.__annotations__ = {one.name: one.annotation for one in options}
    app = typer.Typer(add_completion=False)
    app.command()(shown)
    return list(typer.main.get_command(app).params)
