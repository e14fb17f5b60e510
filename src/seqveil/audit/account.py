"""What a run spent, added up a second time: from the questions on the tape alone, in Python's integers.

Nothing of the wall's own account is used, so a mistake there does not hide itself. Questions of one wall add up; a tree costs
what it was opened with, and none of its root-to-leaf paths may cost more; parts and strata cost what they were opened with, and
none of them may spend more.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from seqveil.audit.tape import Ask, Recorder
from seqveil.wall.budget import decimal

Node = tuple[int, int]  # (0, node of the tree), or (1, node): the unnamed child that holds what was not told below the node


def dearest_path(asks: list[Ask]) -> int:
    """The cost of the dearest root-to-leaf path of one tree, in grains."""
    own: dict[Node, int] = defaultdict(int)
    parent: dict[Node, Node] = {}
    for ask in asks:
        rest = ask.method == "expand_rest"
        for node, paid in zip(ask.nodes.tolist(), ask.paid.tolist(), strict=True):
            if rest:
                parent[(1, node)] = (0, node)
            own[(int(rest), node)] += int(paid)
        if ask.offspring is not None:
            for child, above in zip(ask.offspring[0].tolist(), ask.offspring[1].tolist(), strict=True):
                parent[(0, child)] = (int(rest), above)
    cost: dict[Node, int] = {}

    def total(node: Node) -> int:
        path = [node]
        while path[-1] not in cost and path[-1] in parent:
            path.append(parent[path[-1]])
        running = cost.get(path[-1], own[path[-1]])
        cost[path[-1]] = running
        for below in reversed(path[:-1]):
            running += own[below]
            cost[below] = running
        return cost[node]

    return max((total(node) for node in [*own, *parent]), default=0)


def paid_by_path(tape: Recorder, number: int) -> int:
    """The most that one root-to-leaf path paid for one question: no unit may lose more by its answer than this."""
    ask = tape.asks[number]
    if not any(number for other in tape.asks if other.method == "tree" for number in other.opens if number == ask.payer):
        return int(ask.paid.sum())
    nothing = [
        other if other is ask else replace(other, paid=other.paid * 0)
        for other in tape.asks[: number + 1]
        if other.payer == ask.payer
    ]
    return dearest_path(nothing)


def overspent(tape: Recorder) -> list[str]:
    """Every wall, tree or part that spent more than it was given; empty when the books are right."""
    by_payer: dict[int, list[Ask]] = defaultdict(list)
    trees = {number for ask in tape.asks if ask.method == "tree" for number in ask.opens}
    given: dict[int, int] = {}
    for ask in tape.asks:
        by_payer[ask.payer].append(ask)
        given.update(dict.fromkeys(ask.opens, int(ask.paid[0])) if ask.opens else {})
    problems = []
    for payer, budget in tape.budgets.items():
        asks = by_payer[payer]
        spent = dearest_path(asks) if payer in trees else sum(int(ask.paid.sum()) for ask in asks)
        if spent > budget:
            what = "a path of a tree" if payer in trees else "a wall"
            problems.append(f"{what} that was given ε = {decimal(budget)} spent {decimal(spent)}")
        if payer in given and budget != given[payer]:
            problems.append(f"ε = {decimal(given[payer])} was charged for what was opened with {decimal(budget)}")
    unpaid = [ask for ask in tape.asks if ask.method != "route" and (ask.paid.dtype.kind not in "iu" or (ask.paid <= 0).any())]
    return problems + [f"{ask.method} was paid with {ask.paid.tolist()}, not with whole grains of at least 1" for ask in unpaid]
