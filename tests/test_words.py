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

IN_SOURCES = BANNED | {  # phrases that help, messages and docstrings once had
    r"\bmade-up (?:data|rows?|tables?)\b": "simulated",
    r"\bnobody's values\b|\bevery ?body else\b|\b(?:that|which) nobody (?:paid|killed)\b": "no user's, unpaid",
    r"\bthere is no such \w+\b|\bis no mechanism\b|\bare no partition\b": "does not exist, unknown, is not a",
    r"\b[Ww]hoever knows\b|\bWhoever has\b": "anyone who knows",
    r"\bis not a pause\b": "is not a valid gap",
    r"\bno format is known by\b|\btells its format\b": "cannot infer the format, unknown file ending",
    r"\bdrawn anew for the same\b|\bcharged anew\b|\bwrites it anew\b": "again",
    r"\blying about\b|\bgave themselves away\b|\bdid not end well\b|\bmakes no sense\b": "left, failed, not valid",
    r"\bits own bar\b": "its own interval",
    r"\b(?:events|subsequence|everything) so far, or\b": "until now",
    r"\bask for at most that\b": "give at most N",
    r"\bholds of what, for people\b|\b[Nn]obody is told\b|\bon the make-up of\b": "say it plainly",
    r"\bTell apart the error\b|\bare not told apart\b|\btells the number\b": "split, distinguish, show",
    r"\bat least so many\b|\bis gone on with\b|\bno promise to break\b": "at least this many, is resumed, no guarantee to test",
}

IN_PAGES = BANNED | {  # words that code may need and pages do not
    r"\b(?:is|are|was|were|be|been|not|then) told\b(?! (?:to|apart))": "released, reported, shown",
    r"\btells? (?:of|that|how|nothing|it beforehand)\b": "reveals, reports, shows",
}


def pages() -> list[Path]:
    """The pages that people read."""
    return sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def texts_of_source(path: Path) -> Iterator[str]:
    """Every string in a source file, docstrings and the fixed parts of f-strings included, in one line each."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield " ".join(node.value.split())


@cache
def commands() -> dict[str, str]:
    """What `--help` of each command says, by what is typed."""
    from seqveil.cli.app import VERBS, command_of

    texts: dict[str, str] = {"seqveil ": "\n".join(verb.help for verb in VERBS)}
    for verb in VERBS:
        texts |= dict(_help(command_of(verb), f"seqveil {verb.name}"))
    return texts


def _help(command: Any, typed: str) -> Iterator[tuple[str, str]]:
    own = [command.help, command.short_help, command.epilog]
    own += [text for option in command.params for text in (getattr(option, "help", ""), getattr(option, "rich_help_panel", ""))]
    yield typed, "\n".join(" ".join(text.split()) for text in own if text)
    for name, inner in getattr(command, "commands", {}).items():
        yield from _help(inner, f"{typed} {name}")


def problems(text: str, banned: dict[str, str] = BANNED) -> list[str]:
    """What in a text is not written here, and what is."""
    return [f"{match[0]!r}: write {instead!r}" for pattern, instead in banned.items() for match in re.finditer(pattern, text)]


def test_pages_use_the_words_of_the_field():
    """README and everything under docs/."""
    texts = {path: re.sub(r"\s+", " ", path.read_text("utf-8")) for path in pages()}
    offences = [f"{path.relative_to(ROOT)}: {said}" for path, text in texts.items() for said in problems(text, IN_PAGES)]
    assert not offences, "\n" + "\n".join(offences)


def test_help_uses_the_words_of_the_field():
    """Every verb, with every option and heading."""
    offences = [f"{typed} --help: {said}" for typed, text in commands().items() for said in problems(text, IN_SOURCES)]
    assert not offences, "\n" + "\n".join(offences)


def test_messages_use_the_words_of_the_field():
    """Every string literal of the package."""
    sources = sorted((ROOT / "src").rglob("*.py"))
    offences = [
        f"{path.relative_to(ROOT)}: {said}"
        for path in sources
        for text in texts_of_source(path)
        for said in problems(text, IN_SOURCES)
    ]
    assert not offences, "\n" + "\n".join(offences)


NOT_NOUNS = {"found", "told", "held", "made", "known"}
"""A name says what is in a variable; these say only that something happened to it."""

WRITTEN = re.compile(rf"(?<![^\W_])(?:{'|'.join(sorted(NOT_NOUNS))})(?![^\W_])")
"""One of them somewhere in a text, underscores around it aside: only such a text is worth parsing."""

PUBLIC_NAMES = {("src/seqveil/fenced/routes/trip.py", "found")}  # a key of the JSON that `fenced route` prints


def names_given(text: str) -> Iterator[str]:
    """Every name that a source gives: variables, attributes, parameters, functions and classes, without underscores around it."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield (node.id if isinstance(node, ast.Name) else node.attr).strip("_")
        elif isinstance(node, ast.arg):
            yield node.arg.strip("_")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name.strip("_")


def test_names_are_nouns():
    """In the package, its tests and its benchmarks."""
    given = {
        (path.relative_to(ROOT).as_posix(), name)
        for folder in ("src", "tests", "benchmarks")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if WRITTEN.search(text := path.read_text("utf-8"))
        for name in names_given(text)
    }
    assert set() == {(path, name) for path, name in given if name in NOT_NOUNS} - PUBLIC_NAMES


@pytest.mark.parametrize(
    "text",
    [
        "found = 1",
        "for told in x: pass",
        "self._held = 1",
        "def f(*, known=None): pass",
        "def _made(): pass",
        "x = [made for made in y]",
        "(held := 1)",
        "told: int",
    ],
)
def test_a_name_that_is_no_noun_is_seen(text):
    """Wherever a name can be given."""
    assert WRITTEN.search(text)
    assert NOT_NOUNS & set(names_given(text))
    assert not NOT_NOUNS & set(names_given("held_as = found_at = 1; known()"))


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
    "fails on made-up data",
    "whoever knows at most 3 points of a trajectory",
    "--state s: there is no such file.",
    "x.foo: no format is known by that ending",
    "an answer outside its own bar",
    "How many events so far, or among the last --window, satisfy --where.",
]


@pytest.mark.parametrize("text", PLANTED)
def test_a_phrase_that_is_not_written_is_found(text, tmp_path):
    """In pages and in sources alike, also inside an f-string and over two lines."""
    assert problems(text, IN_SOURCES)
    source = tmp_path / "module.py"
    source.write_text(f'x = 1\ny = f"{{x}} {text}"\n')
    assert any(problems(said, IN_SOURCES) for said in texts_of_source(source))


@pytest.mark.parametrize(
    "text",
    [
        "synthetic records",
        "differentially private",
        "an artificial limit",
        "a universally good method",
        "told apart",
        "--domain as well as --out",
        "made-up names",
        "no such pattern",
        "the sum so far",
    ],
)
def test_other_phrases_are_left_alone(text):
    """No rule is in the way."""
    assert [] == problems(text, IN_PAGES | IN_SOURCES)
