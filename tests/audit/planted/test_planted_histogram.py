"""Flat histograms done wrongly are caught by the audit, each for the right reason."""

from __future__ import annotations

import re

import pytest

from seqveil.audit.planted.histogram import HISTOGRAM
from seqveil.audit.planted.planting import Planted, caught


@pytest.mark.parametrize("bug", HISTOGRAM, ids=[bug.name for bug in HISTOGRAM])
def test_every_bug_in_histograms_is_caught(bug: Planted) -> None:
    findings = caught(bug)

    assert findings, f"{bug.name} ({bug.what}) got away"
    assert re.search(bug.shows, findings[0].text), findings[0].text
