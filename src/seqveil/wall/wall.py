"""The wall: what a mechanism holds while it runs.

It answers questions with noise, charges them in exact grains, and refuses when the budget is spent. Questions and trees
add up, a tree costs what it was opened with (its dearest path may cost less), parts and strata of the data cost their maximum.
All this holds in either measure: pure ε, with discrete Laplace noise, and zCDP, with discrete Gaussian noise (`wall.calibrate`).
The wall guards against mistakes, not malice: plug-ins run in this process (docs/promise.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from itertools import pairwise
from operator import index
from typing import Any, Literal, cast, get_args

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from seqveil.engines.protocol import Counts, Excerpt
from seqveil.errors import BudgetExceeded, CallError
from seqveil.facts import Stage
from seqveil.tables.domain import Domain
from seqveil.tables.units import Record, Unit, User
from seqveil.wall import clip
from seqveil.wall.bill import Charge
from seqveil.wall.budget import GRAINS, decimal
from seqveil.wall.calibrate import epsilon_of_choice, epsilon_of_other, noise_for
from seqveil.wall.measures.measure import SYMBOL, Measure
from seqveil.wall.noise import Law, Noise, Scale, Sigma, drawn
from seqveil.wall.process import Owned
from seqveil.wall.questions.protocol import (
    CountQuestion,
    LabelQuestion,
    LadderQuestion,
    QuantileQuestion,
    ScoreQuestion,
    SeriesQuestion,
    TreeKind,
    cap_of,
    square_of,
)
from seqveil.wall.questions.size import Size
from seqveil.wall.questions.units import records_of
from seqveil.wall.sparse import Survivors, survivors
from seqveil.wall.threshold import passing_law
from seqveil.wall.tree import PrivateTree

Cut = Literal["first", Excerpt]
"""Which part of a record longer than l_max is kept."""


class Wall(Owned):
    """Opened by a `Vault` only. All amounts here are grains, of ε or, where the measure is zCDP, of ρ."""

    _what, _instead = "wall", "Ask the one that you were given, in the process that it was given to."

    def __init__(
        self,
        table: Any,
        unit: Unit,
        amount: int,
        noise: Noise,
        on_stage: Callable[[str], None] = lambda name: None,
        measure: Measure = "pure",
        thresholds: int = 0,
    ) -> None:
        self.__table = clip.owned(table, unit)
        self.__discovered: Domain | None = None
        self.__thresholds = thresholds
        self.__noise = noise
        self.__unit = unit
        self.__epsilon = amount
        self.__measure: Measure = measure
        self.__on_stage = on_stage
        self.__spent = 0
        self.__stage = ""
        self.__charges: list[Charge] = []
        self.__opened: list[PrivateTree | Wall] = []
        self.__cut = False
        self.__of_strata = False  # whether a user may have sequences in other walls that were paid with the same ε

    def close(self) -> None:
        """End of the run: no more questions, to this wall or to what it opened. They would stand in no manifest."""
        self.__spent = self.__epsilon
        for opened in self.__opened:
            opened.close()

    @property
    def domain(self) -> Domain:
        """The public list of labels: the declared one, or what was discovered."""
        domain: Domain = self.__table.domain
        return domain if self.__discovered is None else self.__discovered

    @property
    def unit(self) -> Unit:
        """The unit of privacy."""
        return self.__unit

    @property
    def epsilon(self) -> int:
        """The whole budget of this run, in grains of its measure."""
        return self.__epsilon

    @property
    def measure(self) -> Measure:
        """In what this run is charged."""
        return self.__measure

    @property
    def remaining(self) -> int:
        """What is left of it."""
        return self.__epsilon - self.__spent

    @property
    def stages(self) -> list[tuple[str, str, int]]:
        """What was charged so far: (stage, kind of question, grains)."""
        return [(charge.name, charge.kind, charge.amount) for charge in self.__charges]

    @property
    def bill(self) -> list[Stage]:
        """What was charged so far, with how much of it was used: `wall.bill` has the rules."""
        return [charge.stage() for charge in self.__charges]

    @property
    def used(self) -> int:
        """What all questions so far have used; never more than was charged."""
        return sum(charge.used for charge in self.__charges)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Name what is going on: for the manifest and for a progress bar. The name must not depend on raw data."""
        before, self.__stage = self.__stage, name
        self.__on_stage(name)
        try:
            yield
        finally:
            self.__stage = before

    def tree(self, kind: TreeKind, epsilon: int) -> PrivateTree:
        """A private tree, no path of which will ever cost more than ε."""
        influence, cap = self.__bound(kind.name, kind.influence), cap_of(kind, self.__unit)
        epsilon = self.__charge(kind.name, epsilon)
        counter = clip.opened(kind, self.__table, self.__unit)
        tree = PrivateTree(counter, influence, epsilon, self.__noise, self.__measure, cap)
        self.__opened.append(tree)
        self.__charges[-1].rule, self.__charges[-1].uses = "dearest path", [lambda: tree.dearest]
        return tree

    def law(self, question: CountQuestion | TreeKind, amount: int) -> Law:
        """The noise that every count of a question will have when it is asked for this amount, or every node below a tree's root.

        Charges nothing. Mechanisms ask here instead of computing scales, so that they need not know the measure.
        """
        influence = self.__bound(question.name, question.influence)
        if self.__measure == "pure":
            square = influence**2
        elif hasattr(question, "open"):
            square = cap_of(cast(TreeKind, question), self.__unit) * influence
        else:
            square = self.__square(question)
        return noise_for(self.__measure, influence, square, amount)

    def ask(self, question: CountQuestion, epsilon: int) -> NDArray[np.int64]:
        """Every count of a question, with noise."""
        slots = question.slots(len(self.domain))
        answer = np.zeros(slots, np.int64)
        passed = self.__survivors(question, epsilon, None)
        answer[passed.rank] = passed.noisy
        return answer

    def ask_above(self, question: CountQuestion, epsilon: int, threshold: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """The counts of a question that reach a threshold: their slots and noisy values."""
        passed = self.__survivors(question, epsilon, threshold)
        return passed.rank, passed.noisy

    def size(self, epsilon: int) -> int:
        """The noisy number of records."""
        return int(self.ask(Size(), epsilon)[0])

    def choose(self, question: ScoreQuestion, epsilon: int) -> int:
        """A candidate by the exponential mechanism, with probability ∝ exp(ε·score / 2Δ); in zCDP, ε²/8 is what is paid."""
        bound, given = self.__bound(question.name, question.sensitivity), epsilon_of_choice(self.__measure, epsilon)
        rate = Fraction(given, 2 * GRAINS * bound)
        self.__charge(question.name, epsilon)
        return self.__noise.exponential(question.scores(self.__table, self.__unit), rate)

    def ask_ladder(self, question: LadderQuestion, epsilon: int) -> int:
        """A whole number by the ladder mechanism, with probability ∝ exp(−ε·rung / 2Δ); it may be too large for int64.

        In zCDP, ε²/2 is what is paid.
        """
        bound = self.__bound(question.name, question.steps)
        scale = Scale.of(2 * bound, epsilon_of_other(self.__measure, epsilon))
        self.__charge(question.name, epsilon)
        ladder = clip.laddered(question, self.__table, self.__unit)
        return ladder.value + self.__noise.ladder(ladder.widths, scale)

    def quantile(self, question: QuantileQuestion, epsilon: int) -> int:
        """A quantile, chosen by the exponential mechanism among public candidates."""
        return question.value(self.choose(question, epsilon))

    def first_above(self, question: SeriesQuestion, epsilon: int, threshold: int) -> int | None:
        """The first count in order whose noisy value reaches the noisy threshold, or None (sparse vector, one answer).

        Half of ε goes to the threshold and half to the counts: noise 2Δ/ε on the threshold; on each count 2Δ/ε when all
        counts move in one direction, else 4Δ/ε. In zCDP, ε²/2 is what is paid.
        """
        step, given = self.__bound(question.name, question.step), epsilon_of_other(self.__measure, epsilon)
        self.__charge(question.name, epsilon)
        limit = threshold + int(self.__noise.laplace(Scale.of(2 * step, given), 1)[0])
        counts = clip.tallied(question, self.__table, self.__unit).dense(question.slots(len(self.domain)))
        scale = Scale.of((2 if question.monotone else 4) * step, given)
        # All counts get their noise before any is compared, so the time taken does not tell where the answer lies.
        above = np.flatnonzero(counts + self.__noise.laplace(scale, len(counts)) >= limit)
        return int(above[0]) if len(above) else None

    def cut(self, l_max: int, how: Cut = "first") -> None:
        """From here on every record has at most l_max items: its first, or a part that is drawn for it once.

        Costs nothing, since nothing is answered. What is kept of a record depends on this record and its own secret key alone, so
        every question keeps its sensitivity, and all of them see the same part. Called at most once, and before trees, parts or
        strata are opened, which would hold the records as they were. How the ways differ: docs/decisions/cut.md.
        """
        if how not in get_args(Cut) or l_max < 1:
            raise CallError(f"cut({l_max}, {how!r}): records keep at least 1 item, and how is 'first', 'window' or 'sample'.")
        if self.__cut or self.__opened:
            raise CallError("records are cut once, before trees, parts or strata are opened.")
        self.__cut = True
        table = self.__table
        self.__table = clip.cut(table, l_max) if how == "first" else clip.excerpted(table, l_max, how, self.__noise)

    def discover(self, question: LabelQuestion, amount: int) -> tuple[Domain, NDArray[np.int64]]:
        """The labels whose noisy weight reaches the threshold, in the order of their bytes, and these weights.

        They become the domain of this wall. The amount is ρ; beside it, all of the δ for thresholds is spent, so it is asked
        once. Only labels that occur are drawn for: one that nobody has cannot pass, and one that a single unit has passes with a
        probability of at most δ (docs/mechanisms/discover.md).
        """
        law, threshold = self.passing_law(question, amount)
        self.__charge(question.name, amount)
        self.__thresholds = 0
        weighed = clip.weighed(question, self.__table, self.__unit, self.__noise)
        noisy = weighed.weight + drawn(self.__noise, law, len(weighed.weight))
        passed = np.flatnonzero(noisy >= threshold)
        self.__discovered = Domain(pa.array([weighed.labels[k] for k in passed.tolist()], pa.large_string()))
        return self.__discovered, noisy[passed]

    def passing_law(self, question: LabelQuestion, amount: int) -> tuple[Sigma, int]:
        """The noise of weights that are asked for this amount, and their threshold. Charges nothing."""
        if self.__measure != "zcdp" or not self.__thresholds:
            raise CallError("labels are discovered once in a run that states a δ, a part of which is kept for the threshold.")
        return passing_law(question, self.__unit, amount, self.__thresholds)

    def parts(self, n: int, epsilon: int) -> list[Wall]:
        """n walls over n secret parts: every unit falls into one, independently and uniformly. Together they cost ε."""
        if n < 1:
            raise CallError(f"parts({n}): there must be at least 1 part.")
        epsilon = self.__charge(f"{n} parts", epsilon)
        return self.__walls(clip.parted(self.__table, n, self.__noise), epsilon, self.__of_strata)

    def strata(self, bounds: Sequence[int], epsilon: int) -> list[Wall]:
        """One wall for the records of each length, cut to the last bound: 1..bounds[0], bounds[0]+1..bounds[1], …

        Each has the whole ε, and together they cost ε, for users too, whose sequences may lie in several strata: every question
        has noise for m sequences, and a user with k of them in a stratum loses at most k/m of what was paid there. Proof:
        docs/mechanisms/strata.md.
        """
        records_of(self.__unit, "strata")
        rising = _rising(bounds)
        epsilon = self.__charge(f"{len(rising)} strata", epsilon)
        return self.__walls(clip.stratified(self.__table, rising), epsilon, of_strata=True)

    def __walls(self, tables: list[Any], epsilon: int, of_strata: bool) -> list[Wall]:
        """Walls over disjoint tables, of which the last charge was the price: it is used as far as the dearest of them was."""
        walls = [Wall(table, self.__unit, epsilon, self.__noise, self.__on_stage, self.__measure) for table in tables]
        for wall in walls:
            wall.__of_strata = of_strata
        self.__opened += walls
        self.__charges[-1].rule, self.__charges[-1].uses = "maximum of parts", [_used(wall) for wall in walls]
        return walls

    def __survivors(self, question: CountQuestion, epsilon: int, threshold: int | None) -> Survivors:
        slots = question.slots(len(self.domain))
        law = self.law(question, epsilon)
        self.__charge(question.name, epsilon)
        tally = clip.tallied(question, self.__table, self.__unit)
        counts = Counts(np.zeros(len(tally.index), np.int64), tally.index, tally.count)
        return survivors(counts, [slots], law, threshold, self.__noise)

    def __bound(self, kind: str, stated: Callable[[Unit], int]) -> int:
        """What a question states for the unit; in strata it must be at least as much for m sequences as m times that for one."""
        bound = stated(self.__unit)
        if self.__of_strata and bound < self.__unit.sequences * stated(Record()):
            raise CallError(
                f"{kind} cannot be asked in strata: its bound for a user is below that of a record times max_sequences."
            )
        return bound

    def __square(self, question: CountQuestion) -> int:
        """The squared L2 sensitivity of a question. In strata k of m sequences must be stated to move k/m of it at most."""
        square, m = square_of(question, self.__unit), self.__unit.sequences
        shares = range(1, m) if self.__of_strata and hasattr(question, "square") else ()
        if any(m * square_of(question, User(k)) > k * square for k in shares):
            raise CallError(
                f"{question.name} cannot be asked in strata: its squared bound for a user grows less than their sequences do."
            )
        return square

    def __charge(self, kind: str, amount: int) -> int:
        """Charge before anything is counted or drawn."""
        sign = SYMBOL[self.__measure]
        try:  # a float could be NaN, which is neither too little nor too much and would never be refused again
            amount = index(amount)
        except TypeError:
            what = f"{kind}: {sign} must be whole grains (10¹² per unit of {sign}), not {type(amount).__name__}."
            raise CallError(what) from None
        if amount <= 0:
            raise BudgetExceeded(f"{kind} must be paid with at least one grain of {sign}.")
        if amount > self.remaining:
            raise BudgetExceeded(
                f"{kind} asks for {sign} = {decimal(amount)}, "
                f"but only {decimal(self.remaining)} of {decimal(self.epsilon)} is left."
            )
        self.__spent += amount
        self.__charges.append(Charge(self.__stage or kind, kind, amount))
        return amount


def _used(wall: Wall) -> Callable[[], int]:
    """How to ask one part what it has used."""
    return lambda: wall.used


def _rising(bounds: Sequence[int]) -> tuple[int, ...]:
    """Bounds of strata as whole numbers."""
    try:
        rising = tuple(index(bound) for bound in bounds)
    except TypeError:
        rising = ()
    if not rising or rising[0] < 1 or any(a >= b for a, b in pairwise(rising)):
        raise CallError(
            f"strata({list(bounds)}): the bounds must be whole numbers that rise from at least 1, for example [1, 2, 5, 20]."
        )
    return rising
