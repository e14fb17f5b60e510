"""`seqveil link psi demo`: two simulated hospitals exchange three messages, each with its own folder, processes and log."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from seqveil.cli.console import Json, banner, emit, progress, say, table
from seqveil.cli.demo import fresh
from seqveil.cli.link_demo import Party, party_in, patients
from seqveil.extras import need

if TYPE_CHECKING:
    from seqveil.evaluate.linkage import RowPairs

LEARNT = (
    ("the answerer, from move 1", "nothing: what it receives is random, whatever the starter's list holds"),
    (
        "the starter, from move 2",
        "which of its rows have a match, and at which letter the two names differ; of names without a match, nothing",
    ),
    ("the answerer, from move 3", "which of its rows have a match, and nothing else"),
    ("who reads the channel", "the terms, which move is being made, and the number of pairs"),
)
"""Who learns what; docs/mechanisms/private-linkage.md says it at length."""


def demo(
    out: Annotated[Path, typer.Option(help="Folder for all files of the demo.")] = Path("psi-demo"),
    people: Annotated[int, typer.Option(min=10, help="Patients per hospital; a fifth of them are shared.")] = 1_000,
    as_json: Json = False,
) -> None:
    """Two hospitals find the patients they share, half of those with a typing error, and nobody else learns of them.

    Example: seqveil link psi demo --out psi-demo
    """
    import numpy as np

    from seqveil.evaluate.linkage import plain, scores
    from seqveil.tables.names import Alphabet

    need("edit distances")
    need("private set intersection")
    folder = fresh(out)
    shared = people // 5
    with progress("link psi demo", steps=6, quiet=as_json) as stage:
        stage("people")
        lists = patients(people, shared)
        a, b = (party_in(folder / name, as_json) for name in ("hospital-a", "hospital-b"))
        for party, names in zip((a, b), lists, strict=True):
            rows = "".join(f"{number},{name}\n" for number, name in enumerate(names, 1))
            (party.folder / "patients.csv").write_text(f"number,name\n{rows}", encoding="utf-8")
        _protocol(a, b, people, stage)
        stage("comparing with the truth")
        pairs = _pairs(a, b)
        near = plain(Alphabet.parse("latin"), *lists, edits=1)
        same = np.stack([np.arange(shared)] * 2, axis=1)
        results = {"pairs within one edit": scores(pairs, near), "the same patient": scores(pairs, same)}
    if as_json:
        return emit(
            {"out": str(out), "private": False, "pairs": len(pairs), **{what: s._asdict() for what, s in results.items()}}
        )
    banner("INTERNAL", "Comparison with the true pairs, which no party of a real linkage knows.")
    table(
        ["truth", "precision", "recall", "F1"],
        [[what, f"{s.precision:.3f}", f"{s.recall:.3f}", f"{s.f1:.3f}"] for what, s in results.items()],
    )
    say(f"{people:,} patients each, {shared:,} of them shared; {len(pairs):,} pairs matched. All files are in {folder}.")
    say("What was learnt:")
    for who, what in LEARNT:
        say(f"  {who}: {what}.")


def _protocol(a: Party, b: Party, people: int, stage: Callable[[str], None]) -> None:
    """The terms and three messages; all that ever passes between the two."""
    stage("terms")
    a.run("psi", "terms", "--field", "name:edits", "--rows", people, "--tokens", 40, "--out", "terms.json")
    a.send("terms.json", b)
    stage("move 1")
    own = ["--terms", "terms.json", "--keep", "secret"]
    b.run("psi", "start", "patients.csv", *own, "--out", "move-1.psi")
    b.send("move-1.psi", a)
    stage("move 2")
    a.run("psi", "answer", "patients.csv", "move-1.psi", *own, "--out", "move-2.psi")
    a.send("move-2.psi", b)
    stage("move 3")
    b.run("psi", "finish", "patients.csv", "move-2.psi", "--keep", "secret", "--out", "shared.csv", "--reply", "move-3.psi")
    b.send("move-3.psi", a)
    stage("opening")
    a.run("psi", "open", "patients.csv", "move-3.psi", "--keep", "secret", "--out", "shared.csv")


def _pairs(a: Party, b: Party) -> RowPairs:
    """The pairs of rows, from what each hospital knows of its own side; equal records share a number, so it may have several."""
    import numpy as np

    sides = []
    for party in (a, b):
        rows = defaultdict(list)
        with (party.folder / "shared.csv").open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                rows[row["pair"]].append(int(row["row"]) - 1)
        sides.append(rows)
    pairs = [both for number, rows in sides[0].items() for both in product(rows, sides[1][number])]
    return np.array(pairs, np.int64).reshape(-1, 2)
