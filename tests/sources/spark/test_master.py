"""A master that does not answer is refused within seconds, before Java is started and before anything is reserved."""

from __future__ import annotations

import logging
import socket
import threading

import pytest

import seqveil as sv
from seqveil.errors import CallError
from seqveil.sources.spark import session
from seqveil.sources.spark.master import announced, refuse_unreachable


@pytest.fixture
def refused() -> str:
    """An address of this machine where nobody listens: one that was just given back."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    return f"127.0.0.1:{port}"


@pytest.fixture
def no_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """No Spark is started, and no running one is found."""
    pytest.importorskip("pyspark", reason="PySpark is not installed (seqveil[spark])")
    from pyspark.sql import SparkSession

    monkeypatch.setattr(SparkSession, "getActiveSession", classmethod(lambda cls: None))
    monkeypatch.setattr(SparkSession.Builder, "getOrCreate", lambda self: pytest.fail("Spark was started"))
    monkeypatch.setattr(session, "refuse_java", lambda: None)


@pytest.mark.usefixtures("no_session")
def test_a_refused_connection_ends_the_call(refused):
    """In one sentence, before Java is started."""
    with pytest.raises(CallError, match=f"no Spark master answers at spark://{refused} \\({refused} refuses connections\\)"):
        sv.read_spark("taps.csv", user="u", item="i", master=f"spark://{refused}", domain=sv.Domain.of(["a", "b"]))


def test_one_master_of_several_is_enough(refused):
    """As where a second one stands by."""
    with socket.create_server(("127.0.0.1", 0)) as master:
        address = f"127.0.0.1:{master.getsockname()[1]}"
        refuse_unreachable(f"spark://{refused},{address}")
        refuse_unreachable(f"spark://{address}")
    refuse_unreachable("yarn")


def test_hosts_that_are_unknown_or_silent_are_named(monkeypatch):
    """Each with its own reason."""

    def connect(address, timeout):
        assert timeout <= 5
        raise {"nowhere": socket.gaierror(), "silent": TimeoutError()}[address[0]]

    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(CallError, match=r"nowhere:7077 is an unknown host; silent:7077 did not answer within 5 s"):
        refuse_unreachable("spark://nowhere:7077,silent:7077")


def test_a_long_wait_is_announced_once(monkeypatch):
    """And a short one is not."""
    said, heard = threading.Event(), []
    monkeypatch.setattr(logging.getLogger("seqveil"), "warning", lambda text: (heard.append(text), said.set()))
    with announced("waiting", after=0):
        assert said.wait(30)
    with announced("not said", after=30):
        pass

    assert ["waiting"] == heard
