"""What files cite can be opened: sections of our own pages, works listed in docs/references.md, files of this project.

A section is cited as `docs/soundness.md, 'The terminator'`, a work as `[Chen 2012]` or `[Chen thesis, Alg. 6.2]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "seqveil"

FOLDERS = ("src", "tests", "docs", "benchmarks", ".ci")
SUFFIXES = (".py", ".pyi", ".md", ".toml", ".txt", ".j2", ".sql", ".sh", "")

FOREIGN = {  # what is cited, and what to cite instead
    r"\b(?!README|CHANGELOG|CONTRIBUTING|SECURITY|NAME)[A-Z]{4,}\.md\b": "a page under docs/",
    r"\b[A-Z]{5,} §": "a page under docs/",
    r"§\d+ F\d\b": "docs/soundness.md, 'HEADING'",
    r"\bG[1-8]: ": "docs/soundness.md, 'HEADING'",
    r"\b(?:[Tt]hesis|[Pp]aper)s? 00\d\b": "a key of docs/references.md",
    r"(?<![\d.,])00\d,? (?:§|(?i:ch|def|table|alg|theorem|lemma|example|section|says))": "a key of docs/references.md",
    r"\b(?:Chen|Bonomi)(?:'s|,|:) thesis\b": "[Chen thesis] or [Bonomi thesis]",
    r"(?m)^\s*\[\d\] (?:[A-Z]\. )?[A-Z][a-z]+[,:' ]": "a key of docs/references.md instead of a numbered footnote",
    r"Privacy-Preserving Sequential Data Publishing|High-Dimensional Data and Location": "[Chen thesis]: no such title",
    r"Privacy-preserving publication of trajectory, set-valued": "[Chen thesis]: no such title",
    r"Mining and Linking Sequential Data": "[Bonomi thesis]: no such title",
}
BESIDE = {
    r"\.\./\w+/data\b": "$SEQVEIL_DATA",
    r"""["']\w+["'] */ *["']data["']""": "$SEQVEIL_DATA",
}

SECTION = re.compile(r"(docs/[\w./-]+\.md), '([^'\n]+)'")
WORK = re.compile(r"\[([A-Z][A-Za-zé-]+ (?:(?:19|20)\d\d[a-z]?|thesis))(?:, [^\]\n]*)?\]")
OWN_FILE = re.compile(r"(?<![\w/.-])((?:src/seqveil|tests|docs|benchmarks)/[\w./*-]*\w\.(?:py|md|toml|json|j2|sql))\b")
ROOM_FILE = re.compile(r"`([a-z_]+/[\w./*-]*\w\.pyi?)`")
OWN_TEST = re.compile(r"`(test_\w+)`")
LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)")


def files() -> list[Path]:
    """The text files of the project, this one left out: it spells out what it refuses."""
    inside = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if "__pycache__" not in path.parts]
    outside = [path for path in ROOT.iterdir() if path.name != ".git"]
    paths = [path for path in [*inside, *outside] if path.is_file() and path.suffix in SUFFIXES and path != Path(__file__)]
    return sorted(paths)


@cache
def headings(page: Path) -> list[str]:
    """The headings of a Markdown page, code blocks left out."""
    text = re.sub(r"(?ms)^```.*?^```", "", page.read_text("utf-8"))
    return [heading.strip() for heading in re.findall(r"(?m)^#+ (.+)$", text)]


def anchor(heading: str) -> str:
    """The fragment under which Markdown hosts link a heading."""
    return re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).replace(" ", "-")


@cache
def keys() -> frozenset[str]:
    """The keys of docs/references.md."""
    return frozenset(re.findall(r"(?m)^\* \*\*\[([^\]]+)\]\*\*", (ROOT / "docs/references.md").read_text("utf-8")))


@cache
def names_of_tests() -> frozenset[str]:
    """The names of all tests and their files."""
    sources = list((ROOT / "tests").rglob("test_*.py"))
    return frozenset(name for path in sources for name in re.findall(r"(?m)^ *def (test_\w+)", path.read_text("utf-8"))) | {
        path.stem for path in sources
    }


