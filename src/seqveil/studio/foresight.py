"""What to expect at an ε: the method itself, run on data simulated over the declared domain. No real data are read."""

from __future__ import annotations

from typing import Any

from seqveil.studio.drafts import Draft
from seqveil.studio.orders import domain_of, epsilon_of, held_kind, mechanism_of, unit_of

SHOWN = 8
SEED = 1


def foreseen(draft: Draft) -> dict[str, Any]:
    """A few released counts with their intervals, beside the counts of the simulated data."""
    from seqveil.kinds import KINDS
    from seqveil.release.capabilities import Ranked
    from seqveil.wall.budget import decimal
    from seqveil.wall.vault import experiment

    unit, epsilon = unit_of(draft), epsilon_of(draft)
    table = KINDS[held_kind(draft)].small_world().rehearsal(domain_of(draft), users=unit.name == "user")
    release: Any = experiment(table, mechanism_of(draft), decimal(epsilon), seed=SEED, unit=unit)
    rows = [dict(row) for row in release.top(SHOWN)] if isinstance(release, Ranked) else []
    return {"records": len(table), "empty": bool(release.empty), "sizes": release.sizes(), "rows": rows}
