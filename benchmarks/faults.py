"""The fault campaign: kills at every step of a publish and at random moments, a race for a cap, and Ctrl-C. `make faults`.

Prints one line per kind of fault, and every promise about dying that was not kept. Takes about half an hour; `--only ctrl-c` and
`--only kills` do a part of it.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from seqveil.audit.faults import ACCOUNT, Scene, after_death, count_steps, publish, warm_up
from seqveil.audit.interrupting import COMMANDS, Stage
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


def press_ctrl_c(root: Path, presses: int, cold: int, seed: int) -> list[str]:
    """Ctrl-C at random moments of every command: once, thrice in a row, and with a cold cache of compiled code."""
    luck, problems = random.Random(seed), []
    warm = root / "warm"
    stage = Stage(root / "stage").prepare(warm)
    for name in COMMANDS:
        stage.time(name, warm)
        usual = stage.time(name, warm)
        first = stage.time(name, root / "first") if cold else 0.0
        endings: Counter[str] = Counter()
        longest = 0.0
        for number in range(presses + cold):
            moment = luck.uniform(0, 1.05 * (usual if number < presses else first))
            moments = [moment, moment + 0.01, moment + 0.03] if number % 3 == 2 else [moment]
            cache = warm if number < presses else root / f"cold{number}"
            ending, wrong = stage.interrupt(name, moments, cache)
            endings["while Python started" if ending.early else f"exit code {ending.code}"] += 1
            longest = max(longest, ending.lasted)
            for problem in wrong:
                problems.append(f"{name}, Ctrl-C after {moment:.3f} of {usual:.2f} s: {problem}")
                print(problems[-1], flush=True)
            if cache is not warm:
                shutil.rmtree(cache, ignore_errors=True)
        shutil.rmtree(root / "first", ignore_errors=True)
        summary = ", ".join(f"{many} {ending}" for ending, many in sorted(endings.items()))
        print(
            f"{name}: Ctrl-C {presses} times, and {cold} with a cold cache: {summary}; at most {longest:.1f} s late", flush=True
        )
    return problems


def kill(root: Path, options: argparse.Namespace) -> list[str]:
    """Kills, and the race."""
    warm_up()
    begun = time.perf_counter()
    steps, problems = kill_at_every_step(root, options.every)
    print(
        f"{steps} kills, one before every step: {len(problems)} promises broken, {time.perf_counter() - begun:.0f} s",
        flush=True,
    )
    begun = time.perf_counter()
    kills, died, more = kill_at_random(root, options.random, options.seed)
    took = time.perf_counter() - begun
    print(f"{kills} kills at random moments ({died} in time): {len(more)} promises broken, {took:.0f} s", flush=True)
    won, counted, rate = race(root, racers=16, turns=12, cap=100)
    print(f"16 processes, 192 requests for a cap of 100: {won} won, {counted} counted, {rate:.0f} requests per second")
    problems += more + ([] if won == counted == 100 else [f"the race: {won} won, {counted} counted, 100 allowed"])
    return problems


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=["kills", "ctrl-c"], help="a part of the campaign")
    parser.add_argument("--presses", type=int, default=24, help="Ctrl-C in each command, with a warm cache")
    parser.add_argument("--cold", type=int, default=3, help="Ctrl-C in each command, with a cold cache")
    parser.add_argument("--random", type=int, default=300, help="kills at random moments")
    parser.add_argument("--every", type=int, default=1, help="kill at every n-th step")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    problems: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        if options.only != "ctrl-c":
            problems += kill(Path(folder), options)
        if options.only != "kills":
            problems += press_ctrl_c(Path(folder) / "ctrl-c", options.presses, options.cold, options.seed)
    print("\n".join(problems))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
