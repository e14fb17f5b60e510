"""Small releases with a manifest, without a wall: for tests of what happens to a release afterwards."""

from __future__ import annotations

from typing import Any

from seqveil.tables.units import Record, Unit
from seqveil.wall.facts import Facts, StageFacts


def sealed(release: Any, unit: Unit | None = None) -> Any:
    """The release, sealed as a private one of ε = 1 that spent it in one stage."""
    known = {"mechanism": "ngram", "version": "1", "paper": "CCS 2012", "parameters": {"l_max": 5}, "epsilon": "1.0"}
    known |= {"unit": unit or Record(), "domain": release.domain, "noise": "discrete Laplace", "private": True}
    release.seal(Facts(**known, unused="0.0", stages=[StageFacts("tree", "grams", "1.0", "1.0", "question")]))
    return release
