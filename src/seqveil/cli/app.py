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
from seqveil.errors import CallError, ReaderLeft, RunFailed, SeqveilError
from seqveil.logs import stop_logs, write_logs
from seqveil.surface import command_line, speaking

INTERRUPTED = "interrupted."


class Verb(NamedTuple):
    """A line of the table: what is typed, where it lives ("module:function" or "module:typer app"), what it does."""

    name: str
    where: str
    help: str


VERBS = [
    Verb("demo", "seqveil.cli.demo:demo", "Simulate a city, publish its trips, and compare them with the truth."),
    Verb("studio", "seqveil.cli.studio:studio", "Open a local web page: from a file to a release, without leaving this machine."),
    Verb("check", "seqveil.cli.check:check", "INTERNAL: show what would be dropped or cut. Do not share."),
    Verb("domain", "seqveil.cli.domain:domain_app", "Discover the labels of data of which no list of labels is public."),
    Verb("plan", "seqveil.cli.plan:plan", "Predict the accuracy of a release, or find the ε that an accuracy needs."),
    Verb("publish", "seqveil.cli.publish:publish", "Publish synthetic data with differential privacy."),
    Verb("mine", "seqveil.cli.mine:mine", "Mine frequent patterns with differential privacy."),
    Verb("methods", "seqveil.cli.methods:methods", "List the methods, or the parameters of one."),
    Verb("query", "seqveil.cli.query:query", "Answer count queries from a release, with 95 % confidence intervals."),
    Verb("od", "seqveil.cli.od:od", "Show or write how many records lead from one label to another."),
    Verb("synth", "seqveil.cli.synth:synth", "Draw synthetic records from a release."),
    Verb("inspect", "seqveil.cli.inspect:inspect", "Show the guarantee, the budget and the contents of a release."),
    Verb(
        "verify", "seqveil.cli.verify:verify", "Verify the files and the signature of a release, and compare it with the ledger."
    ),
    Verb("report", "seqveil.cli.report:report", "Write an HTML page about a release."),
    Verb("evaluate", "seqveil.cli.evaluate:evaluate", "INTERNAL: compare a release, or a method, with the raw data."),
    Verb("bench", "seqveil.cli.bench:bench", "Run the experiments declared in a file; write tables and plots."),
    Verb("audit", "seqveil.cli.audit:audit", "Try to break a method's guarantee on simulated data."),
    Verb("stream", "seqveil.cli.stream:stream_app", "Publish counts, sums and trends while events arrive."),
    Verb("fenced", "seqveil.cli.fenced:fenced_app", "NOT differentially private: suppress trajectories; plan group routes."),
    Verb("link", "seqveil.cli.link:link_app", "Match records of two data holders; only its base is differentially private."),
    Verb("ledger", "seqveil.cli.ledger:ledger_app", "Show and cap privacy budgets, account by account."),
    Verb("key", "seqveil.cli.key:key_app", "Show, change and trust the keys that releases are signed with."),
]


def command_of(verb: Verb) -> Any:
    """The real command of a verb; this is where its file is loaded."""
    module, _, name = verb.where.partition(":")
    function = group = getattr(import_module(module), name)
    if not isinstance(group, typer.Typer):
        group = typer.Typer(add_completion=False)
        group.command(verb.name, context_settings=getattr(function, "settings", None))(function)
    command = typer.main.get_command(group)
    command.name = verb.name
    if getattr(function, "settings", None):  # it takes parameters of methods
        from seqveil.cli.parameter_help import with_parameters

        command = with_parameters(command)
    return _checked(command)


def _checked(command: Any) -> Any:
    """The command, or each one of a group, behind a look at its options and numbers."""
    from seqveil.cli.miscalls import refuse_numbers
    from seqveil.cli.repeated import refuse_repeated

    for inner in getattr(command, "commands", {}).values():
        _checked(inner)
    run, parse = command.invoke, command.parse_args

    def parse_args(context: Any, words: list[str]) -> Any:
        refuse_repeated(command, context, words)
        return parse(context, words)

    def invoke(context: Any) -> Any:
        refuse_numbers(context)
        return run(context)

    command.parse_args, command.invoke = parse_args, invoke
    return command


@contextmanager
def _in_our_words() -> Iterator[None]:
    """Typer's own box prints what was typed as it is, and a terminal obeys it: our words are escaped."""
    try:
        yield
    except TyperException as error:
        from seqveil.cli.miscalls import in_our_words

        if (ours := in_our_words(error)) is None:
            raise
        raise ours from None


class Verbs(TyperGroup):
    """Lists verbs from the table, and loads only the one that is called."""

    def main(self, *args: Any, **extra: Any) -> Any:
        """Whoever calls the command, in a process or in a test: messages name options, not arguments of functions."""
        with speaking(command_line):
            return super().main(*args, **extra)

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

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        from seqveil.cli.repeated import refuse_repeated

        refuse_repeated(self, ctx, args)
        return super().parse_args(ctx, args)

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
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: seqveil query release/ 'A B C'. See seqveil COMMAND --help for more.",
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        tell(f"seqveil {version('seqveil')}")
        raise typer.Exit


@app.callback()
def seqveil(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks, which may contain raw data.")] = False,
    log_format: Annotated[
        str | None, typer.Option(help="Log what a run does on stderr, one line each: json or text. No line depends on raw data.")
    ] = None,
) -> None:
    """Publish and mine sequences of personal data with differential privacy."""
    _debugging.append(debug)
    if log_format is not None:
        if log_format not in ("json", "text"):
            raise CallError(f"--log-format {log_format!r} is unknown: use json or text.")
        write_logs("json" if log_format == "json" else "text")


_debugging: list[bool] = []
"""Whether --debug was given to the command that runs; it must not outlive the command, so it is no environment variable."""


_TYPER_INTERRUPTED = 130
"""What typer exits with when it meets a KeyboardInterrupt itself."""


def main() -> None:
    """Run the command. Errors become text on stderr and an exit code; no traceback reaches a user."""
    _debugging.clear()
    try:
        app(prog_name="seqveil")
    except ReaderLeft as error:
        _fail("", error.exit_code)
    except SeqveilError as error:
        _fail(f"error: {error}", error.exit_code)
    except SystemExit as end:
        if end.code == _TYPER_INTERRUPTED:  # between two verbs of ours
            _fail(f"error: {INTERRUPTED}", RunFailed.exit_code)
        raise
    except Exception as error:
        # The message of an unexpected exception may quote raw data; its type may not.
        _fail(
            f"error: internal error ({type(error).__name__}). Please report it. `seqveil --debug …` shows where it happened; "
            "its output may contain raw data.",
            1,
        )
    finally:
        stop_logs()  # it must not outlive the command either


def _fail(text: str, code: int) -> None:
    if any(_debugging):
        _uncover(sys.exception())
        complain(traceback.format_exc().rstrip())
    if text:
        complain(text, exit_code=code, **_budget(sys.exception()))
    sys.exit(code)


def _budget(error: BaseException | None) -> dict[str, str]:
    """What became of the budget, in one word, where an error that ended a run knows it."""
    budgets = {budget for note in getattr(error, "__notes__", ()) if (budget := getattr(note, "budget", None))}
    return {"budget": budgets.pop()} if len(budgets) == 1 else {}


def _uncover(error: BaseException | None) -> None:
    """Let a traceback show also what was kept back when an error was told in other words: --debug is asked for that."""
    while error is not None:
        error.__suppress_context__ = error.__cause__ is not None
        error = error.__cause__ or error.__context__
