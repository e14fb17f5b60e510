"""Opening a stream by its public parameters: anew, as an experiment, or from its state file."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from seqveil.errors import CallError
from seqveil.stream.mechanism import StreamMethod, method_from
from seqveil.stream.stream import Stream
from seqveil.surface import parameter
from seqveil.wall import decimal, grains
from seqveil.wall.continual import Promise, experiment_stream, open_stream, promise_of, reopen_stream
from seqveil.wall.fate import costing_nothing
from seqveil.wall.listener import Listener
from seqveil.wall.measures.delta import in_parts, stated

DEFAULTS: dict[str, dict[str, Any]] = {
    "lis": {"method": "binary", "strict": False},
    "count": {"method": "blocks"},
    "counts": {"method": "blocks"},
    "sum": {"method": "blocks", "resolution": "1"},
    "matches": {"method": "binary", "edits": 0},
    "bursts": {"method": "binary"},
}
GROWTH = {"lis": {"spacing": "quadratic", "between": "root"}}
"""How checkpoints are placed and answers grow between them; a statistic that is not named here grows steadily."""

_OF_BLOCKS = {"method", "window", "overlap", "arity"}
"""Who asks for one of these is not given another method for it."""

_STEADY = {"spacing": "even", "between": "linear"}
_NEEDED = {"sum": ("lower", "upper"), "matches": ("pattern",), "bursts": ("at_least", "within")}
_EXAMPLES = {"length": "100000", "lower": "0", "upper": "10", "pattern": "'open fail fail'", "at_least": "5", "within": "60"}


def opened(
    asked: dict[str, Any],
    *,
    epsilon: Any = None,
    delta: Any = None,
    account: str | None = None,
    cap: Any = None,
    state: str | Path | None = None,
    seed: int | None = None,
    home: str | Path | None = None,
    listener: Listener | None = None,
) -> Stream:
    """A stream; where the state file exists it is resumed from there, and what is asked must agree with it."""
    promise = promise_of(state) if state is not None else None
    if promise is not None and state is not None:
        _agree(asked, epsilon, delta, account, seed, Path(state), promise)
        return reopen_stream(_promised(promise, Path(state)), state, home=home)
    with costing_nothing():
        method = declared(asked, epsilon, delta)
        _refuse_incomplete(epsilon, account, state, seed)
    if seed is not None:
        return experiment_stream(method, epsilon, seed, delta)
    return open_stream(method, epsilon, delta=delta, account=account or "", cap=cap, state=state, home=home, listener=listener)


def _refuse_incomplete(epsilon: Any, account: str | None, state: str | Path | None, seed: int | None) -> None:
    if epsilon is None:
        raise CallError(
            f"{parameter('epsilon')} is missing: give the budget of the whole stream, for example {parameter('epsilon', '1.0')}."
        )
    if seed is not None and state is not None:
        raise CallError(f"{parameter('seed')} with {parameter('state')}: an experiment keeps no state; leave one of them out.")
    if seed is None and account is None:
        raise CallError(
            f"{parameter('account')} is missing: name the ledger account to charge, "
            f"for example {parameter('account', 'meter-7')}."
        )


def declared(asked: dict[str, Any], epsilon: Any = None, delta: Any = None) -> StreamMethod:
    """The method that was asked for, with defaults for what was left out."""
    statistic = asked["statistic"]
    chosen = {**DEFAULTS[statistic], **asked}
    if delta is not None and DEFAULTS[statistic]["method"] == "blocks" and not asked.keys() & _OF_BLOCKS:
        chosen["method"] = "sqrt"
    endless = chosen["method"] in ("blocks", "sqrt") or (chosen["method"] in ("binary", "window") and "window" in asked)
    missing = [name for name in (*(() if endless else ("length",)), *_NEEDED.get(statistic, ())) if name not in asked]
    if missing:
        examples = ", ".join(parameter(name, _EXAMPLES[name]) for name in missing)
        raise CallError(
            f"stream {statistic}: missing required parameters: {', '.join(map(parameter, missing))}, for example {examples}."
        )
    if statistic == "counts" and "window" not in asked:
        chosen.setdefault("every", _rarely(chosen.get("length")))
    if statistic == "lis" and not asked.keys() & {"method", "window", "buckets"}:
        chosen["method"] = "checkpoints"  # dyadic blocks overestimate, often by half, whatever ε is
    if chosen["method"] == "checkpoints":
        chosen = {**GROWTH.get(statistic, _STEADY), **chosen}
        if statistic == "lis":
            chosen.setdefault("checkpoints", _balanced(chosen["length"], epsilon))
    return method_from(chosen)


def _balanced(length: Any, epsilon: Any) -> int:
    """R for `lis` where none is given: its noise R/ε and the age of its answers, about √T/R, are then alike.

    >>> _balanced(34_589, "1"), _balanced(34_589, "0.1"), _balanced(3, "100")
    (14, 4, 3)
    """
    if not isinstance(length, int) or length < 1:
        return 1  # refused with the length
    budget = 1.0 if epsilon is None else float(decimal(grains(epsilon)))
    return min(length, max(1, round(math.sqrt(budget * math.sqrt(length)))))


def _rarely(length: Any) -> int:
    """How often counts per label are told where nothing is said: a hundred times, or after every hundred events.

    >>> _rarely(34_589), _rarely(7), _rarely(None)
    (345, 1, 100)
    """
    return 100 if not isinstance(length, int) else max(1, length // 100)


def _agree(
    asked: dict[str, Any], epsilon: Any, delta: Any, account: str | None, seed: int | None, state: Path, promise: Promise
) -> None:
    """Refuse a state file of another stream."""
    here = parameter("state", str(state))
    if seed is not None:
        raise CallError(f"{parameter('seed')} with {here}: an experiment cannot resume a private stream; leave one of them out.")
    promised = {**promise.parameters, "epsilon": promise.epsilon, "delta": promise.delta, "account": promise.account}
    wanted = dict(asked)
    if (asked["statistic"], promised.get("statistic")) == ("count", "counts"):
        del wanted["statistic"]  # people ask for counts per label by `count`, and may leave the labels out as everything else
    if epsilon is not None:
        wanted["epsilon"] = decimal(grains(epsilon))
    if delta is not None:
        wanted["delta"] = stated(in_parts(delta))
    if account is not None:
        wanted["account"] = account
    differing = [
        f"{name} {_word(promised.get(name))}, not {_word(value)}" for name, value in wanted.items() if promised.get(name) != value
    ]
    if differing:
        raise CallError(
            f"{here} belongs to another stream: it has {'; '.join(differing)}. Leave these out to resume it, "
            f"or choose another {parameter('state')} for a new stream."
        )


def _promised(promise: Promise, state: Path) -> StreamMethod:
    """The method that a state file describes."""
    try:
        return method_from(promise.parameters)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise CallError(
            f"{parameter('state', str(state))} names a method or parameters that this version of Seqveil does not have: use the "
            f"version that wrote it, or another {parameter('state')}."
        ) from None


def _word(value: Any) -> str:
    return "none" if value is None else str(value)
