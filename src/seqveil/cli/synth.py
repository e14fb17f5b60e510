"""`seqveil synth`: synthetic records from a release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from seqveil.cli.console import Json, banner, command, data, emit, say
from seqveil.cli.writing import RawCells
from seqveil.errors import CallError
from seqveil.whole import refuse_taken

if TYPE_CHECKING:
    from seqveil.release.capabilities import Synthetic
    from seqveil.release.records import Records


def synth(
    release: Annotated[Path, typer.Argument(help="Folder of a release.")],
    records: Annotated[
        int | None,
        typer.Option(min=0, help="How many to draw; without it, the published ones. Beyond their number, records repeat."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Output file; its ending sets the format. Default: lines on stdout.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Repeat the same draw; costs no privacy.")] = None,
    supported: Annotated[
        bool,
        typer.Option(
            "--supported",
            help="Redraw records with a first label, last label or step that noise may have made. For process miners; rare true "
            "paths are lost, too.",
        ),
    ] = False,
    raw_cells: RawCells = False,
    as_json: Json = False,
) -> None:
    """Write synthetic records: as published, or as many as you ask for with the same distribution.

    Example: seqveil synth release/ --records 100000 --out synthetic.csv
    Example: seqveil synth release/ --supported --out synthetic.xes
    """
    from seqveil.release import load
    from seqveil.release.capabilities import Drawable, Supporting, Synthetic
    from seqveil.release.lines import lines_to
    from seqveil.release.saved import marked

    if as_json and out is None:
        raise CallError("--json needs --out FILE: stdout cannot hold both the records and the JSON object.")
    opened = load(release)
    if not isinstance(opened, Synthetic):
        raise CallError(f"{release} holds {opened.description} and no synthetic records: try {command('inspect', release)}")
    if records is not None and not isinstance(opened, Drawable):
        raise CallError(f"--records: {release} holds one synthetic graph, published as a whole: leave it out.")
    if supported and not isinstance(opened, Supporting):
        raise CallError(
            f"--supported: {release} holds {opened.description}, without the noise of first labels, last labels and steps. "
            "Releases of record-model have them; leave --supported out."
        )
    private = opened.manifest.private
    if out is not None:
        out = out if "EXPERIMENT" in out.name else out.with_name(marked(out.name, private))
        refuse_taken(out, "give another name with --out")
    if not private:
        banner("EXPERIMENT")
    published = len(opened.synthetic)
    if records is not None and 0 < published < records and not as_json:
        say(f"The release holds {published:,} records: each is written {_times(records, published)}, in random order.")
    drawn, redrawn = _drawn(opened, records, seed, supported)
    if redrawn and not as_json:
        say(_remark(redrawn, published))
    if out is None:
        return data(lines_to(opened.domain, drawn.flat))
    drawn.write(out, overwrite=False, raw_cells=raw_cells)
    result = {
        "release": opened.manifest.release,
        "private": private,
        "records": len(drawn),
        "published": published,
        **redrawn,
        "out": str(out),
    }
    emit(result) if as_json else say(f"{len(drawn):,} {'edges' if opened.form == 'edges' else 'records'} written to {out}.")


def _drawn(release: Synthetic, records: int | None, seed: int | None, supported: bool) -> tuple[Records, dict[str, int]]:
    """What is written and, of `supported` records, how many of the published ones were redrawn."""
    from seqveil.release.capabilities import Drawable, Supporting

    if supported and isinstance(release, Supporting):
        drawn, of = release.synthesize(records, seed, supported=True), release.supported()
        return drawn, {"redrawn": of.redrawn, "redrawn_with_another_length": of.resized}
    return release.draw(records, seed) if records is not None and isinstance(release, Drawable) else release.synthesize(), {}


def _remark(redrawn: dict[str, int], published: int) -> str:
    number, resized = redrawn["redrawn"], redrawn["redrawn_with_another_length"]
    return (
        f"{number:,} of {published:,} published records were redrawn, {resized:,} of them with another length: noise "
        "may have made their first label, last label or a step. Rare true paths are lost with them."
    )


def _times(records: int, published: int) -> str:
    """How often each published record is drawn.

    >>> _times(30, 10), _times(15, 10)
    ('3 times', '1 or 2 times')
    """
    whole, rest = divmod(records, published)
    return f"{whole:,} or {whole + 1:,} times" if rest else f"{whole:,} times"
