"""Pages of a small town's release, opened from disk in a real browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import seqveil as sv
from browsers import Recorded

if TYPE_CHECKING:
    from playwright.sync_api import Browser as Chromium

LABELS = ["home", "metro", "office", "café", "park", "<b>shop & co</b>"]


class Browser:
    """One page at a time; remembers every request and every message of the console."""

    def __init__(self, chromium: Chromium) -> None:
        self._chromium = chromium
        self._pages: dict[tuple[int, int, bool], Recorded] = {}
        self._shown: Recorded | None = None

    @property
    def _recorded(self) -> Recorded:
        assert self._shown is not None, "no page is open"
        return self._shown

    @property
    def requests(self) -> list[str]:
        return self._recorded.requests

    @property
    def complaints(self) -> list[str]:
        return self._recorded.complaints

    def open(self, page: Path, width: int = 1100, height: int = 900, dark: bool = False) -> None:
        """Load a page and wait until it has loaded."""
        size = (width, height, dark)
        if size not in self._pages:
            self._pages[size] = Recorded(self._chromium, *size, is_mobile=width < 600)
        self._shown = self._pages[size]
        self.requests.clear()
        self.complaints.clear()
        self._shown.page.goto(page.resolve().as_uri())

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        return self._recorded.page.evaluate(script)

    def screenshot(self, path: Path) -> None:
        """The whole page as PNG."""
        self._recorded.page.screenshot(path=path, full_page=True)

    def close(self) -> None:
        for one in self._pages.values():
            one.close()


@pytest.fixture(scope="session")
def browser(chromium: Chromium) -> Iterator[Browser]:
    """A browser for all tests of the page."""
    browser = Browser(chromium)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def trips() -> sv.SequenceTable:
    """Days of a small town, one label of which would be markup if it were not escaped."""
    domain = sv.Domain.of(LABELS, public_because="a published map")
    home, metro, office, cafe, park, shop = LABELS
    days = {(home, metro, office, metro, home): 900, (home, cafe, home): 600, (home, park, shop, home): 500, (office,): 200}
    return sv.table_of([day for day, times in days.items() for _ in range(times)], domain)


@pytest.fixture(scope="session")
def written(trips: sv.SequenceTable, tmp_path_factory: pytest.TempPathFactory) -> Callable[[bool], Path]:
    """Writes the page of one experiment, with or without raw data."""
    from seqveil.report.page import write_report

    release = sv.experiment(trips, sv.NGram(l_max=6, n_max=3), epsilon="4.0", seed=3)
    folder = tmp_path_factory.mktemp("pages")

    def write(raw: bool) -> Path:
        return write_report(release, folder / f"{raw}.html", raw=trips if raw else None)

    return write
