"""Small pieces of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def cell(text: str) -> str:
    """A text inside a table: on one line, with nothing that ends the cell or begins HTML.

    >>> cell("a | b <c>")
    'a \\\\| b \\\\<c>'
    """
    return " ".join(text.split()).replace("|", "\\|").replace("<", "\\<").replace("*", "\\*")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; its cells are Markdown.

    >>> print(table(["a", "b"], [["1", "2"]]))
    | a | b |
    |---|---|
    | 1 | 2 |
    """
    lines = [head, *rows]
    first, *rest = ["| " + " | ".join(line) + " |" for line in lines]
    return "\n".join([first, "|" + "---|" * len(head), *rest])


def fence(text: str, language: str = "") -> str:
    """A block of code."""
    return f"```{language}\n{text}\n```"


def toctree(pages: Iterable[str]) -> str:
    """The pages below this one, for the navigation only."""
    listed = "\n".join(page.removesuffix(".md") for page in pages)
    return f"```{{toctree}}\n:hidden:\n\n{listed}\n```"
