"""A command does not import pandas, which PyArrow would; who has pandas' columns in the same process is served all the same."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

ENDED = """
import sys
from seqveil.__main__ import main
try:
    main()
finally:
    loaded = [name for name in ("pyarrow", "pandas") if name in sys.modules]
    print("LOADED", *loaded, file=sys.stderr)
"""


@pytest.mark.parametrize(("verb", "loaded"), [("--help", []), ("inspect", ["pyarrow"])])
def test_a_command_imports_no_pandas(verb: str, loaded: list[str], small_release: Callable[..., Any]) -> None:
    """Half a second less; `inspect` reads Parquet, makes scalars and lists."""
    words = [verb] if verb == "--help" else [verb, str(small_release())]
    ran = subprocess.run([sys.executable, "-c", ENDED, *words], capture_output=True, text=True, check=True)

    assert ["LOADED", *loaded] == ran.stderr.splitlines()[-1].split()


FRAME = """
import sys
from seqveil.cli.arrow import ArrowAlone
if "alone" in sys.argv:
    sys.meta_path.insert(0, ArrowAlone())
import pyarrow as pa
pa.array([1])
print("pandas" in sys.modules, file=sys.stderr)
import pandas as pd
from seqveil.sources.frames import Frame
frame = pd.DataFrame({
    "zoned": pd.date_range("2020-01-01", periods=2, tz="Asia/Tokyo"), "days": pd.date_range("2020-01-01", periods=2),
    "months": pd.period_range("2020-01", periods=2), "spans": pd.interval_range(0, 2), "kinds": pd.Categorical(["x", "y"]),
    "words": pd.array(["a", None], "string"), "whole": pd.array([1, None], "Int64"), "few": pd.arrays.SparseArray([0, 1]),
    "arrow": pd.array([1, None], pd.ArrowDtype(pa.int64())), "lengths": pd.to_timedelta([1, 2], unit="s"), "any": [1, "q"],
})
batches = Frame.of(frame).batches(frame)
print([(name, getattr(column, "type", None), column.tolist()) for batch in batches for name, column in batch.items()])
"""


def test_frames_of_pandas_are_read_the_same_afterwards() -> None:
    """`seqveil audit readers` makes some."""
    ran = {
        who: subprocess.run([sys.executable, "-c", FRAME, who], capture_output=True, text=True, check=True)
        for who in ("alone", "as ever")
    }

    assert ("False\n", "True\n") == (ran["alone"].stderr, ran["as ever"].stderr)
    assert ran["alone"].stdout == ran["as ever"].stdout


def test_pandas_can_be_imported_where_pyarrow_was_there_first() -> None:
    """Then there is nothing to look for, and nobody is kept from pandas."""
    code = "import sys, pyarrow; from seqveil.cli.arrow import ArrowAlone; sys.meta_path.insert(0, ArrowAlone()); import pandas"

    assert 0 == subprocess.run([sys.executable, "-c", code], check=False, capture_output=True).returncode
