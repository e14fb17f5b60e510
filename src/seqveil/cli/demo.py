"""`seqveil demo`: a simulated city is published at ε = 1, compared with the truth, and shown on a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from seqveil.cli.console import banner, command, progress, say, table
from seqveil.errors import CallError
from seqveil.extras import need
from seqveil.notation import to_text

COMPARED = ("released", "95 % low", "95 % high", "true")


def demo(
    out: Annotated[Path, typer.Option(help="Folder for everything that the demo writes.")] = Path("demo"),
    passengers: Annotated[int, typer.Option(min=1, help="Number of passengers.")] = 200_000,
    epsilon: Annotated[str, typer.Option(help="Privacy budget.")] = "1.0",
) -> None:
    """Simulate a city, publish its trips with differential privacy, compare them with the truth, and write a report.

    Example: seqveil demo --out demo
    """
    from seqveil.publish.records import RecordModel
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
        release = vault.release(RecordModel(l_max=8), epsilon=epsilon)
        release.save(folder / "release")
        stage("comparing")
        counts, shape = _compare(day, release)
        stage("drawing")
        page = _page(day, release, folder)
    say(f"The trips of {passengers:,} simulated passengers are in {files}.")
    manifest = release.manifest
    say(f"The release in {folder / 'release'} protects every {manifest.unit['name']} with ε = {epsilon} ({manifest.neighbours}).")
    banner("INTERNAL", "Do not share: the columns on the right come from the raw data.")
    table(["one station after another", *COMPARED], counts)
    table(["trips", *COMPARED], shape)
    say(f"Report: {page}")
    say(f"Try: {command('query', folder / 'release', counts[0][0] if counts else 'Amber-Dune')}")


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


def _compare(day: Any, release: Any) -> tuple[list[list[str]], list[list[str]]]:
    """The most frequent released pairs of stations, and the shape of whole trips, beside the truth."""
    import numpy as np

    from seqveil.evaluate.shape import ends, starts, trips
    from seqveil.evaluate.trie import occurrences
    from seqveil.tables.flat import Flat

    labels = len(day.domain)
    flat = day.flat.truncate(release.l_max)
    best = release.top(10, shortest=2, longest=2)
    codes = [[day.domain.code(station) for station in row["pattern"]] for row in best]
    pairs = occurrences(flat, Flat.of(codes), labels).tolist()
    counts = [_line(to_text(row["pattern"]), row, true) for row, true in zip(best, pairs, strict=True)]
    of_length = np.bincount(flat.lengths, minlength=release.l_max + 1).tolist()
    shape = [_line("all trips", release.size().to_json(), sum(of_length[1:]))]
    for n, answer in release.lengths().items():
        shape.append(_line(f"with {n} station{'s' if n > 1 else ''}", answer.to_json(), of_length[n]))
    for named, rows, truth in (
        ("beginning at {}", release.first_labels(3), starts(flat)),
        ("ending at {}", release.last_labels(3), ends(flat)),
        ("from {} to {}", release.od(5), trips(flat, labels)),
    ):
        true = dict(zip(truth.keys.tolist(), truth.counts.tolist(), strict=True))
        for row in rows:
            first, *last = (day.domain.code(station) for station in row["pattern"])
            key = first * labels + last[0] if last else first
            shape.append(_line(named.format(*row["pattern"]), row, true.get(key, 0)))
    return counts, shape


def _line(name: str, answer: Any, true: int) -> list[str]:
    """A row of a comparison; an estimate has no interval."""
    ends = ["" if answer[side] is None else f"{answer[side]:,}" for side in ("low", "high")]
    return [name, f"{answer['value']:,.0f}", *ends, f"{true:,}"]


def _page(day: Any, release: Any, folder: Path) -> Path:
    from seqveil.report.page import write_report

    page = folder / "report.html"
    write_report(release, page, raw=day)
    return page
