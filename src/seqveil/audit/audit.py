"""An audit: every attack on one method, or on all of them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import get_context

from seqveil import registry
from seqveil.audit.bound import attack_by_statistics
from seqveil.audit.budget import Effort
from seqveil.audit.command import attack_command
from seqveil.audit.findings import Attack, Audited
from seqveil.audit.noise_tests import attack_noise, attack_survivors
from seqveil.audit.replays import Pairing, attack_by_replay
from seqveil.audit.sensitivity import attack_questions
from seqveil.audit.streams import audit_streams
from seqveil.audit.subjects import shallow, subjects
from seqveil.errors import CallError
from seqveil.wall.budget import decimal
from seqveil.wall.noise import SecureNoise, SeededNoise

NOISE, STREAM = "noise", "stream"
"""What is audited beside the methods of the registry."""


@contextmanager
def _timed(audited: Audited, name: str) -> Iterator[Attack]:
    """An attack that is counted even when it ends in an exception, which is a finding of its own."""
    attack, begun = Attack(name), time.perf_counter()
    audited.attacks.append(attack)
    try:
        yield attack
    except Exception as error:
        attack.violated(f"the {name} ended in {type(error).__name__}: {error}")
    finally:
        attack.seconds = round(time.perf_counter() - begun, 3)


def audit_method(name: str, effort: Effort) -> Audited:
    """Everything against one method of the registry."""
    chosen, forms = registry.method(name), subjects(name)
    if not forms:
        audited = Audited(name, "not audited")
        with _timed(audited, "replay") as attack:
            attack.missed(f"{name}: nothing is made up here for data of kind {chosen.kind!r}; add a kind to audit/kinds.py")
        return audited
    audited = Audited(name, f"ε = {decimal(forms[0].epsilon)}: {forms[0].unit.neighbours}")
    pairings: list[Pairing] = []
    with _timed(audited, "replay") as attack:
        pairings = [Pairing(subject, attack) for subject in forms]
        attack_by_replay(pairings, attack, effort)
    with _timed(audited, "sensitivity") as attack:
        attack_questions(forms[0], pairings[0].questions, attack, effort)
    with _timed(audited, "statistics") as attack:
        thin = shallow(name)
        candidates = [s for s in (thin, forms[0]) if s is not None]
        attack_by_statistics(candidates if effort.variants else candidates[:1], attack, effort.runs)
    with _timed(audited, "command line") as attack:
        attack_command(forms[0], chosen.verb, attack, effort.variants)
    return audited


def audit_noise(effort: Effort) -> Audited:
    """The sources of noise, and what the wall makes of them."""
    audited = Audited(NOISE, "every draw follows its exact law")
    for source in (SecureNoise(), SeededNoise(7)):
        with _timed(audited, f"laws of {source.kind} noise") as attack:
            attack_noise(source, attack, effort.draws)
    with _timed(audited, "counts above a threshold") as attack:
        attack_survivors(attack, max(3000, effort.draws // 20))
        attack.summary = f"{attack.tried:,} families of counts: every slot passes, and by as much, as often as its law says."
    return audited


def _audit(name: str, effort: Effort) -> Audited:
    if name == NOISE:
        return audit_noise(effort)
    return audit_streams(effort) if name == STREAM else audit_method(name, effort)


def everything() -> list[str]:
    """All that can be audited."""
    return [NOISE, STREAM, *registry.methods()]


def audit(
    name: str, effort: Effort, on_step: Callable[[str], None] = lambda step: None, processes: int | None = None
) -> list[Audited]:
    """Audit one method, or `all`; on as many processes as there are cores."""
    known = everything()
    if name not in (*known, "all"):
        raise CallError(f"there is nothing called {name!r} to audit: choose all, or one of {', '.join(known)}.")
    names = known if name == "all" else [name]
    workers = min(len(names), processes or os.cpu_count() or 1)
    if workers == 1:
        found = {}
        for one in names:
            on_step(one)
            found[one] = _audit(one, effort)
        return list(found.values())
    # A fresh interpreter per worker: threads of the libraries do not survive a fork.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        waiting = {pool.submit(_audit, one, effort): one for one in names}
        found = {}
        for done in as_completed(waiting):
            on_step(waiting[done])
            found[waiting[done]] = done.result()
    return [found[one] for one in names]
