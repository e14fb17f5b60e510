"""All moves of one side over a channel: the messages lie in a folder beside `keep`, so that a lost connection loses nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from seqveil.durable import make_directory
from seqveil.link.psi import moves
from seqveil.link.psi.channel import Channel
from seqveil.link.psi.keep import STATE, Keep, Stage
from seqveil.link.psi.messages import ENTRY, HEADER, LABEL
from seqveil.link.psi.moves import People, Result, Tell
from seqveil.link.psi.oprf import POINT
from seqveil.link.psi.terms import Terms

Save = Callable[[Result], object]


def _places(keep: Path) -> list[Path]:
    """Where the three messages lie."""
    folder = make_directory(keep.parent / f"{keep.name}.messages", 0o700)
    return [folder / f"move-{move}.psi" for move in (1, 2, 3)]


def over(keep: Path) -> bool:
    """Whether this side has learnt what it learns, and can only be asked to send its last message once more."""
    return _stage(keep) == "done"


def _stage(keep: Path) -> Stage | None:
    return Keep.load(keep).state.stage if (keep / STATE).exists() else None


def _anew(path: Path) -> Path:
    """A killed move may have left its message; made again it has the same bytes."""
    path.unlink(missing_ok=True)
    return path


def prepare(terms: Terms, people: People, keep: Path, tell: Tell) -> None:
    """The starter's first message, before anybody connects."""
    first, _, _ = _places(keep)
    if _stage(keep) in (None, "working"):
        moves.start(terms, people, keep, _anew(first), tell)


def serve(channel: Channel, people: Callable[[], People], keep: Path, save: Save, tell: Tell) -> Result | None:
    """The starter's side. None: the result was there before, and only the reply was still to be sent."""
    first, second, third = _places(keep)
    terms, result = Keep.load(keep).terms, None
    channel.send(first)
    channel.receive(second, HEADER + terms.total("starter") * POINT + terms.total("answerer") * ENTRY)
    both = terms.learns == "both"
    if _stage(keep) == "sent":
        result = moves.finish(second, people(), keep, _anew(third) if both else None, save, tell)
    if both:
        channel.send(third)
    return result


def join(channel: Channel, terms: Terms, people: Callable[[], People], keep: Path, save: Save, tell: Tell) -> Result | None:
    """The answerer's side. None: by the terms it learns nothing, or it has learnt it before."""
    first, second, third = _places(keep)
    channel.receive(first, HEADER + terms.total("starter") * POINT)
    if _stage(keep) in (None, "working"):
        moves.answer(terms, first, people(), keep, _anew(second), tell)
    channel.send(second)
    if terms.learns == "starter":
        return None
    channel.receive(third, HEADER + LABEL * terms.rows["starter"] * terms.rows["answerer"])
    return moves.open_reply(third, people(), keep, save) if _stage(keep) == "sent" else None
