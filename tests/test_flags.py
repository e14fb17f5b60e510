"""The library names parameters, and the surface writes them: no string outside the command line holds a flag."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

LIBRARY = Path(__file__).parents[1] / "src/seqveil"
FLAG = re.compile(r"(?<![\w-])--(?:[a-z][a-z-]*|\Z)")
"""A flag, or the beginning of one whose name follows in a formatted string."""

REASONS = {
    "surface.py": "how the command line writes a parameter",
    "audit/command.py": "runs the command",
    "audit/faults.py": "runs the command",
    "audit/interrupting.py": "runs the command",
    "audit/fuzzing.py": "what is typed, for the fuzzer",
    "wall/ledger/commands.py": "a command to type, whatever surface was refused",
    "audit/sbom.py": "a program of its own, with a flag of its own",
}
"""Files that are about the command line."""


def flags(path: Path) -> list[str]:
    """The flags in the string literals of a file; docstrings may explain what a parameter is called where."""
    tree = ast.parse(path.read_text())
    documents = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    if path.parent.name == "kinds":  # a world's `write` says how its made-up file is typed, for the audit that runs the command
        writers = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == "write"]
        documents |= {id(node) for writer in writers for node in ast.walk(writer)}
    texts = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documents
    ]
    return [flag for text in texts for flag in FLAG.findall(text)]


FILES = sorted(str(path.relative_to(LIBRARY)) for path in LIBRARY.rglob("*.py") if path.relative_to(LIBRARY).parts[0] != "cli")


@pytest.mark.parametrize("file", [file for file in FILES if file not in REASONS])
def test_no_message_of_the_library_names_a_flag(file: str) -> None:
    """Whoever calls a function types no flags: say `surface.parameter("item", "COLUMN")`."""
    assert [] == flags(LIBRARY / file)


def test_exceptions_are_needed() -> None:
    """A file that names no flag any more is taken off the list."""
    assert [] == [file for file in REASONS if (LIBRARY / file).exists() and not flags(LIBRARY / file)]


def test_a_planted_flag_is_caught(tmp_path: Path) -> None:
    """In plain and in formatted strings, and not in docstrings."""
    planted = tmp_path / "planted.py"
    planted.write_text('"""Like --this."""\nA = "add --item COLUMN"\nB = f"{A}: --max-events {A} --{B}"\nC = "a -- b, x--y"\n')

    assert ["--item", "--max-events", "--"] == flags(planted)
