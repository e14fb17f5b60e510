"""A mechanism that can be charged in zCDP, for tests of what stands around mechanisms."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from types import ModuleType
from typing import Any, ClassVar

import pytest

from seqveil import registry
from seqveil.release.histogram import Cells, HistogramRelease
from seqveil.tables.units import Record, Unit, User
from seqveil.wall import Alphabet, Firsts, Plan, Wall
from seqveil.wall.measures.delta import in_parts
from seqveil.wall.measures.measure import Measure


@dataclass(frozen=True)
class Gaussian:
    """Records by their first label; a part of δ can be set aside for thresholds, and half of the budget for nothing."""

    kind: ClassVar[str] = "sequences"
    units: ClassVar[tuple[type[Unit], ...]] = (Record, User)
    measures: ClassVar[tuple[Measure, ...]] = ("pure", "zcdp")
    version: ClassVar[str] = "1"
    paper: ClassVar[str] = "nobody 2026"
    name: ClassVar[str] = "gaussian"
    waste: bool = False
    threshold: str = "0"

    def parameters(self) -> dict[str, Any]:
        return {"waste": self.waste, "threshold": self.threshold}

    def thresholds(self, delta: int) -> int:
        return 0 if self.threshold == "0" else in_parts(self.threshold)

    def plan(self, amount: int, domain: Any, unit: Unit, records: int | None = None, measure: Measure = "pure") -> Plan:
        return Plan([("first labels", amount, f"counts, charged in {measure}")])

    def run(self, wall: Wall) -> HistogramRelease:
        question, paid = Firsts(Alphabet.identity(len(wall.domain))), wall.epsilon // (2 if self.waste else 1)
        with wall.stage("first labels"):
            noisy = wall.ask(question, paid)
        cells = Cells(noisy, wall.law(question, paid).value, wall.measure == "zcdp")
        return HistogramRelease(wall.domain, cells={"first": cells}, l_max=1)


@pytest.fixture
def gaussian(monkeypatch: pytest.MonkeyPatch) -> None:
    """Registered as `--method gaussian`, as an entry point does it."""
    module = ModuleType("gaussian_package")
    module.Gaussian = Gaussian  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "gaussian_package", module)
    method = registry.Method("gaussian", "publish", "gaussian_package:Gaussian", "records by their first label")

    class Point:
        def load(self) -> registry.Method:
            return method

    monkeypatch.setattr(registry, "_plugged", lambda path: [Point()])
