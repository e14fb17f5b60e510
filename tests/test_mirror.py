"""Tests mirror the source folder by folder: whoever changes a folder knows where its tests are."""

from __future__ import annotations

from pathlib import Path

import seqveil

SOURCE, TESTS = Path(seqveil.__file__).parent, Path(__file__).parent

ACROSS = {
    "docs": "pages, their commands and the site that is built from them",
    "conformance": "every registered mechanism, whatever its room",
    "faults": "whole commands that are killed, interrupted or starved",
    "fuzz": "any bytes at every door",
    "typing": "what mypy sees of the package from outside",
}
"""Folders of tests that belong to no single folder of the source, and why."""


def folders(root: Path) -> set[str]:
    """The folders below a root with Python files of their own."""
    return {path.parent.relative_to(root).as_posix() for path in root.rglob("*.py") if path.name != "__init__.py"} - {"."}


def test_every_folder_has_its_tests_and_every_test_its_folder() -> None:
    tests = {folder for folder in folders(TESTS) if folder.split("/")[0] not in ACROSS}

    assert [] == sorted(folders(SOURCE) - tests), "folders of the source without tests"
    assert [] == sorted(tests - folders(SOURCE) - {"release", "publish"}), "folders of tests without source"
