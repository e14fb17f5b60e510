"""Live labels: which labels can occur in the itemsets that are looked for. Size, threshold and label counts, each with noise."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from seqveil.bases.asking import asked_width
from seqveil.bases.noise import alone, false_bar, noise_on
from seqveil.wall import ClippedSupports, KthSupport, Wall

SLACK = 2
"""So many noise scales below θ a label is still strong: one that is missed costs all itemsets that it is in."""

FAINT = 4
"""A θ below so many scales of its own noise says little about which itemsets are frequent."""

MOST_LIVE = 400
"""More labels than this take no part in larger itemsets: those of largest noisy count do."""


@dataclass(frozen=True, slots=True)
class Live:
    """The noisy number of records, the noisy K-th largest support θ, and labels by falling noisy count with these counts.

    `labels` are all whose count stands out from noise; `strong` those of them that may have a support of θ, the first ones.
    """

    size: int
    threshold: int
    labels: tuple[int, ...]
    noisy: tuple[int, ...]
    scale: float
    least: int
    width: int
    clipped: int

    @property
    def strong(self) -> tuple[int, ...]:
        """Labels at most SLACK noise scales below θ."""
        bar = self.threshold - SLACK * self.scale
        return tuple(x for x, n in zip(self.labels, self.noisy, strict=True) if n >= bar)[:MOST_LIVE]

    @property
    def counts(self) -> dict[int, int]:
        """The noisy count of every label that stands out."""
        return dict(zip(self.labels, self.noisy, strict=True))


@dataclass(frozen=True, slots=True)
class Threshold:
    """The noisy number of records and the noisy θ; `faint` where θ may be little but noise."""

    size: int
    threshold: int
    faint: bool


def asked_threshold(wall: Wall, for_size: int, for_threshold: int, top: int, longest: int) -> Threshold:
    """Ask for the size and for θ."""
    with wall.stage("size"):
        size = wall.size(for_size)
    question = KthSupport(top, longest)
    with wall.stage("threshold"):
        threshold = max(1, int(wall.ask(question, for_threshold)[0]))
    return Threshold(size, threshold, threshold < FAINT * alone(wall, for_threshold).scale)


def live_labels(wall: Wall, outset: Threshold, epsilon: int, all_labels: bool) -> Live:
    """Ask for label counts; with `all_labels` also below θ, as far as they stand out from noise."""
    size, threshold = outset.size, outset.threshold
    domain = len(wall.domain)
    every = np.arange(domain, dtype=np.int64)[:, None]
    with wall.stage("labels"):
        width = asked_width(wall, every, threshold / false_bar(domain, wall.measure), epsilon)
        question, paid = ClippedSupports(every, width.most, fair=True), epsilon - width.spent
        scale, bar = noise_on(wall, question, paid).scale, false_bar(domain, wall.measure)
        lowest = scale * bar if all_labels else max(threshold - SLACK * scale, scale * bar)
        least = max(1, math.ceil(lowest))
        rank, noisy = wall.ask_above(question, paid, least)
    order = np.argsort(-noisy, kind="stable")
    labels, counts = tuple(rank[order].astype(np.int64).tolist()), tuple(noisy[order].tolist())
    return Live(size, threshold, labels, counts, scale, least, width.most, width.clipped)
