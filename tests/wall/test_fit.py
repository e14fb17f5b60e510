"""Every registered mechanism before every kind of table, protecting every unit: what fits runs, all else is refused unspent."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import pytest

import seqveil as sv
from conformance.methods import mechanism
from seqveil import registry
from seqveil.cli.app import main
from seqveil.errors import CallError
from seqveil.kinds import KINDS, kind
from seqveil.tables.trajectories import trajectories_of
from seqveil.tables.units import Edge, Event, Record, Unit, User
from seqveil.wall.fit import refuse_misfit
from seqveil.wall.mechanism import measures

UNITS: dict[str, tuple[Unit, bool]] = {  # the unit, and whether the table says who owns each record
    "record": (Record(), False),
    "record of a user": (Record(), True),
    "user": (User(max_sequences=2), True),
    "user without users": (User(max_sequences=2), False),
    "edge": (Edge(), False),
    "event": (Event(), False),
}
TABLES = [name for name, one in KINDS.items() if one.units and name != "events"]


def table_of(name: str, users: bool) -> Any:
    world = kind(name).small_world()
    return world.rehearsal(world.domain, users=users)


def fits(method: str, name: str, unit: Unit, users: bool) -> bool:
    """Whether a pair fits, from the declarations alone."""
    chosen = registry.method(method)
    owned = users or not isinstance(unit, User)
    if kind(name).unlisted and users and not isinstance(unit, User):
        return False  # everything that a user has is one record there
    return chosen.kind == kind(name).held_as and type(unit) in chosen.units and owned


REFUSED = r"works on|cannot protect|cannot be protected|which user owns|not a mechanism"


@pytest.mark.filterwarnings("ignore::seqveil.errors.ReleaseWarning")  # a plan may expect little of so small a table
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("method", registry.methods())
def test_what_fits_runs_and_all_else_is_refused_unspent(method, name, tmp_path):
    """Through the vault and through an experiment, under every unit; a refusal is a sentence, and the ledger shows nothing."""
    order = mechanism(method)
    for case, (unit, users) in UNITS.items():
        table, home = table_of(name, users), tmp_path / case
        delta = None if "pure" in measures(order) else "1e-6"
        vault = sv.Vault(table, unit, account="fit", cap="9", cap_delta=delta, home=home)
        if fits(method, name, unit, users):
            assert sv.experiment(table, order, "1", seed=1, unit=unit, delta=delta).manifest.whom == unit
            assert vault.release(order, "1", delta=delta).manifest.private
            continue
        with pytest.raises(CallError, match=REFUSED):
            sv.experiment(table, order, "1", seed=1, unit=unit, delta=delta)
        with pytest.raises(CallError, match=REFUSED):
            vault.release(order, "1", delta=delta)
        assert [] == sv.Ledger(home).charges("fit"), case


@pytest.mark.parametrize("method", [*registry.methods("publish"), *registry.methods("mine")])
def test_what_is_typed_is_refused_unspent(method, tmp_path, monkeypatch, capfd):
    """The same product, as typed: what does not fit ends with exit code 2 and an empty ledger. What fits, the audit types."""
    chosen = registry.method(method)
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "home"))
    for name, unit in product(TABLES, (Record, User, Edge, Event)):
        if chosen.kind == kind(name).held_as and unit in chosen.units and unit is not User:
            continue
        file, out = tmp_path / f"{name}.txt", tmp_path / "out"
        call = ["seqveil", chosen.verb, file, "--kind", name, "--method", method, "--unit", unit.name, *written(name, file)]
        call += ["--epsilon", "1", "--account", "fit", "--public-because", "a test", "--out", out]
        monkeypatch.setattr(sys, "argv", [*map(str, call)])
        with pytest.raises(SystemExit) as end:
            main()
        assert (2, False) == (end.value.code, out.exists()), (name, unit.name, capfd.readouterr().err)
    assert [] == sv.Ledger(tmp_path / "home").accounts()


def written(name: str, file: Path) -> list[str]:
    """A file of a kind, without users, and the options that describe it."""
    if name == "relational":
        file.write_text("sex\nf\nm\n")
        return ["--format", "csv", "--domain", "sex=f,sex=m"]
    world = kind(name).small_world()
    return world.write(world.bases()[1], file)


def test_a_table_that_no_vault_opens_is_refused():
    """Trajectories are fenced: the sentence says where they belong."""
    table = trajectories_of([[("a", 1)]], ["HIV"], sensitive=["HIV"])

    with pytest.raises(CallError, match="seqveil fenced suppress"):
        sv.Vault(table, Record(), account="fit")
    with pytest.raises(CallError, match="seqveil fenced suppress"):
        sv.experiment(table, sv.NGram(), "1", seed=1)


def test_what_is_no_table_or_no_mechanism_is_refused():
    """A list, a class, a string."""
    table = table_of("sequences", False)

    with pytest.raises(CallError, match="give a table"):
        sv.experiment([["a"]], sv.NGram(), "1", seed=1)
    with pytest.raises(CallError, match="not the class"):
        sv.experiment(table, sv.NGram, "1", seed=1)
    with pytest.raises(CallError, match="give a mechanism"):
        sv.experiment(table, "ngram", "1", seed=1)


def test_a_graph_without_a_unit_protects_edges():
    """The unit that is assumed is one that the kind has."""
    assert Edge() == sv.experiment(table_of("graph", False), sv.GraphRandom(), "1", seed=1).manifest.whom


@dataclass(frozen=True)
class Claiming:
    """A mechanism of somebody else, with claims of its own."""

    kind: ClassVar[str] = "sequences"
    units: ClassVar[tuple[type[Unit], ...]] = (Edge,)
    name: str = "claiming"

    def plan(self, *public: Any) -> None: ...


def test_a_claim_cannot_give_a_kind_units_that_it_lacks():
    """Sequences have no edges, whatever a mechanism declares; of an unknown kind its author must know."""
    with pytest.raises(CallError, match="claiming cannot protect the unit edge: it protects no unit"):
        refuse_misfit(Claiming(), "sequences", Edge())

    class Elsewhere(Claiming):
        kind = "elsewhere"

    refuse_misfit(Elsewhere(), "elsewhere", Edge())


@dataclass(frozen=True)
class Pretending:
    """A table that names a kind of ours and is none."""

    domain: Any
    engine: str | None = None
    kind: str = "sequences"


@pytest.mark.parametrize("table", [Pretending(sv.Domain.of(["a"]), engine) for engine in (None, "local", "nowhere")])
def test_what_pretends_to_be_a_table_is_refused(table):
    """The rehearsal is held on a table of the kind, so it would not notice; the run would, after ε is spent."""
    with pytest.raises(CallError, match="it is no SequenceTable"):
        sv.Vault(table, Record(), account="fit")
