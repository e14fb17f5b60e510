"""The fault campaign: kills at every step of a publish and at random moments, and a race for a cap. `make faults`.

Prints one line per kind of fault, and every promise about dying that was not kept. Takes some minutes.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from pathlib import Path

from seqveil.audit.faults import ACCOUNT, Scene, after_death, count_steps, publish, warm_up
from seqveil.errors import BudgetRefused
from seqveil.tables.units import Record
from seqveil.wall.ledger import Ledger


def kill_at_every_step(root: Path, every: int) -> tuple[int, list[str]]:
    """One publish per step, killed just before it."""
    steps = count_steps(Scene(root / "count").prepare())
    problems = []
    for step in range(0, steps, every):
        scene = Scene(root / f"step{step}").prepare()
        if publish(scene, die_at=step) != -9:
            problems.append(f"step {step} was never reached")
        problems += [f"step {step} of {steps}: {problem}" for problem in after_death(scene)]
    return len(range(0, steps, every)), problems


def kill_at_random(root: Path, kills: int, seed: int) -> tuple[int, int, list[str]]:
    """Kills after a random time, from the first moment to a little after the usual end."""
    luck, problems, died = random.Random(seed), [], 0
    begun = time.perf_counter()
    publish(Scene(root / "whole").prepare(4000))
    usual = time.perf_counter() - begun
    for number in range(kills):
        scene = Scene(root / f"random{number}").prepare(4000)
        moment = luck.uniform(0, 1.1 * usual)
        died += publish(scene, kill_after=moment) == -9
        problems += [f"killed after {moment:.4f} s: {problem}" for problem in after_death(scene)]
    return kills, died, problems


def race(root: Path, racers: int, turns: int, cap: int) -> tuple[int, int, float]:
    """How many of racers · turns requests won, how many should have, and how many were answered per second."""
    home = root / "race"
    Ledger(home).set_cap(ACCOUNT, cap * 10)
    begun = time.perf_counter()
    children = []
    for _ in range(racers):
        child = os.fork()
        if child == 0:
            won = 0
            for turn in range(turns):
                try:
                    with Ledger(home, timeout=120).reserve(ACCOUNT, 10, unit=Record(), mechanism="m") as spend:
                        spend.begin()
                        spend.commit(f"{os.getpid()}/{turn}", "digest")
                        won += 1
                except BudgetRefused:
                    pass
            os._exit(won)
        children.append(child)
    won = sum(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children)
    return won, Ledger(home).account(ACCOUNT).spent // 10, racers * turns / (time.perf_counter() - begun)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--random", type=int, default=300, help="kills at random moments")
    parser.add_argument("--every", type=int, default=1, help="kill at every n-th step")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    warm_up()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        begun = time.perf_counter()
        steps, problems = kill_at_every_step(root, given.every)
        print(
            f"{steps} kills, one before every step: {len(problems)} promises broken, {time.perf_counter() - begun:.0f} s",
            flush=True,
        )
        begun = time.perf_counter()
        kills, died, more = kill_at_random(root, given.random, given.seed)
        took = time.perf_counter() - begun
        print(f"{kills} kills at random moments ({died} in time): {len(more)} promises broken, {took:.0f} s", flush=True)
        won, counted, rate = race(root, racers=16, turns=12, cap=100)
        print(f"16 processes, 192 requests for a cap of 100: {won} won, {counted} counted, {rate:.0f} requests per second")
        problems += more + ([] if won == counted == 100 else [f"the race: {won} won, {counted} counted, 100 allowed"])
    print("\n".join(problems))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
