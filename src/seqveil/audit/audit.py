"""An audit: every attack on one method, or on all of them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from functools import partial
from multiprocessing import get_context

from seqveil import registry
from seqveil.audit.accounting import attack_accounts, attack_conversions
from seqveil.audit.bound import attack_by_statistics
from seqveil.audit.budget import Effort
from seqveil.audit.command import attack_command
from seqveil.audit.discoveries import attack_discovery
from seqveil.audit.findings import Attack, Audited, Enough
from seqveil.audit.locality import attack_locality
from seqveil.audit.noise_tests import attack_noise, attack_survivors
from seqveil.audit.replays import Pairing, attack_by_replay
from seqveil.audit.sensitivity import attack_questions
from seqveil.audit.shards import attack_on_shards
from seqveil.audit.stream_draws import attack_draws
from seqveil.audit.streams import attack_streams
from seqveil.audit.subjects import DELTA, Subject, probes, shallow, subjects
from seqveil.errors import CallError
from seqveil.tables.units import Event
from seqveil.wall.budget import GRAINS, decimal
from seqveil.wall.measures.delta import stated
from seqveil.wall.noise import Noise, SecureNoise, SeededNoise

NOISE, WALL, ACCOUNTS, STREAM, READERS = "noise", "wall", "accounts", "stream", "readers"
"""What is audited beside the methods of the registry."""


Attempt = tuple[str, Callable[[Attack], None]]


def attempts(name: str, effort: Effort) -> Iterator[Attempt]:
    """Every attack that there is on something, with its name; the cheap and exact ones first."""
    if name == NOISE:
        yield from _on_noise(effort)
    elif name == WALL:
        yield from _on_wall(effort)
    elif name == ACCOUNTS:
        yield "conversions of ρ and δ", attack_conversions
        yield "sums of accounts", lambda attack: attack_accounts(attack, effort.bases)
    elif name == READERS:
        yield "locality", lambda attack: attack_locality(attack, effort)
    elif name == STREAM:
        yield "neighbouring streams", lambda attack: attack_streams(attack, effort)
        yield "draws used once", attack_draws
    elif registry.method(name).verb == "stream":
        yield "neighbouring streams", lambda attack: attack_streams(attack, effort, only=name)
    elif registry.method(name).verb == "domain":
        yield "labels of one unit", lambda attack: attack_discovery(attack, effort)
    else:
        yield from _on_method(name, effort)


def _on_method(name: str, effort: Effort) -> Iterator[Attempt]:
    chosen, forms = registry.method(name), subjects(name)
    if not forms:
        gap = f"{name}: no simulated data of kind {chosen.kind!r}: add a file for the kind to kinds/"
        yield "replay", lambda attack: attack.missed(gap)
        return
    pairings: list[Pairing] = []

    def by_replay(attack: Attack) -> None:
        pairings.extend(Pairing(subject, attack) for subject in forms)
        attack_by_replay(pairings, attack, effort)

    yield "replay", by_replay
    yield "replay on Spark's engine", lambda attack: attack_on_shards(forms, attack)
    yield "sensitivity", lambda attack: attack_questions(forms[0], pairings[0].questions, attack, effort)
    yield "command line", lambda attack: attack_command(forms[0], chosen.verb, attack, effort)
    candidates = [s for s in (shallow(name), forms[0]) if s is not None][: None if effort.variants else 1]
    yield "statistics", lambda attack: attack_by_statistics(candidates, attack, effort.runs, effort.variants)


def _on_wall(effort: Effort) -> Iterator[Attempt]:
    forms = probes()
    pairings: list[Pairing] = []

    def by_replay(attack: Attack) -> None:
        pairings.extend(Pairing(subject, attack) for subject in forms)
        attack_by_replay(pairings, attack, effort)

    yield "replay in zCDP", by_replay
    yield (
        "replay in zCDP on Spark's engine",
        lambda attack: attack_on_shards([replace(one, variant="") for one in forms[:2]], attack),
    )
    for subject, pairing in zip(forms[:2], pairings, strict=False):
        yield f"sensitivity, {subject.unit.name}", partial(_sensitivity, subject, pairing, effort)


def _sensitivity(subject: Subject, pairing: Pairing, effort: Effort, attack: Attack) -> None:
    attack_questions(subject, pairing.questions, attack, replace(effort, variants=True))  # all questions, not the first few


def _on_noise(effort: Effort) -> Iterator[Attempt]:
    sources: list[Noise] = [SecureNoise(), SeededNoise(7)]
    for source in sources:
        yield f"laws of {source.kind} noise", partial(_laws, source, effort.draws)
    yield "counts above a threshold", lambda attack: attack_survivors(attack, max(3000, effort.draws // 20))


def _laws(source: Noise, draws: int, attack: Attack) -> None:
    attack_noise(source, attack, draws)


def attacks(name: str, effort: Effort, eager: bool = False) -> Iterator[Attack]:
    """Carry out every attack, one after the other; an eager one ends with its first violation."""
    for title, attempt in attempts(name, effort):
        attack, begun = Attack(title, eager=eager), time.perf_counter()
        try:
            attempt(attack)
        except Enough:
            pass
        except Exception as error:  # an attack that ends in an exception has found something
            attack.eager = False
            attack.violated(f"the attack ended in {type(error).__name__}: {error}")
        attack.seconds = round(time.perf_counter() - begun, 3)
        yield attack


def claim(name: str) -> str:
    """What is attacked, in words."""
    if name == NOISE:
        return "every draw follows its exact law"
    if name == WALL:
        return "every question asked in zCDP costs what it was charged, and no more"
    if name == ACCOUNTS:
        return "what accounts and manifests say of (ε, δ) is never less than what was spent"
    if name == READERS:
        return "read(D ∪ u) = read(D) ⊎ read(u): no user's rows change how another user's are read"
    if name == STREAM or registry.method(name).verb == "stream":
        return f"ε = {decimal(GRAINS)}: {Event().neighbours}"
    if registry.method(name).verb == "domain":
        return f"δ-approximate ρ-zCDP, and so ε at δ = {stated(DELTA)}, for every user or record"
    forms = subjects(name)
    return f"ε = {decimal(forms[0].epsilon)}: {forms[0].unit.neighbours}" if forms else "not audited"


def _audit(name: str, effort: Effort) -> Audited:
    return Audited(name, claim(name), list(attacks(name, effort)))


def everything() -> list[str]:
    """All that `all` audits; `stream` stands for every method of a stream."""
    audited = [name for name, method in registry.methods().items() if method.verb != "stream"]
    return [NOISE, WALL, ACCOUNTS, STREAM, READERS, *audited]


def audit(
    name: str, effort: Effort, on_step: Callable[[str], None] = lambda step: None, processes: int | None = None
) -> list[Audited]:
    """Audit one method, or `all`; on as many processes as there are cores."""
    subjects_of_all = everything()
    if name not in (*subjects_of_all, *registry.methods("stream"), "all"):
        choices = ", ".join([*subjects_of_all, *registry.methods("stream")])
        raise CallError(f"{name!r} cannot be audited: choose all, or one of {choices}.")
    names = subjects_of_all if name == "all" else [name]
    workers = min(len(names), processes or os.cpu_count() or 1)
    audited: dict[str, Audited] = {}
    if workers == 1:
        for one in names:
            on_step(one)
            audited[one] = _audit(one, effort)
        return list(audited.values())
    # A fresh interpreter per worker: threads of the libraries do not survive a fork.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        waiting = {pool.submit(_audit, one, effort): one for one in names}
        for done in as_completed(waiting):
            on_step(waiting[done])
            audited[waiting[done]] = done.result()
    return [audited[one] for one in names]
