"""The command `seqveil`: one verb per file, and a verb's file is only loaded when that verb is typed."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup
from typer.exceptions import TyperException

from seqveil.cli.console import complain, tell
from seqveil.errors import ReaderLeft, RunFailed, SeqveilError
from seqveil.surface import command_line, speaking

INTERRUPTED = "interrupted."


class Verb(NamedTuple):
    """A line of the table: what is typed, where it lives ("module:function" or "module:typer app"), what it does."""

    name: str
    where: str
    help: str


VERBS = [
    Verb("demo", "seqveil.cli.demo:demo", "A made-up city, published and compared, with pictures."),
    Verb("check", "seqveil.cli.check:check", "INTERNAL: what would be dropped and cut; for the holder's eyes only."),
    Verb("publish", "seqveil.cli.publish:publish", "A private release with artificial records."),
    Verb("mine", "seqveil.cli.mine:mine", "A private release with frequent patterns."),
    Verb("methods", "seqveil.cli.methods:methods", "What can be typed after --method, and its parameters."),
    Verb("query", "seqveil.cli.query:query", "Counts with 95 % error bars, from a release alone."),
    Verb("synth", "seqveil.cli.synth:synth", "Artificial records from a release."),
    Verb("inspect", "seqveil.cli.inspect:inspect", "What was promised, what was spent, and what is in a release."),
    Verb("report", "seqveil.cli.report:report", "One HTML page about a release, for people without a terminal."),
    Verb("evaluate", "seqveil.cli.evaluate:evaluate", "INTERNAL: how close a release, or a method, is to the raw data."),
    Verb("bench", "seqveil.cli.bench:bench", "Experiments declared in a file: tables beside the papers' numbers, and plots."),
    Verb("audit", "seqveil.cli.audit:audit", "Tries to break a method's promise on made-up data; says how hard it tried."),
    Verb("stream", "seqveil.cli.stream:stream_app", "Private counts, sums and trends while the events arrive."),
    Verb("fenced", "seqveil.cli.fenced:fenced_app", "NOT differentially private: suppress trajectories; plan group routes."),
    Verb("link", "seqveil.cli.link:link_app", "Find the people two holders share; only its base is differentially private."),
    Verb("ledger", "seqveil.cli.ledger:ledger_app", "Budget accounts: what was spent, what is left."),
]


def command_of(verb: Verb) -> Any:
    """The real command of a verb; this is where its file is loaded."""
    module, _, name = verb.where.partition(":")
    found = getattr(import_module(module), name)
    if not isinstance(found, typer.Typer):
        app = typer.Typer(add_completion=False)
        app.command(verb.name, context_settings=getattr(found, "settings", None))(found)
        found = app
    command = typer.main.get_command(found)
    command.name = verb.name
    return _checked(command)


def _checked(command: Any) -> Any:
    """The command, or each one of a group, behind a look at its numbers."""
    from seqveil.cli.miscalls import refuse_numbers

    for inner in getattr(command, "commands", {}).values():
        _checked(inner)
    run = command.invoke

    def invoke(context: Any) -> Any:
        refuse_numbers(context)
        return run(context)

    command.invoke = invoke
    return command


@contextmanager
def _in_our_words() -> Iterator[None]:
    """Typer's own box prints what was typed as it is, and a terminal obeys it: our words are escaped."""
    try:
        yield
    except TyperException as error:
        from seqveil.cli.miscalls import in_our_words

        if (told := in_our_words(error)) is None:
            raise
        raise told from None


class Verbs(TyperGroup):
    """Lists verbs from the table, and loads only the one that is called."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [verb.name for verb in VERBS]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A light stand-in that knows the verb's help line, which is all that a listing needs."""
        return next((TyperCommand(name=v.name, help=v.help) for v in VERBS if v.name == cmd_name), None)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        called = next((verb for verb in VERBS if verb.name == name), None)
        return name, command_of(called) if called else command, rest

    def make_context(self, *args: Any, **extra: Any) -> Any:
        """What stands before the verb is read here, outside `invoke`."""
        with _in_our_words():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: Any) -> Any:
        try:
            with _in_our_words():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            raise RunFailed(INTERRUPTED) from None
        except SystemError as error:
            if isinstance(error.__cause__, KeyboardInterrupt):  # it came while compiled code was being called
                raise RunFailed(INTERRUPTED) from None
            raise


app = typer.Typer(
    cls=Verbs,
    name="seqveil",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: seqveil query release/ 'A B C'. Each verb's --help shows one of its own.",
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        tell(f"seqveil {version('seqveil')}")
        raise typer.Exit


@app.callback()
def seqveil(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print it.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks. They may hold raw data.")] = False,
) -> None:
    """Publish and mine personal sequences under differential privacy, with an epsilon that is true."""
    _debugging.append(debug)


_debugging: list[bool] = []
"""Whether --debug was given to the command that runs; it must not outlive the command, so it is no environment variable."""


_TYPER_INTERRUPTED = 130
"""What typer exits with when it meets a KeyboardInterrupt itself."""


def main() -> None:
    """Run the command. Errors become text on stderr and an exit code; no traceback reaches a user."""
    _debugging.clear()
    try:
        with speaking(command_line):
            app(prog_name="seqveil")
    except ReaderLeft as error:
        _fail("", error.exit_code)
    except SeqveilError as error:
        _fail(f"error: {error}", error.exit_code)
    except SystemExit as left:
        if left.code == _TYPER_INTERRUPTED:  # between two verbs of ours
            _fail(f"error: {INTERRUPTED}", RunFailed.exit_code)
        raise
    except Exception as error:
        # The message of an unforeseen exception may quote raw data; its type may not.
        _fail(
            f"error: something unforeseen went wrong inside Seqveil ({type(error).__name__}). Please report it; "
            "`seqveil --debug …` shows where it happened, but what it shows may hold raw data.",
            1,
        )


def _fail(text: str, code: int) -> None:
    if any(_debugging):
        complain(traceback.format_exc().rstrip())
    if text:
        complain(text)
    sys.exit(code)
