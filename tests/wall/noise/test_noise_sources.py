"""No randomness but this room's: read from the syntax of every file of the package."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import seqveil

PACKAGE = Path(seqveil.__file__).parent

MAY_USE_NUMPY_RANDOM = {
    "wall/noise/seeded.py": "experiments: the one seeded source of noise, never called private",
    "evaluate/": "INTERNAL: draws random queries; nothing of it is released",
    "release/": "post-processing: synthetic records are drawn from what is already public (it may import nothing raw)",
    "audit/": "INTERNAL: draws random databases to attack mechanisms with",
    "kinds/": "varies made-up data with the generator of an audit; never draws by itself",
    "models/records/": "post-processing: a public seed shuffles labels among synthetic records (it may import nothing raw)",
    "models/gridtrips/": "post-processing: a public seed draws synthetic trips from a fitted model (it may import nothing raw)",
    "models/bases/": "post-processing: a public seed moves labels among synthetic sets (it may import nothing raw)",
    "publish/basis/drawing.py": "post-processing: names the public seed of synthetic sets, after the last answer of the wall",
    "planning/scenes.py": "made-up populations for plans: how many records a user has (it never sees raw data)",
    "simulate/": "makes up public data for the demo and the benchmarks",
}
"""Where a random number that is not private noise may come from, and why."""

MAY_USE_RANDOM = {
    "audit/": "INTERNAL: attacks and planted bugs; nothing of it is released",
}
"""Where Python's `random` may be used, and why."""


def allowed(where: str, places: dict[str, str]) -> bool:
    """Whether a file is one of the places, lies in one, or carries its name."""
    return any(where == p or (p.endswith("/") and where.startswith(p)) or Path(where).name.startswith(p) for p in places)


def offences(source: str, where: str) -> list[str]:
    """Every use of randomness that does not belong in this file."""
    problems = []
    for node in ast.walk(ast.parse(source)):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Attribute):
            names = [ast.unparse(node)]
        for name in names:
            numpy_random = name.startswith(("np.random", "numpy.random"))
            if numpy_random and not allowed(where, MAY_USE_NUMPY_RANDOM):
                problems.append(f"{where}: {name}")
            imported = not isinstance(node, ast.Attribute)
            if imported and name.split(".")[0] == "random" and not allowed(where, MAY_USE_RANDOM):
                problems.append(f"{where}: {name}")
            if name.split(".")[0] == "opendp":  # a reference for tests, no source of ours
                problems.append(f"{where}: {name}")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            receiver = ast.unparse(node.func.value).removesuffix("()").lower()
            draws_itself = where.startswith("wall/noise/") and receiver == "self"
            attacks = where.startswith("audit/")  # its tapes and planted bugs stand in for the noise on purpose
            if node.func.attr == "laplace" and not receiver.endswith("noise") and not draws_itself and not attacks:
                problems.append(f"{where}: {ast.unparse(node.func)}, whose receiver is not called noise")
            if node.func.attr == "rvs":
                problems.append(f"{where}: {ast.unparse(node.func)}")
    return problems


def test_no_other_randomness_in_the_package():
    """Every file of the package draws through the noise room, or is on the list above."""
    files = sorted(PACKAGE.rglob("*.py"))
    problems = [o for f in files for o in offences(f.read_text("utf-8"), f.relative_to(PACKAGE).as_posix())]

    assert len(files) > 20
    assert problems == []


@pytest.mark.parametrize(
    "planted",
    [
        "import random",
        "from random import gauss",
        "import numpy as np\nnp.random.default_rng(1)",
        "from numpy.random import default_rng",
        "from numpy import random",
        "def f(rng): return rng.laplace(0, 2.0)",
        "from scipy import stats\nstats.dlaplace(1).rvs(3)",
        "import opendp.prelude as dp",
        "from opendp.measurements import make_laplace",
    ],
)
def test_planted_randomness_is_found(planted):
    """The check above can fail."""
    assert offences(planted, "publish/ngram/mechanism.py") != []


@pytest.mark.parametrize(
    ("innocent", "where"),
    [
        ("noise.laplace(scale, 3)", "wall/tree.py"),
        ("self._noise.laplace(scale, 3)", "wall/tree.py"),
        ("SecureNoise().laplace(scale, 3)", "audit/law.py"),
        ("import numpy as np\nnp.random.default_rng(1)", "evaluate/workload.py"),
        ("import numpy as np\nnp.random.default_rng(1)", "simulate/city.py"),
    ],
)
def test_innocent_lines_are_left_alone(innocent, where):
    """And it does not cry wolf."""
    assert offences(innocent, where) == []


def test_no_float_laplace_even_where_numpy_may_be_used():
    """The list allows numpy's generator, not its Laplace law."""
    assert offences("rng.laplace(0, 1)", "evaluate/workload.py") != []
    assert offences("self._generator.laplace(0, 1)", "wall/noise/seeded.py") != []
