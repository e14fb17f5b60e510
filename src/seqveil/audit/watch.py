"""Standing at the wall: `watching(session)` puts observers into the wall's own code for the time of one run.

No line of the wall knows of the audit. The classes and functions that the wall looks up by name are replaced by ones that do
the same and tell the session; so mechanisms, the vault and the command line are watched as they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import ArrayLike, NDArray

from seqveil.audit.laws import FirstAbove, Plain, Rungs, Several, Slots, node_law
from seqveil.audit.tape import Ask, Recorder, Replayer
from seqveil.engines.protocol import Counts
from seqveil.wall import tree as tree_module
from seqveil.wall import wall as wall_module
from seqveil.wall.budget import GRAINS
from seqveil.wall.calibrate import epsilon_of_other
from seqveil.wall.measures.measure import Measure
from seqveil.wall.noise import Law, Noise, Scale
from seqveil.wall.sparse import Survivors
from seqveil.wall.tree import Children, PrivateTree
from seqveil.wall.wall import Wall

NOTHING = np.zeros(0, np.int64)
_sessions: list[Recorder] = []


@contextmanager
def watching(session: Recorder) -> Iterator[Recorder]:
    """Everything that opens a wall inside this block is watched by the session."""
    with ExitStack() as stack:
        _sessions.append(session)
        stack.callback(_sessions.pop)
        for target in ("seqveil.wall.run.Wall", "seqveil.wall.wall.Wall"):
            stack.enter_context(patch(target, WatchedWall))
        stack.enter_context(patch.object(wall_module, "PrivateTree", WatchedTree))
        # What stands in these modules now, which may be a planted bug, goes on doing the work.
        for module in (tree_module, wall_module):
            stack.enter_context(patch.object(module, "survivors", _watched_survivors(module.survivors)))
        yield session


@contextmanager
def _guard(session: Recorder, expected: dict[Law, int] | None, where: str) -> Iterator[None]:
    """A seam. Draws inside it are explained by it, and must be as many as the *public* number of slots, of these laws."""
    before = len(session.draws)
    session.guarded += 1
    try:
        yield
    finally:
        session.guarded -= 1
    if isinstance(session, Replayer) or expected is None:
        return
    drawn: dict[Law, int] = {}
    for draw in session.draws[before:]:
        if isinstance(draw.noise, Fraction):
            continue
        if draw.law in ("laplace", "gaussian", "passing", "ladder"):
            drawn[draw.noise] = drawn.get(draw.noise, 0) + draw.size
        elif draw.law == "beyond" and draw.noise not in expected:
            session.fault(f"{where}: an excess over a threshold has {draw.noise.stated}, which was not paid for")
    drawn = {noise: size for noise, size in drawn.items() if size}
    expected = {noise: size for noise, size in expected.items() if size}
    if set(drawn) - set(expected):
        wrong, right = (", ".join(sorted(one.stated for one in some)) for some in (set(drawn) - set(expected), expected))
        session.fault(f"{where}: {wrong}, where {right} was paid for")
    elif drawn != expected:
        slots, domain = ({one.stated: size for one, size in some.items()} for some in (drawn, expected))
        session.fault(f"{where}: noise was drawn for {slots} slots (by law), but the public domain has {domain}")


Kernel = Callable[..., Survivors]


def _watched_survivors(inner: Kernel) -> Kernel:
    def survivors(
        counts: Counts,
        fan_out: list[int],
        noise_law: Law,
        threshold: int | None,
        noise: Noise,
        earlier: Counts | None = None,
    ) -> Survivors:
        session = _sessions[-1]
        before = frozenset() if earlier is None else frozenset(_slots(earlier))
        law = Slots(_slots(counts), noise_law, threshold, before)
        public = (fan_out, noise_law.value, threshold, sorted(before))

        def answer() -> Survivors:
            with _guard(session, {noise_law: sum(fan_out) - len(before)}, "counts"):
                return inner(counts, fan_out, noise_law, threshold, noise, earlier)

        passing: Survivors = session.cross("counts", public, law, answer)
        return passing

    return survivors


def _slots(counts: Counts) -> dict[tuple[int, int], int]:
    keys = zip(counts.parent.tolist(), counts.rank.tolist(), strict=True)
    return dict(zip(keys, counts.count.tolist(), strict=True))


def _records_of(wall: Wall) -> Counter[Any]:
    """The records of a part, to see whether anybody moves to another part when somebody else comes or goes."""
    flat = getattr(wall._raw, "flat", ()) if isinstance(wall, WatchedWall) else ()
    return Counter(tuple(record.tolist()) for record in flat)


class WatchedTree(PrivateTree):
    """A private tree that tells the session what it was asked."""

    def __init__(self, counter: Any, influence: int, budget: int, *more: Any) -> None:
        super().__init__(counter, influence, budget, *more)
        self._session = _sessions[-1]
        self._number = len(self._session.budgets)
        self._session.budgets[self._number] = budget

    def _tell(
        self, method: str, question: Any, nodes: ArrayLike, epsilon: ArrayLike, offspring: tuple[Any, Any] | None = None
    ) -> None:
        asked = np.atleast_1d(np.asarray(nodes, np.int64))
        paid = np.broadcast_to(np.asarray(epsilon), asked.shape).copy()
        self._session.asked(Ask(self._number, method, question, asked, paid, offspring))

    def expand(
        self,
        nodes: ArrayLike,
        epsilon: ArrayLike,
        threshold: ArrayLike | None = None,
        split: NDArray[Any] | None = None,
        among: NDArray[np.int64] | None = None,
    ) -> Children:
        level = super().expand(nodes, epsilon, threshold, split, among)
        self._tell("expand", (threshold, split, among), nodes, epsilon, (level.node, level.parent))
        return level

    def expand_rest(
        self,
        nodes: ArrayLike,
        epsilon: ArrayLike,
        threshold: ArrayLike | None = None,
        among: NDArray[np.int64] | None = None,
    ) -> Children:
        level = super().expand_rest(nodes, epsilon, threshold, among)
        self._tell("expand_rest", (threshold, among), nodes, epsilon, (level.node, level.parent))
        return level

    def route(self, nodes: ArrayLike, ways: int, split: NDArray[Any]) -> NDArray[np.int64]:
        routed = super().route(nodes, ways, split)
        parents = np.repeat(np.atleast_1d(np.asarray(nodes, np.int64)), ways)
        self._tell("route", (ways, split), nodes, 0, (routed.reshape(-1), parents))
        return routed

    def refine(self, nodes: ArrayLike, epsilon: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        asked, paid = self._aligned(nodes, epsilon)
        laws = [self._law(int(amount), int(most)) for amount, most in zip(paid, self._most[asked], strict=True)]
        expected = {law: laws.count(law) for law in laws}
        with _guard(self._session, expected, "counts asked again"):
            noisy, said = super().refine(nodes, epsilon)
        exact = np.zeros(len(asked), np.int64)
        for where, counter, local in self._groups(asked):
            exact[where] = counter.count(local)
        law = Plain(exact, laws)
        answer: NDArray[np.int64] = self._session.cross("counts asked again", (asked, paid, said), law, lambda: noisy)
        self._tell("refine", None, nodes, epsilon)
        return answer, said

    def choose(self, nodes: ArrayLike, epsilon: ArrayLike) -> NDArray[np.int64]:
        chosen = super().choose(nodes, epsilon)  # each choice crosses by itself, through the noise
        self._tell("choose", None, nodes, epsilon)
        return chosen

    def ask(self, question: Any, nodes: ArrayLike, epsilon: ArrayLike) -> list[NDArray[np.int64]]:
        asked, paid = self._aligned(nodes, epsilon)
        before = len(self._session.crossings)
        with _guard(self._session, None, question.name):
            answers = super().ask(question, nodes, epsilon)
        if len(self._session.crossings) > before:  # choices: each draw told its law, with the rate that was really used
            self._tell(question.name, question, nodes, epsilon)
            return answers
        laws: dict[int, Any] = {}
        for where, counter, local in self._groups(asked):
            for row, node in zip(where.tolist(), local.tolist(), strict=True):
                rate = Fraction(epsilon_of_other(self._measure, int(paid[row])), GRAINS * self._influence)
                laws[row] = node_law(question, row, counter, node, rate)
        law = Several(tuple(laws[row] for row in range(len(asked))))
        answer: list[NDArray[np.int64]] = self._session.cross(question.name, (question, asked, paid), law, lambda: answers)
        self._tell(question.name, question, nodes, epsilon)
        return answer


class WatchedWall(Wall):
    """A wall that tells the session what it was asked."""

    def __init__(
        self,
        table: Any,
        unit: Any,
        amount: int,
        noise: Noise,
        on_stage: Callable[[str], None] = lambda name: None,
        measure: Measure = "pure",
        thresholds: int = 0,
    ) -> None:
        session = _sessions[-1]
        watched = noise if hasattr(noise, "_session") else session.noise(noise)

        def stage(name: str) -> None:
            session.stages.append(name)
            on_stage(name)

        super().__init__(table, unit, amount, watched, on_stage if hasattr(noise, "_session") else stage, measure, thresholds)
        self._session, self._raw = session, table
        self._number = len(session.budgets)
        session.budgets[self._number] = amount

    def _tell(self, method: str, question: Any, epsilon: int, opens: tuple[int, ...] = ()) -> None:
        self._session.asked(Ask(self._number, method, question, NOTHING, np.array([epsilon]), None, opens))

    def tree(self, kind: Any, epsilon: int) -> PrivateTree:
        opened = super().tree(kind, epsilon)
        self._tell("tree", kind, epsilon, (opened._number,) if isinstance(opened, WatchedTree) else ())
        return opened

    def ask(self, question: Any, epsilon: int) -> NDArray[np.int64]:
        answer = super().ask(question, epsilon)
        self._tell("ask", question, epsilon)
        return answer

    def ask_above(self, question: Any, epsilon: int, threshold: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
        answer = super().ask_above(question, epsilon, threshold)
        self._tell("ask_above", question, epsilon)
        return answer

    def choose(self, question: Any, epsilon: int) -> int:
        chosen = super().choose(question, epsilon)
        self._tell("choose", question, epsilon)
        return chosen

    def ask_ladder(self, question: Any, epsilon: int) -> int:
        scale = Scale.of(2 * question.steps(self.unit), epsilon_of_other(self.measure, epsilon))
        with _guard(self._session, {scale: 1}, question.name):
            drawn = super().ask_ladder(question, epsilon)
        ladder = question.ladder(self._raw, self.unit)
        law = Rungs(ladder.value, ladder.widths, scale.value)
        answer: int = self._session.cross("ladder", (question, epsilon), law, lambda: drawn)
        self._tell("ask_ladder", question, epsilon)
        return answer

    def first_above(self, question: Any, epsilon: int, threshold: int) -> int | None:
        step, slots = question.step(self.unit), question.slots(len(self.domain))
        given = epsilon_of_other(self.measure, epsilon)
        limit = Scale.of(2 * step, given)
        each = Scale.of((2 if question.monotone else 4) * step, given)
        expected: dict[Law, int] = {limit: 1}
        expected[each] = expected.get(each, 0) + slots
        with _guard(self._session, expected, question.name):
            first = super().first_above(question, epsilon, threshold)
        tally = question.tally(self._raw, self.unit)
        counts = np.zeros(slots, np.int64)
        counts[tally.index] = tally.count
        law = FirstAbove(counts, threshold, limit.value, each.value)
        answer: int | None = self._session.cross("first above", (question, epsilon, threshold), law, lambda: first)
        self._tell("first_above", question, epsilon)
        return answer

    def parts(self, n: int, epsilon: int) -> list[Wall]:
        return self._divided("parts", n, epsilon, super().parts(n, epsilon))

    def strata(self, bounds: Sequence[int], epsilon: int) -> list[Wall]:
        return self._divided("strata", tuple(bounds), epsilon, super().strata(bounds, epsilon))

    def _divided(self, method: str, how: Any, epsilon: int, walls: list[Wall]) -> list[Wall]:
        self._session.contents.append([_records_of(wall) for wall in walls])
        self._tell(method, how, epsilon, tuple(w._number for w in walls if isinstance(w, WatchedWall)))
        return walls
