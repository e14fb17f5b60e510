"""Work that needs packages beyond the core, and the one sentence for users who have not installed them.

Code that is about to do such work calls `need` first, before anything is read, computed or spent.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Literal, NamedTuple

from seqveil.errors import CallError

Work = Literal[
    "pages", "plots", "travellers", "road maps", "networkx graphs", "edit distances", "spark", "studio",
    "private set intersection",
    "Polars frames", "pandas frames",
]  # fmt: skip


class Needed(NamedTuple):
    """What some work needs: how to call it, the modules it imports, and the extra of pyproject.toml that installs them."""

    what: str
    modules: tuple[str, ...]
    extra: str


NEEDED: dict[Work, Needed] = {
    "pages": Needed("HTML pages", ("jinja2",), "plots"),
    "plots": Needed("plots and maps", ("altair", "vl_convert"), "plots"),
    "travellers": Needed("YAML files of travellers", ("yaml",), "routes"),
    "road maps": Needed("road maps in GraphML", ("networkx",), "routes"),
    "networkx graphs": Needed("graphs of networkx", ("networkx",), "routes"),
    "spark": Needed("running on a Spark cluster", ("pyspark",), "spark"),
    "edit distances": Needed("comparing a linkage with the true pairs", ("rapidfuzz",), "link"),
    "private set intersection": Needed("private set intersection", ("rbcl",), "psi"),
    "Polars frames": Needed("Polars frames", ("polars",), "frames"),
    "pandas frames": Needed("pandas frames", ("pandas",), "frames"),
    "studio": Needed("the local web page", ("jinja2", "starlette", "uvicorn"), "studio"),
}


def need(work: Work) -> None:
    """Refuse work whose packages are not installed: what is missing, and what to type."""
    what, modules, extra = NEEDED[work]
    if missing := [module for module in modules if find_spec(module) is None]:
        raise CallError(f"not installed: {', '.join(missing)}, needed for {what}. Type: pip install 'seqveil[{extra}]'")
