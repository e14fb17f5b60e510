"""A mechanism that asks every kind of question a wall answers under zCDP, and publishes the answers: what audits are tried on."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from seqveil.facts import Facts
from seqveil.kinds.world import Content, World
from seqveil.signature.ed25519 import Signer
from seqveil.tables.domain import Domain
from seqveil.tables.units import Record, Unit, User
from seqveil.wall.measures.measure import Measure
from seqveil.wall.mechanism import Plan
from seqveil.wall.questions.alphabet import Alphabet
from seqveil.wall.questions.grams import Grams
from seqveil.wall.questions.lengths import LengthQuantile
from seqveil.wall.questions.longest import LongestSupports
from seqveil.wall.questions.size import Size
from seqveil.wall.questions.supports import Supports
from seqveil.wall.questions.windows import Labels, Windows
from seqveil.wall.wall import Wall


@dataclass(frozen=True)
class Spread:
    """A world in which, before all others, the worst unit has every label in each of its records: there a cap matters most."""

    world: World

    def worst(self, unit: Unit) -> list[Content]:
        return [(tuple(range(len(self.world.domain))),) * unit.sequences, *self.world.worst(unit)]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.world, name)


@dataclass
class Answers:
    """Answers, one after the other."""

    answers: list[int] = field(default_factory=list)
    manifest: Any = None

    def seal(self, facts: Facts) -> None:
        self.manifest = facts

    def sign_with(self, signer: Signer) -> None:
        """It is never kept."""

    def tables(self) -> dict[str, Any]:
        return {"answers": pa.table({"answer": np.array(self.answers, np.int64)})}

    def extras(self) -> dict[str, bytes]:
        return {}

    def note(self, *answers: Any) -> None:
        """Some more."""
        for answer in answers:
            self.answers += np.asarray(-1 if answer is None else answer, np.int64).ravel().tolist()


@dataclass(frozen=True, slots=True)
class Probe:
    """Everything at once: counts, choices, a sparse vector, strata, parts and a tree."""

    kind: ClassVar[str] = "sequences"
    units: ClassVar[tuple[type[Unit], ...]] = (Record, User)
    measures: ClassVar[tuple[Measure, ...]] = ("pure", "zcdp")
    version: ClassVar[str] = "1"
    paper: ClassVar[str] = ""
    name: ClassVar[str] = "probe"

    l_max: int = 4
    cap: int | None = None

    def parameters(self) -> dict[str, Any]:
        return asdict(self)

    def plan(self, epsilon: int, domain: Domain, unit: Unit, records: int | None = None, measure: Measure = "pure") -> Plan:
        """One stage for everything."""
        return Plan([("everything", epsilon, "answers")])

    def run(self, wall: Wall) -> Answers:
        """Ten questions of one price, some of them to several walls."""
        out, one, labels = Answers(), wall.remaining // 10, len(wall.domain)
        words, each = Alphabet.identity(labels), np.arange(labels, dtype=np.int32)[:, None]
        windows = Windows(self.l_max, each, words, self.cap)
        with wall.stage("everything"):
            out.note(wall.ask(Size(), one), wall.ask(Labels(self.l_max, words, self.cap), one))
            out.note(*wall.ask_above(windows, one, int(2 * wall.law(windows, one).value)))
            out.note(wall.ask(Supports(each.astype(np.int64)), one))
            out.note(wall.quantile(LengthQuantile(self.l_max, Fraction(1, 2)), one))
            out.note(wall.first_above(LongestSupports(3, 1, 20), one, 3))
            for stratum in wall.strata([1, 2, self.l_max], one):
                out.note(stratum.ask(Labels(self.l_max, words, self.cap), one // 2), stratum.size(one // 2))
            for part in wall.parts(2, one):
                out.note(part.size(one))
            self._tree(wall, 2 * one, out)
        return out

    def _tree(self, wall: Wall, amount: int, out: Answers) -> None:
        """Every way to ask a tree, three levels deep; what is left of a path is paid for its last level."""
        tree, level = wall.tree(Grams(self.l_max, 3, self.cap), amount), amount // 8
        out.note(tree.refine([0], level)[0])
        nodes: NDArray[np.int64] = np.zeros(1, np.int64)
        for _ in range(2):
            likely = int(tree.law(level).value)
            below, rest = tree.expand(nodes, level, likely), tree.expand_rest(nodes, level, 2 * likely)
            out.note(below.node, below.rank, below.noisy, rest.rank, rest.noisy)
            nodes = below.node[below.rank < len(wall.domain)][:6]
            if not len(nodes):
                return
            out.note(tree.refine(nodes, level)[0])
        below = tree.expand(nodes, tree.remaining(nodes), likely)
        out.note(below.node, below.rank, below.noisy)
