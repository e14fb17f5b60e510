"""The words of the field, one word for one thing: phrases that readers stumble over stay out of pages, help and messages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]

NOT_YET: tuple[str, ...] = (
    "src/seqveil/audit/",
    "src/seqveil/cli/",
    "src/seqveil/engines/",
    "src/seqveil/release/",
    "src/seqveil/wall/",
    "seqveil stream",
    "seqveil link",
)
"""Files or folders, and commands as "seqveil VERB", whose words are not rewritten yet. Meant to be empty."""

BANNED = {  # what is not written, and what is written instead
    r"\bartificial (?:record|data|set|trip|sequence|pattern)": "synthetic",
    r"\bmade-up (?:record|people|person)": "synthetic, simulated",
    r"\b(?:holder's|your) eyes\b": "INTERNAL, not to be shared",
    r"\bprivate by ε": "differentially private",
    r"\bdiffer by one step\b|\bso far apart are two\b": "datasets that differ in one record (user, edge, event)",
    r"\b(?:public|the|a) universe\b|\bword list\b": "domain",
    r"\b(?:budget|ε|epsilon) (?:went|is gone)\b|\bwhere the budget went\b": "spent, reserved, remaining",
    r"\bunforeseen\b": "internal error",
    r"\bstopped by the keyboard\b": "interrupted",
    r"\b[Nn]obody can say how far\b": "an estimate without an error bound",
    r"\b[Tt]ype the same again\b": "run the command again",
    r"\bone word too many\b": "unexpected argument",
    r"\bPrint it\.": "Show the version and exit.",
    r"\bHow: see\b": "Method to use (list them with `seqveil methods`).",
    r"\bare options of their own name\b": "Method parameters are options too",
    r"\bHow the run goes\b": "Run options",
    r"\bWhere parameters come from, if not from here\b": "Reuse parameters",
    r"\bThe zone of times that name none\b": "Time zone for timestamps without one",
    r"\bwhen not as usual\b": "if not the format's default",
    r"\bWhether line 1 names\b": "The first line is a header",
    r"\bof the own names\b": "from your own names",
    r"\bthis call: there is no\b": "unknown option",
    r"\bneeds --[\w, -]+ as well\b": "missing required options",
    r"\bit is not stated how you know\b": "no reason given for treating the domain as public",
    r"\bdoes not tell its format\b": "cannot infer the format from the file name",
    r"\b(?:stays|remains) spent: a run that may\b": "remains charged: the run may already have read data",
    r"\beverything that must hold\b": "run the full test suite",
    r"\bthe chance of any outcome\b": "the probability of any outcome",
}
"""Left column of "before and after", right column of the glossary, where it is unambiguous."""

IN_PAGES = BANNED | {  # words that code may need and pages do not
    r"\b(?:is|are|was|were|be|been|not|then) told\b(?! (?:to|apart))": "released, reported, shown",
    r"\btells? (?:of|that|how|nothing|it beforehand)\b": "reveals, reports, shows",
}


def pages() -> list[Path]:
    """The pages that people read; measured results and lists of what was found stay as they were written down."""
    return sorted(p for p in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")] if "results" not in p.parts)


def texts_of_source(path: Path) -> Iterator[str]:
    """Every string in a source file, docstrings and the fixed parts of f-strings included, in one line each."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield " ".join(node.value.split())


@cache
def commands() -> dict[str, str]:
    """What `--help` of each command says, by what is typed."""
    from seqveil.cli.app import VERBS, command_of

    found: dict[str, str] = {"seqveil ": "\n".join(verb.help for verb in VERBS)}
    for verb in VERBS:
        found |= dict(_help(command_of(verb), f"seqveil {verb.name}"))
    return found


def _help(command: Any, typed: str) -> Iterator[tuple[str, str]]:
    own = [command.help, command.short_help, command.epilog]
    own += [text for option in command.params for text in (getattr(option, "help", ""), getattr(option, "rich_help_panel", ""))]
    yield typed, "\n".join(" ".join(text.split()) for text in own if text)
    for name, inner in getattr(command, "commands", {}).items():
        yield from _help(inner, f"{typed} {name}")


def problems(text: str, banned: dict[str, str] = BANNED) -> list[str]:
    """What in a text is not written here, and what is."""
    return [f"{match[0]!r}: write {instead!r}" for pattern, instead in banned.items() for match in re.finditer(pattern, text)]


def _due(name: str) -> bool:
    return not name.startswith(NOT_YET or "\0")


def test_pages_use_the_words_of_the_field():
    """README and everything under docs/."""
    texts = {path: re.sub(r"\s+", " ", path.read_text("utf-8")) for path in pages() if _due(path.relative_to(ROOT).as_posix())}
    found = [f"{path.relative_to(ROOT)}: {said}" for path, text in texts.items() for said in problems(text, IN_PAGES)]
    assert not found, "\n" + "\n".join(found)


def test_help_uses_the_words_of_the_field():
    """Every verb, with every option and heading."""
    found = [f"{typed} --help: {said}" for typed, text in commands().items() if _due(typed) for said in problems(text)]
    assert not found, "\n" + "\n".join(found)


def test_messages_use_the_words_of_the_field():
    """Every string literal of the package."""
    sources = sorted((ROOT / "src").rglob("*.py"))
    found = [
        f"{path.relative_to(ROOT)}: {said}"
        for path in sources
        if _due(path.relative_to(ROOT).as_posix())
        for text in texts_of_source(path)
        for said in problems(text)
    ]
    assert not found, "\n" + "\n".join(found)


def test_the_walk_reaches_every_command():
    """Verbs, verbs inside verbs, their options and the headings of these."""
    help_texts = commands()
    assert {
        "seqveil publish",
        "seqveil ledger cap",
        "seqveil stream lis",
        "seqveil fenced suppress",
        "seqveil link embed",
    } <= set(help_texts)
    assert all(help_texts.values())


PLANTED = [
    "A private release with artificial records.",
    "what would be dropped; for the holder's eyes only",
    "this method is not private by ε",
    "something unforeseen went wrong inside Seqveil",
    "this call: there is no --itme",
    "needs --domain, --epsilon, --out as well",
    "release/ is one word too many",
    "as many slots as the public universe has",
]


@pytest.mark.parametrize("text", PLANTED)
def test_a_phrase_that_is_not_written_is_found(text, tmp_path):
    """In pages and in sources alike, also inside an f-string and over two lines."""
    assert problems(text)
    source = tmp_path / "module.py"
    source.write_text(f'x = 1\ny = f"{{x}} {text}"\n')
    assert any(problems(said) for said in texts_of_source(source))


@pytest.mark.parametrize(
    "text",
    [
        "synthetic records",
        "differentially private",
        "an artificial limit",
        "a universally good method",
        "told apart",
        "--domain as well as --out",
    ],
)
def test_other_phrases_are_left_alone(text):
    """No rule is in the way."""
    assert [] == problems(text, IN_PAGES)
