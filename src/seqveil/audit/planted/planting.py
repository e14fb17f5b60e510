"""A planted bug: a small change to the real code for the time of an audit, and which audit must notice it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from seqveil.audit.audit import attacks
from seqveil.audit.budget import QUICK, SMOKE
from seqveil.audit.findings import Finding
from seqveil.wall import clip

Plant = Callable[[], AbstractContextManager[Any]]


@dataclass(frozen=True, slots=True)
class Planted:
    """One bug. `after` says where it was seen: a peer's defect (P1–P15) or a statement of a paper that is false as printed."""

    name: str
    after: str
    what: str
    audit: str
    shows: str  # what the finding must say: a bug that is noticed for another reason is not understood
    plant: Plant


def caught(bug: Planted) -> list[Finding]:
    """The violations of the first attack that notices the bug; empty when it gets away.

    A bug that shows only where a secret sample takes the right records may need the attempts of a quick audit.
    """
    with bug.plant():
        for effort in (SMOKE, QUICK):
            for attack in attacks(bug.audit, effort, eager=True):
                violations = [finding for finding in attack.findings if finding.severity == "violation"]
                if violations:
                    return violations
    return []


def replaced(target: Any, name: str, with_: Any) -> Plant:
    """An attribute of the real code is something else."""
    return lambda: patch.object(target, name, with_)


@contextmanager
def both(*plants: Plant) -> Iterator[None]:
    """Several changes at once."""
    if not plants:
        yield
        return
    with plants[0](), both(*plants[1:]):
        yield


def unchecked() -> AbstractContextManager[Any]:
    """The checks of wall/clip.py are off: what they would have stopped must be found by the audit itself."""
    return patch.object(clip, "require", lambda passed, defect: None)


def raw(wall: Any) -> Any:
    """What no mechanism may touch: the table behind the wall."""
    return wall._Wall__table
