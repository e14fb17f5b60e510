"""`seqveil link demo`: two simulated hospitals and a third party exchange files, each with its own folder and processes."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seqveil.cli.console import Json, banner, emit, progress, say, table
from seqveil.cli.demo import fresh
from seqveil.errors import RunFailed
from seqveil.extras import need

if TYPE_CHECKING:
    from seqveil.evaluate.linkage import RowPairs

DISCLOSED = (
    (
        "the other hospital, from the base",
        "at most what ε allows about any row; for a patient of both, the budgets add up",
    ),
    (
        "the third party, from vectors and pairs",
        "which patients are shared, and nearly every name that is in a public list: it must be allowed to know them",
    ),
    ("each hospital, from the pairs", "which of its own rows the other one has too: exact membership, without noise"),
)
"""Who learns what; docs/mechanisms/linkage.md says it at length."""


@dataclass(frozen=True)
class Party:
    """A party with its own folder, which runs commands in it and sends files from it."""

    folder: Path
    tell: Callable[[str], None]

    def run(self, *words: object) -> dict[str, Any]:
        """`seqveil link …` as a process of its own, in this party's folder and with its own ledger."""
        typed = ["link", *map(str, words)]
        self.tell(f"{self.folder.name} $ seqveil {shlex.join(typed)}")
        home = {**os.environ, "SEQVEIL_HOME": str((self.folder / "ledger").resolve())}
        call = [sys.executable, "-m", "seqveil", *typed, "--json"]
        done = subprocess.run(call, cwd=self.folder, env=home, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RunFailed(
                f"{self.folder.name}: seqveil {shlex.join(typed)} ended with {done.returncode}.\n{done.stderr.strip()}"
            )
        facts: dict[str, Any] = json.loads(done.stdout)
        return facts

    def send(self, name: str, *others: Party) -> None:
        """A copy of a file or folder for others: all that ever passes between parties."""
        for other in others:
            self.tell(f"{self.folder.name} -> {other.folder.name}: {name}")
            source, target = self.folder / name, other.folder / name
            if source.is_dir():
                shutil.copytree(source, target)
            else:
                shutil.copy(source, target)


def demo(
    out: Annotated[Path, typer.Option(help="Folder for all files of the demo.")] = Path("link-demo"),
    people: Annotated[int, typer.Option(min=10, help="Patients per hospital; a fifth of them are shared.")] = 5_000,
    epsilon: Annotated[str, typer.Option(help="Privacy budget ε of each hospital's base.")] = "1.0",
    as_json: Json = False,
) -> None:
    """Two hospitals find the patients they share, half of those with a typing error; then compare with the truth.

    Example: seqveil link demo --out link-demo
    """
    import numpy as np

    from seqveil.evaluate.linkage import plain, scores
    from seqveil.tables.names import Alphabet

    need("edit distances")
    folder = fresh(out)
    shared = people // 5
    with progress("link demo", steps=7, quiet=as_json) as stage:
        stage("people")
        lists = patients(people, shared)
        a, b, c = (party_in(folder / name, as_json) for name in ("hospital-a", "hospital-b", "third-party"))
        for party, names in zip((a, b), lists, strict=True):
            rows = "".join(f"{number},{name}\n" for number, name in enumerate(names, 1))
            (party.folder / "patients.csv").write_text(f"number,name\n{rows}", encoding="utf-8")
        _protocol(a, b, c, epsilon, stage)
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
    say("What each party learns:")
    for who, what in DISCLOSED:
        say(f"  {who}: {what}.")


def patients(people: int, shared: int) -> tuple[list[str], list[str]]:
    """Full names of both hospitals; the first `shared` rows are the same people, every second one mistyped in one."""
    from seqveil.simulate.names import names, with_typing_errors

    everybody = 2 * people - shared
    first_names, surnames = names(everybody, seed=11), names(everybody, seed=12)
    full = [f"{surname} {first}" for surname, first in zip(surnames, first_names, strict=True)]
    first, second = full[:people], full[:shared] + full[people:]
    second[:shared:2] = with_typing_errors(second[:shared:2], 1, seed=13)
    return first, second


def party_in(folder: Path, quiet: bool) -> Party:
    folder.mkdir()
    return Party(folder, (lambda text: None) if quiet else say)


def _protocol(a: Party, b: Party, c: Party, epsilon: str, stage: Callable[[str], None]) -> None:
    """All steps, in the order in which the parties need each other's files."""
    stage("bases")
    for party, name in ((a, "base-a"), (b, "base-b")):
        party.run("base", "patients.csv", "--column", "name", "--alphabet", "latin", "--epsilon", epsilon, "--out", name)
    stage("merging")
    b.send("base-b", a)
    a.run("merge", "base-a", "base-b", "--out", "base.json")
    a.send("base.json", b)
    stage("vectors")
    for party, letter, more in ((a, "a", ["--edits", 1]), (b, "b", [])):
        files = ["--out", f"vectors-{letter}", "--key", f"rows-{letter}.key"]
        party.run("embed", "patients.csv", "--column", "name", "--base", "base.json", *more, *files)
        party.send(f"vectors-{letter}", c)
    stage("matching")
    c.run("match", "vectors-a", "vectors-b", "--out", "pairs")
    c.send("pairs", a, b)
    stage("opening")
    for party, letter in ((a, "a"), (b, "b")):
        party.run("open", "patients.csv", "pairs", "--column", "name", "--key", f"rows-{letter}.key", "--out", "shared.csv")


def _pairs(a: Party, b: Party) -> RowPairs:
    """The pairs of rows, from what each hospital knows of its own side; only the demo has both."""
    import csv

    import numpy as np

    sides = []
    for party in (a, b):
        with (party.folder / "shared.csv").open(encoding="utf-8", newline="") as file:
            sides.append({row["pair"]: int(row["row"]) - 1 for row in csv.DictReader(file)})
    return np.array([(row, sides[1][pair]) for pair, row in sides[0].items()], np.int64).reshape(-1, 2)
