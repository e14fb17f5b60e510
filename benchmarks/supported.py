"""What `synth --supported` costs: false and lost steps, lengths and unseen records, as published and supported.

    SEQVEIL_DATA=… python benchmarks/supported.py sepsis,helpdesk 0.1,1 2      # sets, ε, seeds

The table of docs/mechanisms/record-model.md, 'Supported records', is the mean over seeds 1 and 2.
"""

from __future__ import annotations

import sys

import numpy as np

import seqveil as sv
from seqveil.evaluate.bench.quality.sets import SETS
from seqveil.evaluate.histogram import total_variation
from seqveil.evaluate.paths import paths
from seqveil.evaluate.shape import size_and_ends, transitions
from seqveil.tables.flat import Flat


def measured(raw: Flat, synthetic: Flat, labels: int) -> dict[str, float]:
    """Everything that the table shows."""
    only = paths(raw, raw, synthetic, labels)
    apart = total_variation(transitions(raw, labels), transitions(synthetic, labels))
    lengths = size_and_ends(raw, synthetic, labels)["lengths"]
    return {
        "false": only["false_steps"],
        "lost": only["missing_steps"],
        "steps": apart,
        "lengths": lengths,
        "unseen": only["unseen_records"],
    }


def main(names: str, epsilons: str, seeds: str) -> None:
    for name in names.split(","):
        chosen = SETS[name]
        table = chosen.read(None)
        raw, labels = table.flat.truncate(chosen.l_max), len(table.domain)
        for epsilon in epsilons.split(","):
            rows: dict[str, list[list[float]]] = {"as published": [], "supported": []}
            redrawn = []
            for seed in range(1, int(seeds) + 1):
                release = sv.experiment(table, sv.RecordModel(l_max=chosen.l_max), epsilon=epsilon, seed=seed)
                supported = release.supported()
                redrawn.append(supported.redrawn / max(len(release.synthetic), 1))
                for how, flat in (("as published", release.synthetic), ("supported", supported.flat)):
                    rows[how].append(list(measured(raw, flat, labels).values()))
            for how, each in rows.items():
                mean = "  ".join(f"{value:.4f}" for value in np.mean(each, axis=0))
                print(f"{name:14} ε = {epsilon:4} {how:13} {mean}  redrawn {np.mean(redrawn):.3f}", flush=True)


if __name__ == "__main__":
    print("false steps, lost steps, TV of steps, TV of lengths, unseen records")
    main(*sys.argv[1:])
