"""Copies the pages that people wrote to where Sphinx reads them, with what only the site needs."""

from __future__ import annotations

import posixpath
import re
import shutil
from pathlib import Path

from sitebuilder import api, commands, manifest, parameters
from sitebuilder.markdown import toctree
from sitebuilder.nav import DOCS, HOME, Section, problems, sections, written
from sitebuilder.notebooks import executed
from sitebuilder.pictures import draw

ROOT = DOCS.parent
FROM_ROOT = {
    "CONTRIBUTING.md": "contribute/contributing.md",
    "CHANGELOG.md": "contribute/changelog.md",
    "SECURITY.md": "contribute/security.md",
}
"""Pages that have to be in the root of the project, and where the site has them."""

LINK = re.compile(r"(\]\()([^)\s:#]+)((?:#[^)\s]*)?\))")


def stage(to: Path, notebooks: bool = True) -> list[Section]:
    """Everything that Sphinx needs, in an empty folder."""
    parts = sections()
    if wrong := problems(parts, written()):
        raise SystemExit("docs/sitebuilder/nav.toml:\n" + "\n".join(f"  - {one}" for one in wrong))
    shutil.rmtree(to, ignore_errors=True)
    for page in written():
        text = (DOCS / page).read_text("utf-8")
        if notebooks and page.startswith("tutorials/") and not page.endswith("index.md"):
            text = executed(text, page, to)
        _put(to / page, relinked(text, f"docs/{page}", page) + _below(page, parts))
    for source, page in FROM_ROOT.items():
        _put(to / page, relinked((ROOT / source).read_text("utf-8"), source, page))
    for texts in (commands.pages(), parameters.pages(), manifest.pages(), api.pages()):
        for page, text in texts.items():
            _put(to / page, text)
    for picture in DOCS.rglob("*"):
        if picture.suffix in (".svg", ".png", ".json"):
            _put_bytes(to / picture.relative_to(DOCS), picture.read_bytes())
    draw(to / "understand" / "pictures")
    _put(to / "conf.py", (DOCS / "sitebuilder" / "conf.py").read_text("utf-8"))
    _put(to / "_static" / "site.css", (DOCS / "sitebuilder" / "site.css").read_text("utf-8"))
    return parts


def relinked(text: str, source: str, page: str) -> str:
    """Links of a page, by its path in the project, made to work from its path on the site; others stay as they are.

    >>> relinked("[a](docs/promise.md#x) [b](src/x.py)", "CONTRIBUTING.md", "contribute/contributing.md")
    '[a](../promise.md#x) [b](src/x.py)'
    """

    def moved(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), link[2]))
        on_site = FROM_ROOT.get(target, target.removeprefix("docs/") if target.startswith("docs/") else None)
        if on_site is None:
            return link[0]
        return f"{link[1]}{posixpath.relpath(on_site, posixpath.dirname(page) or '.')}{link[3]}"

    return LINK.sub(moved, text)


def _below(page: str, parts: list[Section]) -> str:
    """The navigation under a page."""
    if page == HOME:
        return "\n\n" + toctree(f"{part.title} </{part.first.removesuffix('.md')}>" for part in parts) + "\n"
    below = next((part.below for part in parts if part.first == page), ())
    return "\n\n" + toctree("/" + one for one in below) + "\n" if below else ""


def _put(path: Path, text: str) -> None:
    _put_bytes(path, text.encode("utf-8"))


def _put_bytes(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
