"""The promise and the bill, in words and figures a manager can read. All of it from the manifest: nothing raw."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seqveil.release import Release
    from seqveil.release.manifest import Manifest


def surest(epsilon: float) -> float:
    """How sure somebody who was undecided (50 %) can become that a person is in the data: e^ε / (1 + e^ε).

    >>> round(surest(1.0), 3), round(surest(0.1), 3)
    (0.731, 0.525)
    """
    return 1 / (1 + math.exp(-epsilon)) if epsilon < 700 else 1.0


def in_words(manifest: Manifest) -> list[str]:
    """The promise as a few plain sentences."""
    from seqveil.release.readme import factor

    if not manifest.private:
        return [
            "Nothing is promised about this release. Its noise comes from a seed and can be repeated, so whoever knows the "
            "seed can take the noise away again. It is good for trying things out, and for nothing else."
        ]
    who = {"record": "one record", "user": "one person with everything recorded about them"}.get(
        str(manifest.unit["name"]), f"one {manifest.unit['name']}"
    )
    because = manifest.domain.public_because
    stated = f" The holder states that it is public because: {because}." if because else ""
    return [
        f"Whether or not {who} was in the data, this release would have come out almost the same: the chance of any "
        f"outcome changes at most by the factor {factor(manifest.epsilon)}.",
        "Put differently: somebody who was undecided whether a given person is in the data, and who knows everybody else's "
        f"data, can be at most {surest(float(manifest.epsilon)):.0%} sure after reading everything in this release.",
        f"The list of {manifest.domain.size:,} possible labels is not protected.{stated} "
        "Promises about the same people add up: every further release about them costs more.",
    ]


def bill(manifest: Manifest) -> list[dict[str, Any]]:
    """What every stage used and what was not used; shares of the whole for the bar."""
    whole = float(manifest.epsilon)
    return [
        {"name": name, "kind": kind, "epsilon": amount, "share": float(amount) / whole} for name, kind, amount in manifest.bill
    ]


def tiles(release: Release) -> list[tuple[str, str]]:
    """The figures at the top of the page: what, and how much."""
    manifest, held = release.manifest, release
    unit = str(manifest.unit["name"])
    bound = [f"{key.replace('_', ' ')} {value}" for key, value in manifest.unit.items() if key != "name"]
    shown = [("privacy budget ε", manifest.epsilon), ("protects every", unit + (f" ({', '.join(bound)})" if bound else ""))]
    counted = {"synthetic": "artificial records", "grams": "grams with counts", "prefixes": "prefixes with counts"}
    for name, what in {**counted, "patterns": "patterns with counts", "sets": "sets with counts"}.items():
        if hasattr(held, name):
            shown.append((what, f"{len(getattr(held, name)):,}"))
    return [*shown, ("public labels", f"{manifest.domain.size:,}")]
