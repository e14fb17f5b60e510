"""What every room's tests share: hypothesis that repeats itself, strategies that can be imported, a ledger of their own."""

from __future__ import annotations

import gc
import os
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

import seqveil
from seqveil.errors import CallError
from seqveil.evaluate.bench.data import find

sys.path.insert(0, str(Path(__file__).parent))  # `from strategies import …` works in every room

settings.register_profile("suite", derandomize=True, deadline=None, max_examples=50)
settings.register_profile("explore", deadline=None, max_examples=2_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Ten thousand tests and the modules they are in stay to the end: garbage is not looked for among them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests on a Spark cluster come first, together: of several workers one runs them, so that one cluster is started."""
    items.sort(key=lambda item: "spark" not in getattr(item, "fixturenames", ()))


@pytest.fixture(scope="session")
def real_data() -> Callable[[str], Path]:
    """A real data file by its name, from $SEQVEIL_DATA; the test is skipped, with the reason, where it is absent."""

    def find_or_skip(name: str) -> Path:
        try:
            return find(name)
        except CallError as missing:
            pytest.skip(str(missing))

    return find_or_skip


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A Spark cluster on this machine, two workers in their own processes; skipped, with the reason, without Java or PySpark."""
    pytest.importorskip("pyspark", reason="PySpark is not installed (seqveil[spark])")
    from seqveil.sources.spark.session import refuse_java, spark_session

    try:
        refuse_java()
    except CallError as missing:
        pytest.skip(str(missing))
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # Functions of tests run in executors, and so does the package that is under test here.
        patch.setenv("PYTHONPATH", os.pathsep.join(map(str, (Path(__file__).parent, Path(seqveil.__file__).parents[1]))))
        scratch = tmp_path_factory.mktemp("spark")
        defaults = {
            "spark.sql.warehouse.dir": scratch / "tables",
            "spark.sql.shuffle.partitions": 4,
            "spark.task.maxFailures": 2,
        }  # else in this folder, 200, and 4: every attempt after a failure starts Python anew
        (scratch / "spark-defaults.conf").write_text("".join(f"{name} {value}\n" for name, value in defaults.items()))
        patch.setenv("SPARK_CONF_DIR", str(scratch))
        patch.setenv("SPARK_LOCAL_DIRS", str(scratch))
        # Short runs: little compiling, few threads, and Spark's own classes are not verified again.
        patch.setenv("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xverify:none")
        session = spark_session("local-cluster[2,1,1024]")
        import pyspark

        logs = Path(pyspark.__file__).parent / "work" / session.sparkContext.applicationId
        yield session
        session.stop()
        shutil.rmtree(logs, ignore_errors=True)


@pytest.fixture(autouse=True, scope="session")
def _own_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test writes into the ledger of whoever runs it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SEQVEIL_HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A real browser, one for all tests of a worker: Playwright runs once in a thread."""
    from browsers import chromium

    with chromium() as browser:
        yield browser
