"""Compiled generators are not cached: a process that reads one from the cache cannot compile its callers any more.

Two processes that fill one cache, or an upgrade that leaves half of it, would then fail with Numba's KeyError.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[1] / "src" / "seqveil"


def cached_generators(code: str) -> list[str]:
    """The functions under njit(cache=True) that yield."""
    functions = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.FunctionDef)]
    cached = [f for f in functions if any("njit" in (d := ast.unparse(mark)) and "cache=True" in d for mark in f.decorator_list)]
    return [f.name for f in cached if any(isinstance(node, ast.Yield) for node in ast.walk(f))]


def test_no_compiled_generator_is_cached() -> None:
    """Everywhere in the package."""
    generators = {str(path): names for path in SOURCES.rglob("*.py") if (names := cached_generators(path.read_text()))}

    assert {} == generators


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("@njit(cache=True)\ndef f(n):\n    for i in range(n):\n        yield i\n", ["f"]),
        ("@njit(nogil=True, cache=True)\ndef g(n):\n    if n:\n        yield n\n", ["g"]),
        ("@njit\ndef f(n):\n    yield n\n", []),
        ("@njit(cache=True)\ndef f(n):\n    return n\n", []),
    ],
)
def test_a_planted_one_is_found(code: str, names: list[str]) -> None:
    """The test above can fail."""
    assert names == cached_generators(code)
