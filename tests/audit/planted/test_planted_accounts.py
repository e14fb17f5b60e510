"""Mistakes in keeping zCDP accounts are caught by the audit, each for the right reason; the real accounts hold."""

from __future__ import annotations

import re

import pytest

from seqveil.audit.audit import attacks
from seqveil.audit.budget import SMOKE
from seqveil.audit.planted.accounts import ACCOUNTS
from seqveil.audit.planted.planting import Planted, caught


@pytest.mark.parametrize("bug", ACCOUNTS, ids=[bug.name for bug in ACCOUNTS])
def test_every_mistake_in_accounts_is_caught(bug: Planted) -> None:
    findings = caught(bug)

    assert findings, f"{bug.name} ({bug.what}) got away"
    assert re.search(bug.shows, findings[0].text), findings[0].text


def test_the_real_accounts_hold() -> None:
    assert [[] for _ in range(2)] == [attack.findings for attack in attacks("accounts", SMOKE)]
