"""Files of travellers that are endless, nested or hold strange numbers: refused in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from seqveil.errors import CallError, InputProblems
from seqveil.fenced.routes import read_users
from seqveil.fenced.routes.users import User


@pytest.mark.parametrize("suffix", ["json", "yaml", "toml"])
def test_a_file_without_end_is_refused(tmp_path: Path, suffix: str) -> None:
    link = tmp_path / f"users.{suffix}"
    link.symlink_to("/dev/zero")

    with pytest.raises(InputProblems, match="is larger than"):
        read_users(link)


@pytest.mark.parametrize(("suffix", "text"), [("json", "[" * 100_000), ("yaml", "[" * 5_000), ("toml", "a = " + "[" * 5_000)])
def test_brackets_without_end_are_refused(tmp_path: Path, suffix: str, text: str) -> None:
    file = tmp_path / f"users.{suffix}"
    file.write_text(text, encoding="utf-8")

    with pytest.raises(CallError, match="is nested too deeply"):
        read_users(file)


@pytest.mark.parametrize("limit", ["1_0", "١x", "nanx", "1e999x", "infx", [1], 10**400, None])
def test_a_limit_that_is_no_number_is_a_problem(limit: object) -> None:
    """And no crash."""
    from types import SimpleNamespace

    graph = SimpleNamespace(codes={"a": 0, "b": 1}, categories=(), ids=["a", "b"])
    user = User("Ada", "a", "b", limit)  # type: ignore[arg-type]

    assert any("is neither a cost above 0" in problem for problem in user.problems(graph))  # type: ignore[arg-type]
