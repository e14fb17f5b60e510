"""graph-degrees: noisy degrees and a random graph that has them; what a practitioner would do today. Asks `wall.ask` once."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from seqveil.parameters import described
from seqveil.publish.graphs.flood import refuse_flood
from seqveil.release.graphs import DegreeTable, GraphRelease
from seqveil.release.graphs.draw import configuration_model, generator
from seqveil.tables.domain import Domain
from seqveil.tables.units import Edge, Unit
from seqveil.wall import GRAINS, Degrees, Plan, Wall


@dataclass(frozen=True, slots=True)
class GraphDegrees:
    """Degrees with noise, then a configuration model.

    Without `isotonic` every vertex keeps its own noisy degree: good for cuts. With it the degrees are asked in ascending
    order, where the noise can be reduced by isotonic regression [Hay 2009]: good for their distribution, but which vertex has
    which degree is lost.

    >>> GraphDegrees(isotonic=True).parameters()
    {'isotonic': True}
    """

    kind: ClassVar[str] = "graph"
    units: ClassVar[tuple[type[Unit], ...]] = (Edge,)
    version: ClassVar[str] = "1"
    paper: ClassVar[str] = "Hay, Li, Miklau, Jensen, ICDM 2009"
    name: ClassVar[str] = "graph-degrees"

    isotonic: bool = described(False, "Publish the degree distribution accurately, but forget which vertex has which degree.")

    def parameters(self) -> dict[str, Any]:
        """The public parameters, ready for a manifest."""
        return asdict(self)

    def plan(self, epsilon: int, domain: Domain, unit: Unit, records: int | None = None) -> Plan:
        """One question."""
        scale = Degrees().influence(unit) * GRAINS / epsilon
        refuse_flood(len(domain), scale * len(domain))
        return Plan([("degrees", epsilon, "one number per vertex")], [f"noise on every degree: within ±{3 * scale:,.0f} (95 %)"])

    def run(self, wall: Wall) -> GraphRelease:
        """Ask for the degrees, and draw a graph that has them."""
        question = Degrees(ascending=self.isotonic)
        scale = question.influence(wall.unit) * GRAINS / wall.epsilon
        with wall.stage("degrees"):
            noisy = wall.ask(question, wall.remaining)
        degrees = ironed(noisy) if self.isotonic else _rounded(np.clip(noisy, 0, len(noisy) - 1.0))
        low, high = configuration_model(degrees)
        return GraphRelease(wall.domain, low=low, high=high, degrees=DegreeTable(noisy, scale, self.isotonic))


def ironed(noisy: NDArray[np.int64]) -> NDArray[np.int64]:
    """The nearest ascending degrees, rounded, and given to the vertices in random order.

    >>> np.sort(ironed(np.array([3, 1, 2, 3]))).tolist()
    [2, 2, 2, 3]
    """
    from scipy.optimize import isotonic_regression

    ascending = isotonic_regression(noisy.astype(np.float64)).x
    degrees = np.clip(ascending, 0, max(len(noisy) - 1, 0))
    return np.asarray(generator(noisy).permutation(_rounded(degrees)), np.int64)


def _rounded(degrees: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.asarray(np.rint(degrees), np.int64)
