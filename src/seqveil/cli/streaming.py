"""What the commands of `seqveil stream` share: open the stream, then answer each batch of lines as it arrives."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqveil.cli.console import banner, data, emit, say, table, tell
from seqveil.errors import CallError

if TYPE_CHECKING:
    from seqveil.stream.stream import Stream
    from seqveil.wall.continual import Promise


def answer_all(asked: dict[str, Any], options: dict[str, Any]) -> None:
    """Open the stream and answer until the input ends. Input, format and output are checked before anything is charged."""
    from seqveil.cli.process import output_closed
    from seqveil.sources.events import EventStream
    from seqveil.stream.opening import declared

    state: Path | None = options["state"]
    resuming = state is not None and state.exists()
    if not resuming:
        declared(asked, options["epsilon"], options["delta"])
        _needs_where(asked)
    if output_closed():
        raise CallError("standard output, where the answers are printed, is closed: redirect it, for example with > answers.tsv.")
    file = None if options["file"] == Path("-") else options["file"]
    if not resuming:
        _needs_owners(options, "max_per_day" in asked)
    where = options["format"], options["column"], options["delimiter"], options["header"]
    source = EventStream(file, *where, user=options["user"], day=options["day"])
    if options["from_start"] is None:
        options["from_start"] = not source.flows
    events = source.open()
    try:
        with _opened(asked, options, resuming) as stream:
            _answer(stream, events, options, resuming)
    except BrokenPipeError:
        # Whoever read the answers has left. Everything is stored; Python must not try to flush once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _needs_where(asked: dict[str, Any]) -> None:
    if asked["statistic"] in ("count", "bursts") and "where" not in asked:
        name = asked["statistic"]
        by = " (or --by, labels to count)" if name == "count" else ""
        raise CallError(f"stream {name} needs --where, the condition on events to count, for example --where '>= 5'{by}.")


def _needs_owners(options: dict[str, Any], by_day: bool) -> None:
    if any((options[name] is not None) != by_day for name in ("user", "day")):
        raise CallError(
            "--max-per-day, --user and --day belong together: how many events of one user on one day are used, and the columns "
            "with the user and the day, for example --max-per-day 5 --user card --day time."
        )


def labels(given: str, where: str | None) -> list[str]:
    """The labels of `--by`: a list with commas, or the lines of a file."""
    if where is not None:
        raise CallError("--where with --by: labels are counted as they are; leave one of them out.")
    if not given.startswith("@"):
        return [label.strip() for label in given.split(",")]
    try:
        text = Path(given[1:]).read_text("utf-8")
    except (OSError, ValueError):
        raise CallError(f"--by {given}: cannot be read as text: give a file with one label per line, or --by a,b,c.") from None
    return [line.strip() for line in text.splitlines() if line.strip()]


def _opened(asked: dict[str, Any], options: dict[str, Any], resuming: bool) -> Stream:
    from seqveil.cli.releasing import Terminal, account_name, saying_fate
    from seqveil.stream.opening import opened

    account = options["account"]
    if account is None and not resuming and options["file"] not in (None, Path("-")):
        account = account_name(options["file"])
    if options["seed"] is not None:
        banner("EXPERIMENT")
    with saying_fate(), Terminal("stream", quiet=options["as_json"]) as terminal:
        stream = opened(
            asked,
            epsilon=options["epsilon"],
            delta=options["delta"],
            account=account,
            state=options["state"],
            seed=options["seed"],
            listener=terminal,
        )
    if stream.promise.private and options["state"] is None:
        say("warning: without --state FILE, an interrupted stream cannot be resumed, and its ε remains charged.")
    return stream


def _answer(stream: Stream, events: Iterator[list[object]], options: dict[str, Any], resuming: bool) -> None:
    from_start = options["from_start"]
    _needs_owners(options, stream.promise.unit["name"] == "user-day")
    for answers in _by_thousands(stream.again()):
        if options["reprint"]:
            _print(answers, options["as_json"])
    stored = stream.position
    stream.resume(refeed=from_start)
    if resuming:
        _say_where(stream, stored)
    promise = stream.promise
    if promise.private and not options["as_json"]:
        say(f"{promise.guarantee} for {_protected(promise)}{_upto(promise)} ({promise.neighbours}).")
        say("Columns: " + ("position, label" if "by" in promise.parameters else "position") + _COLUMNS)
    passed = stored if from_start and resuming else 0
    for batch in events:
        stream.pass_over(batch[:passed])
        fresh, passed = batch[passed:], max(0, passed - len(batch))
        room = stream.length - stream.position
        _print(stream.feed_many(fresh[:room]), options["as_json"])
        if len(fresh) > room:
            stream.feed_many(fresh[room:])  # refused: the declared length is reached
    if passed:
        say("warning: the input ended before the events that were already answered. If it starts after them, add --continued.")


def _say_where(stream: Stream, stored: int) -> None:
    of = "" if stream.promise.parameters["length"] is None else f" of {stream.length:,}"
    say(f"resuming after event {stored:,}{of}; nothing more is charged.")
    if stream.closed_until > stored:
        say(
            f"warning: the machine stopped before events {stored + 1:,} to {stream.closed_until:,} were saved. They may have "
            "been answered already, so they are never answered again."
        )


_COLUMNS = ", answer, and the ends of its error bar, which covers the noise with probability 95 %."


def _protected(promise: Promise) -> str:
    """What a promise protects, in words."""
    unit = promise.unit
    if unit["name"] == "run":
        return f"every run of {unit['events']:,} events"
    if unit["name"] == "user-day":
        return f"every user on every day (at most {unit['max_per_day']:,} of their events of a day are used)"
    return "every event"


def _upto(promise: Promise) -> str:
    length = promise.parameters["length"]
    return ", of any number of events" if length is None else f" of at most {length:,}"


def _by_thousands(answers: Iterator[Any]) -> Iterator[list[Any]]:
    from itertools import islice

    while batch := list(islice(answers, 4096)):
        yield batch


def _print(answers: list[Any], as_json: bool) -> None:
    if not answers:
        return
    if as_json:
        text = "".join(json.dumps(_object(answer)) + "\n" for answer in answers)
    else:
        text = "".join("\t".join(map(str, _row(answer))) + "\n" for answer in answers)
    data(text)


def _row(answer: Any) -> tuple[Any, ...]:
    return (*answer[:-5], answer.value, answer.low, answer.high)


def _object(answer: Any) -> dict[str, Any]:
    facts = {name: value for name, value in answer._asdict().items() if name not in ("low", "high")}
    return {name: value if isinstance(value, int | str) else float(value) for name, value in facts.items()}


def show_plan(asked: dict[str, Any], options: dict[str, Any]) -> None:
    """`--dry-run`: what would be charged, and how much noise there would be."""
    from seqveil.stream.answers import within95
    from seqveil.stream.opening import declared
    from seqveil.wall.budget import decimal, too_large
    from seqveil.wall.continual import BITS, guarantee_of
    from seqveil.wall.measures.delta import stated, too_likely

    method = declared(asked, options["epsilon"], options["delta"])
    _needs_where(asked)
    if options["epsilon"] is None:
        raise CallError("missing required option: --epsilon, the budget of the whole stream, for example --epsilon 1.0.")
    guarantee = guarantee_of(options["epsilon"], options["delta"])
    question, combiner = method.question, method.combiner()
    law, most = question.law(guarantee), _most_draws(asked, method)
    within = within95(law, most)
    bound = question.statistic.shown([within])[0] if combiner.grid == 1 else within / combiner.grid
    facts = {**method.parameters(), "epsilon": decimal(guarantee.epsilon)}
    if guarantee.delta:
        facts |= {"delta": stated(guarantee.delta), "rho": decimal(guarantee.amount)}
    lattice = 2**BITS if method.method == "sqrt" else 1
    facts |= {"scale": law.value / lattice, "draws": most * lattice**2, "within": float(bound)}
    warnings = list(filter(None, (too_large(guarantee.epsilon, method.unit.name), too_likely(guarantee.delta, method.unit.name))))
    if options["as_json"]:
        return emit({**facts, "warnings": warnings})
    table(["parameter", "value"], [[name, str(value)] for name, value in facts.items()])
    say(f"Every released value gets {_noise(method.method, law.value, bool(guarantee.delta), 'noise ')} (in steps of the grid).")
    if method.method == "sqrt":
        say(f"With probability 95 % the noise of an answer{_when(method)} is at most {bound}.")
    else:
        say(f"An answer adds up at most {most} of them{_when(method)}: with probability 95 % its noise is at most {bound}.")
    if method.between in ("root", "linear"):
        say("Between checkpoints answers and their noise grow by the same factor (--between hold: they do not).")
    for warning in warnings:
        say(f"warning: {warning}")
    say("Nothing was read and nothing was spent.")


_PLANNED = 1_000_000
"""Answers that a dry run looks ahead, where an answer needs more of them for ever."""


def _when(method: Any) -> str:
    """For which answers a dry run says how much noise they have, where not for all."""
    if method.method == "blocks" and method.length is None and not method.window:
        return " within the first million answers"
    return " within the first million" if method.method == "sqrt" and method.question.stretches.steps > _PLANNED else ""


def _noise(method: str, width: float, gaussian: bool, noise: str = "") -> str:
    """The noise on a released value, in words."""
    if not gaussian:
        return f"discrete Laplace {noise}of scale {width:g}"
    if method == "sqrt":
        from seqveil.wall.continual import BITS

        return f"discrete Gaussian {noise}of σ = {width / 2**BITS:g} (drawn in multiples of 2^-{BITS})"
    return f"discrete Gaussian {noise}of σ = {width:g}"


def _most_draws(asked: dict[str, Any], method: Any) -> float:
    """How many released values an answer adds up, at most; the sum of their squared weights where they have weights."""
    stretches = method.question.stretches
    if method.method == "sqrt":
        from seqveil.stream.root_sums import variances

        return float(variances(stretches.coefficients, min(stretches.steps, _PLANNED))[-1])
    if method.method == "blocks":
        if method.window is None:
            return int(stretches.most)
        width, sizes = min(stretches.width, stretches.length), stretches.sizes
        return int(2 * (stretches.arity - 1) * (len(sizes) - 1) + width // sizes[-1])
    levels = stretches.touched(method.statistic.shortest) if method.method == "binary" else 1
    if method.method == "hierarchy":
        return int(method.question.stretches.layers)
    return int(levels if method.window is None or levels == 1 else max(1, 2 * (levels - 1)))


def holds_state(path: Path) -> bool:
    """Whether a file begins as a stream's state does, whole or not."""
    from seqveil.wall.journal.promise import KIND

    try:
        with path.open("rb") as file:
            return file.read(len(KIND)) == KIND
    except OSError:
        return False


def show_state(path: Path, as_json: bool) -> None:
    """`seqveil inspect STATE`: the guarantee and the progress of a stream; no raw value."""
    from seqveil.wall.continual import read_standing

    standing = read_standing(path)
    promise = standing.promise
    length = promise.parameters["length"]
    if as_json:
        return emit({**promise.facts(), "position": standing.position, "closed": standing.closed})
    parameters = ", ".join(f"{name}={value}" for name, value in promise.parameters.items())
    banner("INTERNAL", "the file contains raw events and their noise. Do not share it. What follows contains no raw data.")
    closed = f", {standing.closed:,} of them never answered" if standing.closed else ""
    rows = [
        ["Stream", f"{promise.stream}, opened {promise.created}"],
        ["Parameters", parameters],
        ["Guarantee", f"{promise.guarantee} for {_protected(promise)} ({promise.neighbours}), for the whole stream"],
        ["Charged", f"once, to account {promise.account}; resuming from this file charges nothing more"],
        ["Noise", _noise(promise.parameters["method"], promise.scale, promise.delta is not None) + " on every released value"],
        ["Progress", f"{standing.position:,}{'' if length is None else f' of {length:,}'} events{closed}"],
    ]
    for name, text in rows:
        tell(f"{name:<10} {text}")
