"""What was removed and what is guaranteed: for programs as a dictionary, for people as text. The badge comes first in both."""

from __future__ import annotations

from typing import Any

import numpy as np

from seqveil.fenced.suppression.files import EventLog
from seqveil.fenced.suppression.model import KCL
from seqveil.fenced.suppression.suppress import Suppressed

_MOST_LISTED = 20


def report_of(done: Suppressed, log: EventLog, model: KCL, score: str, strategy: str) -> dict[str, Any]:
    """Counts here are exact: they are for the data holder, and reveal what the table was like before."""
    table = done.table
    values = dict(zip(log.sensitive, table.values, strict=True))
    raw_counts = np.bincount(log.table.flat.items, minlength=len(table.pairs))
    left = np.bincount(table.flat.items, minlength=len(table.pairs))
    removed = raw_counts - left
    worst = np.argsort(-removed, kind="stable")[:_MOST_LISTED]
    return {
        "badge": model.badge(values),
        "differentially_private": False,
        "K": model.k,
        "C": dict(zip(values, map(float, model.confidences(len(values))), strict=True)),
        "L": "all" if model.l is None else model.l,
        "sensitive_values": {attribute: list(listed) for attribute, listed in values.items()},
        "score": score,
        "strategy": strategy,
        "records": len(table),
        "records_left_out_because_no_point_was_left": int((table.flat.lengths == 0).sum()),
        "violating_sequences_found": done.violations,
        "local_suppressions": done.local_suppressions,
        "global_suppressions": done.global_suppressions,
        "rounds": done.rounds,
        "repairs_by_the_final_check": done.repairs,
        "violations_left": 0,
        "points": done.instances,
        "points_removed": done.removed,
        "utility_loss_points": done.instance_loss,
        "maximal_frequent_sequences": done.frequent,
        "utility_loss_maximal_frequent_sequences": done.frequent_loss,
        "pairs": int((raw_counts > 0).sum()),
        "pairs_removed_everywhere": int(((raw_counts > 0) & (left == 0)).sum()),
        "most_removed": [
            {"location": table.pairs[p][0], "time": table.pairs[p][1], "removed": int(removed[p]), "left": int(left[p])}
            for p in worst
            if removed[p]
        ],
        "other_columns_carried_along": log.others,
    }


def text_of(report: dict[str, Any]) -> str:
    """The same for people."""
    confidences = " and ".join(f"C = {c:.4g} for {attribute}" for attribute, c in report["C"].items())
    lost = report["utility_loss_maximal_frequent_sequences"]
    lines = [
        report["badge"],
        "",
        f"(K, C)_L-privacy with K = {report['K']}, L = {report['L']}, {confidences}; "
        "a final check after suppression found no violation.",
        f"Removed {report['points_removed']:,} of {report['points']:,} points ({report['utility_loss_points']:.2%}), "
        f"{report['pairs_removed_everywhere']:,} of {report['pairs']:,} (location, time) pairs everywhere.",
        f"{report['violating_sequences_found']:,} minimal violating sequences; {report['local_suppressions']:,} local and "
        f"{report['global_suppressions']:,} global suppressions (strategy {report['strategy']}, score {report['score']}).",
        f"{report['records_left_out_because_no_point_was_left']:,} of {report['records']:,} records lost every "
        "point and were left out.",
        "People were renumbered in random order.",
    ]
    if lost is not None:
        lines.append(f"{lost:.2%} of {report['maximal_frequent_sequences']:,} maximal frequent sequences are no longer frequent.")
    if warning := warning_of(report):
        lines += ["", warning]
    return "\n".join(lines) + "\n"


def warning_of(report: dict[str, Any]) -> str | None:
    """Other columns than the trajectory's are not examined."""
    others = report["other_columns_carried_along"]
    if not others:
        return None
    return (
        f"WARNING: {', '.join(others)}: kept unchanged. Such columns are quasi-identifiers and can identify people; remove or "
        "coarsen them."
    )
