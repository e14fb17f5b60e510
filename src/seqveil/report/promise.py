"""The guarantee and the bill, in words and figures a manager can read. All of it from the manifest: nothing raw."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seqveil.release import Release
    from seqveil.release.manifest import Manifest


def surest(epsilon: float) -> float:
    """How sure somebody who was undecided (50 %) can become of whether one unit is in the data: e^ε / (1 + e^ε).

    >>> round(surest(1.0), 3), round(surest(0.1), 3)
    (0.731, 0.525)
    """
    return 1 / (1 + math.exp(-epsilon)) if epsilon < 700 else 1.0


_ALTERNATIVES = {
    "record": ("a given record is in the data", "all other records"),
    "user": ("a given user is in the data", "the data of all other users"),
    "event": ("a given event has one value or another", "all other events"),
}
"""What the guarantee leaves open to somebody who knows everything else; of nothing larger than the unit."""


def in_words(manifest: Manifest) -> list[str]:
    """The guarantee in a few plain sentences."""
    from seqveil.release.readme import adding_up, curve, guarantee, of_labels

    if not manifest.private:
        return [
            "This release has no privacy guarantee. Its noise comes from a seed and can be repeated, so anyone who knows the "
            "seed can remove the noise. Use it for trials only."
        ]
    because = manifest.domain.public_because
    # A paragraph of its own, at whose end it stands: text in another direction can reorder nothing that we say.
    declared = manifest.content != "labels" and manifest.domain.discovered is None
    stated = [f"The data holder states that the list is public because: {because}"] if because and declared else []
    listed = f"The list of {manifest.domain.size:,} possible labels is not protected." if declared else of_labels(manifest)
    return [
        f"{guarantee(manifest)} ({_definition(manifest)}).{f' {curve(manifest)}' if manifest.zcdp else ''}",
        f"In other words: {odds(manifest)}",
        f"{listed} {adding_up(manifest)}",
        *stated,
    ]


def _definition(manifest: Manifest) -> str:
    from seqveil.release.readme import definition

    return f"differential privacy with ε = {manifest.epsilon}" if manifest.zcdp is None else definition(manifest)


def odds(manifest: Manifest) -> str:
    """The guarantee as a probability: what somebody who knows everything else can learn about one unit."""
    from seqveil.release.readme import beyond, one_unit

    edges = "a given edge" if one_unit(manifest) == "one edge" else f"a given group of {one_unit(manifest)}"
    question, rest = _ALTERNATIVES.get(str(manifest.unit["name"]), (f"{edges} is in the data", "all other edges"))
    most = math.ceil(1000 * surest(float(manifest.epsilon))) / 10
    exception = "" if manifest.zcdp is None else f", except with a probability of the order of δ = {manifest.zcdp.delta}"
    return (
        f"someone who is undecided (50 %) whether {question}, and who knows {rest}, can be at most {most:.1f} % sure after "
        f"reading this release{exception}. {beyond(manifest)}"
    )


def bill(manifest: Manifest) -> list[dict[str, Any]]:
    """What every stage used and what was not used; shares of the whole for the bar."""
    whole = float(manifest.charged)
    return [
        {"name": name, "kind": kind, "epsilon": amount, "share": float(amount) / whole} for name, kind, amount in manifest.bill
    ]


def tiles(release: Release) -> list[tuple[str, str]]:
    """The figures at the top of the page: what, and how much."""
    manifest = release.manifest
    unit = str(manifest.unit["name"])
    bound = [f"{key.replace('_', ' ')} {value}" for key, value in manifest.unit.items() if key != "name"]
    budget = [("privacy budget ε", manifest.epsilon)]
    if manifest.zcdp is not None:
        budget = [("privacy budget ε", manifest.epsilon), ("at δ", manifest.zcdp.delta), ("ρ of zCDP", manifest.zcdp.rho)]
    shown = [*budget, ("protects every", unit + (f" ({', '.join(bound)})" if bound else ""))]
    shown += [(what, f"{number:,}") for what, number in release.sizes().items()]
    return [*shown, ("public labels", f"{manifest.domain.size:,}")]
