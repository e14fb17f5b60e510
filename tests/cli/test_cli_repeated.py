"""An option with one value that is typed twice is refused, whatever verb it belongs to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from seqveil.cli.app import VERBS, command_of
from seqveil.errors import InputProblems


def _commands(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    inner = getattr(command, "commands", {})
    yield from ((name, command),) if not inner else ()
    for word, one in inner.items():
        yield from _commands(f"{name} {word}", one)


def test_every_option_of_every_verb_that_has_one_value_is_refused_when_it_is_typed_twice() -> None:
    seen = 0
    for name, command in (pair for verb in VERBS for pair in _commands(verb.name, command_of(verb))):
        options = [o for o in command.params if o.param_type_name == "option" and not o.multiple]
        options = [o for o in options if not o.is_flag or o.secondary_opts]
        if not options:
            continue
        words = [word for o in options for word in ([o.opts[0]] if o.is_flag else [o.opts[0], "1"])]
        with pytest.raises(InputProblems) as refused:
            command.make_context(name, [*words, *words])
        assert {max(o.opts, key=len) for o in options} == {line.partition(" ")[0] for line in refused.value.problems}, name
        seen += len(options)
    assert seen > 300


@pytest.mark.parametrize(
    ("words", "problems"),
    [
        (
            ("check", "a.csv", "--item", "A", "--domain", "a,b", "--item", "B"),
            ["--item is given 2 times, but has one value: give it once. For a table with one journey per row, use --origin"],
        ),
        (
            ("publish", "a.csv", "--epsilon=1", "--l-max", "3", "--epsilon", "2", "--l-max=4", "--domain", "a", "--domain", "b"),
            ["--epsilon is given 2 times", "--domain is given 2 times", "--l-max is given 2 times"],
        ),
        (("publish", "--l-max", "3", "--l-max", "4", "--config", "run.toml"), ["--l-max is given 2 times"]),
        (("check", "a.csv", "--domain", "a", "--header", "--no-header"), ["--header is given 2 times"]),
        (("--log-format", "json", "--log-format", "text", "methods"), ["--log-format is given 2 times"]),
    ],
)
def test_repeated_options_are_refused_with_a_sentence_all_at_once(seqveil: Any, words: Any, problems: list[str]) -> None:
    ran = seqveil(*words)

    assert 2 == ran.code
    assert not [problem for problem in problems if problem not in " ".join(ran.err.split())]


def test_a_switch_may_say_the_same_again(seqveil: Any) -> None:
    assert 0 == seqveil("methods", "--json", "--json").code
