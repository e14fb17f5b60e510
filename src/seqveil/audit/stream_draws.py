"""Attack on the noise of streams: no draw is ever used twice, whatever happens to processes, threads and files.

The stream counts events and tells every prefix, so each answer is one exact number and one draw; the detector (draws.py)
sees which. Each scene tries to make a stream use its noise twice. Refusing is always right.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from seqveil.audit.draws import Numbered, UsedTwice
from seqveil.audit.findings import Attack
from seqveil.errors import SeqveilError
from seqveil.wall.continual.pool import AHEAD

LENGTH = 3 * AHEAD


@dataclass
class Scene:
    """A folder with a ledger, a state file, and noise whose use is watched."""

    folder: Path
    noise: Numbered = field(default_factory=Numbered)
    answers: int = 0

    @property
    def state(self) -> Path:
        return self.folder / "count.state"

    def open(self, state: Path | None, skip: bool = False) -> Watched:
        """The stream, new or gone on with; `skip` leaves out going through what was answered before."""
        from seqveil.stream.mechanism import StreamMethod, method_from
        from seqveil.wall.continual import Count, open_stream, promise_of, reopen_stream

        home = self.folder / "home"
        with patch("seqveil.wall.continual.vault.SecureNoise", lambda: self.noise):
            promise = None if state is None else promise_of(state)
            if promise is not None and state is not None:
                stream = reopen_stream(method_from(promise.parameters), state, home=home)
            else:
                method = StreamMethod(Count("> 0"), "baseline", LENGTH)
                stream = open_stream(method, "1.0", account="audit", cap="100", state=state, home=home)
        watched = Watched(self, stream)
        if promise is not None and not skip:
            watched.again()
        return watched


@dataclass
class Watched:
    """A stream of counts, and the detector that looks at every answer. All events of before were ones."""

    scene: Scene
    stream: Any
    ones: dict[int, int] = field(default_factory=dict)

    def feed(self, events: Sequence[int]) -> None:
        """Answers for some events, each traced to its draw."""
        before, exact = self.stream.position, self.ones.get(self.stream.position, self.stream.position)
        for position, event in enumerate(events, before + 1):
            exact += event
            self.ones[position] = exact
        for answer in self.stream.feed_many(events):
            self._trace(answer)

    def again(self) -> None:
        """The answers of before, traced too."""
        for answer in self.stream.again():
            self._trace(answer)
        self.stream.resume()

    def _trace(self, answer: Any) -> None:
        self.scene.answers += 1
        self.scene.noise.used(answer.position, answer.noisy, self.ones.get(answer.position, answer.position))

    def close(self) -> None:
        self.stream.close()


def long(scene: Scene) -> None:
    """More events than are drawn for at a time, at once and one by one."""
    stream = scene.open(None)
    stream.feed([1] * (2 * AHEAD))
    for _ in range(20):
        stream.feed([1])
    stream.close()


def forked(scene: Scene, state: Path | None) -> None:
    """The child of a fork answers other events than its parent."""
    stream = scene.open(state)
    stream.feed([1])
    with child() as in_child:
        if in_child:
            stream.feed([0, 0, 1])
    stream.feed([1, 1, 1])
    stream.close()


def forked_without_state(scene: Scene) -> None:
    """A fork of a stream that only lives in memory."""
    forked(scene, None)


def forked_with_state(scene: Scene) -> None:
    """A fork of a stream with a state file."""
    forked(scene, scene.state)


def restarted(scene: Scene) -> None:
    """Stopped, and opened again from its state file: everything of before stands."""
    stream = scene.open(scene.state)
    stream.feed([1] * 5)
    stream.close()
    stream = scene.open(scene.state)
    stream.feed([1])
    stream.close()


def fed_before_the_replay(scene: Scene) -> None:
    """Opened again, and fed at once as if nothing had been answered."""
    stream = scene.open(scene.state)
    stream.feed([1] * 5)
    stream.close()
    scene.open(scene.state, skip=True).feed([1])


def copied_while_open(scene: Scene) -> None:
    """A copy of the state file is opened while the stream itself goes on."""
    twin = scene.folder / "twin.state"
    stream = scene.open(scene.state)
    stream.feed([1] * 5)
    shutil.copy(scene.state, twin)
    with refused():
        scene.open(twin).feed([1])
    stream.feed([1])


def copied_and_gone_on(scene: Scene) -> None:
    """After a copy was gone on with, the stream itself is."""
    twin = scene.folder / "twin.state"
    stream = scene.open(scene.state)
    stream.feed([1] * 5)
    stream.close()
    shutil.copy(scene.state, twin)
    stream = scene.open(twin)
    stream.feed([1])
    stream.close()
    scene.open(scene.state).feed([1])


def edited(scene: Scene) -> None:
    """The head of the state file declares an eighth of the events, and so an eighth of the noise; its own digest fits."""
    from seqveil.wall.continual import promise_of

    stream = scene.open(scene.state)
    stream.feed([1] * 5)
    stream.close()
    promise = promise_of(scene.state)
    if promise is None:
        raise AssertionError("there is no state file")
    parameters = {**promise.parameters, "length": LENGTH // 8}
    head = replace(promise, parameters=parameters, scale=promise.scale / 8).head()
    with scene.state.open("r+b") as file:
        file.write(head)
    scene.open(scene.state).feed([1])


def threaded(scene: Scene) -> None:
    """Eight threads feed one stream at the same time."""
    stream, interval = scene.open(None), sys.getswitchinterval()
    answers: list[Any] = []
    threads = [threading.Thread(target=lambda: answers.extend(stream.stream.over([1] * 40))) for _ in range(8)]
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
    finally:
        for thread in threads:
            thread.join()
        sys.setswitchinterval(interval)
    for answer in answers:
        stream._trace(answer)


SCENES: list[Callable[[Scene], None]] = [
    long,
    forked_without_state,
    forked_with_state,
    restarted,
    fed_before_the_replay,
    copied_while_open,
    copied_and_gone_on,
    edited,
    threaded,
]


def attack_draws(attack: Attack) -> None:
    """Every scene; what is found is told with the scene's own sentence."""
    for play in SCENES:
        with tempfile.TemporaryDirectory() as folder:
            scene = Scene(Path(folder))
            what = play.__doc__ or play.__name__
            attack.tried += 1
            try:
                with refused():
                    play(scene)
            except UsedTwice as twice:
                attack.violated(f"stream: {twice}", what)
            else:
                if scene.noise.caught:
                    attack.violated("stream: a forked process used noise twice", what)
            if scene.noise.scales - {float(LENGTH)}:
                attack.violated(f"stream: noise of scale {min(scene.noise.scales):g}, where {LENGTH} was claimed", what)
            if not scene.answers:
                attack.missed(f"stream: nothing was answered, so nothing was tested ({what})")
    attack.summary = (
        f"{attack.tried} ways to make a stream use its noise twice: forks, threads, restarts, copies, an edited head."
    )


def refused() -> AbstractContextManager[None]:
    """What Seqveil refuses is as good as what it does right."""
    return suppress(SeqveilError)


@contextmanager
def child() -> Iterator[bool]:
    """The body runs in a forked child, with True, and then here, with False. The child ends with it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # other threads are only the journal's
        number = os.fork()
    if number:
        os.waitpid(number, 0)
        yield False
        return
    try:
        yield True
    finally:
        os._exit(0)
