"""`prefix` and `prefix-hybrid`: noisy prefix trees as mechanisms."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, Literal

from seqveil.errors import CallError
from seqveil.parameters import described
from seqveil.publish.prefix.budget import sublevels
from seqveil.publish.prefix.generation import generate
from seqveil.release.prefixes import PrefixRelease
from seqveil.tables.domain import Domain
from seqveil.tables.granularity import Granularities, slots_of
from seqveil.tables.units import Record, Unit, User
from seqveil.trees.growth import build_noisy_prefix_tree
from seqveil.trees.isotonic import consistent_counts
from seqveil.trees.sublevels import MOST_FALSE, Sublevel, false_nodes
from seqveil.trees.table import gram_table
from seqveil.wall import Plan, Prefixes, Wall


@dataclass(frozen=True)
class PrefixPublication:
    """Publish prefixes with noisy counts, and records made from them [1, §6.3].

    `h` is the height of the tree: only the first h labels of a record are used. `granularity` is "simple" (labels only) or
    "hybrid" (groups before labels): groups come from a `taxonomy` file (label, tab, group, …) or are made of `fan_out`
    neighbours in the domain's order, on `levels` levels. `deviations` is what a label's noisy count must reach, in standard
    deviations of its noise; groups must reach twice as many. With `trajectories`, labels read location@slot, and slots never
    decrease along a record.

    >>> PrefixPublication(h=12).name, PrefixPublication(granularity="hybrid").name
    ('prefix', 'prefix-hybrid')
    >>> PrefixPublication(h=0)
    Traceback (most recent call last):
    seqveil.errors.CallError: h = 0: a prefix tree needs at least 1 level; 12 is usual.

    [1] R. Chen: Toward Privacy in High-Dimensional Data and Location-Based Services, thesis, ch. 6; Chen, Fung, Desai,
    Sossou, KDD 2012.
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
    trajectories: bool = described(False, "Labels are written location@slot, and slots never decrease along a record.")

    def __post_init__(self) -> None:
        if self.h < 1:
            raise CallError(f"h = {self.h}: a prefix tree needs at least 1 level; 12 is usual.")
        if self.granularity not in ("simple", "hybrid"):
            raise CallError(f"granularity = {self.granularity!r}: choose 'simple' or 'hybrid'.")
        if self.granularity == "hybrid" and self.fan_out < 2:
            raise CallError(f"fan_out = {self.fan_out}: a group needs at least 2 labels to be coarser than they are.")
        if self.granularity == "hybrid" and self.levels < 2:
            raise CallError(f"levels = {self.levels}: hybrid trees have groups and labels, so at least 2.")
        if not 0 < self.deviations < 1000:
            raise CallError(f"deviations = {self.deviations}: give a number above 0; the paper takes 2.")

    @property
    def name(self) -> str:
        """What `--method` calls it."""
        return "prefix" if self.granularity == "simple" else "prefix-hybrid"

    def parameters(self) -> dict[str, Any]:
        """The public parameters, ready for a manifest."""
        given = asdict(self)
        if self.granularity == "simple":
            given = {key: value for key, value in given.items() if key not in ("taxonomy", "fan_out", "levels")}
        return given

    def fine(self, domain: Domain) -> Granularities:
        """The public granularities of a domain."""
        if len(domain) < 2:
            raise CallError("the domain has 1 label: a prefix tree needs at least 2 labels to tell anything but lengths.")
        slots = slots_of(domain) if self.trajectories else None
        if self.granularity == "simple":
            return Granularities.of(len(domain), [], slots)
        if self.taxonomy is not None:
            return Granularities.from_file(self.taxonomy, domain, slots)
        return Granularities.grouped(len(domain), self.fan_out, self.levels, slots)

    def _questions(self, epsilon: int, fine: Granularities, unit: Unit) -> list[Sublevel]:
        questions = sublevels(epsilon // self.h, Prefixes().influence(unit), fine, self.deviations)
        if questions is None:
            raise CallError(f"ε is too small to divide over h = {self.h} levels: give more ε or a smaller h.")
        return questions

    def precheck(self, epsilon: int, domain: Domain, unit: Unit) -> None:
        """Refuse before anything is spent what noise alone would fill."""
        refused = self._refusal(epsilon, self.fine(domain), unit)
        if refused is not None:
            raise CallError(refused)

    def _refusal(self, epsilon: int, fine: Granularities, unit: Unit) -> str | None:
        """Why this cannot go well and what to type instead; None when it can."""

        def expected(tried: PrefixPublication) -> float:
            return false_nodes([tried._questions(epsilon, fine, unit)] * tried.h, fine)

        here = expected(self)
        if here <= MOST_FALSE:
            return None
        lower = (replace(self, h=h) for h in range(self.h - 1, 0, -1))
        stricter = (replace(self, deviations=d) for d in (3.0, 4.0, 6.0, 8.0, 12.0, 16.0) if d > self.deviations)
        advice = ["--method prefix-hybrid" if self.granularity == "simple" else "a taxonomy with smaller groups on more levels"]
        advice += [f"a smaller h (--h {tried.h})" for tried in lower if expected(tried) <= MOST_FALSE][:1]
        advice += [
            f"a larger threshold (--deviations {tried.deviations:g})" for tried in stricter if expected(tried) <= MOST_FALSE
        ][:1]
        return (
            f"noise alone would make about {here:,.3g} false prefixes of up to h = {self.h} of {fine.labels:,} labels, more than "
            f"{MOST_FALSE:,}: they would drown what is true. Try {', or '.join(advice)}."
        )

    def plan(self, epsilon: int, domain: Domain, unit: Unit, records: int | None = None) -> Plan:
        """The stages and their ε, and how many false prefixes to expect."""
        fine = self.fine(domain)
        questions = self._questions(epsilon, fine, unit)
        stages = [("prefix tree", epsilon, f"every path through at most {self.h} levels")]
        last = questions[-1]
        expected = false_nodes([questions] * self.h, fine)
        predictions = [
            f"prefixes: noise of ±{3 * last.scale:,.0f} (95 %), kept from a noisy count of {last.threshold:,} on",
            f"of empty prefixes {last.chance:.1%} pass their own threshold; an empty table would give {expected:,.3g} false ones",
        ]
        if records is not None:
            most = records // max(last.threshold, 1)
            predictions.append(f"with {records:,} records at most {most:,} true prefixes of each length can stand out")
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
