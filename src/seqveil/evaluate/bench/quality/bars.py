"""The bars: what a method should reach on each set, and whether it does.

A bar is about means over seeds. "met" means that the mean is at or below the bar (for top K: at or above). A mean on the wrong
side by less than what the seeds can tell apart, at 95 % (one-sided Welch test), is "within noise": not met, not proven missed.
A bar that needs a figure that is not there (other methods' figures, tables that the release has not) is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from scipy.stats import t

from seqveil.evaluate.bench.quality.run import Facts
from seqveil.evaluate.bench.quality.today import Mean, Means

Verdict = Literal["met", "within noise", "MISSED"]

LARGE = 20_000
"""Records from which on the shape must be right."""
MANY = 50_000
"""Records from which on uniform queries must not get worse at all."""
FEW_LABELS = 200
ELSEWHERE = 1.3
"""How much worse uniform queries may get on smaller sets."""

NEARLY_ALL = 24
"""Of the 30 strong grams: from so many raw answers on, their mean error stands for all."""
ROUNDING = 1e-5
"""Kept figures have six digits; a method is not worse than itself."""

MSNBC = {"0.1": (0.060, 0.10), "0.5": (0.018, 0.06), "1": (0.012, 0.045)}
"""T and F of uniform queries of up to 4 items, by ε."""


class Bar(NamedTuple):
    """One bar on one set at one ε: the figure, what it may be at most (or at least), and whether it is."""

    set: str
    epsilon: str
    what: str
    value: float
    limit: float
    verdict: Verdict

    def __str__(self) -> str:
        return f"{self.what} {self.value:.3g} (bar {self.limit:.3g})"


def bars(figures: Means, today: Means, facts: dict[str, Facts]) -> list[Bar]:
    """Every bar that can be judged."""
    return [
        Bar(name, epsilon, *judged)
        for (name, epsilon), own in figures.items()
        for judged in (
            *(_shape(own, today.get((name, epsilon), {}), facts[name]) if epsilon == "1" else ()),
            *_against_today(own, today.get((name, epsilon), {}), facts[name]),
            *_strong(own, today.get((name, epsilon), {})),
            *(_msnbc(own, epsilon) if name == "msnbc" else ()),
        )
    ]


_Judged = tuple[str, float, float, Verdict]


def _shape(own: dict[str, Mean], today: dict[str, Mean], facts: Facts) -> Iterator[_Judged]:
    if facts.records < LARGE:
        return
    yield _off("records off by", own["records"], 0.02)
    yield _off("mean length off by", own["length"], 0.05)
    yield _at_most("TV of lengths", own["lengths"], Mean(0.05, 0, 1))
    for end in ("first", "last"):
        if facts.labels <= FEW_LABELS:
            yield _at_most(f"TV of {end} labels", own[end], Mean(0.05, 0, 1))
        elif tables := [own[name] for name in (f"{end}_table", f"{end}_noisy") if name in own]:
            table = min(tables, key=lambda mean: mean.value)
            yield _at_most(f"TV of {end} labels", own[end], Mean(table.value + 0.02, table.variance, table.runs))
    if facts.labels <= FEW_LABELS and "trip" in today:
        half = today["trip"]
        yield _at_most("TV of (first, last)", own["trip"], Mean(half.value / 2, half.variance / 4, half.runs))


def _against_today(own: dict[str, Mean], today: dict[str, Mean], facts: Facts) -> Iterator[_Judged]:
    wide = 1.0 if facts.records >= MANY else ELSEWHERE
    for metric, what, factor in (
        ("drawn.T", "T of data-drawn queries", 1.0),
        ("drawn.F", "F of data-drawn queries", 1.0),
        ("uniform.T.4", "T of uniform queries", wide),
        ("uniform.F.4", "F of uniform queries", wide),
    ):
        if metric in own and metric in today:
            old = today[metric]
            yield _at_most(what, own[metric], Mean(old.value * factor, old.variance * factor**2, old.runs))
    if "top.release.100" in own and "top.release.100" in today:
        yield _at_least("top-100 of the release", own["top.release.100"], today["top.release.100"])


def _strong(own: dict[str, Mean], today: dict[str, Mean]) -> Iterator[_Judged]:
    """Against the release's own raw answers; a method that asked about none of the grams, against those that `ngram` had."""
    if "strong.noisy" in own:
        raw, over = own["strong.noisy"], "_asked"
    elif "strong.noisy" in today and today["strong.asked"].value >= NEARLY_ALL:
        raw, over = today["strong.noisy"], ""
    else:
        return
    for side, what in (("count", "counts"), ("records", "records")):
        if f"strong.{side}{over}" in own:
            yield _at_most(f"strong grams, {what}", own[f"strong.{side}{over}"], raw)


def _msnbc(own: dict[str, Mean], epsilon: str) -> Iterator[_Judged]:
    if epsilon in MSNBC:
        cut, full = MSNBC[epsilon]
        yield _at_most("T", own["uniform.T.4"], Mean(cut, 0, 1))
        yield _at_most("F", own["uniform.F.4"], Mean(full, 0, 1))
    if epsilon == "1":
        if "top.release.100" in own:
            yield _at_least("98 % of the top 100 of the release", own["top.release.100"], Mean(0.98, 0, 1))
        yield _at_most("seconds", own["seconds"], Mean(5.0, 0, 1))


def _off(what: str, ratio: Mean, limit: float) -> _Judged:
    """How far a ratio is from 1."""
    return _at_most(what, Mean(abs(ratio.value - 1), ratio.variance, ratio.runs), Mean(limit, 0, 1))


def _at_most(what: str, own: Mean, limit: Mean) -> _Judged:
    return what, own.value, limit.value, verdict(own, limit)


def _at_least(what: str, own: Mean, limit: Mean) -> _Judged:
    turned = verdict(Mean(-own.value, own.variance, own.runs), Mean(-limit.value, limit.variance, limit.runs))
    return what, own.value, limit.value, turned


def verdict(own: Mean, limit: Mean) -> Verdict:
    """Whether a mean is at most a limit, which may be a mean itself.

    >>> verdict(Mean(1.0, 0.0, 1), Mean(1.0, 0.0, 1)), verdict(Mean(1.1, 0.01, 5), Mean(1.0, 0.0, 1))
    ('met', 'within noise')
    >>> verdict(Mean(1.1, 0.0001, 5), Mean(1.0, 0.0, 1))
    'MISSED'
    """
    if own.value <= limit.value + ROUNDING * abs(limit.value):
        return "met"
    return "within noise" if own.value - limit.value <= tolerance(own, limit, 0.95) else "MISSED"


def tolerance(one: Mean, other: Mean, level: float) -> float:
    """By how much the difference of two means may exceed 0 by the luck of the seeds, with this probability at most (Welch).

    Variances of the means 0.5 and 0.5 of 5 runs each: 8 degrees of freedom, t(0.95) = 1.860.

    >>> round(tolerance(Mean(0, 0.5, 5), Mean(0, 0.5, 5), 0.95), 3)
    1.86
    """
    total = one.variance + other.variance
    parts = [mean.variance**2 / (mean.runs - 1) for mean in (one, other) if mean.runs > 1 and mean.variance]
    if not parts:
        return 0.0
    return float(t.ppf(level, total**2 / sum(parts)) * total**0.5)
