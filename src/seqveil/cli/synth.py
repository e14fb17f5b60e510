"""`seqveil synth`: synthetic records from a release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from seqveil.cli.console import Json, banner, command, data, emit, say
from seqveil.cli.writing import RawCells
from seqveil.errors import CallError
from seqveil.whole import refuse_taken


def synth(
    release: Annotated[Path, typer.Argument(help="The folder of a release.")],
    records: Annotated[int | None, typer.Option(min=0, help="How many; without it, the published ones.")] = None,
    out: Annotated[Path | None, typer.Option(help="A file; its ending says the format. Without it, lines.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Repeat the same draw; costs no privacy.")] = None,
    raw_cells: RawCells = False,
    as_json: Json = False,
) -> None:
    """Write synthetic records with the release's make-up: as published, or as many as you ask for.

    Example: seqveil synth release/ --records 100000 --out synthetic.csv
    """
    from seqveil.release import load
    from seqveil.release.lines import lines_to
    from seqveil.release.saved import marked

    if as_json and out is None:
        raise CallError("--json needs --out FILE: stdout cannot hold both the records and the JSON object.")
    held: Any = load(release)
    if not hasattr(held, "synthesize"):
        raise CallError(f"{release} holds {held.content} and no records: try {command('inspect', release)}")
    private = held.manifest.private
    if out is not None:
        out = out if "EXPERIMENT" in out.name else out.with_name(marked(out.name, private))
        refuse_taken(out, "give another name with --out")
    if not private:
        banner("EXPERIMENT")
    drawn = held.synthesize(records, seed=seed)
    if out is None:
        return data(lines_to(held.domain, drawn.flat))
    drawn.write(out, overwrite=False, raw_cells=raw_cells)
    told = {"release": held.manifest.release, "private": private, "records": len(drawn), "out": str(out)}
    emit(told) if as_json else say(f"{len(drawn):,} {'edges' if held.content == 'graph' else 'records'} written to {out}.")
