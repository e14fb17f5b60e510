"""Opening a stream by its public parameters: anew, as an experiment, or from its state file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from seqveil.errors import CallError
from seqveil.stream.mechanism import StreamMethod, method_from
from seqveil.wall import decimal, grains
from seqveil.wall.continual import Promise, Stream, experiment_stream, open_stream, promise_of, reopen_stream

DEFAULTS: dict[str, dict[str, Any]] = {
    "lis": {"method": "binary", "strict": False},
    "count": {"method": "binary"},
    "sum": {"method": "binary", "resolution": "1"},
}
_NEEDED = {"length": "--length 100000 (the most events there can be)"}
_BOUNDS = {"lower": "--lower 0", "upper": "--upper 10"}


def opened(
    asked: dict[str, Any],
    *,
    epsilon: Any = None,
    account: str | None = None,
    cap: Any = None,
    state: str | Path | None = None,
    seed: int | None = None,
    home: str | Path | None = None,
) -> Stream:
    """A stream; where the state file exists, it goes on from there and what is asked must agree with it."""
    promise = promise_of(state) if state is not None else None
    if promise is not None and state is not None:
        _agree(asked, epsilon, account, seed, Path(state), promise)
        return reopen_stream(_promised(promise, Path(state)), state, home=home)
    method = declared(asked)
    if epsilon is None:
        raise CallError("--epsilon is missing: give the budget of the whole stream, for example --epsilon 1.0.")
    if seed is not None:
        if state is not None:
            raise CallError("--seed with --state: an experiment keeps no state, run it again instead; leave one of them out.")
        return experiment_stream(method, epsilon, seed)
    if account is None:
        raise CallError("--account is missing: name the ledger account to charge, for example --account meter-7.")
    return open_stream(method, epsilon, account=account, cap=cap, state=state, home=home)


def declared(asked: dict[str, Any]) -> StreamMethod:
    """The method that was asked for, with defaults where nothing was said."""
    needed = {**_NEEDED, **(_BOUNDS if asked["statistic"] == "sum" else {})}
    missing = [example for name, example in needed.items() if name not in asked]
    if missing:
        raise CallError(f"a stream of {asked['statistic']} needs {', '.join(missing)}.")
    return method_from({**DEFAULTS[asked["statistic"]], **asked})


def _agree(asked: dict[str, Any], epsilon: Any, account: str | None, seed: int | None, state: Path, promise: Promise) -> None:
    """Refuse a state file of another stream."""
    if seed is not None:
        raise CallError(f"--seed with --state {state}: an experiment cannot go on from a private stream; leave one of them out.")
    found = {**promise.parameters, "epsilon": promise.epsilon, "account": promise.account}
    wanted = dict(asked)
    if epsilon is not None:
        wanted["epsilon"] = decimal(grains(epsilon))
    if account is not None:
        wanted["account"] = account
    differing = [
        f"{name} {_word(found.get(name))}, not {_word(value)}" for name, value in wanted.items() if found.get(name) != value
    ]
    if differing:
        raise CallError(
            f"--state {state} belongs to another stream: it has {'; '.join(differing)}. Leave these out to go on with it, "
            "or choose another --state for a new stream."
        )


def _promised(promise: Promise, state: Path) -> StreamMethod:
    """The method that a state file names."""
    try:
        return method_from(promise.parameters)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise CallError(
            f"--state {state} names a method or parameters that this Seqveil does not have: use the version that wrote it, or "
            "another --state."
        ) from None


def _word(value: Any) -> str:
    return "none" if value is None else str(value)
