"""`seqveil demo`: a simulated city is published at ε = 1, compared with the truth, and shown on a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from seqveil.cli.console import banner, command, progress, say, table
from seqveil.errors import CallError
from seqveil.extras import need
from seqveil.notation import to_text


def demo(
    out: Annotated[Path, typer.Option(help="Folder for everything that the demo writes.")] = Path("demo"),
    passengers: Annotated[int, typer.Option(min=1, help="Number of passengers.")] = 200_000,
    epsilon: Annotated[str, typer.Option(help="Privacy budget.")] = "1.0",
) -> None:
    """Simulate a city, publish its trips with differential privacy, compare them with the truth, and write a report.

    Example: seqveil demo --out demo
    """
    from seqveil.publish.ngram import NGram
    from seqveil.simulate.city import trips
    from seqveil.wall.vault import Vault

    need("pages")
    folder = fresh(out)
    with progress("demo", steps=4) as stage:
        stage("simulating a city of 68 stations")
        day = trips(passengers)
        files = _write(day, folder)
        stage("publishing")
        vault = Vault(day, account="demo", cap=epsilon, home=folder / "ledger")
        release = vault.release(NGram(l_max=8, n_max=4), epsilon=epsilon)
        release.save(folder / "release")
        stage("comparing")
        rows = _compare(day, release)
        stage("drawing")
        page = _page(day, release, folder)
    say(f"The trips of {passengers:,} simulated passengers are in {files}.")
    manifest = release.manifest
    say(f"The release in {folder / 'release'} protects every {manifest.unit['name']} with ε = {epsilon} ({manifest.neighbours}).")
    banner("INTERNAL", "Do not share: the column on the right comes from the raw data.")
    table(["trip", "released", "95 % low", "95 % high", "true"], rows)
    say(f"Report: {page}")
    say(f"Try: {command('query', folder / 'release', rows[0][0] if rows else 'Amber-Dune')}")


def fresh(out: Path) -> Path:
    """The demo's folder; an older demo in it is replaced, anything else is left alone."""
    import shutil

    marker = out / ".seqveil-demo"
    if out.exists() and not marker.exists():
        raise CallError(f"{out} exists and was not written by a demo: choose another folder, for example --out {out}-2.")
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    marker.touch()
    return out


def _write(day: Any, folder: Path) -> Path:
    """The simulated data as files, so that `publish` and `check` can be tried on them."""
    from seqveil.tables.write import write_sequences

    (folder / "stations.txt").write_text("\n".join(day.domain.labels(range(len(day.domain)))) + "\n", encoding="utf-8")
    write_sequences(folder / "trips.csv", day.domain, day.flat, raw_cells=True)
    return folder / "trips.csv"


def _compare(day: Any, release: Any) -> list[list[str]]:
    """The most frequent released trips of two stations beside the truth."""
    import numpy as np

    from seqveil.evaluate.trie import occurrences
    from seqveil.tables.flat import Flat

    grams = release.grams
    pairs = np.flatnonzero((grams.lengths == 2) & grams.measured & (grams.symbols[grams.offsets[1:] - 1] < len(day.domain)))
    best = release.ranked(pairs, 10)
    truth = occurrences(day.flat.truncate(release.l_max), Flat.of(grams.gram(row) for row in best), len(day.domain))
    rows = []
    for row, answer, true in zip(best, release.answers(best), truth.tolist(), strict=True):
        names = to_text(day.domain.labels(list(grams.gram(row))))
        rows.append([names, f"{answer.value:,.0f}", f"{answer.low:,.0f}", f"{answer.high:,.0f}", f"{true:,}"])
    return rows


def _page(day: Any, release: Any, folder: Path) -> Path:
    from seqveil.report.page import write_report

    page = folder / "report.html"
    write_report(release, page, raw=day)
    return page
