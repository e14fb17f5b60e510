"""What a plan says: predicted measures for every ε, as ranges over the simulated populations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import exp
from typing import Any, NamedTuple

from seqveil.planning.outcome import EMPTY, STRONGEST, TARGET, Outcome
from seqveil.planning.reverse import Answer
from seqveil.planning.target import Target
from seqveil.surface import parameter
from seqveil.wall.budget import GRAINS, decimal

FEW = 0.5
"""Below this share of the true top patterns a plan warns: most of what is published as frequent would not be."""


class Range(NamedTuple):
    """A measure in the typical population, and over all of them."""

    typical: float
    low: float
    high: float


class Measure(NamedTuple):
    """How a measure is called and written."""

    text: str
    percent: bool = True


def measures(target: Target, outcomes: Mapping[str, Outcome]) -> dict[str, Measure]:
    """Every measure that the method has, in the order in which people read them."""
    names: dict[str, Measure] = {
        "labels": Measure(f"error of the {STRONGEST} most frequent labels (median)"),
        "pairs": Measure(f"error of the {STRONGEST} most frequent pairs (median)"),
    }
    present = {name for outcome in outcomes.values() for name in outcome}
    for name in sorted((n for n in present if n.startswith("top_")), key=lambda n: int(n[4:])):
        names[name] = Measure(f"share of the true top {name[4:]} that is in the published top {name[4:]}")
    for name in sorted(n for n in present if n.startswith("cells_")):
        names[name] = Measure(f"error of the {STRONGEST} largest cells of {name.removeprefix('cells_')} (median)")
    if not target.is_shape:
        names[TARGET] = Measure(f"share of the {target.subject} whose count is within ±{100 * target.within:g} %")
    names |= {
        "records": Measure("synthetic records per record", percent=False),
        "length": Measure("their mean length per true mean length", percent=False),
        "lengths": Measure("synthetic records with a wrong length"),
        "first": Measure("synthetic records with a wrong first label"),
        "last": Measure("synthetic records with a wrong last label"),
        "trip": Measure("synthetic records with a wrong pair of first and last label"),
        EMPTY: Measure("probability of an empty release"),
    }
    return {name: one for name, one in names.items() if name in present}


@dataclass(frozen=True, slots=True, repr=False)
class Forecast:
    """The predicted accuracy of a method for several ε; made without the data, and without spending any ε.

    `outcomes` holds, for every ε, the measures of every simulated population. `closed` are statements that follow from formulas.
    `answer` is the ε that a target needs, where one was asked for. `everywhere` are warnings about δ, whatever ε is.
    """

    facts: dict[str, Any]
    target: Target
    outcomes: dict[str, dict[str, Outcome]]
    closed: dict[str, list[str]] = field(default_factory=dict)
    notes: dict[str, list[str]] = field(default_factory=dict)
    answer: Answer | None = None
    everywhere: list[str] = field(default_factory=list)

    def range(self, epsilon: str, measure: str) -> Range:
        """A measure at one ε."""
        by_name = self.outcomes[epsilon]
        values = [outcome[measure] for outcome in by_name.values() if measure in outcome]
        return Range(by_name.get("typical", next(iter(by_name.values())))[measure], min(values), max(values))

    def warnings(self, epsilon: str) -> list[str]:
        """What a data holder should know before spending this ε."""
        foreseen = foreseen_warnings(self.outcomes[epsilon]) if epsilon in self.outcomes else []
        return [*self.notes.get(epsilon, []), *foreseen]

    @property
    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows for people: a measure per row, an ε per column, the typical population with the range of all."""
        epsilons = list(self.outcomes)
        named = measures(self.target, self.outcomes[epsilons[0]]) if epsilons else {}
        rows = [[one.text, *(_cell(self.range(e, name), one) for e in epsilons)] for name, one in named.items()]
        return ["measure", *(f"ε = {e}{self.at}" for e in epsilons)], rows

    def to_dict(self) -> dict[str, Any]:
        """As one JSON object."""
        return {
            **self.facts,
            "target": str(self.target),
            "predictions": [
                {
                    "epsilon": epsilon,
                    "measures": {name: self.range(epsilon, name)._asdict() for name in measures(self.target, by_name)},
                    "populations": by_name,
                    "warnings": self.warnings(epsilon),
                }
                for epsilon, by_name in self.outcomes.items()
            ],
            "formulas": self.closed,
            **({"warnings": self.everywhere} if self.everywhere else {}),
            "answer": None if self.answer is None else self.answer.to_dict(),
        }

    def __repr__(self) -> str:
        header, rows = self.table
        lines = [self.headline, *_aligned([header, *rows])] if rows else [self.headline]
        lines += filter(None, [self.remark])
        for epsilon, said in self.closed.items():
            lines += [f"ε = {epsilon}{self.at}: {sentence}" for sentence in said]
        for epsilon in dict.fromkeys([*self.outcomes, *self.notes]):
            lines += [f"warning: ε = {epsilon}{self.at}: {sentence}" for sentence in self.warnings(epsilon)]
        lines += [f"warning: {sentence}" for sentence in self.everywhere]
        return "\n".join([*lines, *([self.answer.sentence] if self.answer else [])])

    @property
    def at(self) -> str:
        """What is written after every ε: its δ, where there is one."""
        return f", δ = {self.facts['delta']}" if "delta" in self.facts else ""

    @property
    def remark(self) -> str | None:
        """What a simulation that is smaller than the data cannot show; None for one that is not."""
        said: str | None = self.facts["remark"]
        return said

    @property
    def headline(self) -> str:
        """What was planned, in one line."""
        facts = self.facts
        if not facts["simulated"]:
            return f"{facts['method']}: {facts['labels']:,} labels; by formulas alone, nothing was read or spent"
        of = f"{facts['size']:,} {facts['unit']['name']}s over {facts['labels']:,} labels"
        return f"{facts['method']}: {of}, about {facts['length']:g} items per record; simulated, nothing was read or spent"


