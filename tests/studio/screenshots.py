"""Pictures of every page at three widths: `python tests/studio/screenshots.py FOLDER`. For the README, and for looking at."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from browsers import Recorded, chromium
from studios import Started, ended, reviewed

WIDTHS = ((390, True), (820, False), (1280, False))
"""Width, and whether it is dark."""


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


def main(out: Path) -> None:
    """Write the pictures."""
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        os.environ["SEQVEIL_HOME"] = f"{work}/home"
        folder = Path(work) / "city"
        folder.mkdir()
        write_data(folder)
        studio = Started(folder)
        try:
            pages = publish(studio, folder)
            with chromium() as browser:
                for width, dark in WIDTHS:
                    shown = Recorded(browser, width, 900, dark)
                    shown.page.goto(studio.first)
                    shown.page.get_by_role("heading", name="From a file to a release").wait_for()
                    for name, path in pages.items():
                        shown.page.goto(f"http://{studio.host}{path}")
                        if name == "budget":
                            shown.page.get_by_role("heading", name="Predicted error").wait_for(timeout=120_000)
                        shown.page.screenshot(path=out / f"{name}-{width}.png", full_page=True)
                    shown.close()
        finally:
            studio.end()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
