"""Discoveries of labels done wrongly are caught by the audit, each mistake for the right reason."""

from __future__ import annotations

import re

import pytest

from seqveil.audit.planted.discoveries import DISCOVERIES
from seqveil.audit.planted.planting import Planted, caught


@pytest.mark.slow
@pytest.mark.parametrize("bug", DISCOVERIES, ids=[bug.name for bug in DISCOVERIES])
def test_every_mistake_in_a_discovery_is_caught(bug: Planted) -> None:
    findings = caught(bug)

    assert findings, f"{bug.name} ({bug.what}) got away"
    assert re.search(bug.shows, findings[0].text), findings[0].text
