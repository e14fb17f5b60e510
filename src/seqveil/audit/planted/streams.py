"""Noise of a stream that is used twice, and counts that one event moves too far, planted again."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from seqveil.audit.planted.planting import Planted, both, replaced
from seqveil.engines.local.packing import PrefixPacking
from seqveil.wall.continual import (
    Blocks,
    Checkpoints,
    Coefficients,
    ContinualQuestion,
    Counts,
    PrefixBlocks,
    SquareRoot,
    WindowBlocks,
    blocks,
    vault,
)
from seqveil.wall.continual.blocks import _BlockTotals
from seqveil.wall.continual.bounding import DailyBound
from seqveil.wall.continual.continual import Continual
from seqveil.wall.continual.pool import AHEAD, Pool
from seqveil.wall.journal import journal, witness
from seqveil.wall.journal.frames import CLOSED
from seqveil.wall.journal.journal import Journal
from seqveil.wall.noise import drawn
from seqveil.wall.process import Owned


def _nothing(*_: Any) -> None:
    pass


def _redrawn(continual: Any, answer: Any) -> Any:
    """What was answered before is answered again with fresh noise."""
    if (frame := next(continual._Continual__stored, None)) is None:
        return None
    kind, values, draws = frame
    return answer(continual._Continual__release(values, continual._Continual__pool.take(len(draws)), closed=kind == CLOSED))


def _repeating(pool: Any, count: int) -> Any:
    """The first 1,024 draws, for ever."""
    if not hasattr(pool, "all"):
        pool.all, pool.at = drawn(pool._noise, pool._law, AHEAD), 0
    pool.at += count
    return pool.all[np.arange(pool.at - count, pool.at) % AHEAD]


def _anywhere(stored: Any, first: int) -> None:
    stored._position = first - 1


def _every_occurrence(kernel: Any, lengths: Any) -> Any:
    """All that end so far, whether or not they share events."""
    counts = getattr(kernel, "total", 0) + np.cumsum(lengths > 0)
    kernel.total = int(counts[-1]) if len(counts) else getattr(kernel, "total", 0)
    return counts


def _shared(kernel: Any, values: Any) -> Any:
    """Every block also holds the event before it, which belongs to the block before."""
    before = getattr(kernel, "before", 0)
    steps = kernel._statistic.steps(values)
    totals = _HONEST(kernel, values)
    kernel.before = int(steps[-1, 0]) if len(steps) else before
    if kernel._statistic.values > 1 or kernel._blocks.every > 1 or not len(steps):
        return totals
    return totals + np.concatenate([[before], steps[:-1, 0]])


_HONEST, _COLUMN = _BlockTotals.feed, Coefficients.square


def _null_for_nothing(bound: Any, owners: Any, values: Any) -> Any:
    """A null event does not use up a place: later ones move up when an early one becomes null."""
    kept = [value == value and bound._counts(owner) for owner, value in zip(owners, values, strict=True)]
    bound.seen += sum(value != value for value in values)
    return np.where(np.array(kept, bool), values, np.nan)


_NO_LOCKS = SimpleNamespace(flock=_nothing, LOCK_EX=0, LOCK_NB=0)


STREAMS = [
    Planted(
        "stream fork",
        "Seqveil 0.1",
        "a forked child keeps the noise that was drawn ahead, and may use it",
        "stream",
        "forked process used noise twice|two versions of a value",
        lambda: both(replaced(Owned, "_check_owner", _nothing), replaced(Pool, "_let_go", _nothing)),
    ),
    Planted(
        "stream fork, fresh",
        "Seqveil 0.1",
        "a forked child draws noise of its own for what its parent answers too",
        "stream",
        "forked process used noise twice|under two draws",
        replaced(Owned, "_check_owner", _nothing),
    ),
    Planted(
        "stream restart",
        "Seqveil 0.1",
        "after a restart an event that was answered gets fresh noise",
        "stream",
        "under two draws",
        replaced(Continual, "replay", _redrawn),
    ),
    Planted(
        "stream skipped replay",
        "Seqveil 0.1",
        "a stream that was opened again begins at its first event, whatever was answered",
        "stream",
        "under two draws",
        replaced(Journal, "_check_first", _anywhere),
    ),
    Planted(
        "stream repeats",
        "a pool that is never refilled",
        "the noise of a stream repeats every 1,024 draws",
        "stream",
        "hides two values",
        replaced(Pool, "take", _repeating),
    ),
    Planted(
        "stream twin",
        "Seqveil 0.1",
        "the witness is not locked: a copy of the state goes on beside it",
        "stream",
        "under two draws",
        replaced(witness, "fcntl", _NO_LOCKS),
    ),
    Planted(
        "stream older copy",
        "a journal without a witness",
        "a state file that lags behind what was answered is resumed",
        "stream",
        "under two draws",
        lambda: both(replaced(journal, "closed_until", lambda *_: 0), replaced(journal, "check_copy", _nothing)),
    ),
    Planted(
        "stream head",
        "Seqveil 0.1",
        "a head that the ledger does not know is trusted: an eighth of the noise",
        "stream",
        "noise of scale",
        replaced(vault, "check_promise", _nothing),
    ),
    Planted(
        "stream overlapping matches",
        "pattern counting",
        "occurrences that share events are all counted, with the noise of one",
        "stream",
        "one event moves",
        replaced(PrefixPacking, "feed", _every_occurrence),
    ),
    Planted(
        "stream short blocks",
        "docs/mechanisms/streams.md, 'Matches and bursts'",
        "blocks that just hold a match do not count in the noise",
        "stream",
        "one event moves",
        replaced(PrefixBlocks, "touched", lambda s, shortest: s.overlap - shortest.bit_length()),
    ),
    Planted(
        "stream checkpoints",
        "a public schedule",
        "quadratic checkpoints have the noise of one fewer",
        "stream",
        "one event moves",
        replaced(Checkpoints, "touched", lambda s, shortest: s.checkpoints - (s.spacing == "quadratic")),
    ),
    Planted(
        "stream layers of blocks",
        "docs/mechanisms/streams.md, 'Blocks'",
        "blocks have the noise of one layer less",
        "stream",
        "one event moves",
        replaced(Blocks, "influence", lambda s, statistic: (s.overlap - 1) * statistic.sensitivity),
    ),
    Planted(
        "stream without a length",
        "docs/mechanisms/streams.md, 'Without a length'",
        "a stream without a length has the noise of one layer, as if its segments did not overlap",
        "stream",
        "length None overlap 2: one event moves",
        replaced(Blocks, "influence", lambda s, statistic: (s.overlap if s.declared is not None else 1) * statistic.sensitivity),
    ),
    Planted(
        "stream shared event",
        "docs/mechanisms/streams.md, 'Blocks'",
        "neighbouring blocks share an event",
        "stream",
        "one event moves",
        replaced(_BlockTotals, "feed", _shared),
    ),
    Planted(
        "stream window blocks",
        "docs/mechanisms/streams.md, 'Blocks'",
        "blocks of a window have the noise of the largest alone",
        "stream",
        "one event moves",
        replaced(WindowBlocks, "influence", lambda s, statistic: statistic.sensitivity),
    ),
    Planted(
        "stream labels",
        "group-by counts",
        "a replaced label counts once, not as one label less and one more",
        "stream",
        "one event moves",
        replaced(Counts, "sensitivity", 1),
    ),
    Planted(
        "stream run",
        "w-event privacy",
        "a run of events has the noise of one",
        "stream",
        "consecutive 2: one event moves",
        replaced(ContinualQuestion, "influence", lambda s, unit: s.stretches.influence(s.statistic)),
    ),
    Planted(
        "stream weighted sums",
        "docs/mechanisms/square-root.md, 'Sensitivity'",
        "the noise of weighted sums is that of one of them",
        "stream",
        "sqrt.*: one event moves",
        replaced(Coefficients, "square", lambda s, run: run**2 * s.heights[0] ** 2),
    ),
    Planted(
        "stream weighted run",
        "docs/mechanisms/square-root.md, 'Sensitivity'",
        "the squares of a run's events are added up, as if their weights never met",
        "stream",
        "sqrt.*consecutive 2: one event moves",
        replaced(Coefficients, "square", lambda s, run: run * _COLUMN(s, 1)),
    ),
    Planted(
        "stream weighted steps",
        "docs/mechanisms/square-root.md, 'Sensitivity'",
        "events of one step count as if they lay in steps of their own",
        "stream",
        "sqrt every 3 consecutive 4: one event moves",
        replaced(SquareRoot, "square", lambda s, statistic, events: statistic.square * s.coefficients.square(events)),
    ),
    Planted(
        "stream labels in L2",
        "group-by counts",
        "with Gaussian noise a replaced label counts once",
        "stream",
        "Counts.*: one event moves",
        replaced(Counts, "square", 1),
    ),
    Planted(
        "stream run in L2",
        "w-event privacy",
        "with Gaussian noise a run of events counts as its length, not as the square of it",
        "stream",
        "consecutive 2: one event moves",
        replaced(blocks, "square_of", lambda statistic, touched, events: events * touched * statistic.square),
    ),
    Planted(
        "stream user's day",
        "docs/mechanisms/streams.md, 'Units'",
        "null events do not use up the bound of a day",
        "stream",
        "one user's day moves",
        replaced(DailyBound, "bounded", _null_for_nothing),
    ),
]
