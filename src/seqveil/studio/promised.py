"""What a release would promise, in the words that the release itself will use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seqveil.release.manifest import Manifest
    from seqveil.tables.domain import Domain
    from seqveil.tables.units import Unit


def promise_of(mechanism: Any, epsilon: int, unit: Unit, domain: Domain, kind: str) -> list[str]:
    """The sentences of the guarantee."""
    from seqveil.report.promise import in_words

    return in_words(_manifest(mechanism, epsilon, unit, domain, kind))


def odds_of(mechanism: Any, epsilon: int, unit: Unit, domain: Domain, kind: str) -> str:
    """The guarantee as a probability."""
    from seqveil.report.promise import odds

    said = odds(_manifest(mechanism, epsilon, unit, domain, kind))
    return said[:1].upper() + said[1:]


def _manifest(mechanism: Any, epsilon: int, unit: Unit, domain: Domain, kind: str) -> Manifest:
    """A manifest as the release would have it."""
    from seqveil.facts import Facts
    from seqveil.release.manifest import Manifest
    from seqveil.wall.budget import decimal

    amount = decimal(epsilon)
    facts = Facts.of(mechanism, epsilon=amount, unused=amount, unit=unit, domain=domain, stages=[], noise="secure", private=True)
    return Manifest.new(facts, content=kind, facts={})
