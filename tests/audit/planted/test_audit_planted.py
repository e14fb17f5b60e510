"""Every planted bug is noticed, and for the right reason; the real code holds under the same effort."""

from __future__ import annotations

import re

import pytest

from seqveil.audit.audit import attacks, everything
from seqveil.audit.budget import SMOKE
from seqveil.audit.planted.bases import BASES
from seqveil.audit.planted.engines import ENGINES
from seqveil.audit.planted.graphs import GRAPHS
from seqveil.audit.planted.papers import PAPERS
from seqveil.audit.planted.peers import PEERS
from seqveil.audit.planted.planting import Planted, caught
from seqveil.audit.planted.readers import READERS
from seqveil.audit.planted.rows import ROWS
from seqveil.audit.planted.samplers import SAMPLERS
from seqveil.audit.planted.streams import STREAMS

BUGS = [*PEERS, *PAPERS, *READERS, *STREAMS, *ENGINES, *SAMPLERS, *ROWS, *BASES, *GRAPHS]


@pytest.mark.slow
@pytest.mark.parametrize("bug", BUGS, ids=[bug.name for bug in BUGS])
def test_every_planted_bug_is_caught(bug: Planted) -> None:
    """The audit notices the bug, and what it says names what was planted."""
    findings = caught(bug)

    assert findings, f"{bug.name} ({bug.what}) got away"
    assert re.search(bug.shows, findings[0].text), findings[0].text


def test_each_defect_of_the_peers_is_planted() -> None:
    """P1 to P15 are all there, none is forgotten and no name is used twice."""
    numbers = {re.sub(r"\s.*", "", bug.name) for bug in PEERS}

    assert {f"P{n}" for n in range(1, 16)} == numbers
    assert len(BUGS) == len({bug.name for bug in BUGS})


@pytest.mark.slow
@pytest.mark.parametrize("name", everything())
def test_the_real_code_passes(name: str) -> None:
    """With the same effort that catches every planted bug, nothing is found in what is registered."""
    findings = [finding for attack in attacks(name, SMOKE) for finding in attack.findings]

    assert [] == findings


def test_a_bug_is_gone_when_its_audit_ends() -> None:
    """Planting changes the code for the time of one audit only."""
    from seqveil.publish.ngram.mechanism import NGram

    before = NGram.run
    caught(next(bug for bug in PEERS if bug.name == "P3"))

    assert before is NGram.run
