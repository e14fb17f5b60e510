"""What `inspect` prints can be pasted into `query`, for every kind of release and every label that is allowed."""

from __future__ import annotations

import re
import shlex
from typing import Any

import pytest

from sealing import sealed
from seqveil.release.grams import GramRelease, GramTable
from seqveil.release.patterns import PatternRelease
from seqveil.release.patterns.table import PatternTable
from seqveil.release.prefixes import PrefixRelease
from seqveil.release.sets import SetRelease
from seqveil.release.sets.table import SetCounts
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat

LABELS = [
    ("home", "work", "shop"),
    ("West Ham", "Abbey Road", "Ely"),
    ('"quoted"', 'say "hi" now', '5"'),
    ("O'Hare", "'s-Hertogenbosch", "it's 'here'"),
    ("A > B", "A", "B"),
    ("a, b", ",", "a,b"),
    ("-x", "--total", "--"),
    ("\\", "a\\x1b", "\\ \\"),
    ("&", "^", "|"),
    ("&&", "&", "^^"),
    ("$HOME", "`ls`", "*?[!a]"),
    ("=>", "(an estimate)", "1 to 2"),
    ("日本", "👩 x", "naïve"),
]
KINDS = ("grams", "prefixes", "substring", "subsequence", "itemset", "sets")


def release_of(kind: str, labels: tuple[str, ...]) -> Any:
    """A small release over three labels, with a pattern of two and one of three."""
    domain = Domain.of(labels)
    table = GramTable.of(
        [[0], [1], [2], [0, 1], [1, 2], [0, 1, 2]], count=[900.0, 800.0, 700.0, 600.0, 500.0, 400.0], scale=2.0, threshold=5
    )
    if kind == "grams":
        return GramRelease(domain, grams=table, synthetic=Flat.of([[0, 1, 2]]), l_max=5, n_max=3)
    if kind == "prefixes":
        return PrefixRelease(domain, prefixes=table, synthetic=Flat.of([[0, 1, 2]]), h=3)
    if kind == "sets":
        return SetRelease(domain, sets=SetCounts.of([[0, 1], [1, 2], [0, 1, 2]], [900, 500, 200], scale=2.0, threshold=5))
    patterns = PatternTable.of([[0, 1], [1, 2], [0, 1, 2]], noisy=[900, 500, 200], scale=2.0, threshold=5)
    return PatternRelease(domain, patterns=patterns, kind=kind, about="records that contain the pattern")  # type: ignore[arg-type]


def saved(release: Any, folder: Any) -> Any:
    """The release as a folder."""
    return sealed(release).save(folder)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("labels", LABELS, ids=str)
def test_every_printed_pattern_can_be_asked(seqveil, tmp_path, kind, labels):
    """The same text, typed back, gives the same numbers."""
    folder = saved(release_of(kind, labels), tmp_path / "my release")
    shown = seqveil("inspect", folder)
    listed = re.findall(r"^ *([\d,]+)  ([\d,]+) to ([\d,]+)  (.*)$", shown.out, re.MULTILINE)
    asked = seqveil("query", folder, *(text for *_, text in listed))

    assert 0 == shown.code
    assert len(listed) >= 2
    assert 0 == asked.code, asked.err
    assert [[text, value, low, high] for value, low, high, text in listed] == [
        line.split("\t")[:4] for line in asked.out.splitlines()[1:]
    ]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("labels", LABELS, ids=str)
def test_the_printed_command_can_be_pasted(seqveil, tmp_path, kind, labels):
    """As a shell reads it, it is a command that answers."""
    folder = saved(release_of(kind, labels), tmp_path / "it's $HOME")
    line = next(line for line in seqveil("inspect", folder).out.splitlines() if line.startswith("Query any of them: "))
    name, *words = shlex.split(line.removeprefix("Query any of them: "))
    asked = seqveil(*words)

    assert ("seqveil", "query", str(folder)) == (name, *words[:2])
    assert (0, 2) == (asked.code, len(asked.out.splitlines())), asked.err


@pytest.mark.parametrize("kind", KINDS)
def test_the_list_is_in_the_order_of_its_numbers(seqveil, tmp_path, kind):
    """Also where a count was made consistent with others, and its own answer rules that out."""
    domain = Domain.of(["a", "b", "c"])
    pairs = [[0, 1], [0, 2], [1, 0], [1, 2]]
    noisy, count = [100, 300, 200, 400], [390.0, 310.0, 205.0, 120.0]
    if kind in ("grams", "prefixes"):
        table = GramTable.of([[0], [1], [2], *pairs], count=[900.0] * 3 + count, noisy=[900] * 3 + noisy, scale=2.0, threshold=5)
        release: Any = (
            GramRelease(domain, grams=table, synthetic=Flat.of([[0]]), l_max=3, n_max=2)
            if kind == "grams"
            else PrefixRelease(domain, prefixes=table, synthetic=Flat.of([[0]]), h=3)
        )
    elif kind == "sets":
        release = SetRelease(domain, sets=SetCounts.of([[0, 1], [0, 2], [1, 2]], noisy[:3], scale=2.0, threshold=5))
    else:
        chosen = [[0, 1], [0, 2], [1, 2]] if kind == "itemset" else pairs
        patterns = PatternTable.of(chosen, noisy=noisy[: len(chosen)], scale=2.0, threshold=5, count=count[: len(chosen)])
        release = PatternRelease(domain, patterns=patterns, kind=kind, about="records")  # type: ignore[arg-type]
    from seqveil.report.patterns import strongest

    folder = saved(release, tmp_path / "r")
    listed = [
        int(value.replace(",", ""))
        for value in re.findall(r"^ *([\d,]+)  [\d,]+ to", seqveil("inspect", folder).out, re.MULTILINE)
    ]
    on_page = [row["value"] for row in strongest(release)["rows"]]

    assert len(listed) >= 3
    assert sorted(listed, reverse=True) == listed
    assert sorted(on_page, reverse=True) == on_page
