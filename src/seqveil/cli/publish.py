"""`seqveil publish`: a release with synthetic records."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from seqveil.cli import options as o
from seqveil.cli import reading
from seqveil.cli.console import Json
from seqveil.cli.ordering import place_order


def publish(
    context: typer.Context,
    file: o.File,
    domain: reading.Domain,
    epsilon: Annotated[str, typer.Option(help="The privacy budget of this release, as a decimal.")],
    out: Annotated[Path, typer.Option(help="The folder that the release becomes; must not exist.")],
    method: Annotated[str, typer.Option(help="How: see `seqveil methods`.")] = "ngram",
    kind: Annotated[str | None, typer.Option(help="What the file holds, where the method does not say.")] = None,
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
    k: o.Edges = 1,
    order_is_public: o.OrderIsPublic = False,
    account: Annotated[str | None, typer.Option(help="The ledger account to charge. Default: from the file's name.")] = None,
    like: Annotated[Path | None, typer.Option(help="Repeat the method and parameters of this release.")] = None,
    config: Annotated[Path | None, typer.Option(help="Read parameters from a TOML file (name = value).")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the plan; open no data, spend nothing.")] = False,
    size: Annotated[int | None, typer.Option(help="A rough public number of records, for --dry-run.")] = None,
    seed: Annotated[int | None, typer.Option(help="Make an experiment with repeatable noise: NOT private.")] = None,
    timeout: o.Timeout = None,
    as_json: Json = False,
) -> None:
    """Publish data about people with differential privacy. Parameters of the method are options of their own name.

    Example: seqveil publish trips.csv --user card --time ts --item station --domain stations.txt --epsilon 1 --out release/
    """
    place_order(context, "publish", locals())


publish.settings = {"allow_extra_args": True, "ignore_unknown_options": True}  # type: ignore[attr-defined]
