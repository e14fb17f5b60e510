"""Trips over a grid done wrongly are caught by the audit, each for the right reason."""

from __future__ import annotations

import re

import pytest

from seqveil.audit.planted.gridtrips import GRID_TRIPS
from seqveil.audit.planted.planting import Planted, caught


@pytest.mark.parametrize("bug", GRID_TRIPS, ids=[bug.name for bug in GRID_TRIPS])
def test_every_bug_in_trips_over_a_grid_is_caught(bug: Planted) -> None:
    findings = caught(bug)

    assert findings, f"{bug.name} ({bug.what}) got away"
    assert re.search(bug.shows, findings[0].text), findings[0].text
