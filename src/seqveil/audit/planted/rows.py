"""The private choice of what is cut next, done wrongly: docs/mechanisms/diffpart.md, 'Rows'."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.audit.planted.planting import Planted, replaced
from seqveil.wall.noise import Noise
from seqveil.wall.questions.largest_part import LargestPart
from seqveil.wall.questions.partitions import EVERY
from seqveil.wall.tree import PrivateTree

_ask = PrivateTree.ask


def _sum_of_squares(question: LargestPart, position: int, counter: Any, node: int) -> NDArray[np.int64]:
    """Gini's Σ n² of the sub-partitions: a record moves n² by 2n + 1, and the draw is made as if it were 1."""
    nodes = question.nodes(position)
    parts = counter.children(np.full(len(nodes), node), np.stack([nodes, np.full(len(nodes), EVERY)], axis=1))
    return np.bincount(parts.parent, parts.count.astype(np.float64) ** 2, len(nodes)).astype(np.int64)


_answer = LargestPart.answer


def _too_sharp(question: LargestPart, position: int, counter: Any, node: int, rate: Fraction, noise: Noise) -> NDArray[np.int64]:
    """Drawn with half the sensitivity: the factor of two that monotone scores save is saved twice."""
    return _answer(question, position, counter, node, 2 * rate, noise)


def _not_charged(tree: PrivateTree, question: Any, nodes: Any, epsilon: Any) -> Any:
    """The answer is given and the path is told that it cost nothing."""
    before = tree._paths._own.copy(), tree._paths._spent.copy()
    answers = _ask(tree, question, nodes, epsilon)
    tree._paths._own, tree._paths._spent = before
    return answers


ROWS = [
    Planted(
        "rows gini",
        "[Chen thesis, §4.3.2]; docs/mechanisms/diffpart.md, 'Rows'",
        "what is cut next is scored by Gini's sum of squares, drawn with the sensitivity of the largest part",
        "diffpart-rows",
        "times what it",
        replaced(LargestPart, "scores", _sum_of_squares),
    ),
    Planted(
        "rows half sensitivity",
        "[Chen thesis, §4.3.2]; docs/mechanisms/diffpart.md, 'Rows'",
        "what is cut next is drawn with half the sensitivity of its scores",
        "diffpart-rows",
        "times what it",
        replaced(LargestPart, "answer", _too_sharp),
    ),
    Planted(
        "rows free choice",
        "[Chen thesis, §4.3.2]; docs/mechanisms/diffpart.md, 'Rows'",
        "the choice of what is cut next is not charged",
        "diffpart-rows",
        "a path of a tree",
        replaced(PrivateTree, "ask", _not_charged),
    ),
]
