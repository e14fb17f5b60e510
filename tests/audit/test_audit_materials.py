"""The bill of materials, and that a release leaves no core file."""

from __future__ import annotations

import resource
from pathlib import Path

from seqveil.audit.faults import forked
from seqveil.audit.sbom import main, materials, unpinned


def test_the_closure_holds_what_is_needed_and_its_needs() -> None:
    """Direct requirements and requirements of those; each once, with a version."""
    names = [one["name"] for one in materials()]

    assert {"seqveil", "numpy", "llvmlite", "click", "pytest"} <= set(names)
    assert len(names) == len(set(names))


def test_what_is_not_pinned_is_named() -> None:
    """Another version, or no line at all."""
    packages = [{"name": "a-b", "version": "1"}, {"name": "c", "version": "2"}, {"name": "d", "version": "3"}]

    assert ["c 2 (constraints.txt says 1)", "d 3 (constraints.txt says nothing)"] == unpinned(packages, "A_b==1\nc==1\n")


def test_the_bill_is_written(tmp_path: Path) -> None:
    """As JSON, without addresses of where packages came from."""
    path = tmp_path / "sbom.json"

    assert 0 == main([str(path)])
    assert "://" not in path.read_text(encoding="utf-8")


def test_a_release_leaves_no_core(tmp_path: Path) -> None:
    """From the first moment of a command on, a crash writes nothing of the memory to disk."""
    from seqveil.cli.process import leave_no_core

    def work() -> int:
        leave_no_core()
        return resource.getrlimit(resource.RLIMIT_CORE)[0]

    assert forked(work) in (0, 1)  # 0 where the system forbids even that
