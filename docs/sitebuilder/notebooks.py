"""Tutorials are notebooks kept as text: Markdown with cells in ```python fences, as Jupytext reads and writes them.

A build runs every cell in order, in this process and in an empty folder with a ledger of its own, and puts below each cell what
it printed and the value of its last line. A plot becomes a picture. The page offers the same cells as a notebook file.
"""

from __future__ import annotations

import ast
import io
import json
import os
import re
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sitebuilder.markdown import fence

CELL = re.compile(r"^```python\n(.*?)^```\n?", re.MULTILINE | re.DOTALL)
NOT_SHOWN = (type(None),)


class CellFailed(Exception):
    """A cell raised: says which, and what."""


@dataclass(frozen=True)
class Output:
    """What a cell printed, and the value of its last line."""

    printed: str
    value: Any


def cells(text: str) -> list[str]:
    """The code of a tutorial's cells.

    >>> cells("# A\\n```python\\nx = 1\\n```\\nText.\\n```python\\nx\\n```\\n")
    ['x = 1\\n', 'x\\n']
    """
    return CELL.findall(text)


def run(text: str, name: str) -> tuple[list[Output], dict[str, Any]]:
    """Run all cells of a tutorial; returns their outputs and the names they left.

    >>> [one.value for one in run("```python\\nx = 1\\n```\\n```python\\nx + 1\\n```\\n", "small")[0]]
    [None, 2]
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    with _elsewhere():
        return [_run_cell(code, f"{name}, cell {i}", names) for i, code in enumerate(cells(text), 1)], names


def _run_cell(code: str, where: str, names: dict[str, Any]) -> Output:
    body = ast.parse(code, where).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    try:
        with redirect_stdout(printed):
            exec(compile(ast.Module(body, []), where, "exec"), names)
            if last is not None:
                value = eval(compile(ast.Expression(last.value), where, "eval"), names)
    except Exception as error:
        raise CellFailed(f"{where}: {traceback.format_exception_only(error)[-1].strip()}") from error
    return Output(printed.getvalue(), value)


@contextmanager
def _elsewhere() -> Iterator[None]:
    """An empty folder to work in, and an empty ledger."""
    before, home = Path.cwd(), os.environ.get("SEQVEIL_HOME")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SEQVEIL_HOME"] = str(Path(folder) / "home")
        (Path(folder) / "work").mkdir()
        os.chdir(Path(folder) / "work")
        try:
            yield
        finally:
            os.chdir(before)
            if home is None:
                del os.environ["SEQVEIL_HOME"]
            else:
                os.environ["SEQVEIL_HOME"] = home


def executed(text: str, page: str, to: Path) -> str:
    """The page of a tutorial with the outputs of its cells, and its notebook beside it."""
    name = Path(page).stem
    outputs = iter(run(text, name)[0])
    numbers = iter(range(1, 1000))

    def with_output(cell: re.Match[str]) -> str:
        return cell[0] + "\n" + "\n".join(_shown(next(outputs), to / "tutorials" / "pictures", f"{name}-{next(numbers)}"))

    notebook = to / "tutorials" / f"{name}.ipynb"
    notebook.parent.mkdir(parents=True, exist_ok=True)
    notebook.write_text(json.dumps(as_notebook(text), ensure_ascii=False, indent=1) + "\n", "utf-8")
    title, _, rest = CELL.sub(with_output, text).partition("\n")
    return f"{title}\n\n[Download this page as a notebook]({name}.ipynb)\n{rest}"


def _shown(output: Output, pictures: Path, name: str) -> Iterator[str]:
    if output.printed:
        yield fence(output.printed.rstrip(), "text") + "\n"
    if type(output.value).__module__.startswith("altair."):  # a plot of Altair
        pictures.mkdir(parents=True, exist_ok=True)
        output.value.save(str(pictures / f"{name}.svg"))
        yield f"![{output.value.title}](pictures/{name}.svg)\n"
    elif not isinstance(output.value, NOT_SHOWN):
        yield fence(output.value if isinstance(output.value, str) else repr(output.value), "text") + "\n"


def as_notebook(text: str) -> dict[str, Any]:
    """The same as Jupyter's file format, version 4, without outputs.

    >>> [cell["cell_type"] for cell in as_notebook("# A\\n\\n```python\\nx = 1\\n```\\nText.\\n")["cells"]]
    ['markdown', 'code', 'markdown']
    """
    parts = CELL.split(text)
    listed = []
    for i, part in enumerate(parts):
        source = part.strip("\n").splitlines(keepends=True)
        if i % 2:
            listed.append(
                {"cell_type": "code", "execution_count": None, "id": f"cell-{i}", "metadata": {}, "outputs": [], "source": source}
            )
        elif source:
            listed.append({"cell_type": "markdown", "id": f"cell-{i}", "metadata": {}, "source": source})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": listed, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
