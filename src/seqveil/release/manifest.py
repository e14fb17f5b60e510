"""The manifest: the guarantee, the unit of privacy, the budget that was spent, and the SHA-256 of every file it is about."""

from __future__ import annotations

import json
import secrets
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from decimal import Decimal
from itertools import groupby
from typing import Any

from seqveil.errors import ReleaseDamaged
from seqveil.facts import MOST_STATED, RULES, DomainFacts, Facts, Holder, MechanismFacts, Stage, Zcdp
from seqveil.release.schema import (
    DIGEST,
    Amount,
    Anything,
    Choice,
    Delta,
    Each,
    Field,
    Fields,
    Flag,
    Maybe,
    Moment,
    Name,
    NotJson,
    Prose,
    Spelled,
    Table,
    Whole,
    grains,
    parse,
)
from seqveil.tables.characters import shown
from seqveil.tables.labels import MOST_LABELS
from seqveil.tables.units import Unit, unit_from

MANIFEST = "manifest.json"
"""The file that a release is known by."""

SCHEMA = 4
"""Version of the manifest's layout. Version 1, of Seqveil 0.1, did not say how much of each stage's ε was used; version 2 named
no data holder and no key; version 3 is that of pure runs to this day, and version 4 that of zCDP runs: it states ρ, δ and a
curve, and the amounts of its stages are of ρ."""

PURE = 3
"""The version that pure runs are written in."""

UNUSED = "not used by the method; it remains charged"
"""How a bill names what was charged to a run and used by none of its stages."""

_SHOWN = 10


