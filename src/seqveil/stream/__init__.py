"""Differentially private statistics while events arrive: feed an event, get an answer.

    from seqveil import stream

    with stream.lis(length=100_000, epsilon="1.0", account="meter-7", state="meter-7.state") as trend:
        for answer in trend.over(readings):
            print(answer.position, answer.value)

The whole stream is charged once, when it is opened; opening it again from its state file charges nothing more. The unit of
privacy is one event: neighbouring streams have the same length and differ in one event. With `consecutive` it is any run of so
many events; with `max_per_day` one user on one day, and events are triples (user, day, event).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal

    from seqveil.stream.stream import Stream
    from seqveil.wall.listener import Listener

    Epsilon = str | int | float | Decimal
    Number = str | int | float | Decimal

__all__ = ["bursts", "count", "lis", "matches", "sum"]


def __dir__() -> list[str]:
    return __all__


def lis(
    *,
    length: int | None = None,
    epsilon: Epsilon | None = None,
    delta: Epsilon | None = None,
    account: str | None = None,
    cap: Epsilon | None = None,
    method: str | None = None,
    window: int | None = None,
    consecutive: int | None = None,
    max_per_day: int | None = None,
    checkpoints: int | None = None,
    spacing: str | None = None,
    between: str | None = None,
    buckets: int | None = None,
    strict: bool | None = None,
    state: str | Path | None = None,
    refeed: bool = False,
    seed: int | None = None,
    home: str | Path | None = None,
    listener: Listener | None = None,
) -> Stream:
    """A stream of private lengths of the longest increasing subsequence until now (or of the last `window` events).

    Equal events may follow each other unless `strict`. Events that are not finite numbers keep their position as null events.

    Args:
        length: maximum number of events in the stream; public.
        consecutive, max_per_day: another unit of privacy than one event, see above.
        epsilon: the budget of the whole stream.
        delta: for (ε, δ) instead of pure ε, such as "1e-6": noise is then Gaussian, and the account adds up ρ of zCDP.
        account: the ledger account to charge; `cap` sets its cap where it has none.
        method: checkpoints (the default), binary (the default with a window), baseline, window or hierarchy.
        window, checkpoints, buckets: W, R and b of the methods that take them; R follows from ε and the length if left out.
        spacing, between: where checkpoints lie (quadratic or even), and whether answers between them grow (root, linear, hold).
        state: a file to resume from after a crash or a stop. Where it exists the stream is resumed from it, and the other
            parameters may be left out.
        refeed: whether events that were lost in a power failure are going to be fed again; otherwise they become null.
        seed: makes an experiment, which is NOT private.
        listener: is told stages and warnings; by default warnings are those of Python.

    >>> trend = lis(length=7, epsilon=1000, seed=1, method="baseline")      # an experiment with next to no noise
    >>> [answer.value for answer in trend.over([3, 4, 1, 2, 5, 7, 6])]
    [1, 2, 2, 2, 3, 4, 4]
    """
    own = {"strict": strict}
    return _opened("lis", own, locals())


def count(
    *,
    length: int | None = None,
    epsilon: Epsilon | None = None,
    delta: Epsilon | None = None,
    account: str | None = None,
    cap: Epsilon | None = None,
    where: str | None = None,
    by: Sequence[str] | None = None,
    method: str | None = None,
    window: int | None = None,
    consecutive: int | None = None,
    max_per_day: int | None = None,
    overlap: int | None = None,
    arity: int | None = None,
    every: int | None = None,
    checkpoints: int | None = None,
    spacing: str | None = None,
    between: str | None = None,
    state: str | Path | None = None,
    refeed: bool = False,
    seed: int | None = None,
    home: str | Path | None = None,
    listener: Listener | None = None,
) -> Stream:
    """A stream of private counts: how many events until now satisfy `where` ('>= 5', '= home', 'in a,b'), or are true without it.

    With `by`, a public list of labels, how many events until now have each label, after `every` so many events. Without a length
    the stream may go on for ever, with somewhat more noise.

    >>> busy = count(length=4, epsilon=1000, seed=1, where=">= 5", window=2)
    >>> [answer.value for answer in busy.over([7, 9, 1, None])]
    [1, 2, 1, 0]
    >>> places = count(epsilon=1000, seed=1, by=["home", "work"], every=3)
    >>> [(answer.position, answer.label, answer.value) for answer in places.feed_many(["home", "home", "work", "home"])]
    [(3, 'home', 2), (3, 'work', 1)]
    """
    if by is None:
        return _opened("count", {"where": where}, locals())
    from seqveil.errors import CallError
    from seqveil.surface import parameter

    if where is not None:
        raise CallError(f"{parameter('where')} with {parameter('by')}: labels are counted as they are; leave one of them out.")
    return _opened("counts", {"by": list(by)}, locals())


def sum(
    *,
    length: int | None = None,
    epsilon: Epsilon | None = None,
    delta: Epsilon | None = None,
    lower: Number | None = None,
    upper: Number | None = None,
    resolution: Number | None = None,
    account: str | None = None,
    cap: Epsilon | None = None,
    method: str | None = None,
    window: int | None = None,
    consecutive: int | None = None,
    max_per_day: int | None = None,
    overlap: int | None = None,
    arity: int | None = None,
    every: int | None = None,
    checkpoints: int | None = None,
    spacing: str | None = None,
    between: str | None = None,
    state: str | Path | None = None,
    refeed: bool = False,
    seed: int | None = None,
    home: str | Path | None = None,
    listener: Listener | None = None,
) -> Stream:
    """A stream of private sums of events, each cut to lower..upper and rounded to the resolution (1 when left out).

    A null event counts as the number between the bounds that is nearest to 0.

    >>> power = sum(length=3, epsilon=1000, seed=1, lower=0, upper=10, resolution="0.5")
    >>> [str(answer.value) for answer in power.over([1.5, 99, "?"])]
    ['1.5', '11.5', '11.5']
    """
    own = {name: None if value is None else str(value) for name, value in (("lower", lower), ("upper", upper))}
    own["resolution"] = None if resolution is None else str(resolution)
    return _opened("sum", own, locals())


def matches(
    *,
    pattern: str | None = None,
    edits: int | None = None,
    length: int | None = None,
    epsilon: Epsilon | None = None,
    delta: Epsilon | None = None,
    account: str | None = None,
    cap: Epsilon | None = None,
    method: str | None = None,
    window: int | None = None,
    consecutive: int | None = None,
    max_per_day: int | None = None,
    checkpoints: int | None = None,
    spacing: str | None = None,
    between: str | None = None,
    state: str | Path | None = None,
    refeed: bool = False,
    seed: int | None = None,
    home: str | Path | None = None,
    listener: Listener | None = None,
) -> Stream:
    """A stream of private numbers of matches of a pattern ('open fail fail'), of which no two share an event.

    A run of events matches if at most `edits` insertions, deletions and replacements (0 when left out) make it the pattern.

    >>> doors = matches(length=6, epsilon=1000, seed=1, pattern="a b", method="baseline")
    >>> [answer.value for answer in doors.over("abcabb")]
    [0, 1, 1, 1, 2, 2]
    """
    own = {"pattern": pattern, "edits": edits}
    return _opened("matches", own, locals())


def bursts(
    *,
    at_least: int | None = None,
    within: int | None = None,
    where: str | None = None,
    length: int | None = None,
    epsilon: Epsilon | None = None,
    delta: Epsilon | None = None,
    account: str | None = None,
    cap: Epsilon | None = None,
    method: str | None = None,
    window: int | None = None,
    consecutive: int | None = None,
    max_per_day: int | None = None,
    checkpoints: int | None = None,
    spacing: str | None = None,
    between: str | None = None,
    state: str | Path | None = None,
    refeed: bool = False,
    seed: int | None = None,
    home: str | Path | None = None,
    listener: Listener | None = None,
) -> Stream:
    """A stream of private numbers of bursts: `at_least` events that satisfy `where` within so many; no two bursts share an event.

    >>> alarms = bursts(length=6, epsilon=1000, seed=1, where="> 5", at_least=2, within=3, method="baseline")
    >>> [answer.value for answer in alarms.over([9, 1, 9, 9, 1, 1])]
    [0, 0, 1, 1, 1, 1]
    """
    own = {"at_least": at_least, "within": within, "where": where}
    return _opened("bursts", own, locals())


_SHARED = (
    *("method", "length", "window", "checkpoints", "buckets", "spacing", "between"),
    *("overlap", "arity", "every", "consecutive", "max_per_day"),
)


def _opened(statistic: str, own: dict[str, Any], arguments: dict[str, Any]) -> Stream:
    from seqveil.stream.opening import opened

    shared = {name: arguments.get(name) for name in _SHARED}
    asked = {"statistic": statistic, **own, **shared}
    purse = {name: arguments[name] for name in ("epsilon", "delta", "account", "cap", "state", "seed", "home", "listener")}
    stream = opened({name: value for name, value in asked.items() if value is not None}, **purse)
    if stream.position == 0:
        stream.resume(arguments["refeed"])
    return stream
