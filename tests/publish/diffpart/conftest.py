"""Table 4.1 of the thesis."""

from __future__ import annotations

import pytest

from seqveil.tables.domain import Domain
from seqveil.tables.sets import SetTable, sets_of

ITEMS = Domain.of(["I1", "I2", "I3", "I4"], public_because="printed in the thesis")
TABLE_4_1 = ["1234", "24", "2", "12", "2", "1", "1234", "234"]


@pytest.fixture
def table_4_1() -> SetTable:
    """The sample set-valued dataset."""
    return sets_of([[f"I{c}" for c in record] for record in TABLE_4_1], ITEMS)
