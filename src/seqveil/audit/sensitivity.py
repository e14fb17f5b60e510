"""Attack on every single question: does a unit ever move it by more than the question says?

Questions are taken as the mechanisms asked them (with the parameters that noisy answers led to), and put to all small
neighbours and to ones found by climbing. For a tree the claim is that a unit walks at most `influence` root-to-leaf paths: no
node's children may change by more, together, than the node itself did.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np

from seqveil.audit.budget import Effort
from seqveil.audit.findings import Attack
from seqveil.audit.laws import Rungs
from seqveil.audit.subjects import Subject
from seqveil.errors import CallError
from seqveil.kinds.world import Content
from seqveil.tables.units import User
from seqveil.wall.questions.protocol import cap_of, square_of

DEEP = 12
"""Levels of a tree that are followed; no audited mechanism asks deeper."""


def moved_by(method: str, question: Any, without: Any, having: Any, subject: Subject) -> float:
    """How far one unit moves a question, as a multiple of what the question claims; NaN where it cannot be asked alone."""
    unit = subject.unit
    if method == "tree":
        return _walked(question, without, having, subject)
    if method == "choose":
        gap = np.abs(question.scores(having, unit) - question.scores(without, unit)).max(initial=0)
        return float(gap / question.sensitivity(unit))
    if method == "ask_ladder":
        less, more = (question.ladder(table, unit) for table in (without, having))
        rungs = (Rungs(ladder.value, ladder.widths, 1.0) for ladder in (less, more))
        return next(rungs).moved(next(rungs)) / float(question.steps(unit))
    gap = np.abs(_dense(question, having, subject) - _dense(question, without, subject))
    if method == "first_above":
        return max(float(gap.max(initial=0) / question.step(unit)), float(gap.sum() / question.influence(unit)))
    squares = float((gap.astype(np.int64) ** 2).sum() / square_of(question, unit))
    return max(float(gap.sum() / question.influence(unit)), squares)


def _dense(question: Any, table: Any, subject: Subject) -> Any:
    counts = np.zeros(question.slots(len(subject.world.domain)), np.int64)
    tally = question.tally(table, subject.unit)
    counts[tally.index] = tally.count
    return counts


def _walked(kind: Any, without: Any, having: Any, subject: Subject) -> float:
    """The largest sum of changes below any node, over the change of the node itself (of the root: the influence).

    No node below the root may change by more than the tree's cap either.
    """
    less, more = kind.open(without, subject.unit), kind.open(having, subject.unit)
    nodes, weight, worst = np.zeros(1, np.int64), [kind.influence(subject.unit)], 0.0
    cap = cap_of(kind, subject.unit)
    for _ in range(DEEP):
        try:
            below, above = _children(less, nodes), _children(more, nodes)
        except (CallError, TypeError):  # divided by a split that only a run knows: replays follow those
            return float("nan") if worst == 0.0 else worst
        change = {slot: abs(above.get(slot, 0) - below.get(slot, 0)) for slot in above.keys() | below.keys()}
        change = {slot: gap for slot, gap in sorted(change.items()) if gap}
        for node, room in enumerate(weight):
            moved = [gap for (parent, _), gap in change.items() if parent == node]
            worst = max(worst, sum(moved) / room, max(moved, default=0) / cap)
        if not change:
            break
        parents = nodes[np.array([parent for parent, _ in change], np.int64)]
        ranks = np.array([rank for _, rank in change])
        less, more = less.descend(parents, ranks), more.descend(parents, ranks)
        nodes, weight = np.arange(len(change)), list(change.values())
    return worst


def _children(counter: Any, nodes: Any) -> dict[tuple[int, int], int]:
    fan_out = counter.fan_out(nodes)
    counts = counter.children(nodes)
    slots = zip(counts.parent.tolist(), counts.rank.tolist(), counts.count.tolist(), strict=True)
    return {(parent, rank): count for parent, rank, count in slots if rank < fan_out[parent]}


def attack_questions(subject: Subject, questions: dict[str, Any], attack: Attack, effort: Effort) -> None:
    """Every question that was seen, against all small units and against ones found by climbing."""
    bases = subject.world.bases()[:2]
    for name, (method, question) in islice(questions.items(), 60 if effort.variants else 8):

        def measure(base: list[Content], content: Content, method: str = method, question: Any = question) -> float:
            without, having = (_bounded(subject, people) for people in (base, [*base, content]))
            attack.tried += 1
            return moved_by(method, question, without, having, subject)

        worst, witness = 0.0, ""
        units = [*subject.world.worst(subject.unit), *islice(subject.world.every(), effort.exhaustive)]
        for base in bases:
            for content in units:
                shown = measure(base, content)
                if np.isnan(shown):
                    break
                if shown > worst:
                    worst, witness = shown, f"{len(base)} units and {content}"
        climbed = _climb(subject, measure, effort.climbs // 4)
        worst, witness = max((worst, witness), climbed)
        attack.shown = max(attack.shown or 0.0, worst)
        if worst > 1:
            attack.violated(f"{_title(name)} moves by {worst:.4g} times what it claims", witness)
    attack.summary = (
        f"{len(questions)} kinds of questions, {attack.tried:,} neighbours: none moved by more than "
        f"{attack.shown or 0.0:.4f} of what the question claims."
    )


def _climb(subject: Subject, measure: Callable[[list[Content], Content], float], steps: int) -> tuple[float, str]:
    random, base = np.random.default_rng(2), subject.world.bases()[1]
    best = subject.world.worst(subject.unit)[0]
    most = measure(base, best)
    if np.isnan(most):
        return 0.0, ""
    for _ in range(steps):
        tried = subject.world.changed(best, random)
        shown = measure(base, tried)
        if shown >= most:
            best, most = tried, shown
    return most, f"{len(base)} units and {best}"


def _bounded(subject: Subject, people: list[Content]) -> Any:
    """The table as the wall would hold it: no user owns more than the unit allows."""
    table = subject.world.table(people, subject.unit)
    if isinstance(subject.unit, User):
        return table.bounded(subject.unit.max_sequences, np.array([1, 2], np.uint64))
    return table


def _title(name: str) -> str:
    return name if len(name) <= 120 else name[:120] + "…"
