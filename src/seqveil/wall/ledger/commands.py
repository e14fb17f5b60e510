"""Commands that a refusal tells to type. Caps are set at a terminal, whatever program was refused."""

from __future__ import annotations

import shlex

from seqveil.wall.measures.delta import stated


def cap_command(account: str, epsilon: str, delta: int) -> str:
    """The command that sets a cap.

    >>> cap_command("metro 2026", "3.0", 10**12)
    "seqveil ledger cap 'metro 2026' 3.0 --delta 1e-6"
    """
    return f"seqveil ledger cap {shlex.quote(account)} {epsilon}" + (f" --delta {stated(delta)}" if delta else "")
