"""PyArrow without pandas, in the process of a command.

Where pandas is installed, PyArrow imports it at its first scalar, to compare values with pandas' types: half a second of every
command, none of which holds such a value. Not for a library: whoever imports Seqveil may give pandas' columns to PyArrow.
"""

from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder
from importlib.util import find_spec
from typing import Any


class ArrowAlone(MetaPathFinder):
    """Stands first in `sys.meta_path` until PyArrow is imported, and lets it look for pandas then, once, in vain.

    What really needs pandas, as `to_pandas` does, imports it all the same, and from then on PyArrow knows it.
    """

    _looking = False

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        """PyArrow as it is found without this, with a look for pandas at the end of its import."""
        if fullname == "pandas" and self._looking:
            raise ModuleNotFoundError(name=fullname)
        if fullname != "pyarrow" or "pandas" in sys.modules:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(fullname)
        if spec is not None and spec.loader is not None:
            spec.loader.exec_module = self._then_look(spec.loader.exec_module)  # type: ignore[method-assign]
        return spec

    def _then_look(self, load: Any) -> Any:
        def load_and_look(module: Any) -> None:
            load(module)
            self._looking = True
            sys.meta_path.insert(0, self)
            try:
                module.array([0])
            finally:
                sys.meta_path.remove(self)

        return load_and_look
