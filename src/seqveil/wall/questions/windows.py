"""Windows: how often each label occurs inside records, and how often each follows a public context.

Law: occurrences plus discrete Laplace noise. A context is d codes in a row; an occurrence is an item whose d predecessors in the
same record have these codes. Nothing is appended to a record and no window reaches into another one. `Labels` is the case d = 0.

Charge: what is paid for it.

Clip: `clip.cut` has every record cut to l_max items before the engine counts; in a stratum with the bound l_max none is longer.

Sensitivity: a record of L ≤ l_max items has L − d items with d predecessors (none if L ≤ d), and each is counted at most once,
since the contexts are different and of one length. So a unit with m records moves m·(l_max − d) in L1.

Cap: with a cap c a unit (a record, or a user over all records in the table) counts at most c times for each window. Then what
it adds is at most c in every slot and N = m·(l_max − d) in all, so in L2² it moves c·N at most; attained where c divides N.
Without a cap all windows of a unit may be one, and the bound is N². tests/wall/questions/test_windows_sensitivity.py and
test_squares.py enumerate it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.engines.protocol import Tally, engine_of
from seqveil.errors import CallError
from seqveil.tables.units import Unit, User
from seqveil.wall.clip import cut
from seqveil.wall.questions.alphabet import Alphabet
from seqveil.wall.questions.units import records_of


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """Occurrences of every code in records cut to `l_max` items."""

    l_max: int
    alphabet: Alphabet
    cap: int | None = None
    name: str = "labels"

    def __post_init__(self) -> None:
        if self.l_max < 1:
            raise CallError(f"l_max = {self.l_max}: records must keep at least 1 item.")
        _check(self.cap)

    def slots(self, domain_size: int) -> int:
        self.alphabet.of(domain_size)
        return self.alphabet.size

    def influence(self, unit: Unit) -> int:
        return self.l_max * records_of(unit, self.name)

    def square(self, unit: Unit) -> int:
        return _square(self.influence(unit), self.cap)

    def tally(self, table: Any, unit: Unit) -> Tally:
        codes, everywhere = self.alphabet.of(len(table.domain)), np.zeros((1, 0), np.int32)
        table, owned = cut(table, self.l_max), isinstance(unit, User)
        return engine_of(table).windows(table, everywhere, codes, self.alphabet.size, cap=self.cap, by_owner=owned)


@dataclass(frozen=True, slots=True, eq=False)
class Windows:
    """Occurrences of every code after every context, one per row of `contexts`: slot c·size + x for context c and code x."""

    l_max: int
    contexts: NDArray[np.int32]
    alphabet: Alphabet
    cap: int | None = None
    name: str = "windows"

    def __post_init__(self) -> None:
        contexts = self.contexts
        if not isinstance(contexts, np.ndarray) or contexts.ndim != 2 or contexts.dtype != np.int32 or 0 in contexts.shape:
            raise CallError("contexts must be a table (int32) with one context of at least 1 code per row.")
        if contexts.min() < 0 or contexts.max() >= self.alphabet.size:
            raise CallError(f"a context holds a code outside the alphabet: give codes from 0 to {self.alphabet.size - 1}.")
        if len(np.unique(contexts, axis=0)) != len(contexts):
            raise CallError("the table holds a context twice: give every context once.")
        if self.l_max <= contexts.shape[1]:
            raise CallError(f"l_max = {self.l_max}: no item follows {contexts.shape[1]} others in records this short.")
        _check(self.cap)

    def slots(self, domain_size: int) -> int:
        self.alphabet.of(domain_size)
        return len(self.contexts) * self.alphabet.size

    def influence(self, unit: Unit) -> int:
        return (self.l_max - int(self.contexts.shape[1])) * records_of(unit, self.name)

    def square(self, unit: Unit) -> int:
        return _square(self.influence(unit), self.cap)

    def tally(self, table: Any, unit: Unit) -> Tally:
        codes = self.alphabet.of(len(table.domain))
        table, owned = cut(table, self.l_max), isinstance(unit, User)
        return engine_of(table).windows(table, self.contexts, codes, self.alphabet.size, cap=self.cap, by_owner=owned)


def _check(cap: int | None) -> None:
    if cap is not None and cap < 1:
        raise CallError(f"cap = {cap}: a unit must count at least once for a window; give 1 or more, or None for no cap.")


def _square(influence: int, cap: int | None) -> int:
    """What a unit moves in L2² when it adds at most `influence` in all, and at most `cap` to one count."""
    return influence * (influence if cap is None else min(cap, influence))
