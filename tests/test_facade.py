"""The names of `sv.` and of its rooms: listed once, in the stub; loaded lazily. Type checkers see them, too (tests/typing)."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

import seqveil as sv
from seqveil.lazily import names_in

SOURCE = Path(sv.__file__).parent
STUBS = sorted(SOURCE.rglob("__init__.pyi"))
HEAVY = ("numpy", "numba", "polars", "pyarrow", "scipy", "altair", "typer", "rich")

WORKFLOW = {
    "read_sequences", "read_sets", "read_graph", "read_relational", "table_of", "sets_of", "graph_of", "Domain",
    "Record", "User", "Edge", "Event", "Vault", "experiment", "load", "Ledger",
    "publish", "mine", "stream", "link", "evaluate", "fenced", "errors",
}  # fmt: skip
"""What a newcomer must meet when they type `sv.` and press tab."""


def package_of(stub: Path) -> str:
    """The package that a stub lists the names of."""
    return ".".join(("seqveil", *stub.parent.relative_to(SOURCE).parts))


def wrong_lines(package: str, stub: str) -> list[str]:
    """Lines of a stub that do not say what the package does when the name is used."""
    wrong = []
    for line in ast.parse(stub).body:
        if not isinstance(line, ast.ImportFrom) or any(name.asname != name.name for name in line.names):
            wrong.append(ast.unparse(line))
            continue
        for name in line.names:
            try:
                home = import_module(str(line.module))
                meant = import_module(f"{package}.{name.name}") if line.module == package else getattr(home, name.name)
                agrees = getattr(import_module(package), name.name) is meant
            except (AttributeError, ImportError):
                agrees = False
            wrong += [] if agrees else [ast.unparse(line)]
    return wrong


@pytest.mark.parametrize("stub", STUBS, ids=package_of)
def test_the_stub_lists_what_the_package_has(stub):
    """Every line is a re-export, every name loads, and it is the same object as in the module that it comes from."""
    package, text = package_of(stub), stub.read_text(encoding="utf-8")
    names = names_in(text)

    assert [] == wrong_lines(package, text)
    assert sorted(names) == dir(import_module(package)) == sorted(import_module(package).__all__)
    # Once such a module is imported, the package's attribute is the module, whatever the stub says.
    assert [] == [name for name, home in names.items() if home != package and find_spec(f"{package}.{name}")]


@pytest.mark.parametrize(
    "line",
    [
        "from seqveil.publish.ngram import NGramm as NGramm",
        "from seqveil.tables.nowhere import Domain as Domain",
        "from seqveil import nothing as nothing",
        "from seqveil.tables.domain import Domain",
        "from seqveil.publish.diffpart import DiffPart as NGram",
        "from seqveil.mine.twophase.mechanism import mine as mine",
        "def load() -> None: ...",
    ],
)
def test_a_wrong_line_in_the_stub_is_found(line):
    """A name that is not there, a module that is not there, an import that re-exports nothing, another thing than at run time."""
    stub = (SOURCE / "__init__.pyi").read_text(encoding="utf-8")

    assert [ast.unparse(ast.parse(line))] == wrong_lines("seqveil", f"{stub}{line}\n")


def test_autocomplete_shows_the_workflow():
    """Readers, tables, units, the vault, and the rooms; nothing of how names are loaded."""
    assert set() == WORKFLOW - set(dir(sv))
    assert [] == [name for name in dir(sv) if name.startswith("_") or name == "listed"]
    assert ["bursts", "count", "lis", "matches", "sum"] == dir(sv.stream)


def test_a_mechanism_is_the_same_in_its_room_and_at_the_top():
    """`sv.NGram` and `sv.publish.NGram` are one class."""
    at_the_top = set(dir(sv)) & {*dir(sv.publish), *dir(sv.mine)}

    assert {*dir(sv.publish), *dir(sv.mine)} == at_the_top
    assert sv.publish.NGram is sv.NGram
    assert sv.mine.TwoPhase is sv.TwoPhase


def test_an_unknown_name_is_an_attribute_error():
    """As for every module, so that `hasattr` and `from seqveil import registry` work."""
    with pytest.raises(AttributeError, match=r"module 'seqveil' has no attribute 'Valut'"):
        _ = sv.Valut  # type: ignore[attr-defined]
    with pytest.raises(AttributeError) as wrong:
        _ = sv.publish.Ngram  # type: ignore[attr-defined]
    assert ("Ngram", sv.publish) == (wrong.value.name, wrong.value.obj)  # Python then suggests the nearest name
    with pytest.raises(AttributeError, match=r"module 'seqveil\.mine' has no attribute 'NGram'"):
        _ = sv.mine.NGram  # type: ignore[attr-defined]


def test_importing_seqveil_loads_nothing_heavy():
    """Nor do the rooms, until one of their names is used."""
    code = (
        "import sys, seqveil as sv; sv.publish, sv.mine, sv.link, sv.stream, sv.evaluate, sv.fenced, sv.errors; dir(sv.publish);"
        f"print([name for name in {HEAVY!r} if name in sys.modules], [m for m in sys.modules if m.startswith('seqveil.wall')])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "[] []\n" == ran.stdout
