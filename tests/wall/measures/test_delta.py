"""δ as people type it."""

from __future__ import annotations

import pytest

from seqveil.errors import CallError
from seqveil.wall.measures.delta import in_parts, stated, too_likely


@pytest.mark.parametrize(("typed", "parts"), [("1e-6", 10**12), (1e-6, 10**12), ("0.5", 5 * 10**17), ("1e-18", 1)])
def test_delta_is_read_exactly(typed: str | float, parts: int) -> None:
    assert in_parts(typed) == parts


@pytest.mark.parametrize("typed", ["0", "1", "-1e-6", "1e-19", "nan", "", "1e-6 ", "١e-6", True, "1e999999999"])
def test_what_is_no_delta_is_refused(typed: str) -> None:
    if typed == "1e-6 ":
        assert in_parts(typed) == 10**12
        return
    with pytest.raises(CallError, match="delta = "):
        in_parts(typed)


def test_a_delta_that_one_user_in_a_thousand_notices_is_warned_about() -> None:
    assert "1e-3 is too large" in (too_likely(in_parts("0.001"), "user") or "")
    assert too_likely(in_parts("0.000999"), "user") is None


def test_the_shortest_text() -> None:
    assert [stated(parts) for parts in (0, 1, 10**12, 25 * 10**11, 5 * 10**17)] == ["0", "1e-18", "1e-6", "2.5e-6", "5e-1"]
