"""Kinds of data: every part that a kind names is there, and what it says of itself is what its parts do."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from seqveil import registry
from seqveil.engines.protocol import engine_of
from seqveil.errors import CallError
from seqveil.kinds import KINDS, kind, kinds_with
from seqveil.kinds.kind import load
from seqveil.tables.units import Unit, User

every_kind = pytest.mark.parametrize("name", KINDS)
TABLES = [name for name, one in KINDS.items() if one.units and name != "events"]
every_table = pytest.mark.parametrize("name", TABLES)


@every_kind
def test_every_part_is_there(name):
    """No string names something that does not exist."""
    one = kind(name)
    parts = [one.table, *one.readers.values(), *one.units, *one.views.values(), one.evaluator, one.world]

    assert name == one.name
    assert all(callable(load(part)) for part in parts if part is not None)
    assert all(issubclass(unit, Unit) for unit in one.unit_classes())
    assert one.held_as in KINDS


@every_kind
def test_a_kind_protects_a_unit_or_says_why_not(name):
    """A fenced kind has a reason, no world and no method; any other kind has all three the other way round."""
    one = kind(name)

    assert bool(one.units) != bool(one.fenced)
    if one.fenced:
        assert "seqveil" in one.fenced
        assert [] == [method.name for method in registry.methods().values() if method.kind == name]
        with pytest.raises(CallError, match="no simulated data"):
            one.small_world()
    else:
        assert any(method.kind == one.held_as for method in registry.methods().values())


@every_table
def test_tables_say_their_kind(name):
    """A table of a kind knows what it is, and so do its made-up data."""
    one, world = kind(name), kind(name).small_world()
    table = world.rehearsal(world.domain, users=False)

    assert isinstance(table, one.table_class())
    assert one.held_as == table.kind
    assert len(table) > 0


def missing_of(table):
    """What a class lacks that the local engine, the audit or a vault asks of every table."""
    return [part for part in ("kind", "engine", "domain", "owners", "take", "bounded", "__len__") if not hasattr(table, part)]


@every_table
def test_tables_have_what_every_engine_asks_for(name):
    """Also what no mechanism of this kind may use yet: parts, and a bound on what one user owns."""
    table = kind(name).small_world().rehearsal(kind(name).small_world().domain, users=False)

    assert [] == missing_of(type(table))
    halves = engine_of(table).parts(table, 2, lambda n, size: np.arange(size) % n)
    assert len(table) == sum(len(half) for half in halves)
    assert all(0 < len(half) < len(table) for half in halves)
    assert str(len(table)) not in repr(table)
    assert "bounded" in missing_of(type("Bare", (), {"kind": "bare", "engine": "local"}))


@every_table
def test_worlds_list_units_that_change_a_table(name):
    """Every unit of a world fits its kind, the first base is empty, and whatever comes last changes the table."""
    one, world = kind(name), kind(name).small_world()
    empty, some, _ = world.bases()

    assert [] == empty
    for unit in world.units():
        assert isinstance(unit, one.unit_classes())
        before = world.table(some, unit)
        for content in [*world.worst(unit), *list(world.every())[:5]]:
            after = world.table([*some, content], unit)
            assert len(after) >= len(before)
            assert (getattr(after, "users", None) is not None) == isinstance(unit, User)


def test_an_unknown_kind_is_refused_with_the_list():
    """The sentence names what there is."""
    with pytest.raises(CallError, match=f"unknown kind of data 'grpah': choose one of {', '.join(KINDS)}"):
        kind("grpah")


def test_rows_are_read_as_sets():
    """Two readers give tables of one kind; mechanisms for sets work on both."""
    assert ["relational", "sets"] == [one.name for one in kinds_with(held_as="sets")]
    assert kind("relational").table_class() is kind("sets").table_class()


def test_looking_at_kinds_loads_no_part():
    """Readers, evaluators and the raw tables' kernels are loaded when they are used: a verb starts fast."""
    code = "import sys, seqveil.kinds; print([m for m in sys.modules if m.startswith('seqveil.')], 'numba' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "numba" not in ran.stdout or "False" in ran.stdout
    for room in ("sources", "evaluate", "wall", "cli", "release", "engines", "tables.sets", "tables.graphs"):
        assert f"'seqveil.{room}" not in ran.stdout


NEW_KIND = """
from seqveil.kinds.kind import Kind

KIND = Kind(name="pairs", noun="pairs", table="elsewhere:Pairs", readers={}, fenced="a test, seqveil")
"""


def test_a_file_is_all_that_a_kind_needs(tmp_path):
    """A file in the folder is found by itself; nothing else lists it."""
    (tmp_path / "pairs.py").write_text(NEW_KIND)
    code = f"import seqveil.kinds as k; k.__path__.append({str(tmp_path)!r}); print(list(k._all()))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "pairs" in ran.stdout
