"""Pictures of the studio with the demo's city.

python tests/studio/screenshots.py FOLDER      every page at three widths, light and dark, for looking at
python tests/studio/screenshots.py FILE.png    the picture of the README (`make picture`)
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1]))

from browsers import Recorded, chromium
from studios import Started, ended, reviewed

if TYPE_CHECKING:
    from playwright.sync_api import Browser

WIDTHS = (390, 800, 1440)


def write_data(folder: Path) -> None:
    """The demo's city, small."""
    from seqveil.simulate.city import trips
    from seqveil.tables.write import write_sequences

    day = trips(20_000)
    (folder / "stations.txt").write_text("\n".join(day.domain.labels(range(len(day.domain)))) + "\n", encoding="utf-8")
    write_sequences(folder / "trips.csv", day.domain, day.flat, raw_cells=True)


def publish(studio: Started, folder: Path) -> dict[str, str]:
    """A release through the forms; the addresses of all pages."""
    studio.post("/ledger/cap", account="city", cap="3.0")
    base = studio.post("/new").location.removesuffix("/data")
    forms: list[tuple[str, dict[str, str]]] = [
        ("data/choose", {"path": str(folder / "trips.csv")}),
        ("data", {"reader": "sequences"}),
        ("who", {"layout.session": "sequence", "layout.time": "position", "layout.item": "item", "unit": "record"}),
        ("labels/choose", {"path": str(folder / "stations.txt")}),
        ("labels", {"labels": "file", "public_because": "the network map is published"}),
    ]
    for step, given in forms:
        assert studio.post(f"{base}/{step}", **given).status == 303, step
    first = re.search(r'name="method" value="([^"]+)" checked', studio.get(f"{base}/method").text)
    assert first is not None
    studio.post(f"{base}/method", method=first[1])
    studio.post(f"{base}/budget", epsilon="1.0", size="20000", account="city")
    copied = studio.post("/new").location.removesuffix("/data")
    for step, given in [
        *forms,
        ("method", {"method": first[1]}),
        ("budget", {"epsilon": "0.5", "size": "20000", "account": "city"}),
    ]:
        studio.post(f"{copied}/{step}", **given)
    studio.post(f"{base}/publish", reviewed=reviewed(studio, base))
    run = base.replace("/new/", "/runs/")
    release = ended(studio, run, 300)["release"]
    steps = {step: f"{copied}/{step}" for step in ("data", "who", "labels", "method", "budget", "review")}
    query = "?how=begins&q=%22Amber+1%22"
    others = {"home": "/", "run": run, "release": f"/releases/{release}{query}", "ledger": "/ledger?account=city"}
    return {**others, **steps, "experiments": "/experiments"}


@contextmanager
def published() -> Iterator[tuple[Started, dict[str, str], Browser]]:
    """A studio with a release of the city, the addresses of its pages, and a browser."""
    with tempfile.TemporaryDirectory() as work:
        os.environ["SEQVEIL_HOME"] = f"{work}/home"
        folder = Path(work) / "city"
        folder.mkdir()
        write_data(folder)
        studio = Started(folder)
        try:
            pages = publish(studio, folder)
            with chromium() as browser:
                yield studio, pages, browser
        finally:
            studio.end()


def entered(browser: Browser, studio: Started, width: int, height: int, dark: bool) -> Recorded:
    """A page that has come in with the token."""
    shown = Recorded(browser, width, height, dark)
    shown.page.goto(studio.first)
    shown.page.get_by_role("heading", name="From a file to a release").wait_for()
    return shown


def every_page(out: Path) -> None:
    """Write a picture of every page at every width, light and dark."""
    out.mkdir(parents=True, exist_ok=True)
    with published() as (studio, pages, browser):
        for width, dark in product(WIDTHS, (False, True)):
            shown = entered(browser, studio, width, 900, dark)
            for name, path in pages.items():
                shown.page.goto(f"http://{studio.host}{path}")
                if name == "budget":
                    shown.page.get_by_role("heading", name="Predicted error").wait_for(timeout=120_000)
                shown.page.screenshot(path=out / f"{name}-{width}-{'dark' if dark else 'light'}.png", full_page=True)
            shown.close()


def one_picture(file: Path) -> None:
    """Write the picture of the README: somebody asks a release."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with published() as (studio, pages, browser):
        shown = entered(browser, studio, 1040, 760, False)
        page = shown.page
        page.goto(f"http://{studio.host}{pages['release'].partition('?')[0]}")
        page.get_by_label("Question").select_option("begins")
        page.get_by_label("Labels, one query per line").fill("Amber 1\nAmber 2\nDune 15")
        page.locator("#answers td.n").first.wait_for()
        page.locator("#icicle button").nth(1).click()
        page.evaluate("document.activeElement.blur(); document.querySelector('#ask').scrollIntoView(); scrollBy(0, 50)")
        page.mouse.move(0, 0)
        page.screenshot(path=file)
        shown.close()


if __name__ == "__main__":
    target = Path(sys.argv[1])
    one_picture(target) if target.suffix == ".png" else every_page(target)
