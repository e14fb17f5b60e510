"""What the miners of prefix trees share: which patterns, which threshold, and what to refuse before anything is spent."""

from __future__ import annotations

from math import log, sqrt

from seqveil.errors import CallError
from seqveil.tables.domain import Domain
from seqveil.tables.granularity import Granularities
from seqveil.trees.sublevels import MOST_FALSE, Sublevel, false_nodes

PLAIN = 2.0
"""Standard deviations that a noisy count must reach, for alphabets of up to 17 labels (thesis 003 §6.3)."""


def check_patterns(top: int, shortest: int, longest: int, h: int) -> None:
    """Refuse lengths and numbers of patterns that make no sense, whatever the domain."""
    if top < 1:
        raise CallError(f"top = {top}: ask for at least 1 pattern; 60 is usual.")
    if not 1 <= shortest <= longest:
        raise CallError(
            f"shortest = {shortest}, longest = {longest}: lengths must satisfy 1 ≤ shortest ≤ longest; 2 and 7 are usual."
        )
    if longest > h:
        raise CallError(f"longest = {longest}: a tree of h = {h} levels knows no longer patterns; raise h or lower longest.")


def check_universe(domain: Domain, top: int, shortest: int, longest: int) -> None:
    """Refuse more patterns than exist over the domain, and domains over which there is nothing to mine."""
    labels = len(domain)
    if labels < 2:
        raise CallError("the domain has 1 label: every pattern is a repetition of it; give at least 2 labels.")
    exist = sum(labels**n for n in range(shortest, longest + 1))
    if top > exist:
        lengths = f"{shortest}" if shortest == longest else f"{shortest} to {longest}"
        raise CallError(
            f"top = {top:,}: over {labels:,} labels only {exist:,} patterns of length {lengths} exist: ask for at most that."
        )


def deviations_for(labels: int, given: float | None) -> float:
    """How many standard deviations of its noise a count must reach: as given, else so many that an empty node expects at most
    half an empty child, which for up to 17 labels are the 2 of the thesis.

    >>> deviations_for(17, None), round(deviations_for(1000, None), 2), deviations_for(17, 3.5)
    (2.003..., 4.88, 3.5)
    """
    return max(PLAIN, log(labels) / sqrt(2)) if given is None else given


def refuse_flood(levels: list[list[Sublevel]], labels: int) -> None:
    """Refuse thresholds that noise alone passes so often that the tree would drown in empty nodes."""
    expected = false_nodes(levels, Granularities.of(labels, []))
    if expected > MOST_FALSE:
        raise CallError(
            f"noise alone would make about {expected:,.3g} false prefixes, more than {MOST_FALSE:,}: leave --deviations out, "
            f"so that it follows from the {labels:,} labels, or make h smaller."
        )
