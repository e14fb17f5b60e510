"""`seqveil bench`: experiments declared in a file, run or resumed, as tables and plots. INTERNAL."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from seqveil.cli.console import printable, remarks, say, tell
from seqveil.errors import CallError
from seqveil.extras import need

QUALITY, TITLE = "quality", "Whole records, counts and rankings on many sets"


def bench(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME...", help="Benches by name, or TOML files; or `quality` alone.")
    ] = None,
    data: Annotated[Path | None, typer.Option(help="Folder of the data files. Default: $SEQVEIL_DATA.")] = None,
    out: Annotated[Path, typer.Option(help="Folder for results; an interrupted bench resumes from it.")] = Path("results"),
    runs: Annotated[int | None, typer.Option(min=1, help="Runs per method and ε, instead of the number in the file.")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Discard earlier results of these benches.")] = False,
    page: Annotated[Path | None, typer.Option(help="Also write the tables to this Markdown page.")] = None,
    machine: Annotated[str, typer.Option(help="Description of the machine, for the page.")] = "",
    method: Annotated[str | None, typer.Option(help="`quality`: methods, separated by commas. Default: ngram.")] = None,
    sets: Annotated[str | None, typer.Option(help="`quality`: names of sets, separated by commas. Default: all.")] = None,
    epsilon: Annotated[str | None, typer.Option(help="`quality`: budgets, separated by commas. Default: 0.1,0.5,1,10.")] = None,
) -> None:
    """Run benches, or resume them, and print their tables beside the papers' numbers. Without a name, list the benches.

    `quality` measures one method on many sets of sequences: whole records, counts, rankings, and the bars that it meets.

    Example: seqveil bench msnbc-count --runs 5

    Example: seqveil bench quality --method ngram --sets msnbc,bms1 --epsilon 1
    """
    if not names:
        return _list()
    if QUALITY in names:
        if len(names) > 1:
            raise CallError(f"`{QUALITY}` runs alone: run the other benches in a command of their own.")
        return _quality(
            (method or "ngram").split(","), sets, epsilon or "0.1,0.5,1,10", data, out, runs or 5, fresh, page, machine
        )
    if given := [f"--{name}" for name, value in (("method", method), ("sets", sets), ("epsilon", epsilon)) if value]:
        raise CallError(f"{', '.join(given)}: only for `seqveil bench {QUALITY}`; other benches declare these in their file.")
    from seqveil.evaluate.bench.plots import draw
    from seqveil.evaluate.bench.run import carry_out
    from seqveil.evaluate.bench.spec import read_bench
    from seqveil.evaluate.bench.tables import markdown

    chosen = [read_bench(_file(name)) for name in names]
    if any(one.pictures for one in chosen):
        need("plots")
    parts = []
    for one in chosen:
        if fresh:
            (out / f"{one.name}.jsonl").unlink(missing_ok=True)
        with _bar(one.name) as on_run:
            outcome = carry_out(one, out, data, runs, on_run)
        text = markdown(one, outcome)
        for line in text.split("\n"):
            tell(line)
        drawn = [draw(picture, one, outcome, page.parent / "plots" if page else out) for picture in one.pictures]
        images = [f"![{p.title}](plots/{path.name})" for p, path in zip(one.pictures, drawn, strict=True) if path]
        for path in drawn:
            say(f"plotted: {path}") if path else None
        parts.append(text + ("\n" + "\n\n".join(images) + "\n" if page and images else ""))
    if page is not None:
        _write(page, chosen[0].title, parts, "seqveil bench " + " ".join(one.name for one in chosen), machine)


def _quality(
    methods: list[str],
    sets: str | None,
    epsilon: str,
    data: Path | None,
    out: Path,
    runs: int,
    fresh: bool,
    page: Path | None,
    machine: str,
) -> None:
    """Methods on many sets of sequences, one after the other."""
    from seqveil.evaluate.bench.quality.run import carry_out, chosen_sets
    from seqveil.evaluate.bench.quality.tables import about_sets, markdown
    from seqveil.evaluate.bench.quality.today import FILE, read_today

    chosen = chosen_sets(sets.split(",") if sets else None)
    if fresh:
        (out / f"{QUALITY}.jsonl").unlink(missing_ok=True)
    kept = next((folder / FILE for folder in _folders() if (folder / FILE).is_file()), Path(FILE))
    parts: list[str] = []
    for method in methods:
        with _bar(QUALITY) as on_run:
            measured = carry_out(method, chosen, epsilon.split(","), runs, results=out, data=data, on_run=on_run)
        text = markdown(measured, read_today(kept, measured))
        for line in text.split("\n"):
            tell(line)
        parts = [*(parts or [about_sets(measured)]), text]
    if page is not None:
        command = f"seqveil bench {QUALITY} --method {','.join(methods)} --epsilon {epsilon} --runs {runs}" + (
            f" --sets {sets}" if sets else ""
        )
        _write(page, TITLE, parts, command, machine)


def _write(page: Path, title: str, parts: list[str], command: str, machine: str) -> None:
    import os
    import platform

    from seqveil.evaluate.bench.page import SEVERAL, write_page

    described = machine or f"{os.cpu_count()} cores, {platform.system()}"
    write_page(page, title, parts, command, described, "" if title == TITLE else SEVERAL)
    say(f"written: {page}")


def _folders() -> list[Path]:
    """Benches lie in ./benchmarks, and in the project's own folder where Seqveil runs from its sources."""
    return [Path("benchmarks"), Path(__file__).resolve().parents[3] / "benchmarks"]


def _benches() -> dict[str, Path]:
    """Benches by name; the nearer folder wins."""
    return {path.stem: path for folder in reversed(_folders()) for path in sorted(folder.glob("*.toml"))}


def _file(name: str) -> Path:
    if name.endswith(".toml"):
        return Path(name)
    benches = _benches()
    if name not in benches:
        raise CallError(f"unknown bench {name!r}: choose one of {', '.join([*benches, QUALITY])}, or give a .toml file.")
    return benches[name]


def _list() -> None:
    from seqveil.cli.console import table
    from seqveil.evaluate.bench.spec import read_bench

    rows = [[name, read_bench(path).title] for name, path in _benches().items()]
    table(["bench", "title"], [*rows, [QUALITY, TITLE]])


@contextmanager
def _bar(name: str) -> Iterator[Callable[[str, int, int], None] | None]:
    """A bar with the time left on a terminal, nothing in a pipe."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=remarks(), transient=True) as bar:
        task = bar.add_task(name, total=None)
        yield lambda what, done, of: bar.update(task, description=printable(f"{name}: {what}"), completed=done, total=of)
