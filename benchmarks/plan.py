"""Calibration of plans: what `--dry-run` and `seqveil plan` say from |I|, size and mean length alone, beside a seeded release.

    python benchmarks/plan.py [--sets msnbc,bms1] [--methods ngram,diffpart] [--epsilon 0.1,1,10] [--seed 1] [--most-labels 64]

A row is wrong if the release came out empty and nothing warned of it ("not warned"), or if a warning said that most of the top 20
would be lost or nothing would be released, and most of them were right ("needless"). `--most-labels` leaves out
the thorough plan for larger domains, where the record model takes it long.
Seeded runs on public data: nothing here is private.
"""

from __future__ import annotations

import argparse
from typing import Any

import seqveil as sv
from data import find
from seqveil.errors import CallError
from seqveil.evaluate.bench.quality.sets import SETS as SEQUENCES
from seqveil.planning.forecast import percent
from seqveil.planning.outcome import outcome_of
from seqveil.planning.plan import MOST_HEAVY, foresee
from seqveil.planning.scenes import Setting
from seqveil.planning.target import Target
from seqveil.planning.truth import Truth
from seqveil.registry import make, methods
from seqveil.wall.budget import decimal, grains

SETS = {"mushroom": (1, 119), "T10I4D100K": (0, 999), "retail": (0, 16_469)}
METHODS = {"sequences": ("record-model", "ngram", "two-phase"), "sets": ("diffpart", "itemsets")}
PARAMETERS: dict[str, dict[str, Any]] = {"itemsets": {"top": 100}}
MOST_RIGHT = 0.5


def load(name: str) -> Any:
    """A public or simulated table over the labels that occur in it."""
    if name in SETS:
        path = find(f"{name}.dat.gz")
        return None if path is None else sv.read_sets(path, domain=sv.Domain.range(*SETS[name]))
    try:
        return SEQUENCES[name].read(None)
    except CallError as missing:
        print(f"skipped: {missing}")
        return None


def verdict(really: dict[str, float], top: str, warned: list[str]) -> str:
    """Whether the warnings were right."""
    said = " ".join(warned)
    if really["empty"] and "empty" not in said:
        return "NOT WARNED"
    doom = "will probably be empty" in said or "will hide most" in said or "swamp" in said or "little or nothing" in said
    return "NEEDLESS" if doom and not really["empty"] and really[top] >= MOST_RIGHT else "right"


def short(warned: list[str]) -> str:
    """The warnings in a word each."""
    words = {
        "will probably be empty": "empty",
        "may be empty": "perhaps empty",
        "will hide most": "mostly lost",
        "may hide most": "perhaps mostly lost",
    }
    words |= {"swamp": "swamped", "little or nothing": "little passes", "from noise alone": "noise records"}
    return ", ".join(word for text, word in words.items() if any(text in one for one in warned)) or "–"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", default=",".join([*SEQUENCES, *SETS]))
    parser.add_argument("--methods", default="")
    parser.add_argument("--epsilon", default="0.1,1,10")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most-labels", type=int, default=10**9)
    asked = parser.parse_args()
    header = ("data", "labels", "records", "mean length", "method", "ε", "top 20 right", "dry run", "plan")
    header += ("pairs off by", "plan", "warnings", "verdict")
    print("| " + " | ".join(header) + " |")
    print("|---" * len(header) + "|")
    for name in asked.sets.split(","):
        if (table := load(name)) is not None:
            calibrate(name, table, asked)


def calibrate(name: str, table: Any, asked: Any) -> None:
    """All methods and ε for one table."""
    length, truth = round(len(table.flat.items) / len(table), 1), Truth(table)
    for method in asked.methods.split(",") if asked.methods else METHODS[table.kind]:
        if method not in methods() or methods()[method].kind != table.kind:
            continue
        mechanism, epsilons = make(method, PARAMETERS.get(method, {})), asked.epsilon.split(",")
        slow = mechanism.plan(grains("1"), table.domain, sv.Record()).heavy and length > MOST_HEAVY
        slow = slow or len(table.domain) > asked.most_labels
        forecast = None if slow else sv.plan(mechanism, table.domain, len(table), epsilons, length=length)
        for epsilon in epsilons:
            really = outcome_of(sv.experiment(table, mechanism, epsilon, seed=asked.seed), truth, Target())
            amount = grains(epsilon)
            closed = mechanism.plan(amount, table.domain, sv.Record(), len(table))
            said, foreseen = foresee(mechanism, Setting(table.kind, table.domain, sv.Record(), len(table), length), amount)
            warned = [*closed.warnings, *foreseen]
            top = next(key for key in really if key.startswith("top_"))
            right = "empty" if really["empty"] else f"{really[top]:.0%}"
            planned = "–" if forecast is None else f"{forecast.range(decimal(amount), top).typical:.0%}"
            off, foretold = _pairs(really, forecast, decimal(amount))
            ranged = said[0].partition("patterns, ")[2].partition(" in the")[0] or "not simulated"
            cells = [name, f"{len(table.domain):,}", f"{len(table):,}", f"{length:g}", method, epsilon, right, ranged]
            print(
                "| " + " | ".join([*cells, planned, off, foretold, short(warned), verdict(really, top, warned)]) + " |",
                flush=True,
            )


def _pairs(really: dict[str, float], forecast: Any, epsilon: str) -> tuple[str, str]:
    """The median error of the 20 most frequent pairs, and the range that was planned."""
    if "pairs" not in really:
        return "–", "–"
    if forecast is None:
        return percent(really["pairs"]), "–"
    _, low, high = forecast.range(epsilon, "pairs")
    return percent(really["pairs"]), f"{percent(low)} to {percent(high)}"


if __name__ == "__main__":
    main()
