"""What a run logs: public facts in one line each, the same for neighbouring data, and nothing unless it is asked for."""

from __future__ import annotations

import io
import json
import logging

import pytest

import seqveil as sv
from seqveil.errors import BudgetRefused
from seqveil.logs import note, write_logs


@pytest.fixture
def log(monkeypatch):
    """What is logged as JSON from here on; the logger is as before afterwards."""
    logger, stream = logging.getLogger("seqveil"), io.StringIO()
    monkeypatch.setattr(logger, "handlers", [])
    monkeypatch.setattr(logger, "level", logger.level)
    monkeypatch.setattr(logger, "propagate", logger.propagate)
    write_logs("json", stream)
    return lambda: [json.loads(line) for line in stream.getvalue().splitlines()]


def released(home, records, epsilon="1.0"):
    vault = sv.Vault(sv.table_of(records, sv.Domain.of(["a", "b"])), sv.Record(), account="metro", cap="1.5", home=home)
    return vault.release(sv.NGram(l_max=2, n_max=2), epsilon)


def test_the_steps_of_a_run(log, tmp_path):
    release = released(tmp_path, [["a", "b"]] * 50)
    lines = log()

    assert [line["message"] for line in lines] == ["reserved", "begun", "committed"]
    facts = {"account": "metro", "epsilon": "1.0", "mechanism": "ngram"}
    assert lines[0] == {"level": "INFO", "logger": "seqveil.run", "message": "reserved", **facts}
    assert lines[2]["release"] == release.manifest.release
    assert lines[2]["digest"] == release.digest


def test_neighbours_log_the_same(log, tmp_path):
    released(tmp_path / "one", [["a", "b"]] * 50)
    released(tmp_path / "other", [["a", "b"]] * 50 + [["b", "b", "b", "b"]])
    shown = [{k: v for k, v in line.items() if k not in ("release", "digest")} for line in log()]

    assert shown[:3] == shown[3:]


def test_a_run_that_ends_early_says_what_became_of_its_budget(log, tmp_path):
    with pytest.raises(BudgetRefused):
        released(tmp_path, [["a"]], epsilon="9")

    assert [line["message"] for line in log()] == ["ended early"]
    assert "account" in log()[0]


def test_a_handler_that_fails_costs_nothing(log):
    """It would otherwise end a run whose ε is spent already."""

    class Broken(logging.Handler):
        def emit(self, record):
            raise OSError("the collector is gone")

    logging.getLogger("seqveil").addHandler(Broken())
    note(logging.getLogger("seqveil.run"), "begun", account="a")

    assert ["begun"] == [line["message"] for line in log()]
