"""`seqveil mine`: a release with patterns and their noisy counts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from seqveil.cli import options as o
from seqveil.cli import reading
from seqveil.cli.console import Json
from seqveil.cli.ordering import place_order


def mine(
    context: typer.Context,
    file: o.File,
    domain: reading.Domain,
    epsilon: Annotated[str, typer.Option(help="The privacy budget of this release, as a decimal.")],
    out: Annotated[Path, typer.Option(help="The folder that the release becomes; must not exist.")],
    method: Annotated[str, typer.Option(help="How: see `seqveil methods`.")] = "two-phase",
    kind: Annotated[str | None, typer.Option(help="What the file holds, where the method does not say.")] = None,
    sample: Annotated[Path | None, typer.Option(help="A PUBLIC sample for two-phase: used as it is, not protected.")] = None,
    sample_public_because: Annotated[
        str | None, typer.Option(help="How you know that the sample is public and not among the protected records.")
    ] = None,
    public_because: o.PublicBecause = None,
    format: reading.Format = None,
    user: reading.User = None,
    time: reading.Time = None,
    item: reading.Item = None,
    session: reading.Session = "none",
    timezone: reading.Timezone = "UTC",
    outside: reading.Outside = "drop",
    delimiter: reading.Delimiter = None,
    header: reading.Header = True,
    time_unit: reading.TimeUnit = "s",
    time_format: reading.TimeFormat = None,
    unit: o.UnitName = None,
    max_sequences: o.MaxSequences = 1,
    account: Annotated[str | None, typer.Option(help="The ledger account to charge. Default: from the file's name.")] = None,
    like: Annotated[Path | None, typer.Option(help="Repeat the method and parameters of this release.")] = None,
    config: Annotated[Path | None, typer.Option(help="Read parameters from a TOML file (name = value).")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the plan; open no data, spend nothing.")] = False,
    size: Annotated[int | None, typer.Option(help="A rough public number of records, for --dry-run.")] = None,
    seed: Annotated[int | None, typer.Option(help="Make an experiment with repeatable noise: NOT private.")] = None,
    timeout: o.Timeout = None,
    as_json: Json = False,
) -> None:
    """Mine frequent patterns with differential privacy. Parameters of the method are options of their own name.

    Example: seqveil mine clicks.seq --domain 1..17 --method two-phase --top 60 --epsilon 1 --out patterns/
    """
    place_order(context, "mine", locals())


mine.settings = {"allow_extra_args": True, "ignore_unknown_options": True}  # type: ignore[attr-defined]
