"""Attack by replay on the engine of a cluster: the same neighbours, before tables whose records lie in several shards.

Shards are in this process here, and go through the same code and the same bytes as in Spark's executors: no Java is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from seqveil.audit.adversary import Adversary
from seqveil.audit.findings import Attack
from seqveil.audit.replays import Pairing
from seqveil.audit.subjects import Subject
from seqveil.kinds.world import Content, World
from seqveil.tables.spark import TABLES, pieces, table_of_shards
from seqveil.tables.units import Unit
from seqveil.wall.noise import Noise, SecureNoise

if TYPE_CHECKING:
    from seqveil.tables.domain import Domain


@dataclass(frozen=True)
class Scattered:
    """A world whose tables lie in shards, each of whole owners."""

    world: World

    def table(self, people: Sequence[Content], unit: Unit, domain: Domain | None = None) -> Any:
        table = self.world.table(people, unit, domain)
        return table_of_shards(table.kind, table.domain, pieces(table, 2))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.world, name)


def attack_on_shards(forms: list[Subject], attack: Attack) -> None:
    """The units that move most, before the largest base, under every unit of privacy. Variants are left to the local replay."""
    for subject in forms:
        if subject.variant or subject.world.table([], subject.unit).kind not in TABLES:
            continue
        pairing = Pairing(replace(subject, world=Scattered(subject.world)), attack)
        base = subject.world.bases()[-1]
        for number, content in enumerate(subject.world.worst(subject.unit)[:2]):
            tempers: tuple[Noise, ...] = (Adversary("mixed", number), SecureNoise())
            for noise in tempers:
                for arrives in (True, False):
                    pairing.hold(base, content, noise, arrives, joins=number)
