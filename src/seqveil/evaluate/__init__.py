"""How close a release, or a method, is to the raw data, for every kind of data. INTERNAL: reads raw data; do not share results.

    from seqveil import evaluate

    print(evaluate.compare(table, release))                     one release
    print(evaluate.compare_runs(table, sv.NGram(), "1.0"))      a method: mean and 95 % interval over five seeded experiments

Names are loaded when they are used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seqveil.evaluate.comparison import Comparison as Comparison
    from seqveil.evaluate.evaluator import compare as compare
    from seqveil.evaluate.evaluator import compare_runs as compare_runs

_HOMES = {"Comparison": "comparison", "compare": "evaluator", "compare_runs": "evaluator"}

__all__ = ["Comparison", "compare", "compare_runs"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
