"""`seqveil synth`: synthetic records from a release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from seqveil.cli.console import Json, banner, command, data, emit, say
from seqveil.cli.writing import RawCells
from seqveil.errors import CallError
from seqveil.whole import refuse_taken


def synth(
    release: Annotated[Path, typer.Argument(help="Folder of a release.")],
    records: Annotated[
        int | None,
        typer.Option(min=0, help="How many to draw; without it, the published ones. Beyond their number, records repeat."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Output file; its ending sets the format. Default: lines on stdout.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Repeat the same draw; costs no privacy.")] = None,
    raw_cells: RawCells = False,
    as_json: Json = False,
) -> None:
    """Write synthetic records: as published, or as many as you ask for with the same distribution.

    Example: seqveil synth release/ --records 100000 --out synthetic.csv
    """
    from seqveil.release import load
    from seqveil.release.capabilities import Drawable, Synthetic
    from seqveil.release.lines import lines_to
    from seqveil.release.saved import marked

    if as_json and out is None:
        raise CallError("--json needs --out FILE: stdout cannot hold both the records and the JSON object.")
    opened = load(release)
    if not isinstance(opened, Synthetic):
        raise CallError(f"{release} holds {opened.description} and no synthetic records: try {command('inspect', release)}")
    if records is not None and not isinstance(opened, Drawable):
        raise CallError(f"--records: {release} holds one synthetic graph, published as a whole: leave it out.")
    private = opened.manifest.private
    if out is not None:
        out = out if "EXPERIMENT" in out.name else out.with_name(marked(out.name, private))
        refuse_taken(out, "give another name with --out")
    if not private:
        banner("EXPERIMENT")
    published = len(opened.synthetic)
    if records is not None and 0 < published < records and not as_json:
        say(f"The release holds {published:,} records: each is written {_times(records, published)}, in random order.")
    drawn = opened.draw(records, seed) if records is not None and isinstance(opened, Drawable) else opened.synthesize()
    if out is None:
        return data(lines_to(opened.domain, drawn.flat))
    drawn.write(out, overwrite=False, raw_cells=raw_cells)
    result = {
        "release": opened.manifest.release,
        "private": private,
        "records": len(drawn),
        "published": published,
        "out": str(out),
    }
    emit(result) if as_json else say(f"{len(drawn):,} {'edges' if opened.form == 'edges' else 'records'} written to {out}.")


def _times(records: int, published: int) -> str:
    """How often each published record is drawn.

    >>> _times(30, 10), _times(15, 10)
    ('3 times', '1 or 2 times')
    """
    whole, rest = divmod(records, published)
    return f"{whole:,} or {whole + 1:,} times" if rest else f"{whole:,} times"
