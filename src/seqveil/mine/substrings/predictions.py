"""Candidates of all lengths, by predicted counts: the best of them first. Post-processing.

The search has counts of strings of n, 2n, 4n, … labels. A string of a length in between is as frequent as the one label shorter,
times how often its last label follows the labels before it, as far back as the longest known length reaches; but at least as
frequent as what is known to begin with it. All its windows of a known length must be known strings. A prediction never exceeds
that of the string without its last label, so whoever always extends the best one meets candidates in falling order.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from seqveil.mine.substrings.search import Known, String


@dataclass(slots=True, eq=False)
class Reach:
    """Known strings of one length by what they begin with: the last labels, and the count of all of them together."""

    length: int
    count: dict[String, float]
    follows: dict[String, list[int]]
    total: dict[String, float]

    @classmethod
    def of(cls, level: Known, once: bool) -> Reach:
        follows: dict[String, list[int]] = defaultdict(list)
        total: dict[String, float] = defaultdict(float)
        for string, count in level.count.items():
            follows[string[:-1]].append(string[-1])
            total[string[:-1]] = max(total[string[:-1]], count) if once else total[string[:-1]] + count
        return cls(level.length, level.count, dict(follows), dict(total))


def candidates(levels: Sequence[Known], shortest: int, longest: int, most: int, once: bool) -> list[String]:
    """The `most` strings of the given lengths with the largest predictions; what one begins with stands before it.

    >>> one = Known(2, {(0, 0): 90.0, (0, 1): 50.0, (1, 0): 40.0})
    >>> two = Known(4, {(0, 0, 0, 0): 30.0})
    >>> candidates([one, two], 2, 9, most=5, once=False)
    [(0, 0), (0, 0, 0), (0, 1), (0, 1, 0), (1, 0)]
    """
    if not levels:
        return []
    reaches = [Reach.of(level, once) for level in levels]
    floors = _floors(levels, once)
    heap = [(-count, string) for string, count in levels[0].count.items()]
    heapq.heapify(heap)
    predicted: dict[String, float] = {}
    best: list[String] = []
    while heap and len(best) < most:
        count, string = heapq.heappop(heap)
        predicted[string] = -count
        if len(string) >= shortest:
            best.append(string)
        if len(string) < longest:
            for longer, prediction in _extended(string, -count, reaches, floors, predicted):
                heapq.heappush(heap, (-prediction, longer))
    return best


def _floors(levels: Sequence[Known], once: bool) -> dict[String, float]:
    """What strings of a length in between have at least: the counts of the next known length that begin with them."""
    floors: dict[String, float] = defaultdict(float)
    for shorter, level in pairwise(levels):
        for string, count in level.count.items():
            for n in range(shorter.length + 1, level.length):
                floors[string[:n]] = max(floors[string[:n]], count) if once else floors[string[:n]] + count
    return floors


def _extended(
    string: String, count: float, reaches: Sequence[Reach], floors: dict[String, float], predicted: dict[String, float]
) -> list[tuple[String, float]]:
    """A string with one label more, wherever all windows are known, and its prediction."""
    size = len(string) + 1
    fitting = [reach for reach in reaches if reach.length <= size]
    reach = fitting[-1]
    context = string[size - reach.length :]
    longer: list[tuple[String, float]] = []
    for label in reach.follows.get(context, ()):
        extended = (*string, label)
        if any(extended[-other.length :] not in other.count for other in fitting[:-1]):
            continue
        window = reach.count[extended[-reach.length :]]
        if size == reach.length:
            longer.append((extended, min(count, window)))
            continue
        whole = max(reach.total[context], reach.count.get(string[-reach.length :], 0.0), predicted.get(context, 0.0))
        prediction, floor = count * window / whole, floors.get(extended, 0.0)
        if prediction < floor:  # on the way to the next known length, by equal factors
            steps = reaches[len(fitting)].length - size + 1
            prediction = count * (floor / count) ** (1 / steps) if floor < count else count
        longer.append((extended, min(count, prediction)))
    return longer