def problems(text: str, path: Path) -> Iterator[str]:
    """What in a text cites something that a reader cannot open."""
    for pattern, instead in (FOREIGN | BESIDE).items():
        yield from (f"{match[0].strip()!r}: write {instead}" for match in re.finditer(pattern, text))
    for page, heading in SECTION.findall(text):
        if not (ROOT / page).is_file() or heading not in headings(ROOT / page):
            yield f"{page} has no heading {heading!r}"
    yield from (f"[{key}] is not in docs/references.md" for key in WORK.findall(text) if key not in keys())
    for name in OWN_FILE.findall(text):
        if "NAME" not in name and not (any(ROOT.glob(name)) if "*" in name else (ROOT / name).exists()):
            yield f"there is no {name}"
    for name in ROOM_FILE.findall(text):  # a file of a room, from src/seqveil on
        if "NAME" not in name and (PACKAGE / name.partition("/")[0]).is_dir() and not any(PACKAGE.glob(name)):
            yield f"there is no {name} in the package"
    if path.suffix == ".md":
        yield from (f"there is no test {name}" for name in OWN_TEST.findall(text) if name not in names_of_tests())
        yield from _broken_links(text, path)


def _broken_links(text: str, path: Path) -> Iterator[str]:
    for link in LINK.findall(re.sub(r"(?ms)^```.*?^```|`[^`\n]*`", "", text)):
        target, _, fragment = link.partition("#")
        if "://" in target or target.startswith("mailto:"):
            continue
        page = (path.parent / target).resolve() if target else path
        if not page.exists():
            yield f"the link {link} leads nowhere"
        elif fragment and fragment not in map(anchor, headings(page)):
            yield f"the link {link} names no heading"


def test_everything_that_is_cited_can_be_opened():
    """All text files of the project."""
    offences = [f"{path.relative_to(ROOT)}: {problem}" for path in files() for problem in problems(path.read_text("utf-8"), path)]
    assert not offences, "\n" + "\n".join(offences)


PLANTED = [  # a text, and what must be said about it
    ("the terminator adds one (RULES §1 F1)", "write docs/soundness.md"),
    ("as RULES.md decides", "a page under docs/"),
    ("follows RULES §1", "a page under docs/"),
    ("(003 Definition 6.5)", "a key of docs/references.md"),
    ("(thesis 002, §4.3)", "a key of docs/references.md"),
    ("[1] R. Chen's thesis, ch. 4.", "[Chen thesis] or [Bonomi thesis]"),
    ("    [2] Xu, Su, Cheng: Frequent", "numbered footnote"),
    ("docs/soundness.md, 'The colour of noise'", "no heading"),
    ("docs/nowhere.md, 'Noise'", "no heading"),
    ("[Chen 1912, §4]", "not in docs/references.md"),
    ("[Nobody thesis]", "not in docs/references.md"),
    ("see tests/wall/test_nothing.py", "there is no tests/wall/test_nothing.py"),
    ("see `wall/nothing.py`", "there is no wall/nothing.py"),
    ("held by `test_that_nobody_wrote`", "there is no test"),
    ("[page](soundness.md#nothing)", "names no heading"),
    ("[page](nowhere.md)", "leads nowhere"),
    ("default: ../beside/data", "$SEQVEIL_DATA"),
]


@pytest.mark.parametrize(("text", "said"), PLANTED)
def test_a_citation_that_cannot_be_opened_is_found(text, said):
    """Each rule finds what it is there for."""
    assert any(said in problem for problem in problems(text, ROOT / "docs/page.md"))


FINE = [
    "docs/soundness.md, 'The terminator'",
    "[Chen 2012], [Chen thesis, Alg. 6.2], [Bonomi thesis, §3.2], [Xu 2015, §VII-A]",
    "the thesis says 1.000 and 10,003 § 5; table[1] Chen",
    "tests/test_citations.py and src/seqveil/wall/*.py; a page docs/mechanisms/NAME.md",
    "[noise](soundness.md#noise), [site](https://example.org/a#b)",
    "`wall/paths.py`, `wall/questions/*.py`, `kinds/NAME.py`, `a/b.py`",
    "`test_everything_that_is_cited_can_be_opened`",
]


@pytest.mark.parametrize("text", FINE)
def test_a_citation_that_can_be_opened_is_left_alone(text):
    """No rule is in the way."""
    assert [] == list(problems(text, ROOT / "docs/page.md"))
