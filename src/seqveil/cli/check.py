"""`seqveil check`: what would be dropped and cut, and by what. INTERNAL: exact counts, do not share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from seqveil.cli import reading
from seqveil.cli.console import Json, banner, emit, printable, say, table
from seqveil.cli.groups import takes
from seqveil.errors import CallError

_KINDS = ("sequences", "sets", "graph")
"""Sets are checked as the sequences they are read from."""


@takes(..., reading.Description)
def check(
    file: Annotated[Path, typer.Argument(help="The file that would be published.")],
    domain: reading.Domain,
    l_max: Annotated[int | None, typer.Option("--l-max", min=1, help="Also tell what this length would cut.")] = None,
    max_sequences: Annotated[
        int | None, typer.Option("--max-sequences", min=1, help="Also tell whose sequences would be left out.")
    ] = None,
    kind: Annotated[str, typer.Option(help="What the file holds: sequences, sets or graph.")] = "sequences",
    as_json: Json = False,
    **description: Any,
) -> None:
    """INTERNAL: tell what of a file would be dropped or cut, and by what. Spends nothing; do not share it.

    Example: seqveil check trips.csv --user card --time ts --item station --domain stations.txt --l-max 20
    """
    from seqveil.sources import Source
    from seqveil.sources.blocks import foreign_look
    from seqveil.sources.check import check_sequences
    from seqveil.sources.sequences import read_tallied
    from seqveil.tables.domain import Domain

    if kind not in _KINDS:
        raise CallError(f"--kind {kind!r}: choose one of {', '.join(_KINDS)}.")
    labels = Domain.parse(domain)
    if kind == "graph":
        from seqveil.cli.graphs import check_graph_file

        return check_graph_file(file, labels, description["format"], description["delimiter"], description["header"], as_json)
    source = Source(file, labels, **description)
    sequences, layout, tally = read_tallied(source)
    found = check_sequences(sequences, tally, layout, l_max=l_max, max_sequences=max_sequences)
    found["looks_like"] = foreign_look(source.file) if layout.begins == "record" else None
    if as_json:
        return emit(found)
    banner("INTERNAL")
    say(f"Read as {found['format']}.")
    if found["looks_like"]:
        say(f"By its first bytes, {printable(str(file))} {found['looks_like']}. A release would not stop for it.")
    table(["what", "count", "share"], list(_rows(found, source.outside)))
    table(["per", *found["lengths"]], _quantile_rows(found))
    if found["items"]["examples_outside"]:
        shown = ", ".join(repr(printable(value)) for value in found["items"]["examples_outside"])
        say(f"Outside the domain are, for example: {shown}")
    if not found["sequences"]["kept"]:
        say("Nothing is left to publish: check --domain, and the columns.")


def _rows(found: dict[str, Any], outside: str) -> list[list[str]]:
    """What was read, what is kept, and every loss that is not zero, with the share of what it is part of."""
    items, rows, events = found["items"], found["rows"], found["dropped_events"]
    fate = "become 'other'" if outside == "other" else "dropped"
    counts = [
        ("rows read", rows["read"], None),
        ("rows dropped: not in the format", rows["broken"], rows["read"]),
        ("events dropped: no user", events["no_user"], rows["read"]),
        ("events dropped: no session value", events["no_session"], rows["read"]),
        ("events dropped: unreadable time", events["unreadable_time"], rows["read"]),
        ("events dropped: no item", events["no_item"], rows["read"]),
        ("events dropped: beyond --max-events of their user", events["beyond_max_events"], rows["read"]),
        ("items read", items["read"], None),
        (f"items outside the domain, {fate}", items["outside_domain"], items["read"]),
        ("items kept", items["kept"], items["read"]),
        ("sequences kept", found["sequences"]["kept"], None),
        ("sequences dropped: nothing left", found["sequences"]["left_empty"], rows["read"]),
        *_user_counts(found),
        *_cut_counts(found),
        ("labels of the domain never seen", found["domain"]["never_seen"], found["domain"]["labels"]),
    ]
    return [
        [what, f"{count:,}", f"{count / whole:.1%}" if whole else ""]
        for what, count, whole in counts
        if count or what.endswith((" read", " kept"))
    ]


def _user_counts(found: dict[str, Any]) -> list[tuple[str, int, int | None]]:
    if found["users"] is None:
        return []
    users = found["users"]
    return [
        ("users read", users["seen"], None),
        ("users kept", users["kept"], users["seen"]),
        ("users dropped: nothing left", users["left_empty"], users["seen"]),
    ]


def _cut_counts(found: dict[str, Any]) -> list[tuple[str, int, int | None]]:
    counts: list[tuple[str, int, int | None]] = []
    if cut := found["l_max"]:
        counts += [
            (f"sequences longer than {cut['value']}, cut", cut["longer_sequences"], found["sequences"]["kept"]),
            (f"items cut beyond {cut['value']}", cut["items_cut"], found["items"]["kept"]),
        ]
    if (cut := found["max_sequences"]) and found["users"]:
        counts += [
            (f"users with more than {cut['value']} sequences", cut["users_above"], found["users"]["kept"]),
            (
                f"sequences left out beyond {cut['value']} per user",
                cut["sequences_left_out"],
                found["sequences"]["kept"],
            ),
        ]
    return counts


def _quantile_rows(found: dict[str, Any]) -> list[list[str]]:
    kinds = (("items per sequence", found["lengths"]), ("sequences per user", found["sequences_per_user"]))
    return [[name, *(f"{value:,}" for value in cuts.values())] for name, cuts in kinds if cuts]
