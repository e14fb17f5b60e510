"""How well released patterns match the true ones: [Chen 2012, §6.2.2], [Chen thesis, Table 6.6], [Xu 2015, §VII]. INTERNAL."""

from __future__ import annotations

from statistics import median

from seqveil.evaluate.patterns import Patterns, ranked


def true_positive_ratio(truth: Patterns, released: Patterns, k: int) -> float:
    """|F_K(D) ∩ F_K(D̃)| / K: the share of the true top K that the release has in its top K [Chen 2012, §6.2.2].

    >>> true_positive_ratio({(0, 1): 9, (1, 2): 8}, {(0, 1): 7, (2, 2): 6}, k=2)
    0.5
    """
    best = ranked(truth, k)
    return len(best.keys() & ranked(released, k).keys()) / max(len(best), 1)


def false_positives(truth: Patterns, released: Patterns, k: int) -> int:
    """How many of the release's top K are not among the true top K ("false drops" of [Chen thesis, Table 6.6]).

    >>> false_positives({(0, 1): 9, (1, 2): 8}, {(0, 1): 7, (2, 2): 6}, k=2)
    1
    """
    return len(ranked(released, k).keys() - ranked(truth, k).keys())


def utility_loss(truth: Patterns, released: Patterns, k: int) -> float:
    """Mean of |sup(F, D) − sup(F, D̃)| / sup(F, D) over the true top K; one that the release misses counts 1 [Chen 2012, §6.2.2].

    One support is 10 instead of 8, one pattern is missing: (2⁄8 + 1) / 2.

    >>> utility_loss({(0, 1): 8, (1, 2): 5}, {(0, 1): 10, (2, 2): 6}, k=2)
    0.625
    """
    best, theirs = ranked(truth, k), ranked(released, k)
    return sum(abs(support - theirs.get(pattern, 0)) / support for pattern, support in best.items()) / max(len(best), 1)


def f_score(truth: Patterns, released: Patterns) -> float:
    """Harmonic mean of precision and recall of the frequent patterns [Xu 2015, §VII-A].

    Precision 1⁄2, recall 1⁄3: 2·(1⁄6)/(5⁄6) = 0.4.

    >>> f_score({(0, 1): 9, (1, 2): 8, (1, 1): 7}, {(0, 1): 7, (2, 2): 6})
    0.4
    """
    if not truth and not released:
        return 1.0
    return 2 * len(truth.keys() & released.keys()) / (len(truth) + len(released))


def support_error(truth: Patterns, released: Patterns) -> float:
    """Median of |sup − s̃up| / sup over the frequent patterns that the release found (RE of [Xu 2015, §VII-A], from [Li 2012]).

    Relative errors are 0, ¼ and ½; a pattern that was not found has none.

    >>> support_error({(0, 1): 8, (1, 2): 8, (1, 1): 8, (2, 2): 8}, {(0, 1): 8, (1, 2): 10, (1, 1): 4})
    0.25
    """
    errors = [abs(support - released[pattern]) / support for pattern, support in truth.items() if pattern in released]
    return float(median(errors)) if errors else 1.0
