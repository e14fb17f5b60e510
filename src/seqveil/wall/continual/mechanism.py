"""What a stream's mechanism is to the wall: public parameters, a question, and what is put over the raw side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from seqveil.wall.continual.continual import Continual
from seqveil.wall.continual.question import ContinualQuestion
from seqveil.wall.journal.promise import Promise


class Answering(Protocol):
    """What a mechanism puts over a `Continual`; its answers are post-processing."""

    def feed_many(self, events: Sequence[object]) -> object: ...


S_co = TypeVar("S_co", bound=Answering, covariant=True)


class StreamMechanism(Protocol[S_co]):
    """Public parameters of a stream, which say what to ask the wall and how its values become answers."""

    @property
    def question(self) -> ContinualQuestion: ...

    @property
    def experimental(self) -> str | None:
        """Why it may only be run as an experiment, if so."""
        ...

    def parameters(self) -> dict[str, Any]:
        """The public parameters, ready for a promise."""
        ...

    def stream(self, continual: Continual, promise: Promise) -> S_co:
        """The answers over the raw side of one stream."""
        ...
