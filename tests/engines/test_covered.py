"""The conformance suite covers the whole protocol: a method that is added without a test is found here."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from seqveil.engines import protocol

FOLDER = Path(__file__).parent
SUITE = ["test_records.py", "test_tallies.py", "test_trees.py", "test_streams.py"]


def methods(kind: type) -> set[str]:
    """What a protocol asks of whoever implements it."""
    own = {name for base in kind.__mro__ if base.__module__ == protocol.__name__ for name in vars(base)}
    return {name for name in own if not name.startswith("_") and callable(getattr(kind, name))}


def called(code: str) -> set[str]:
    """The methods that functions which take a `world` call, directly or through the helpers of the file."""
    functions = [node for node in ast.parse(code).body if isinstance(node, ast.FunctionDef)]
    tests = [f for f in functions if f.name.startswith("test_") and any(a.arg == "world" for a in f.args.args)]
    helpers = {f.name: f for f in functions if not f.name.startswith("test_")}
    used = {node.id for test in tests for node in ast.walk(test) if isinstance(node, ast.Name)}
    read = [*tests, *(helpers[name] for name in used & set(helpers))]
    calls = [node.func for f in read for node in ast.walk(f) if isinstance(node, ast.Call)]
    return {call.attr for call in calls if isinstance(call, ast.Attribute)}


@pytest.mark.parametrize("kind", [protocol.Engine, protocol.Counter, protocol.RegionCounter, protocol.StreamEngine])
def test_every_method_of_the_protocol_is_held_to_brute_force(kind):
    """By a test that runs over every engine."""
    suite = set().union(*(called((FOLDER / name).read_text()) for name in SUITE))

    assert len(methods(kind)) >= 5
    assert set() == methods(kind) - suite


def test_a_method_without_a_test_is_found():
    """The check above can fail."""
    code = "def test_size(world):\n    world.engine.size(3)\n\ndef test_other():\n    engine.cut(1)\n"

    assert {"size"} == called(code)
    assert "cut" in methods(protocol.Engine) - called(code)


def test_every_engine_is_in_the_suite():
    """An engine is a package of engines/; the conformance suite runs over all of them."""
    packages = {path.parent.name for path in Path(protocol.__file__).parent.glob("*/engine.py")}
    conftest = ast.parse((FOLDER / "conftest.py").read_text())
    worlds = next(n for n in conftest.body if isinstance(n, ast.AnnAssign) and ast.unparse(n.target) == "WORLDS")
    assert isinstance(worlds.value, ast.Dict)

    assert packages == {ast.literal_eval(key) for key in worlds.value.keys if key is not None}
