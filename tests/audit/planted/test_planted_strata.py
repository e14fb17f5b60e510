"""Mistakes in strata and cuts, and in the questions asked there, are noticed; the real code holds under the same attacks."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest

from seqveil.audit.budget import SMOKE
from seqveil.audit.findings import Attack, Enough
from seqveil.audit.planted.cuts import CUTS
from seqveil.audit.planted.planting import Planted
from seqveil.audit.planted.strata import STRATA
from seqveil.audit.replays import Pairing, every_neighbour, worst_neighbours
from seqveil.audit.subjects import Subject
from seqveil.kinds.sequences import SequenceWorld
from seqveil.tables.units import Record, Unit, User
from seqveil.wall import (
    GRAINS,
    Alphabet,
    ClosedLengths,
    Cut,
    Firsts,
    Grams,
    Labels,
    Lasts,
    LengthQuantile,
    Size,
    Trips,
    Wall,
    Windows,
)

BOUNDS = (1, 2, 4)


@dataclass
class Answers:
    """As little of a release as can be sealed."""

    manifest: Any = field(default=None)

    def tables(self) -> dict[str, Any]:
        return {}

    def extras(self) -> dict[str, bytes]:
        return {}

    def seal(self, facts: Any) -> None:
        self.manifest = facts

    def sign_with(self, signer: Any) -> None:
        raise AssertionError("seeded runs are never signed")


@dataclass(frozen=True)
class Everything:
    """Asks all that can be asked in strata, the whole ε in each; what is asked later depends on earlier answers."""

    kind: ClassVar[str] = "sequences"
    version: ClassVar[str] = "1"
    paper: ClassVar[str] = ""
    name: str = "everything in strata"
    cut: Cut | None = None

    def parameters(self) -> dict[str, Any]:
        return {}

    def run(self, wall: Wall) -> Answers:
        labels = len(wall.domain)
        alphabet = Alphabet.identity(labels)
        if self.cut is not None:
            wall.cut(3, self.cut)
        wall.ask(ClosedLengths(4), wall.epsilon // 10)
        for high, stratum in zip(BOUNDS, wall.strata(BOUNDS, wall.remaining), strict=True):
            share = stratum.epsilon // 12
            for question in (Size(), Firsts(alphabet), Lasts(alphabet), Trips(alphabet)):
                stratum.ask(question, share)
            strong = np.argsort(-stratum.ask(Labels(high, alphabet), share), kind="stable")[:2]
            codes = np.full(labels, 2, np.int32)
            codes[strong] = [0, 1]
            few = Alphabet(codes, 3)
            stratum.ask_above(Trips(few), share, 2)
            stratum.choose(LengthQuantile(high, Fraction(1, 2)), share)
            tree = stratum.tree(Grams(high, 2), share)
            tree.expand([tree.root], share, 2)
            if high > 1:
                stratum.ask(Windows(high, np.array([[0], [2]], np.int32), few), stratum.remaining)
        return Answers()


def attacked(unit: Unit, cut: Cut | None = None) -> Attack:
    """All neighbours of the smoke test before one unit, until something is noticed."""
    attack = Attack("replay", eager=True)
    pairing = Pairing(Subject("strata", "", Everything(cut=cut), SequenceWorld(), unit, GRAINS), attack)
    try:
        worst_neighbours(pairing, SMOKE)
        every_neighbour(pairing, SMOKE)
    except Enough:
        pass
    return attack


UNITS = [Record(), User(max_sequences=2)]


@pytest.mark.parametrize("cut", [None, "window", "sample"])
@pytest.mark.parametrize("unit", UNITS, ids=lambda u: u.name)
def test_strata_hold(unit: Unit, cut: Cut | None) -> None:
    """Exact losses of recorded runs: never above ε, and close to it, since every stratum spends all of it."""
    attack = attacked(unit, cut)

    assert [] == attack.findings
    assert attack.shown is not None
    assert 0.5 < attack.shown <= 1


@pytest.mark.slow
@pytest.mark.parametrize("bug", STRATA, ids=[bug.name for bug in STRATA])
def test_every_bug_in_strata_is_caught(bug: Planted) -> None:
    """For a record or for a user, and for the right reason."""
    with bug.plant():
        findings = next(filter(None, (attacked(unit).findings for unit in UNITS)), [])

    assert findings, f"{bug.name} ({bug.what}) got away"
    assert re.search(bug.shows, findings[0].text), findings[0].text


@pytest.mark.slow
@pytest.mark.parametrize("bug", CUTS, ids=[bug.name for bug in CUTS])
def test_every_bug_in_cuts_is_caught(bug: Planted) -> None:
    """Records of the base are long enough to be cut."""
    with bug.plant():
        findings = next(filter(None, (attacked(Record(), cut).findings for cut in ("window", "sample"))), [])

    assert findings, f"{bug.name} ({bug.what}) got away"
    assert re.search(bug.shows, findings[0].text), findings[0].text
