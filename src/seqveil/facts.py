"""The facts of a run: one record that the wall fills in and a release writes into its manifest.

It knows domains and units of privacy and nothing else, so both sides of the wall may hold it. Every field is public. Epsilons are
decimal strings, exact to 10⁻¹².
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol, Self, get_args

from seqveil.tables.domain import Domain
from seqveil.tables.units import Unit

Rule = Literal["question", "dearest path", "maximum of parts"]
RULES: tuple[Rule, ...] = get_args(Rule)
"""How what a stage used is composed: of one question; of a tree, whose dearest path counts; of parts, whose maximum counts."""

DOMAIN_FILE = "domain.txt.gz"
"""The file of a release that lists the labels of a domain that is not a range of integers."""


CALENDAR_FILE = "calendar.tsv"
"""The file of a release that lists the bins of time of a timed domain; its labels are then every place at every bin."""


class Described(Protocol):
    """A mechanism, as far as the facts of a run describe it."""

    version: ClassVar[str]
    paper: ClassVar[str]

    @property
    def name(self) -> str: ...
    def parameters(self) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class MechanismFacts:
    """Which mechanism ran, with which public parameters."""

    name: str
    version: str
    paper: str
    parameters: dict[str, Any]

    @classmethod
    def of(cls, mechanism: Described) -> Self:
        return cls(mechanism.name, mechanism.version, mechanism.paper, dict(mechanism.parameters()))


@dataclass(frozen=True, slots=True)
class DomainFacts:
    """The public domain: `labels` is an integer range such as `1..17`, or the file of the release that lists them.

    `discovered` is the id of the release that the labels were discovered by, where nobody declared them.
    """

    size: int
    digest: str
    public_because: str | None
    labels: str
    discovered: str | None = None

    @classmethod
    def of(cls, domain: Domain) -> Self:
        """
        >>> DomainFacts.of(Domain.range(1, 17)).labels, DomainFacts.of(Domain.of(["home", "work"])).labels
        ('1..17', 'domain.txt.gz')
        """
        names = domain.untimed.names
        labels = f"{names.start}..{names.stop - 1}" if isinstance(names, range) else DOMAIN_FILE
        discovered = None if domain.discovered is None else domain.discovered.release
        return cls(len(domain), domain.digest, domain.public_because, labels, discovered)


@dataclass(frozen=True, slots=True)
class Stage:
    """One line of the bill: `epsilon` was charged, `used` of it by questions, composed by `rule`.

    `parts` is what each part of the data used, where there are parts: the largest of it is `used`. Manifests of version 1 state
    neither `used` nor `rule`; there they are None. In a zCDP run the amounts are of ρ: `epsilon` is then what was charged of ρ.
    """

    name: str
    kind: str
    epsilon: str
    used: str | None = None
    rule: Rule | None = None
    parts: tuple[str, ...] = ()


MOST_STATED = {"dataset": 200, "contact": 200, "purpose": 1000}
"""Characters of each text that the data holder may state."""


@dataclass(frozen=True, slots=True)
class Holder:
    """What the data holder states about a release, for whoever receives it: public texts that nobody checks.

    `account` is the ledger account that was charged; None for experiments, which are charged to none.
    """

    account: str | None = None
    dataset: str | None = None
    contact: str | None = None
    purpose: str | None = None

    @property
    def remark(self) -> str:
        """What a receiver should ask for, since the manifest does not state it; empty where it states all of it.

        >>> Holder(dataset="Taps").remark
        'The manifest names no contact and no purpose: receivers should ask for them.'
        """
        missing = [f"no {name}" for name in ("dataset", "contact", "purpose") if not getattr(self, name)]
        if not missing:
            return ""
        listed = " and ".join(missing) if len(missing) < 3 else f"{', '.join(missing[:-1])} and {missing[-1]}"
        return f"The manifest names {listed}: receivers should ask for {'it' if len(missing) == 1 else 'them'}."


NOTHING_STATED = Holder()


@dataclass(frozen=True, slots=True)
class Zcdp:
    """The guarantee of a zCDP run: ρ, the δ at which its ε is stated, what thresholds cost of it (None: nothing), and δ → ε.

    The release is `thresholds`-approximate ρ-zCDP, and so (ε, δ)-differentially private at every point of the curve,
    whose ε are rounded up.
    """

    rho: str
    delta: str
    thresholds: str | None
    curve: dict[str, str]


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What the wall vouches for: which guarantee was given for what, and what each stage was charged and used.

    `epsilon` was charged; in a zCDP run it holds at the δ of `zcdp`, and ρ was charged. The `used` of all stages and `unused` add
    up to what was charged exactly; what is unused remains charged. `unused` is None only where a manifest of version 1 does not
    state it. `signer` is the public key that the manifest is to be signed with; None for experiments, which are never signed.
    """

    mechanism: MechanismFacts
    epsilon: str
    unused: str | None
    unit: dict[str, Any]
    neighbours: str
    domain: DomainFacts
    stages: list[Stage]
    noise: str
    private: bool
    holder: Holder = NOTHING_STATED
    signer: str | None = None
    zcdp: Zcdp | None = None

    @property
    def charged(self) -> str:
        """What the stages and what is unused add up to: ε, or ρ."""
        return self.epsilon if self.zcdp is None else self.zcdp.rho

    @property
    def symbol(self) -> str:
        """Of what the amounts of the stages are."""
        return "ε" if self.zcdp is None else "ρ"

    @property
    def promised(self) -> str:
        """ε, with its δ where there is one: never one without the other."""
        return f"ε = {self.epsilon}" if self.zcdp is None else f"ε = {self.epsilon}, δ = {self.zcdp.delta}"

    @classmethod
    def of(
        cls,
        mechanism: Described,
        *,
        epsilon: str,
        unused: str,
        unit: Unit,
        domain: Domain,
        stages: Sequence[Stage],
        noise: str,
        private: bool,
        holder: Holder | None = None,
        signer: str | None = None,
        zcdp: Zcdp | None = None,
    ) -> Facts:
        """The facts of a run of a mechanism that has just ended."""
        return Facts(
            mechanism=MechanismFacts.of(mechanism),
            epsilon=epsilon,
            unused=unused,
            unit=unit.describe(),
            neighbours=unit.neighbours,
            domain=DomainFacts.of(domain),
            stages=list(stages),
            noise=noise,
            private=private,
            holder=holder or NOTHING_STATED,
            signer=signer,
            zcdp=zcdp,
        )
