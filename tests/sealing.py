"""Small releases with a manifest, without a wall: for tests of what happens to a release afterwards."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from seqveil.tables.units import Record, Unit


def sealed(release: Any, unit: Unit | None = None) -> Any:
    """The release, sealed as a private one of ε = 1 that spent it in one stage."""
    known = {"mechanism": "ngram", "version": "1", "paper": "CCS 2012", "parameters": {"l_max": 5}, "epsilon": "1.0"}
    known |= {"unit": unit or Record(), "domain": release.domain, "noise": "discrete Laplace", "private": True}
    release.seal(SimpleNamespace(**known, stages=[("tree", "grams", "1.0")]))
    return release
