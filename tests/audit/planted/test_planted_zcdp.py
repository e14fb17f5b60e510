"""zCDP done wrongly is caught by the audit, each mistake for the right reason; the real code holds (test_audit_planted.py)."""

from __future__ import annotations

import re

import pytest

from seqveil.audit.planted.planting import Planted, caught
from seqveil.audit.planted.zcdp import ZCDP


@pytest.mark.slow
@pytest.mark.parametrize("bug", ZCDP, ids=[bug.name for bug in ZCDP])
def test_every_mistake_in_zcdp_is_caught(bug: Planted) -> None:
    findings = caught(bug)

    assert findings, f"{bug.name} ({bug.what}) got away"
    assert re.search(bug.shows, findings[0].text), findings[0].text
