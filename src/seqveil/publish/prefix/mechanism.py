"""`prefix` and `prefix-hybrid`: noisy prefix trees as mechanisms [Chen 2012b]."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError
from seqveil.parameters import described, unfit
from seqveil.publish.prefix.budget import sublevels
from seqveil.publish.prefix.generation import generate
from seqveil.release.prefixes import PrefixRelease
from seqveil.surface import parameter
from seqveil.tables.domain import Domain
from seqveil.tables.granularity import Granularities, slots_of
from seqveil.tables.units import Record, Unit, User
from seqveil.trees.growth import build_noisy_prefix_tree
from seqveil.trees.heights import check_height
from seqveil.trees.isotonic import consistent_counts
from seqveil.trees.sublevels import MOST_FALSE, Sublevel, false_nodes
from seqveil.trees.table import gram_table
from seqveil.wall import Plan, Prefixes, Wall


@dataclass(frozen=True)
class PrefixPublication:
    """Publish prefixes with noisy counts, and synthetic records made from them [Chen thesis, §6.3].

    A hybrid tree asks for groups of labels before labels: where a group is rare, its labels are never asked for, so that fewer
    false prefixes pass. Groups come from a taxonomy or are neighbours in the domain's order.

    >>> PrefixPublication(h=12).name, PrefixPublication(granularity="hybrid").name
    ('prefix', 'prefix-hybrid')
    >>> PrefixPublication(h=0)
    Traceback (most recent call last):
    seqveil.errors.CallError: h=0: give a whole number from 1 to 10,000; 12 is usual.
    """

    kind: ClassVar[str] = "sequences"
    units: ClassVar[tuple[type[Unit], ...]] = (Record, User)
    version: ClassVar[str] = "1"
    paper: ClassVar[str] = "Chen, Fung, Desai, Sossou, KDD 2012"

    h: int = described(12, "Height of the tree: only the first h labels of a record are used.")
    granularity: Literal["simple", "hybrid"] = described(
        "simple", "Labels only (simple), or groups of labels before labels (hybrid)."
    )
    taxonomy: str | None = described(
        None, "File with the groups: one line per label, with the label, a tab and its group (then the group's group, and so on)."
    )
    fan_out: int = described(10, "Without a taxonomy: how many neighbouring labels of the domain form a group.")
    levels: int = described(2, "Without a taxonomy: number of levels, the labels included.")
    deviations: float = described(
        2.0, "Threshold for a label's noisy count, in standard deviations of its noise; groups must reach twice as many."
    )
    trajectories: bool = described(
        False, "Labels of your own are written location@slot, and slots never decrease along a record. With time bins always so."
    )

    def __post_init__(self) -> None:
        check_height(12, h=self.h)
        if self.granularity not in ("simple", "hybrid"):
            raise unfit("choose 'simple' or 'hybrid'.", granularity=self.granularity)
        if self.granularity == "hybrid" and self.fan_out < 2:
            raise unfit("a group needs at least 2 labels to be coarser than they are.", fan_out=self.fan_out)
        if self.granularity == "hybrid" and self.levels < 2:
            raise unfit("hybrid trees have groups and labels, so at least 2.", levels=self.levels)
        if not 0 < self.deviations < 1000:
            raise unfit("give a number above 0; the paper takes 2.", deviations=self.deviations)

    @property
    def name(self) -> str:
        """The name of the method, as in `--method`."""
        return "prefix" if self.granularity == "simple" else "prefix-hybrid"

    def parameters(self) -> dict[str, Any]:
        """The public parameters, ready for a manifest."""
        values = asdict(self)
        if self.granularity == "simple":
            values = {key: value for key, value in values.items() if key not in ("taxonomy", "fan_out", "levels")}
        return values

    def fine(self, domain: Domain) -> Granularities:
        """The public granularities of a domain."""
        if len(domain) < 2:
            raise CallError("the domain has 1 label; a prefix tree needs at least 2.")
        slots = self._slots(domain)
        if self.granularity == "simple":
            return Granularities.of(len(domain), [], slots)
        if self.taxonomy is not None:
            return Granularities.from_file(self.taxonomy, domain, slots)
        if domain.calendar is not None:  # neighbouring places at one time, which are earlier or later together
            place, when = np.divmod(np.arange(len(domain)), len(domain.calendar))
            groups = [place // self.fan_out**up * len(domain.calendar) + when for up in range(self.levels - 1, 0, -1)]
            return Granularities.of(len(domain), groups, slots)
        return Granularities.grouped(len(domain), self.fan_out, self.levels, slots)

    def _slots(self, domain: Domain) -> NDArray[np.int64] | None:
        """The time slot of every label: its bin in a timed domain, or what stands after @; None where labels have none."""
        if domain.calendar is not None:
            return np.tile(np.arange(len(domain.calendar)), len(domain.untimed))
        return slots_of(domain) if self.trajectories else None

    def _questions(self, epsilon: int, fine: Granularities, unit: Unit) -> list[Sublevel]:
        questions = sublevels(epsilon // self.h, Prefixes().influence(unit), fine, self.deviations)
        if questions is None:
            raise CallError(f"ε is too small to be divided over {self.h} levels: give more ε or a smaller {parameter('h')}.")
        return questions

    def precheck(self, epsilon: int, domain: Domain, unit: Unit) -> None:
        """Refuse, before anything is spent, a tree that noise alone would fill."""
        refused = self._refusal(epsilon, self.fine(domain), unit)
        if refused is not None:
            raise CallError(refused)

    def _refusal(self, epsilon: int, fine: Granularities, unit: Unit) -> str | None:
        """Why this run is refused and what to type instead; None where it is not."""

        def expected(tried: PrefixPublication) -> float:
            return false_nodes([tried._questions(epsilon, fine, unit)] * tried.h, fine)

        here = expected(self)
        if here <= MOST_FALSE:
            return None
        lower = (replace(self, h=h) for h in range(self.h - 1, 0, -1))
        stricter = (replace(self, deviations=d) for d in (3.0, 4.0, 6.0, 8.0, 12.0, 16.0) if d > self.deviations)
        advice = ["the method prefix-hybrid" if self.granularity == "simple" else "a taxonomy with smaller groups on more levels"]
        advice += [parameter("h", f"{tried.h}") for tried in lower if expected(tried) <= MOST_FALSE][:1]
        advice += [parameter("deviations", f"{tried.deviations:g}") for tried in stricter if expected(tried) <= MOST_FALSE][:1]
        return (
            f"noise alone would make about {here:,.3g} false prefixes of up to {self.h} labels out of {fine.labels:,}; at most "
            f"{MOST_FALSE:,} are allowed, because they outnumber the true ones. Use {', or '.join(advice)}."
        )

    def plan(self, epsilon: int, domain: Domain, unit: Unit, records: int | None = None) -> Plan:
        """The stages and their ε, and how many false prefixes to expect."""
        fine = self.fine(domain)
        questions = self._questions(epsilon, fine, unit)
        stages = [("prefix tree", epsilon, f"every path through at most {self.h} levels")]
        last = questions[-1]
        expected = false_nodes([questions] * self.h, fine)
        predictions = [
            f"every prefix: {last.prediction}",
            f"an empty prefix passes its threshold with probability {last.chance:.1%}; data without records would give "
            f"{expected:,.3g} false prefixes",
        ]
        if records is not None:
            most = records // max(last.threshold, 1)
            predictions.append(f"of {records:,} records, at most {most:,} prefixes of each length can reach the threshold")
        refused = self._refusal(epsilon, fine, unit)
        return Plan(stages, predictions, [] if refused is None else [refused])

    def run(self, wall: Wall) -> PrefixRelease:
        """Grow, estimate, generate."""
        fine = self.fine(wall.domain)
        questions = self._questions(wall.epsilon, fine, wall.unit)
        with wall.stage("prefix tree"):
            tree = build_noisy_prefix_tree(wall.tree(Prefixes(fine), wall.remaining), fine, [questions] * self.h)
        with wall.stage("consistency"):
            consistent = consistent_counts(tree)
        with wall.stage("records"):
            synthetic = generate(consistent)
        return PrefixRelease(wall.domain, prefixes=gram_table(consistent), synthetic=synthetic, h=self.h)
