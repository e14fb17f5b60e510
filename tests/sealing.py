"""Small releases with a manifest, without a wall: for tests of what happens to a release afterwards."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from seqveil.facts import Facts, Stage
from seqveil.tables.domain import Domain
from seqveil.tables.units import Record, Unit


def facts(domain: Domain, **changes: Any) -> Facts:
    """What the wall would vouch for: a private run of ε = 1 that spent it in one stage, with changes."""
    run: dict[str, Any] = {
        "mechanism": "ngram",
        "version": "1",
        "paper": "CCS 2012",
        "parameters": {"l_max": 5},
        "epsilon": "1.0",
        "unused": "0.0",
        "unit": Record(),
        "domain": domain,
        "stages": [Stage("tree", "grams", "1.0", "1.0", "question")],
        "noise": "discrete Laplace",
        "private": True,
        **changes,
    }
    parameters = run.pop("parameters")
    mechanism = SimpleNamespace(
        name=run.pop("mechanism"), version=run.pop("version"), paper=run.pop("paper"), parameters=lambda: parameters
    )
    return Facts.of(mechanism, **run)


def sealed(release: Any, unit: Unit | None = None, **changes: Any) -> Any:
    """The release, sealed with such facts."""
    release.seal(facts(release.domain, unit=unit or Record(), **changes))
    return release
