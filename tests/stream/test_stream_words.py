"""What `seqveil stream` says when a call is wrong: nothing of the data, not even its first line or how many fields it has."""

import sys

import pytest

from processes import run
from seqveil.errors import InputProblems
from seqveil.sources.events import EventStream

SECRET = "8675309"
OPTIONS = ("--length", "10", "--epsilon", "1", "--account", "a")
STATISTICS = {"sum": ("--lower", "0", "--upper", "9"), "count": ("--where", "> 0"), "lis": ()}


def stream(*words, text=""):
    script = "from seqveil.cli.app import main; main()"
    command = [sys.executable, "-c", script, "stream", *map(str, words)]
    ran = run(command, input=text, text=True)
    return ran.returncode, ran.stdout + ran.stderr


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("fields", [1, 3])
def test_a_missing_column_is_told_without_the_data(tmp_path, statistic, fields):
    """A file without a header: its first line is an event, and stays inside. What was given is named, and what to type."""
    events = tmp_path / "power.csv"
    events.write_text(f"{','.join([SECRET] * fields)}\n{SECRET}\n")
    code, messages = stream(statistic, events, "--column", "watts", *STATISTICS[statistic], *OPTIONS)

    assert 2 == code
    assert SECRET not in messages
    assert "--column 'watts' is not in line 1, the header" in messages
    assert "--no-header" in messages


def test_the_words_do_not_depend_on_the_first_line(tmp_path):
    """Empty, long, not CSV at all: the same error to the letter."""
    messages = set()
    for line in (
        b"",
        b"a,b\n",
        SECRET.encode() + b"\n",
        b'"',
        b'"a\n',
        b"\0,\0\n",
        b"x" * 200_000 + b"\n",
        "ä\n".encode("latin-1"),
    ):
        (tmp_path / "x.csv").write_bytes(line)
        with pytest.raises(InputProblems) as error:
            EventStream(tmp_path / "x.csv", column="watts").open()
        messages.add(str(error.value))

    assert 1 == len(messages)
    assert SECRET not in messages.pop()


@pytest.mark.parametrize(
    "words",
    [
        ("count", "--where", "> 0", "--column", SECRET[:3]),
        ("count", "--where", "> 0", "--format", "csv", "--column", "watts"),
        ("count", "--where", "> 0", "--format", "csv", "--column", "0", "--no-header"),
        ("count", "--where", "> 0", "--format", "nonsense"),
        ("sum", "--lower", "9", "--upper", "0"),
        ("sum", "--lower", "0", "--upper", "9", "--delimiter", "::", "--column", "watts"),
        ("lis", "--method", "window"),
        ("lis", "--length", "1"),
    ],
)
def test_no_error_of_a_stream_quotes_an_event(words):
    """From standard input too: whatever is wrong with the call, no event appears in what is said about it."""
    code, messages = stream(*words[:1], *OPTIONS, *words[1:], text=f"{SECRET}\n{SECRET}1\n")

    assert code in (1, 2)
    assert SECRET not in messages
