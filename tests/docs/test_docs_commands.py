"""Commands that pages only show, in blocks without a language, name commands and options that exist."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from consoles import FENCE

from seqveil import registry
from seqveil.cli.app import VERBS, command_of
from sitebuilder.nav import DOCS, written

ROOT = DOCS.parent
PAGES = ["../README.md", *(page for page in written() if not page.startswith(("results/", "decisions/")))]
GLOBAL = {"--version", "--debug", "--help", "-h"}
OURS = {"../README.md", "mechanisms/streams.md", "formats.md", "ledger.md", "studio.md"}
"""Pages with such blocks, to know that they are seen."""


def shown(text: str) -> Iterator[str]:
    """The `seqveil …` commands of a page's blocks, without what explains them: after `#`, or after a gap of blanks."""
    for language, block in FENCE.findall(text):
        for line in [] if language else re.sub(r"\\\n\s*", "", block).splitlines():
            for command in re.findall(r"(?:^|\| |\s{2,})(seqveil .*)", line):
                yield re.split(r"\s+#\s|\s{2,}", _tight(command))[0]


def _tight(command: str) -> str:
    """Words that are only lined up, such as `link base  patients.csv --column name`, are no explanation."""
    return re.sub(r"^(seqveil link (?:psi )?\w+)\s+", r"\1 ", command)


@cache
def parameters() -> frozenset[str]:
    """Options that are parameters of some method."""
    names = {name for method in registry.OURS for name in registry.parameters(method)}
    return frozenset("--" + name.replace("_", "-") for name in names)


@cache
def verb(name: str) -> Any:
    return next((command_of(one) for one in VERBS if one.name == name), None)


def problems(line: str) -> list[str]:
    """What a shown command names that does not exist."""
    try:
        words = shlex.split(line)[1:]
    except ValueError:
        words = line.split()[1:]
    if not words or words[0] in GLOBAL or not re.fullmatch("[a-z]+", words[0]):
        return []
    command = verb(words[0])
    if command is None:
        return [f"no command {words[0]}"]
    depth = 1
    while inner := getattr(command, "commands", {}):
        command, depth = inner.get(words[depth]) if len(words) > depth else None, depth + 1
        if command is None:
            spoken = len(words) >= depth and not re.fullmatch("[a-z]+", words[depth - 1])
            return [] if spoken else [f"no command {' '.join(words[:depth])}"]
    allowed = GLOBAL | parameters() | {flag for one in command.params for flag in (*one.opts, *one.secondary_opts)}
    return [f"no option {word}" for word in words if re.match("--[a-z]", word) and word.partition("=")[0] not in allowed]


@pytest.mark.parametrize("page", PAGES)
def test_commands_and_options_exist(page):
    """Every one that the page shows."""
    lines = list(shown((DOCS / page).read_text("utf-8")))

    assert lines or page not in OURS
    assert {} == {line: wrong for line in lines if (wrong := problems(line))}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("seqveil publsh x.csv", ["no command publsh"]),
        ("seqveil query release/ --begin A", ["no option --begin"]),
        ("seqveil ledger shw", ["no command ledger shw"]),
        ("seqveil publish x.csv --l-max 20 --domain=a,b", []),
        ("seqveil stream count --where '= open' --length 5", []),
    ],
)
def test_what_does_not_exist_is_seen(line, said):
    """A command, a command inside one, an option; parameters of methods are options."""
    assert said == problems(line)


def test_explanations_are_no_words_of_a_command():
    """After a number sign or a gap, and before a pipe."""
    block = "```\nseqveil a --x 1   # note --y\nseqveil b     says --z\ntail -f l | seqveil c \\\n   --w 2\n```\n"

    assert ["seqveil a --x 1", "seqveil b", "seqveil c --w 2"] == list(shown(block))
