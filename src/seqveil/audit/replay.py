"""Replay: a mechanism hears on a neighbour exactly what it heard before, and must not be able to tell.

Questions, spends, stages, output, error texts and the release must be the same; and the exact privacy loss between the two
tables, given the answers that were heard, must stay within ε.
"""

from __future__ import annotations

import hashlib
import io
import logging
import math
import warnings
from collections import defaultdict
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from typing import Any

from seqveil.audit.account import paid_by_path
from seqveil.audit.laws import Several, Unknown
from seqveil.audit.renyi import spent
from seqveil.audit.tape import Diverged, Recorder, Replayer, plain
from seqveil.audit.watch import watching
from seqveil.tables.units import Unit
from seqveil.wall.budget import GRAINS
from seqveil.wall.noise import Noise, SecureNoise
from seqveil.wall.run import perform

SLACK = 1e-6
"""Relative; sums of logarithms in floats are good to about 1e-12, a real defect is a share of ε."""


@dataclass
class Heard:
    """Everything about a run that somebody without the data could notice."""

    release: dict[str, Any] = field(default_factory=dict)
    stages: list[str] = field(default_factory=list)
    printed: str = ""
    error: str | None = None

    def differences(self, other: Heard) -> list[str]:
        """What differs, by name; values are not repeated here, they may be raw."""
        differing = [name for name in ("stages", "printed", "error") if getattr(self, name) != getattr(other, name)]
        names = self.release.keys() | other.release.keys()
        differing += sorted(f"release: {name}" for name in names if self.release.get(name) != other.release.get(name))
        return differing


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a replay showed: what was different, and how much privacy the answers cost, in ε or, with δ, in ρ."""

    differences: tuple[str, ...]
    loss: float
    dearest: float  # the most that a single question lost, over what it paid
    unknown: frozenset[str]


def fingerprint(release: Any) -> dict[str, Any]:
    """Everything that a release would put on disk, table by table; its random id and its date aside."""
    contents: dict[str, Any] = {"kind": type(release).__name__}
    for name, table in release.tables().items():
        contents[f"columns of {name}"] = table.column_names
        for column in table.column_names:
            contents[f"{name}.{column}"] = table.column(column).to_pylist()
    for name, body in release.extras().items():
        contents[name] = hashlib.sha256(body).hexdigest()
    manifest = {k: v for k, v in vars_of(release.manifest).items() if k not in ("release", "created")}
    contents.update({f"manifest.{key}": plain(value) for key, value in manifest.items()})
    return contents


def vars_of(thing: Any) -> dict[str, Any]:
    """The fields of a dataclass with slots."""
    return {name: getattr(thing, name) for name in thing.__dataclass_fields__}


class _Log(logging.Handler):
    def __init__(self, paper: io.StringIO) -> None:
        super().__init__(logging.DEBUG)
        self._paper = paper

    def emit(self, record: logging.LogRecord) -> None:
        self._paper.write(f"{record.name} {record.levelname} {record.getMessage()}\n")


def hear(session: Recorder, mechanism: Any, table: Any, unit: Unit, epsilon: int, noise: Noise, delta: int = 0) -> Heard:
    """Run a mechanism before a session, and keep everything that it lets out."""
    heard, paper = Heard(stages=session.stages), io.StringIO()
    handler, logger = _Log(paper), logging.getLogger()
    logger.addHandler(handler)
    try:
        with watching(session), redirect_stdout(paper), redirect_stderr(paper), warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            heard.release = fingerprint(perform(mechanism, table, unit, epsilon, noise, delta=delta))
    except Diverged:
        raise
    except Exception as error:  # whatever it is: a refusal is one more thing that can be noticed
        heard.error = f"{type(error).__name__}: {error}"
    finally:
        logger.removeHandler(handler)
    heard.printed = paper.getvalue() + "".join(str(w.message) for w in warned)
    return heard


def record(
    mechanism: Any, table: Any, unit: Unit, epsilon: int, noise: Noise | None = None, delta: int = 0
) -> tuple[Recorder, Heard]:
    """A run and its tape."""
    tape = Recorder()
    return tape, hear(tape, mechanism, table, unit, epsilon, noise or SecureNoise(), delta)


def replay(
    tape: Recorder,
    heard: Heard,
    mechanism: Any,
    table: Any,
    unit: Unit,
    epsilon: int,
    *,
    joins: int = 0,
    leaves: int = 0,
    delta: int = 0,
) -> Outcome:
    """The same run before a neighbouring table. With δ, what is lost is ρ, and known from the laws of the answers alone."""
    session = Replayer(tape=tape, joins=joins, leaves=leaves, owns=unit.sequences)
    try:
        again = hear(session, mechanism, table, unit, epsilon, tape.source or SecureNoise(), delta)
    except Diverged as diverged:
        return Outcome((f"questions: {diverged}",), math.inf, math.inf, frozenset())
    differences = heard.differences(again)
    if len(session.crossings) != len(tape.crossings):
        differences.append("questions: the replayed run asked fewer")
    if [ask.public for ask in tape.asks] != [ask.public for ask in session.asks]:
        differences.append("questions: other nodes, parameters or payments")
    if _moved_between_parts(tape, session) > unit.sequences:
        differences.append("parts: when one unit comes or goes, others lie in other parts, or a record lies in several")
    losses: dict[int, float] = defaultdict(float)
    unknown: set[str] = set()
    for here, there in zip(tape.crossings, session.crossings, strict=False):
        if not _has_loss(here.law):
            unknown.add(here.place)
            continue
        lost = here.law.loss(there.law, here.answer)
        losses[here.ask] += spent(here.law, there.law) if delta and math.isfinite(lost) else lost
    shares = [abs(lost) * GRAINS / max(paid_by_path(tape, ask), 1) for ask, lost in losses.items() if ask < len(tape.asks)]
    return Outcome(tuple(differences), math.fsum(losses.values()), max(shares, default=0.0), frozenset(unknown))


def _moved_between_parts(tape: Recorder, session: Recorder) -> int:
    """Records that are in a part of one run and not in the same part of the other, at worst."""
    worst = 0
    for here, there in zip(tape.contents, session.contents, strict=False):
        worst = max(worst, sum(((a - b) + (b - a)).total() for a, b in zip(here, there, strict=False)))
    return worst


def _has_loss(law: Any) -> bool:
    return not isinstance(law, Unknown) and not (isinstance(law, Several) and any(isinstance(one, Unknown) for one in law.laws))


def excess(outcome: Outcome, amount: int) -> float:
    """By what factor the loss is above what was charged, ε or ρ; at most 1 (and rounding) when the promise holds.

    >>> excess(Outcome((), 0.5, 1.0, frozenset()), 10**12)
    0.5
    """
    return abs(outcome.loss) * GRAINS / amount
