"""Where the records of a table lie in tests of the Spark engine."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from sharding import clustered, sharded


@pytest.fixture(params=["shards", pytest.param("executors", marks=pytest.mark.wide)])
def placed(request: pytest.FixtureRequest) -> Callable[[Any, int], Any]:
    """A table in so many shards: in this process, or in the executors of a small cluster (`make spark-full`)."""
    return sharded if request.param == "shards" else partial(clustered, request.getfixturevalue("spark"))
