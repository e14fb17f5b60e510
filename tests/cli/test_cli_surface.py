"""One sentence, two surfaces: the same mistake in a call of Python and in a command names the parameter as each writes it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import seqveil as sv
from seqveil.cli.app import app
from seqveil.errors import CallError, InputProblems
from seqveil.surface import parameter

LOG = "who,when,what\nu,2,a\n"
SENTENCES: list[tuple[str, dict[str, Any], str]] = [
    ("x.csv", {"user": "who"}, "no item column given: add {item=COLUMN}"),
    ("x.csv", {"item": "wat", "user": "who"}, "has no column 'wat' ({item}): use {item=what}"),
    ("x.csv", {"item": "what", "session": "day"}, "{session=day} needs a user column: add {user=COLUMN}"),
    ("x.csv", {"item": "what", "time_unit": "y"}, "{time_unit='y'} is unknown: use one of ns, us, ms, s, m, h, d"),
    ("x.csv", {"item": "what", "outside": "keep"}, "{outside='keep'} is unknown: use drop or other"),
    ("x.csv", {"item": "what", "timezone": "Mars"}, "{timezone='Mars'} is unknown: use a name such as UTC or Europe/Paris"),
    ("x.csv", {"item": "what", "header": False}, "{item='what'}: without a header, columns are given by number: write {item=1}"),
    ("x.csv", {"item": "no"}, "if the file has no header, add {header=False} and give columns by number, for example {item=2}"),
    ("x.csv", {"item": "what", "delimiter": "::"}, "{delimiter='::'} is not a single ASCII character"),
    ("x.csv", {"item": "what", "max_events": 5}, "{max_events=5} bounds the rows of each user, but no user column is given"),
    ("x.csv", {"item": "what", "format": "excel"}, "{format='excel'} is unknown: use one of lines, dat, spmf"),
    ("x.foo", {}, "cannot infer the format from the file name: add {format=FORMAT}, one of lines, dat, spmf"),
    (
        "x.csv",
        {"item": "what", "session": "gap:x"},
        "{session='gap:x'} is not a valid gap: write gap:30m, gap:2h, gap:90s or gap:1d",
    ),
]


def written(sentence: str, surface: Callable[[str, str | None], str]) -> str:
    """The sentence with each {name=value} as a surface writes it."""
    text, rest = "", sentence
    while "{" in rest:
        before, _, rest = rest.partition("{")
        name, rest = rest.split("}", 1)
        key, _, value = name.partition("=")
        text += before + surface(key, value or None)
    return text + rest


def as_option(name: str, value: Any) -> list[str]:
    option = f"--{name.replace('_', '-')}"
    return [option.replace("--", "--no-", 1)] if value is False else [option, str(value)]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    for name in ("x.csv", "x.foo"):
        (tmp_path / name).write_text(LOG)
    return tmp_path


@pytest.mark.parametrize(("name", "described", "sentence"), SENTENCES, ids=[s for _, _, s in SENTENCES])
def test_a_mistake_is_one_sentence(log: Path, seqveil: Any, name: str, described: dict[str, Any], sentence: str) -> None:
    """Written out by hand here: `item=COLUMN` for Python, `--item COLUMN` for the command line."""

    def python(name: str, value: str | None) -> str:
        return name if value is None else f"{name}={value}"

    def command(name: str, value: str | None) -> str:
        option = name.replace("_", "-")
        return f"--no-{option}" if value == "False" else f"--{option}" + (f" {value}" if value else "")

    with pytest.raises(InputProblems) as caught:
        sv.read_sequences(log / name, domain=sv.Domain.of(["a", "b"]), **described)
    ran = seqveil("check", log / name, "--domain", "a,b", *(word for n, v in described.items() for word in as_option(n, v)))

    assert written(sentence, python) in str(caught.value)
    assert written(sentence, command) in ran.err
    assert "--" not in str(caught.value)
    assert (2, "") == (ran.code, ran.out)


def test_the_order_of_a_graph_is_asked_for_on_both_surfaces(log: Path, seqveil: Any) -> None:
    """A truth value is a word of its own on the command line."""
    with pytest.raises(CallError, match="add order_is_public=True; otherwise"):
        sv.read_graph(log / "x.csv", domain=sv.Domain.of(["a", "b"]))
    call = ("publish", log / "x.csv", "--domain", "a,b", "--method", "der", "--epsilon", "1", "--out", log / "r")

    assert "add --order-is-public; otherwise" in seqveil(*call).err


def test_the_command_speaks_for_itself_under_any_runner(log: Path) -> None:
    """Typer's own runner calls the app without our `main`; and nothing of it outlives the command."""
    ran = CliRunner().invoke(app, ["check", str(log / "x.csv"), "--domain", "a,b"])

    assert "add --item COLUMN" in str(ran.exception)
    assert "item=COLUMN" == parameter("item", "COLUMN")
