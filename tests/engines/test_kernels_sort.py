"""Sorting inside compiled kernels: two kinds of quicksort must not meet in one process.

Numba builds `sort` and `argsort` of one type from the same inner functions and gives them the same names. Compiled code that is
read from its cache is linked by name: the one that is loaded first serves both. So `sort` did what `argsort` should, or the other
way round: after PFS² in the same process, children of n-grams came out of order, and a release failed after ε was spent, or
misnumbered what noise had let pass. Merge sort has names of its own, and only `argsort` uses it.
"""

import ast
import subprocess
import sys
from pathlib import Path

import seqveil

SOURCES = Path(seqveil.__file__).parent


def kernels():
    for path in sorted(SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and any("njit" in ast.unparse(each) for each in node.decorator_list):
                yield path.relative_to(SOURCES), node


def calls(kernel: ast.FunctionDef, name: str) -> list[ast.Call]:
    calls = [node for node in ast.walk(kernel) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    return [node for node in calls if node.func.attr == name]


def test_kernels_sort_positions_by_merge_sort_only():
    """And values by quicksort only, which is what `sort` is."""
    asked = [(str(path), ast.unparse(call)) for path, kernel in kernels() for call in calls(kernel, "argsort")]

    assert len(asked) >= 5
    assert [] == [call for call in asked if "kind='mergesort'" not in call[1]]
    assert [] == [str(path) for path, kernel in kernels() for call in calls(kernel, "sort") if "merge" in ast.unparse(call)]


TWO_METHODS = """
import numpy as np
import seqveil as sv

rng = np.random.default_rng(1)
table = sv.table_of([[str(x) for x in rng.integers(0, 17, rng.integers(1, 8))] for _ in range(2000)], sv.Domain.range(0, 16))
sv.experiment(table, sv.PFS2(support=0.05), "1.0", seed=1)
print(len(sv.experiment(table, sv.NGram(l_max=20, n_max=5), "1.0", seed=1).synthetic))
"""


def test_one_method_does_not_change_what_another_one_counts():
    """In a fresh process, whose compiled code comes from the cache that the other tests have filled."""
    ended = subprocess.run([sys.executable, "-c", TWO_METHODS], capture_output=True, text=True, check=False)

    assert (0, "") == (ended.returncode, ended.stderr)
    assert int(ended.stdout) > 0