def between(low: float, high: float) -> str:
    """A range of shares; one number where both ends are the same.

    >>> between(0.1, 0.4), between(0.853, 0.848)
    ('10% to 40%', '85%')
    """
    ends = dict.fromkeys(f"{share:.0%}" for share in (low, high))
    return " to ".join(ends)


def foreseen_warnings(outcomes: Mapping[str, Outcome]) -> list[str]:
    """Warnings that follow from simulated releases of one ε.

    >>> foreseen_warnings({"flat": {"empty": 1.0}, "typical": {"empty": 0.0}})
    ['the release may be empty: in simulated data (flat) no count exceeded the noise. Use more ε, ...']
    >>> foreseen_warnings({"flat": {"empty": 0.0, "top_20": 0.1}, "typical": {"empty": 0.0, "top_20": 0.4}})
    ['noise will hide most patterns: in simulated data of this size 10% to 40% of the 20 most frequent patterns would be ...']
    >>> foreseen_warnings({"flat": {"empty": 0.0, "top_20": 0.0}, "typical": {"empty": 0.0, "top_20": 0.1}})
    ['noise will hide most patterns, or the release may be empty: in simulated data of this size 0% to 10% of the 20 ...']
    >>> foreseen_warnings({"flat": {"empty": 0.0, "top_20": 0.5}, "typical": {"empty": 0.0, "top_20": 0.9}})
    []
    """
    advice = f"Use more ε, a smaller domain (group labels) or, where the method has it, a smaller {parameter('l_max')}."
    empty = [name for name, outcome in outcomes.items() if outcome[EMPTY] > 0]
    if all(outcome[EMPTY] >= 0.5 for outcome in outcomes.values()):
        return [f"the release will probably be empty: in simulated data of this size no count exceeded the noise. {advice}"]
    said = []
    if empty:
        said.append(f"the release may be empty: in simulated data ({', '.join(empty)}) no count exceeded the noise. {advice}")
    top = next((name for outcome in outcomes.values() for name in outcome if name.startswith("top_")), None)
    if top is None:
        return said
    shares = {name: outcome[top] for name, outcome in outcomes.items()}
    low, high = min(shares.values()), max(shares.values())
    right = f"{between(low, high)} of the {top[4:]} most frequent patterns would be among the published top {top[4:]}"
    # Where nothing or hardly anything that is published is right, it passed by noise; whether anything does is chance.
    chance = not empty and (low == 0 or high < FEW / 2)
    hide = "hide most patterns, or the release may be empty" if chance else "hide most patterns"
    if high < FEW:
        said.append(f"noise will {hide}: in simulated data of this size {right}. {advice}")
    elif low < FEW / 2 or shares.get("typical", high) < FEW:
        said.append(f"noise may {hide}: in simulated data of this size {right}, depending on its regularity. {advice}")
    return said


def scarce(size: int, unit: str, epsilon: int) -> list[str]:
    """A warning where the data is too small for any method, whatever simulated data of one seed looks like.

    A table of n units and an empty one differ in n units, so by group privacy every outcome is at most e^(n·ε) times as likely as
    without any data: below n·ε = 1 a release is mostly noise, and whether there is anything in it is chance.

    >>> scarce(3, "user", GRAINS // 100)
    ['the release may be empty and will say next to nothing about the data: with 3 users and ε = 0.01 no outcome is more ...']
    >>> scarce(300, "user", GRAINS // 100)
    []
    """
    exponent = size * epsilon / GRAINS
    if exponent >= 1:
        return []
    return [
        f"the release may be empty and will say next to nothing about the data: with {size:,} {unit}{'s' * (size != 1)} and "
        f"ε = {decimal(epsilon)} no outcome is more than {exp(exponent):.3g} times as likely as without any data. Use more ε."
    ]


def _cell(values: Range, measure: Measure) -> str:
    def write(value: float) -> str:
        return percent(value) if measure.percent else f"{value:.2f}"

    typical, low, high = map(write, values)
    return typical if low == high else f"{typical} ({low.removesuffix(' %')}–{high})"


def percent(share: float) -> str:
    """
    >>> percent(0.1234), percent(0.0123), percent(0.0), percent(12.5)
    ('12 %', '1.2 %', '0 %', 'over 1,000 %')
    """
    if share > 10:
        return "over 1,000 %"
    return f"{100 * share:.0f} %" if share >= 0.0995 or share < 5e-4 else f"{100 * share:.1f} %"


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """A table in plain text."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
