"""Two data holders in one folder, for tests of private linkage: every move as a short call."""

from __future__ import annotations

from pathlib import Path

from seqveil.link.psi import moves
from seqveil.link.psi.fields import Field
from seqveil.link.psi.moves import People, Result
from seqveil.link.psi.terms import Terms
from seqveil.tables.names import Alphabet

LATIN = Alphabet.parse("latin")
OURS = ["Anna", "Bob", "Otto", "Anna", "", "Xaver"]
THEIRS = ["Hanna", "anna", "Rob", "Yvonne"]
PAIRS = {(0, 0), (3, 0), (0, 1), (3, 1), (1, 2)}
"""Rows within one edit of each other."""


def name_terms(**more):
    """Names with one edit, nine rows each."""
    return Terms.agree([Field("name", "edits")], (9, 9), LATIN, **more)


class World:
    """Both sides; `ours` starts and `theirs` answers."""

    def __init__(self, folder: Path, terms: Terms, ours=OURS, theirs=THEIRS) -> None:
        self.folder, self.terms, self.ours, self.theirs = folder, terms, ours, theirs
        self.steps: list[tuple[str, int, int]] = []

    def people(self, rows) -> People:
        rows = [row if isinstance(row, tuple) else (row,) for row in rows]
        return People([[list(column)] for column in zip(*rows, strict=True)], "people.csv")

    def tell(self, *step) -> None:
        self.steps.append(step)

    def start(self, out="1.psi", keep="ours", rows=None):
        return moves.start(self.terms, self.people(rows or self.ours), self.folder / keep, self.folder / out, self.tell)

    def answer(self, message="1.psi", out="2.psi", keep="theirs", rows=None, terms=None):
        people = self.people(rows or self.theirs)
        return moves.answer(terms or self.terms, self.folder / message, people, self.folder / keep, self.folder / out, self.tell)

    def finish(self, message="2.psi", reply="3.psi", keep="ours", rows=None) -> Result:
        to = None if reply is None else self.folder / reply
        people = self.people(rows or self.ours)
        return moves.finish(self.folder / message, people, self.folder / keep, to, lambda result: None, self.tell)

    def open(self, message="3.psi", keep="theirs", rows=None) -> Result:
        people = self.people(rows or self.theirs)
        return moves.open_reply(self.folder / message, people, self.folder / keep, lambda result: None)

    def whole(self) -> set[tuple[int, int]]:
        """All moves; pairs of rows from 0."""
        self.start()
        self.answer()
        return pairs_of_results(self.finish(), self.open())


def pairs_of_results(ours: Result, theirs: Result) -> set[tuple[int, int]]:
    """Rows of both sides under one number."""
    return {(i - 1, j - 1) for p, i, _ in ours.lines for q, j, _ in theirs.lines if p == q}
