"""PatternTable: released patterns with their noisy counts, best first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray

from seqveil.errors import CallError
from seqveil.release.grams.table import UNSELECTED


@dataclass(frozen=True, slots=True, eq=False)
class PatternTable:
    """Pattern k is `symbols[offsets[k]:offsets[k + 1]]`, codes of a Domain; rows stand in the order of their rank.

    `noisy` is the answer as it left the wall, or a sum of answers, and `scale` its discrete Laplace scale (σ where noise
    is `gaussian`), or that of noise with the same 95 % interval (0: an exact answer of an experiment;
    infinite: the count follows from other answers, and nothing is known of its error) and `threshold` what the answer had to
    reach for the pattern to be released (`UNSELECTED` when it is released whatever it is).
    `count` is the best estimate, which may use other answers too.

    >>> table = PatternTable.of([[0], [0, 1]], noisy=[90, 40], scale=5.0, threshold=20)
    >>> len(table), table.pattern(1), table.count.tolist()
    (2, (0, 1), [90.0, 40.0])
    """

    symbols: NDArray[np.int32]
    offsets: NDArray[np.int64]
    count: NDArray[np.float64]
    noisy: NDArray[np.int64]
    scale: NDArray[np.float64]
    threshold: NDArray[np.int64]
    gaussian: bool = False

    @classmethod
    def of(
        cls,
        patterns: Sequence[Sequence[int]],
        noisy: ArrayLike,
        scale: ArrayLike,
        threshold: ArrayLike = UNSELECTED,
        count: ArrayLike | None = None,
        gaussian: bool = False,
    ) -> PatternTable:
        """From patterns in the order of their rank; scale and threshold are given per pattern or once for all."""
        answers = np.asarray(noisy, np.int64)
        return cls(
            symbols=np.array([x for pattern in patterns for x in pattern], np.int32),
            offsets=np.cumsum([0, *map(len, patterns)], dtype=np.int64),
            count=np.array(answers if count is None else count, np.float64),
            noisy=answers,
            scale=np.broadcast_to(np.asarray(scale, np.float64), answers.shape).copy(),
            threshold=np.broadcast_to(np.asarray(threshold, np.int64), answers.shape).copy(),
            gaussian=gaussian,
        )

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many symbols every pattern has."""
        return np.diff(self.offsets)

    def pattern(self, k: int) -> tuple[int, ...]:
        """The codes of pattern k."""
        return tuple(self.symbols[self.offsets[k] : self.offsets[k + 1]].tolist())

    def check(self, labels: int) -> None:
        """Refuse arrays that are not a pattern table over codes below `labels`.

        >>> PatternTable.of([[7]], noisy=[1], scale=1.0).check(labels=2)
        Traceback (most recent call last):
        seqveil.errors.CallError: not a pattern table: a symbol lies outside 0..1.
        """
        for problem, is_there in self._problems(labels):
            if is_there:
                raise CallError(f"not a pattern table: {problem}.")

    def _problems(self, labels: int) -> list[tuple[str, bool]]:
        n = len(self)
        if n < 0 or self.offsets[0] != 0 or self.offsets[-1] != len(self.symbols):
            return [("the offsets do not span the symbols", True)]
        if any(len(getattr(self, f.name)) != n for f in fields(self)[2:] if f.name != "gaussian"):
            return [("the columns differ in length", True)]
        outside = (self.symbols < 0) | (self.symbols >= labels)
        return [
            ("a pattern is empty", bool((self.lengths < 1).any())),
            (f"a symbol lies outside 0..{labels - 1}", bool(outside.any())),
            ("a pattern is listed twice", len({self.pattern(k) for k in range(n)}) != n),
            ("a count is not a number", not np.isfinite(self.count).all()),
            ("an answer has no scale", not (self.scale >= 0).all()),
            ("an answer lies below its threshold", bool((self.noisy < self.threshold).any())),
        ]


def top_thresholds(noisy: NDArray[np.int64], k: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows of the k largest answers, best first (the earlier row wins a tie), and what each had to reach to be one.

    Given all other answers, a row is among the k largest exactly when it reaches the largest answer left out, or, standing
    after that one, exceeds it. So an error bar that allows for this threshold is true for the k best as well.

    >>> rows, thresholds = top_thresholds(np.array([4, 9, 7, 7, 7]), 3)
    >>> rows.tolist(), thresholds.tolist()
    ([1, 2, 3], [7, 7, 7])
    >>> [x.tolist() for x in top_thresholds(np.array([7, 9, 7]), 5)] == [[1, 0, 2], [UNSELECTED] * 3]
    True
    """
    order = np.argsort(-noisy, kind="stable")
    rows = order[:k]
    if len(order) <= k:
        return rows, np.full(len(rows), UNSELECTED, np.int64)
    first_out = order[k]
    return rows, np.asarray(noisy[first_out] + (rows > first_out), np.int64)
