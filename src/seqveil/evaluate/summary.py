"""What was evaluated, from a release's manifest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from seqveil.release.capabilities import Synthetic

if TYPE_CHECKING:
    from seqveil.release import Release


def summary(release: Release) -> dict[str, Any]:
    """The facts of a release that an evaluation repeats; `records` counts synthetic records, where it has any."""
    manifest = release.manifest
    facts = {
        "id": manifest.release,
        "method": manifest.mechanism.name,
        "parameters": manifest.mechanism.parameters,
        "epsilon": manifest.epsilon,
        **({} if manifest.zcdp is None else {"delta": manifest.zcdp.delta}),
        "unit": manifest.unit,
        "private": manifest.private,
    }
    return {**facts, "records": len(release.synthetic)} if isinstance(release, Synthetic) else facts
