"""The order of pages: nav.toml, with its patterns resolved."""

from __future__ import annotations

import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).parents[1]
HOME = "index.md"


@dataclass(frozen=True)
class Section:
    """A part of the site: its first page, and the pages below it in order."""

    title: str
    first: str
    pages: tuple[str, ...]
    generated: tuple[str, ...] = ()

    @property
    def below(self) -> tuple[str, ...]:
        """All pages under the first one; what people write comes before what is generated, where there is both."""
        return (*self.generated, *self.pages)


def sections(docs: Path = DOCS) -> list[Section]:
    """The sections of nav.toml; a pattern takes the pages of its folder that no section names."""
    listed = tomllib.loads((docs / "sitebuilder" / "nav.toml").read_text("utf-8"))["section"]
    named = {page for one in listed for page in (one["first"], *one["pages"])}

    def resolved(page: str) -> list[str]:
        if "*" not in page:
            return [page]
        return sorted(path for path in written(docs) if Path(path).match(page) and path not in named)

    return [
        Section(
            one["title"],
            one["first"],
            tuple(page for named_or_pattern in one["pages"] for page in resolved(named_or_pattern)),
            tuple(one.get("generated", ())),
        )
        for one in listed
    ]


def written(docs: Path = DOCS) -> list[str]:
    """The pages that people wrote, by their paths from docs/."""
    return sorted(path.relative_to(docs).as_posix() for path in docs.rglob("*.md"))


def problems(parts: list[Section], pages: list[str]) -> list[str]:
    """What is wrong with the order: pages without a place, with two, or that do not exist.

    >>> problems([Section("Start", "a.md", ("b.md", "b.md", "c.md"))], ["index.md", "a.md", "b.md", "d.md"])
    ['b.md has 2 places in nav.toml', 'c.md is in nav.toml and does not exist', 'd.md has no place in nav.toml']
    """
    places = Counter([HOME, *(page for part in parts for page in (part.first, *part.pages))])
    return [
        *(f"{page} has {n} places in nav.toml" for page, n in places.items() if n > 1),
        *(f"{page} is in nav.toml and does not exist" for page in places if page not in pages),
        *(f"{page} has no place in nav.toml" for page in pages if page not in places),
    ]
