"""Mistakes that are easily made with the triangles of a graph, planted in our code."""

from __future__ import annotations

from typing import Any

import numpy as np

from seqveil.audit.planted.planting import Planted, both, raw, replaced, unchecked
from seqveil.publish.graphs.bter import GraphBTER
from seqveil.tables.units import Unit
from seqveil.tables.wedges import count_triangles
from seqveil.wall.noise import Scale
from seqveil.wall.questions.protocol import Ladder
from seqveil.wall.questions.triangles import Triangles
from seqveil.wall.wall import Wall

_ladder, _run = Triangles.ladder, GraphBTER.run


def _at_hand(question: Triangles, table: Any, unit: Unit) -> Ladder:
    """Every rung is as wide as the first: noise by the sensitivity of the graph at hand."""
    ladder = _ladder(question, table, unit)
    return Ladder(ladder.value, np.maximum(ladder.widths[:1], 1))


def _without_the_two(wall: Any, question: Triangles, epsilon: int) -> int:
    """The ladder with e^(−ε·rung/k): the sum of all weights is taken to be the same for neighbours."""
    ladder = question.ladder(raw(wall), wall.unit)
    wall._Wall__charge(question.name, epsilon)
    drawn: int = wall._Wall__noise.ladder(ladder.widths, Scale.of(question.steps(wall.unit), epsilon))
    return ladder.value + drawn


def _fitted_to_the_truth(mechanism: GraphBTER, wall: Any) -> Any:
    """The graph is told to have as many triangles as the raw one."""
    table, release = raw(wall), _run(mechanism, wall)
    release.noisy_triangles = count_triangles(table.low, table.high, len(table.domain))
    return release


GRAPHS = [
    Planted(
        "triangles by local sensitivity",
        "a common mistake; docs/mechanisms/graph-bter.md",
        "the number of triangles has noise of the sensitivity of the graph at hand",
        "graph-bter",
        "one question shows",
        lambda: both(unchecked, replaced(Triangles, "ladder", _at_hand)),
    ),
    Planted(
        "ladder without the factor 2",
        "the exponential mechanism for a score that is not monotone",
        "rungs weigh e^(−ε·rung), although the sum of all weights moves as well",
        "graph-bter",
        "noise of scale",
        replaced(Wall, "ask_ladder", _without_the_two),
    ),
    Planted(
        "exact triangles in the release",
        "post-processing that is none",
        "the release states the true number of triangles",
        "graph-bter",
        "manifest.facts",
        replaced(GraphBTER, "run", _fitted_to_the_truth),
    ),
]