@dataclass(frozen=True, kw_only=True)
class Manifest(Facts):
    """The facts of a run, and what its release adds: everything a stranger needs to hold the data holder to the guarantee.

    >>> run = Facts(
    ...     mechanism=MechanismFacts("ngram", "1", "Chen et al. 2012", {"l_max": 20}), epsilon="1.0", unused="0.36",
    ...     unit={"name": "record"}, neighbours="add or remove one record",
    ...     domain=DomainFacts(size=17, digest="ab" * 32, public_because="a published list", labels="1..17"),
    ...     stages=[Stage("unigrams", "tree", "1.0", "0.64", "dearest path")], noise="secure", private=True,
    ... )
    >>> manifest = Manifest.new(run, content="grams", facts={})
    >>> Manifest.from_json(manifest.to_json()) == manifest
    True
    """

    schema: int
    release: str
    created: str
    content: str
    facts: dict[str, Any]
    files: dict[str, str]

    @classmethod
    def new(cls, run: Facts, *, content: str, facts: dict[str, Any]) -> Manifest:
        """A manifest of now about a run, under a fresh random release id and with no files yet."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        vouched = {field.name: getattr(run, field.name) for field in fields(Facts)}
        schema = PURE if run.zcdp is None else SCHEMA
        return cls(**vouched, schema=schema, release=secrets.token_hex(16), created=now, content=content, facts=facts, files={})

    def listing(self, files: dict[str, str]) -> Manifest:
        """The same manifest about these files (name to SHA-256)."""
        return replace(self, files=dict(sorted(files.items())))

    @property
    def whom(self) -> Unit:
        """The unit of privacy."""
        return unit_from(self.unit)

    @property
    def bill(self) -> list[tuple[str, str, str]]:
        """(name, kind, ε or ρ) of what every stage used, and of what was charged and not used: these add up to `charged`.

        Questions of one stage that follow each other and are of one kind stand on one line. A manifest of version 1 does not
        say what was used; its stages stand with what they were charged.
        """
        lines = [(stage.name, stage.kind, stage.epsilon if stage.used is None else stage.used) for stage in self.stages]
        groups = [(of, [amount for *_, amount in group]) for of, group in groupby(lines, key=lambda line: line[:2])]
        together = [
            (name, f"{kind}, {len(amounts)} questions" if len(amounts) > 1 and kind else kind, _added(amounts))
            for (name, kind), amounts in groups
        ]
        spent = [line for line in together if grains(line[2])]
        left = Decimal(self.charged) - sum(Decimal(amount) for _, _, amount in spent)
        return [*spent, (UNUSED, "", f"{left:f}" if self.unused is None else self.unused)] if left else spent

    def to_dict(self) -> dict[str, Any]:
        """Everything in JSON's types, in the order of the file."""
        data = asdict(self)
        if self.domain.discovered is None:
            del data["domain"]["discovered"]
        if self.zcdp is not None:
            data["stages"] = [{_OF_RHO.get(key, key): value for key, value in stage.items()} for stage in data["stages"]]
        return {key: data[key] for key in FIELDS[max(PURE, self.schema)].fields}

    def to_json(self) -> str:
        """The text of manifest.json."""
        data = self.to_dict()
        if self.schema < 3:  # as it was read
            del data["holder"], data["signer"]
        if self.schema == 1:
            del data["unused"]
            data["stages"] = [{key: stage[key] for key in _CHARGED} for stage in data["stages"]]
        return json.dumps(data, indent=2, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Manifest:
        """Read strictly: whatever `FIELDS` does not allow is damage. All of it is reported at once."""
        try:
            data = parse(text)
        except NotJson as error:
            raise _damaged([f"is not JSON: {error}"]) from None
        if not isinstance(data, dict):
            raise _damaged(["is not a JSON object"])
        schema = data.get("schema")
        if schema is None:
            raise _damaged(["states no schema: it is not the manifest of a release, which `seqveil publish` or `mine` writes"])
        if type(schema) is not int or schema not in FIELDS:
            raise ReleaseDamaged(
                f"manifest.json has schema {shown(str(schema), 20)[1:-1]}; this version of Seqveil reads schema 1 to {SCHEMA}. "
                "Open the release with the version of Seqveil that wrote it, or publish it again."
            )
        problems = FIELDS[schema].problems(data, "") or _sum_problems(data)
        if problems:
            raise _damaged(problems)
        return cls(
            **{
                **data,
                "unused": data.get("unused"),
                "holder": Holder(**data.get("holder", {})),
                "signer": data.get("signer"),
                "mechanism": MechanismFacts(**data["mechanism"]),
                "domain": DomainFacts(**data["domain"]),
                "zcdp": Zcdp(**data["zcdp"]) if schema == SCHEMA else None,
                "stages": [_stage(stage) for stage in data["stages"]],
            }
        )


def _stage(stage: dict[str, Any]) -> Stage:
    read = {{rho: name for name, rho in _OF_RHO.items()}.get(key, key): value for key, value in stage.items()}
    return Stage(**{**read, "parts": tuple(stage.get("parts", ()))})


def _added(amounts: list[str]) -> str:
    """The sum, written as a single amount is.

    >>> _added(["0.005", "0.025"]), _added(["0.5", "0.5"]), _added(["1.0"])
    ('0.03', '1.0', '1.0')
    """
    if len(amounts) == 1:
        return amounts[0]
    text = f"{sum(map(Decimal, amounts)):f}".rstrip("0")
    return f"{text}0" if text.endswith(".") else text


class _UnitField:
    """A unit of privacy, with exactly its parameters."""

    def problems(self, value: Any, where: str) -> list[str]:
        if type(value) is not dict:
            return [f"has no object at {where!r}"]
        bounds = [p for key, bound in value.items() if key != "name" for p in Whole(1, 1 << 53).problems(bound, where)]
        try:
            unit_from(value).describe()
        except Exception:
            return [f"states an unknown unit of privacy at {where!r}"]
        return bounds


_CHARGED: dict[str, Field] = {"name": Name(), "kind": Name(), "epsilon": Amount()}
_BILLED: dict[str, Field] = {**_CHARGED, "used": Amount(), "rule": Choice(RULES), "parts": Each(Amount(), 100_000)}

_OF_RHO = {"epsilon": "rho"}
"""What a stage of a zCDP run calls its charge in the file."""

_STATED: dict[str, Field] = {
    # The name of an account may be older than the rule for names: all that matters is that it cannot control a terminal.
    "holder": Fields({"account": Maybe(Prose(200)), **{name: Maybe(Name(most)) for name, most in MOST_STATED.items()}}),
    "signer": Maybe(DIGEST),  # 64 hexadecimal digits, like a digest
}


_RELEASE = Spelled("[0-9a-f]{32}", "a release id of 32 hexadecimal digits")
_ZCDP: dict[str, Field] = {
    "rho": Amount(least=1),
    "delta": Delta(),
    "thresholds": Maybe(Delta()),
    "curve": Table(Delta(), Amount(), 100),
}


def _fields(
    unused: dict[str, Field], stage: dict[str, Field], stated: dict[str, Field], zcdp: dict[str, Field] | None = None
) -> Fields:
    """Every key in the order of the file; versions differ in whether they state what was used, data holder, key, and δ."""
    mechanism: dict[str, Field] = {
        "name": Name(200),
        "version": Name(200),
        "paper": Prose(10_000),
        "parameters": Table(Name(200), Anything(), 1000),
    }
    domain: dict[str, Field] = {
        "size": Whole(0, MOST_LABELS + 1),  # 0 where nothing was discovered; one more with the catch-all label
        "digest": DIGEST,
        "public_because": Maybe(Prose()),
        "discovered": _RELEASE,
        "labels": Spelled(r"domain\.txt\.gz|-?\d{1,18}\.\.-?\d{1,18}", "domain.txt.gz, or a range such as 1..17"),
    }
    keys: dict[str, Field] = {
        "schema": Whole(1, SCHEMA),
        "release": _RELEASE,
        "created": Moment(),
        "mechanism": Fields(mechanism),
        "epsilon": Amount(least=1),
        **({} if zcdp is None else {"zcdp": Fields(zcdp)}),
        **unused,
        "unit": _UnitField(),
        "neighbours": Prose(10_000),
        "domain": Fields(domain, optional=frozenset({"discovered"})),
        "stages": Each(Fields(stage), 100_000),
        "noise": Name(200),
        "private": Flag(),
        **stated,
        "content": Name(100),
        "facts": Table(Name(100), Anything(), 100),
        "files": Table(Spelled("[A-Za-z0-9_][A-Za-z0-9._-]{0,99}", "a plain file name"), DIGEST, 100),
    }
    return Fields(keys)


_UNUSED: dict[str, Field] = {"unused": Amount()}
FIELDS = {1: _fields({}, _CHARGED, {}), 2: _fields(_UNUSED, _BILLED, {}), 3: _fields(_UNUSED, _BILLED, _STATED)}
_BILLED_IN_RHO = {_OF_RHO.get(key, key): field for key, field in _BILLED.items()}
FIELDS[4] = _fields(_UNUSED, _BILLED_IN_RHO, _STATED, _ZCDP)
"""The schema of each version: every key with its type, range and length."""


def _sum_problems(data: dict[str, Any]) -> list[str]:
    """What does not add up in a manifest whose fields are sound."""
    name = "epsilon" if data["schema"] < SCHEMA else "rho"
    whole, stages = grains(data["epsilon"] if data["schema"] < SCHEMA else data["zcdp"]["rho"]), data["stages"]
    problems = []
    if not data["domain"]["size"] and data["content"] != "labels":
        problems.append("has 0 at 'domain.size': only a discovery of labels may end without one")
    if data.get("signer") is not None and not data["private"]:
        problems.append("names a key although it is an experiment, and experiments are never signed")
    if sum(grains(stage[name]) for stage in stages) > whole:
        problems.append(f"charges its stages more than {name!r}")
    if data["schema"] == 1:
        return problems
    for i, stage in enumerate(stages):
        used, parts = grains(stage["used"]), [grains(part) for part in stage["parts"]]
        if used > grains(stage[name]):
            problems.append(f"has a stage that used more than it was charged at 'stages[{i}]'")
        if bool(parts) != (stage["rule"] == "maximum of parts") or (parts and max(parts) != used):
            problems.append(f"has a stage whose parts do not make up what it used at 'stages[{i}]'")
    if sum(grains(stage["used"]) for stage in stages) + grains(data["unused"]) != whole:
        problems.append(f"has stages whose 'used' does not add up to {name!r} together with 'unused'")
    return problems


def _damaged(problems: list[str]) -> ReleaseDamaged:
    advice = "Copy the release again from where it was published."
    if len(problems) == 1:
        return ReleaseDamaged(f"manifest.json {problems[0]}. {advice}")
    lines = [f"  - {problem}" for problem in problems[:_SHOWN]]
    more = [f"  … and {len(problems) - _SHOWN:,} more"] if len(problems) > _SHOWN else []
    return ReleaseDamaged("\n".join([f"manifest.json has {len(problems):,} problems:", *lines, *more, advice]))


def stated_facts(manifest: Manifest, fields: Fields) -> dict[str, Any]:
    """The facts of a release's content, checked by what the content says they are."""
    if problems := fields.problems(manifest.facts, "facts"):
        raise _damaged(problems)
    return manifest.facts
