"""The frame: exit codes, silence about raw data, and a help that comes at once."""

import subprocess
import sys

import pytest

from seqveil.cli import app as frame
from seqveil.cli import console
from seqveil.errors import BudgetRefused, CallError, InputProblems, LedgerError, ReleaseDamaged, RunFailed


@pytest.fixture
def failing(monkeypatch):
    """Adds a verb `boom` that raises what it is told to."""

    def install(error):
        def boom() -> None:
            """Fails. Example: seqveil boom"""
            raise error

        monkeypatch.setattr(sys.modules[__name__], "boom", boom, raising=False)
        monkeypatch.setattr(frame, "VERBS", [*frame.VERBS, frame.Verb("boom", "boom_here:boom", "Fails.")])
        monkeypatch.setitem(sys.modules, "boom_here", sys.modules[__name__])

    return install


ENDINGS = [
    (CallError("wrong"), 2, "error: wrong\n"),
    (InputProblems("f.csv", ["a", "b"]), 2, "error: f.csv has 2 problems:\n  - a\n  - b\n"),
    (BudgetRefused("0.2 left"), 3, "error: 0.2 left\n"),
    (LedgerError("locked"), 1, "error: locked\n"),
    (ReleaseDamaged("changed"), 1, "error: changed\n"),
]


@pytest.mark.parametrize(("error", "code", "text"), ENDINGS, ids=[type(e[0]).__name__ for e in ENDINGS])
def test_errors_become_text_and_an_exit_code(seqveil, failing, error, code, text):
    """Every error of the tree ends with its code and without a traceback."""
    failing(error)
    ran = seqveil("boom")

    assert (code, "", text) == (ran.code, ran.out, ran.err)


def test_an_unforeseen_error_says_nothing_about_the_data(seqveil, failing):
    """The message of an unknown exception may quote a record: only its type is told."""
    failing(ValueError("Alice went to the clinic"))
    ran = seqveil("boom")

    assert 1 == ran.code
    assert "Alice" not in ran.err + ran.out
    assert "ValueError" in ran.err
    assert 1 == len(ran.err.splitlines())


def test_debug_shows_the_traceback(seqveil, failing):
    """--debug is for developers, who are warned."""
    failing(ValueError("Alice went to the clinic"))
    ran = seqveil("--debug", "boom")

    assert 1 == ran.code
    assert "Traceback" in ran.err
    assert "raw data" in ran.err


def test_debug_shows_what_was_kept_back(seqveil, failing):
    """An error that was told in other words, because its own may quote values: only --debug prints those."""
    error = RunFailed("a job failed")
    error.__context__, error.__suppress_context__ = ValueError("Alice went to the clinic"), True
    failing(error)

    assert "error: a job failed\n" == seqveil("boom").err
    assert "Alice" in seqveil("--debug", "boom").err


def test_the_keyboard_stops_it(seqveil, failing):
    """Ctrl-C ends with 1 and without a traceback."""
    failing(KeyboardInterrupt())
    ran = seqveil("boom")

    assert (1, "error: interrupted.\n") == (ran.code, ran.err)


def test_the_keyboard_stops_compiled_code_too(seqveil, failing):
    """Python makes a SystemError of a Ctrl-C that comes while a compiled function is entered."""
    interrupted = SystemError("returned a result with an exception set")
    interrupted.__cause__ = KeyboardInterrupt()
    failing(interrupted)
    ran = seqveil("boom")

    assert (1, "error: interrupted.\n") == (ran.code, ran.err)


@pytest.mark.parametrize("arguments", [["nonsense"], ["query"], ["query", "x", "y", "--nope"]])
def test_wrong_usage_ends_with_2(seqveil, arguments):
    """Unknown verbs, missing arguments and unknown options."""
    assert 2 == seqveil(*arguments).code


def test_version(seqveil):
    """--version prints name and number."""
    ran = seqveil("--version")

    assert 0 == ran.code
    assert ran.out.startswith("seqveil 0.")


@pytest.mark.parametrize("verb", [verb.name for verb in frame.VERBS])
def test_every_verb_is_listed_and_shows_an_example(seqveil, verb):
    """The listing has a line for each verb, and its own help an example to copy."""
    listed, own = seqveil("--help"), seqveil(verb, "--help")

    assert f" {verb} " in listed.out
    assert 0 == own.code
    assert f"Example: seqveil {verb}" in " ".join(own.out.split())


@pytest.mark.slow
@pytest.mark.parametrize("words", [["--help"], ["publish", "--help"], ["check", "--help"]])
def test_help_loads_nothing_heavy(words):
    """`seqveil --help` in a new process imports no array library; `make bench` measures how long it takes."""
    code = (
        f"import sys; sys.argv = ['seqveil', *{words}]\n"
        "from seqveil.cli.app import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'numba', 'polars', 'pyarrow', 'scipy', 'altair', 'pandas'} & set(sys.modules)\n"
        "sys.exit(f'loaded {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert (0, "") == (done.returncode, done.stderr)


def test_banners_and_progress_keep_to_stderr(capsys):
    """Nothing but results reaches stdout; in a pipe there is no bar at all."""
    console.banner("INTERNAL")
    console.say("a remark")
    with console.progress("working", steps=1) as stage:
        stage("one")
    captured = capsys.readouterr()

    assert "" == captured.out
    assert captured.err.startswith("INTERNAL - Do not share")
    assert "working" not in captured.err
