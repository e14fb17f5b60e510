"""What the miners of prefix trees share: which patterns, which threshold, and what to refuse before anything is spent."""

from __future__ import annotations

from math import log, sqrt

from seqveil.errors import CallError
from seqveil.parameters import unfit
from seqveil.surface import parameter
from seqveil.tables.domain import Domain
from seqveil.tables.granularity import Granularities
from seqveil.trees.heights import check_height
from seqveil.trees.sublevels import MOST_FALSE, Sublevel, false_nodes

PLAIN = 2.0
"""Standard deviations that a noisy count must reach, for alphabets of up to 17 labels [Chen thesis, §6.3.1]."""


LEAST_HEIGHT = 4
"""Levels of a tree for short patterns: with fewer, what stands later in a record than a pattern is long is never seen."""

HEIGHT = f"by default as many as the longest pattern has, at least {LEAST_HEIGHT}."
"""Which height a tree for substrings has, wherever it may be left out."""


def height_for(longest: int, h: int | None) -> int:
    """The height of a tree for substrings: as given, else no more than the patterns need, because ε is divided over the levels.

    >>> height_for(7, None), height_for(3, None), height_for(7, 10)
    (7, 4, 10)
    """
    return max(longest, LEAST_HEIGHT) if h is None else h


def check_patterns(top: int, shortest: int, longest: int, h: int, usual: tuple[int, int] = (2, 7)) -> None:
    """Refuse lengths and numbers of patterns that make no sense, whatever the domain."""
    check_height(10, h=h)
    if top < 1:
        raise unfit("ask for at least 1 pattern; 60 is usual.", top=top)
    if not 1 <= shortest <= longest:
        least, most = usual
        raise unfit(
            f"lengths must satisfy 1 ≤ shortest ≤ longest; {least} and {most} are usual.", shortest=shortest, longest=longest
        )
    if longest > h:
        raise unfit(f"a tree of {h} levels has no longer patterns; raise h or lower longest.", longest=longest, h=h)


DEVIATIONS = "Threshold for noisy counts, in standard deviations of their noise; by default it follows from the number of labels."
"""What the parameter `deviations` is, wherever there is one."""


def check_deviations(deviations: float | None) -> None:
    """Refuse a threshold that is not a positive number of standard deviations."""
    if deviations is not None and not 0 < deviations < 1000:
        raise unfit("give a number above 0, or leave it out.", deviations=deviations)


def check_kind(patterns: str) -> None:
    """Refuse what is neither a substring nor a prefix."""
    if patterns not in ("substring", "prefix"):
        raise unfit("choose 'substring' or 'prefix'.", patterns=patterns)


def check_domain(domain: Domain, top: int, shortest: int, longest: int) -> None:
    """Refuse more patterns than exist over the domain, and domains over which there is nothing to mine."""
    labels = len(domain)
    if labels < 2:
        raise CallError("the domain has 1 label, so every pattern is a repetition of it: give at least 2 labels.")
    exist = sum(labels**n for n in range(shortest, longest + 1))
    if top > exist:
        lengths = f"{shortest}" if shortest == longest else f"{shortest} to {longest}"
        raise unfit(f"only {exist:,} patterns of length {lengths} exist over {labels:,} labels: give at most {exist:,}.", top=top)


def deviations_for(labels: int, deviations: float | None) -> float:
    """How many standard deviations of its noise a count must reach: as given, else so many that an empty node expects at most
    half an empty child, which for up to 17 labels are the 2 of [Chen thesis, §6.3.1].

    >>> deviations_for(17, None), round(deviations_for(1000, None), 2), deviations_for(17, 3.5)
    (2.003..., 4.88, 3.5)
    """
    return max(PLAIN, log(labels) / sqrt(2)) if deviations is None else deviations


def refuse_flood(levels: list[list[Sublevel]], labels: int) -> None:
    """Refuse thresholds that noise alone passes so often that empty nodes would outnumber the true ones."""
    expected = false_nodes(levels, Granularities.of(labels, []))
    if expected > MOST_FALSE:
        raise CallError(
            f"noise alone would make about {expected:,.3g} false prefixes; at most {MOST_FALSE:,} are allowed. Leave out "
            f"{parameter('deviations')}, so that it follows from the number of labels ({labels:,}), or use a smaller "
            f"{parameter('h')}."
        )
