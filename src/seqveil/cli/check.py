"""`seqveil check`: what would be dropped and cut, and by what. INTERNAL: exact counts, do not share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from seqveil.cli import reading
from seqveil.cli.console import Json, banner, emit, printable, say, table
from seqveil.cli.groups import takes
from seqveil.errors import CallError
from seqveil.surface import parameter

if TYPE_CHECKING:
    from seqveil.tables.domain import Domain

PATTERN = "'%d/%m/%Y %H:%M'"


class Checked(NamedTuple):
    """What a check shows: the facts as one JSON object, and how people see them."""

    facts: dict[str, Any]
    format: str
    grids: list[tuple[list[str], list[list[str]]]]
    remarks: list[str]


@takes(..., reading.Description)
def check(
    file: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Files, or folders of files, of one format, to check.")],
    domain: reading.Domain,
    l_max: Annotated[int | None, typer.Option("--l-max", min=1, help="Also show what cutting to this length would drop.")] = None,
    max_sequences: Annotated[
        int | None, typer.Option("--max-sequences", min=1, help="Also show what this contribution bound would drop.")
    ] = None,
    kind: Annotated[str, typer.Option(help="Kind of data in the file, for example sets or graph.")] = "sequences",
    as_json: Json = False,
    **description: Any,
) -> None:
    """INTERNAL: show what of a file would be dropped or cut, and why. Spends nothing; do not share the output.

    Example: seqveil check trips.csv --user card --time ts --item station --domain stations.txt --l-max 20
    """
    from seqveil.kinds import KINDS, kinds_with
    from seqveil.tables.domain import Domain

    allowed = [one.name for one in kinds_with(view="check")]
    if kind not in allowed:
        raise CallError(f"--kind {kind!r} cannot be checked: use one of {', '.join(allowed)}.")
    look = KINDS[kind].view("check")
    checked: Checked = look(file, Domain.parse(domain), description, l_max=l_max, max_sequences=max_sequences)
    if as_json:
        return emit(checked.facts)
    banner("INTERNAL")
    say(f"Read as {checked.format}.")
    for header, rows in checked.grids:
        table(header, rows)
    for remark in checked.remarks:
        say(remark)


def check_sequences_file(file: list[Path], domain: Domain, description: dict[str, Any], **limits: int | None) -> Checked:
    """What of a file of sequences would be left out; sets are read from such a file, too."""
    from seqveil.sources import Source
    from seqveil.sources.blocks import foreign_look
    from seqveil.sources.check import check_sequences
    from seqveil.sources.sequences import read_tallied

    source = Source(file, domain, **description)
    sequences, layout, tally = read_tallied(source)
    facts = check_sequences(sequences, tally, layout, **limits)
    facts["looks_like"] = foreign_look(source.file) if layout.begins == "record" else None
    remarks = []
    if facts["looks_like"]:
        remarks.append(
            f"Judging by its first bytes, {printable(source.name)} {facts['looks_like']}. Publishing does not check this."
        )
    if facts["items"]["examples_outside"]:
        examples = ", ".join(repr(printable(value)) for value in facts["items"]["examples_outside"])
        remarks.append(f"Examples of items outside the domain: {examples}")
    if facts["dropped_events"]["unreadable_time"]:
        remarks.append(
            "Events with an unreadable or empty time are dropped. Times are read as ISO 8601, or as numbers; for others "
            f"set {parameter('time_format')}, for example {parameter('time_format', PATTERN)}, and for any other text "
            f"{parameter('time_format', 'text')} (sorted as text)."
        )
    if (cut := facts["l_max"]) and cut["items_cut"] * 10 > facts["items"]["kept"]:
        remarks.append(
            f"More than a tenth of the items come after item {cut['value']} of their sequence. By default the first items are "
            f"kept, so what came later is counted too rarely: divide histories with {parameter('session')}, or publish with "
            f"{parameter('cut', 'sample')}, which keeps all items of a sequence with the same probability."
        )
    if (times := facts["times"]) and times["items_after_the_wrap"] * 100 > facts["items"]["kept"]:
        remarks.append(
            f"In {times['sequences_that_wrap']:,} sequences the time bins begin anew, as at midnight. The methods prefix and "
            f"prefix-hybrid follow a sequence up to there. Divide histories with {parameter('session', 'day')}, or let the day "
            f"begin when few are on the way, for example {parameter('time_bins', '60m@04:00')}."
        )
    if not facts["sequences"]["kept"]:
        remarks.append("No sequences are left to publish: check the columns, and whether the labels are those of the data.")
    grids = [(["quantity", "count", "share"], _rows(facts, source.outside))]
    if quantiles := _quantile_rows(facts):
        grids.append((["quantiles of", *facts["lengths"]], quantiles))
    return Checked(facts, facts["format"], grids, remarks)


def _rows(facts: dict[str, Any], outside: str) -> list[list[str]]:
    """What was read, what is kept, and every loss that is not zero, with the share of what it is part of."""
    items, rows, events = facts["items"], facts["rows"], facts["dropped_events"]
    fate = "replaced by 'other'" if outside == "other" else "dropped"
    counts = [
        ("rows read", rows["read"], None),
        ("rows dropped: not in the format", rows["broken"], rows["read"]),
        ("events dropped: no user", events["no_user"], rows["read"]),
        ("events dropped: no session value", events["no_session"], rows["read"]),
        ("events dropped: unreadable time", events["unreadable_time"], rows["read"]),
        ("events dropped: no item", events["no_item"], rows["read"]),
        ("events dropped: outside the time bins", events["outside_time_bins"], rows["read"]),
        ("events dropped: beyond --max-events of their user", events["beyond_max_events"], rows["read"]),
        ("items read", items["read"], None),
        (f"items outside the domain, {fate}", items["outside_domain"], items["read"]),
        ("items kept", items["kept"], items["read"]),
        ("sequences kept", facts["sequences"]["kept"], None),
        *_wrap_counts(facts),
        ("sequences dropped: nothing left", facts["sequences"]["left_empty"], rows["read"]),
        *_user_counts(facts),
        *_cut_counts(facts),
        ("labels of the domain that never occur", facts["domain"]["never_seen"], facts["domain"]["labels"]),
    ]
    return [
        [what, f"{count:,}", f"{count / whole:.1%}" if whole else ""]
        for what, count, whole in counts
        if count or what.endswith((" read", " kept"))
    ]


def _wrap_counts(facts: dict[str, Any]) -> list[tuple[str, int, int | None]]:
    if facts["times"] is None:
        return []
    wrap = facts["times"]
    return [
        ("sequences whose time bins begin anew", wrap["sequences_that_wrap"], facts["sequences"]["kept"]),
        ("items from there on, not followed by prefix", wrap["items_after_the_wrap"], facts["items"]["kept"]),
    ]


def _user_counts(facts: dict[str, Any]) -> list[tuple[str, int, int | None]]:
    if facts["users"] is None:
        return []
    users = facts["users"]
    return [
        ("users read", users["seen"], None),
        ("users kept", users["kept"], users["seen"]),
        ("users dropped: nothing left", users["left_empty"], users["seen"]),
    ]


def _cut_counts(facts: dict[str, Any]) -> list[tuple[str, int, int | None]]:
    counts: list[tuple[str, int, int | None]] = []
    if cut := facts["l_max"]:
        counts += [
            (f"sequences longer than {cut['value']}, cut", cut["longer_sequences"], facts["sequences"]["kept"]),
            (f"items cut beyond {cut['value']}", cut["items_cut"], facts["items"]["kept"]),
        ]
    if (cut := facts["max_sequences"]) and facts["users"]:
        counts += [
            (f"users with more than {cut['value']} sequences", cut["users_above"], facts["users"]["kept"]),
            (
                f"sequences left out beyond {cut['value']} per user",
                cut["sequences_left_out"],
                facts["sequences"]["kept"],
            ),
        ]
    return counts


def _quantile_rows(facts: dict[str, Any]) -> list[list[str]]:
    kinds = (("items per sequence", facts["lengths"]), ("sequences per user", facts["sequences_per_user"]))
    return [[name, *(f"{value:,}" for value in cuts.values())] for name, cuts in kinds if cuts]
