"""`seqveil synth`: artificial records from a release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from seqveil.cli.console import Json, banner, emit, say
from seqveil.cli.writing import RawCells
from seqveil.errors import CallError


def synth(
    release: Annotated[Path, typer.Argument(help="The folder of a release.")],
    records: Annotated[int | None, typer.Option(min=0, help="How many; without it, the published ones.")] = None,
    out: Annotated[Path | None, typer.Option(help="A file; its ending says the format. Without it, lines.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Repeat the same draw; costs no privacy.")] = None,
    raw_cells: RawCells = False,
    as_json: Json = False,
) -> None:
    """Write artificial records with the release's make-up: as published, or as many as you ask for.

    Example: seqveil synth release/ --records 100000 --out synthetic.csv
    """
    from seqveil.release import load
    from seqveil.release.lines import lines_to
    from seqveil.release.release import marked

    if as_json and out is None:
        raise CallError("--json needs --out FILE: stdout cannot hold both the records and the JSON object.")
    if out is not None and out.exists():
        raise CallError(f"{out} exists already: give another name with --out.")
    held: Any = load(release)
    if not hasattr(held, "synthesize"):
        raise CallError(f"{release} holds {held.content} and no records: try seqveil inspect {release}")
    private = held.manifest.private
    if not private:
        banner("EXPERIMENT")
    drawn = held.synthesize(records, seed=seed)
    if out is None:
        return typer.echo(lines_to(held.domain, drawn.flat), nl=False)
    if "EXPERIMENT" not in out.name:
        out = out.with_name(marked(out.name, private))
    drawn.write(out, raw_cells=raw_cells)
    told = {"release": held.manifest.release, "private": private, "records": len(drawn), "out": str(out)}
    emit(told) if as_json else say(f"{len(drawn):,} {'edges' if held.content == 'graph' else 'records'} written to {out}.")
