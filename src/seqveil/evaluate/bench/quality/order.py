"""More ε is never worse: neighbouring budgets compared, metric by metric, with a tolerance that is argued here.

Means over a few seeds differ by luck. A larger ε counts as worse only if its mean is worse by more than both of

* what seeds explain: the one-sided Welch bound of the two means at 99 %. At that level one comparison in a hundred between equal
  truths would be flagged; where ε helps at all, far fewer are. A bound for all comparisons together (Bonferroni) would be
  five standard errors with five seeds, and hide real reversals;
* what anybody could notice: 2 % of the figure and .002. Some figures stop improving, because what is left is the model's own
  error (or the cut's, in F), and differ there in the fourth decimal without any noise.

Without several seeds only the second holds.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from seqveil.evaluate.bench.quality.bars import tolerance
from seqveil.evaluate.bench.quality.today import Mean, Means

LOWER = (
    "lengths", "first", "last", "trip", "uniform.T.4", "uniform.F.4", "drawn.T", "drawn.F", "strong.records", "strong.count",
)  # fmt: skip
HIGHER = ("top.release.20", "top.release.100", "top.records.20", "top.records.100")
AROUND_ONE = ("records", "length")

LEVEL, RELATIVE, ABSOLUTE = 0.99, 0.02, 0.002


class Reversal(NamedTuple):
    """A metric that is worse with more ε."""

    set: str
    metric: str
    less: str
    more: str
    before: float
    after: float

    def __str__(self) -> str:
        return f"{self.set}: {self.metric} {self.before:.4g} at ε = {self.less}, {self.after:.4g} at ε = {self.more}"


def reversals(figures: Means) -> tuple[list[Reversal], int]:
    """What got worse from one ε to the next larger one, and how many comparisons were made."""
    grown: list[Reversal] = []
    compared = 0
    for name in dict.fromkeys(name for name, _ in figures):
        budgets = sorted((epsilon for own, epsilon in figures if own == name), key=float)
        for less, more in pairwise(budgets):
            before, after = figures[name, less], figures[name, more]
            for metric in (*LOWER, *HIGHER, *AROUND_ONE):
                if metric in before and metric in after:
                    compared += 1
                    if worse(_loss(metric, before[metric]), _loss(metric, after[metric])):
                        grown.append(Reversal(name, metric, less, more, before[metric].value, after[metric].value))
    return grown, compared


def _loss(metric: str, mean: Mean) -> Mean:
    """The metric as something that is best at 0."""
    if metric in HIGHER:
        return Mean(1 - mean.value, mean.variance, mean.runs)
    return Mean(abs(mean.value - 1), mean.variance, mean.runs) if metric in AROUND_ONE else mean


def worse(less: Mean, more: Mean) -> bool:
    """Whether the loss grew by more than the tolerance.

    >>> worse(Mean(0.10, 0, 1), Mean(0.11, 0, 1)), worse(Mean(0.10, 0, 1), Mean(0.1015, 0, 1))
    (True, False)
    >>> worse(Mean(0.10, 1e-4, 5), Mean(0.11, 1e-4, 5))
    False
    """
    noticed = RELATIVE * less.value + ABSOLUTE
    return more.value - less.value > max(noticed, tolerance(more, less, LEVEL))
