"""Streams of these tests are charged to accounts without a cap: the warning is not what they are about."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = f"{Path(__file__).parent}/"
    for item in items:  # all items of the suite, so texts: paths take half a second to compare
        if str(item.path).startswith(here):
            item.add_marker(pytest.mark.filterwarnings("ignore:Account .* has no cap:seqveil.errors.ReleaseWarning"))
