"""How a file is read is said by the same options in every command, and each comes from a field of the one description."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from seqveil.cli.app import VERBS, command_of
from seqveil.sources.layout import Layout
from seqveil.sources.source import Source

READING = ("check", "publish", "mine", "evaluate", "report")


def options(verb: str) -> dict[str, Any]:
    """The options of a command, by name."""
    return {str(option.name): option for option in command_of(next(v for v in VERBS if v.name == verb)).params}


@pytest.mark.parametrize("verb", READING)
def test_the_options_are_the_fields(verb: str) -> None:
    """Names, defaults and help: a new field is a new option of every command."""
    typed = options(verb)

    for field in fields(Layout):
        assert (field.default, field.metadata["help"]) == (typed[field.name].default, typed[field.name].help), field.name
        assert f"--{field.name.replace('_', '-')}" in typed[field.name].opts


def test_the_limits_of_a_field_hold(seqveil: Any) -> None:
    """A bound of no rows at all."""
    ran = seqveil("check", "x.csv", "--domain", "a", "--max-events", "0")

    assert ran.err.startswith("error: --max-events '0' is not allowed: it must be at least 1.")


def test_what_only_some_commands_take_has_the_same_help() -> None:
    """The domain, the delimiter of other files, and the order of a graph."""
    help = {field.name: field.metadata["help"] for field in fields(Source)}

    assert help["domain"] == options("publish")["domain"].help == options("check")["domain"].help
    assert help["order_is_public"] == options("publish")["order_is_public"].help


@pytest.mark.parametrize(("items", "said"), [(21, False), (30, True)])
def test_a_check_says_when_the_cut_would_distort_time(seqveil: Any, tmp_path: Path, items: int, said: bool) -> None:
    """More than a tenth of the items beyond l_max: the remark names both ways out."""
    (tmp_path / "long.seq").write_text(" ".join(["a"] * items) + "\n")
    ran = seqveil("check", tmp_path / "long.seq", "--domain", "a,b", "--l-max", "20")
    text = " ".join((ran.out + ran.err).split())

    assert 0 == ran.code
    assert said == ("--session, or publish with --cut sample" in text)
