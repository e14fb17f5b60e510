"""What an audit brings home."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class Finding:
    """A hole: in the mechanism (a violation) or in the audit (a gap: something it could not look at)."""

    severity: Literal["violation", "gap"]
    text: str
    witness: str = ""


class Enough(Exception):
    """An eager attack has found what it was looking for."""


@dataclass(slots=True)
class Attack:
    """One way of trying to break a promise: what was tried how often, the worst it showed, in a sentence too."""

    name: str
    tried: int = 0
    shown: float | None = None  # the most that was shown, as a multiple of what is claimed
    summary: str = ""
    seconds: float = 0.0
    findings: list[Finding] = field(default_factory=list)
    eager: bool = False  # whether to stop at the first violation

    def violated(self, text: str, witness: str = "") -> None:
        """Note a violation; the first witness of each is enough."""
        self._note(Finding("violation", text, witness))
        if self.eager:
            raise Enough

    def missed(self, text: str) -> None:
        """Note something that this attack could not look at."""
        self._note(Finding("gap", text))

    def _note(self, finding: Finding) -> None:
        if all((f.severity, f.text) != (finding.severity, finding.text) for f in self.findings):
            self.findings.append(finding)

    @property
    def broken(self) -> bool:
        return any(f.severity == "violation" for f in self.findings)


@dataclass(slots=True)
class Audited:
    """Everything that was tried on one method."""

    name: str
    claim: str
    attacks: list[Attack] = field(default_factory=list)

    @property
    def broken(self) -> bool:
        return any(attack.broken for attack in self.attacks)

    @property
    def gaps(self) -> list[str]:
        return [f.text for attack in self.attacks for f in attack.findings if f.severity == "gap"]
