"""What every registered method of a stream must do: open, answer, say nothing, bear odd events, be charged once."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from itertools import product

import pytest

import seqveil as sv
from conformance.methods import STATISTICS, STREAMS, mechanism
from seqveil import registry
from seqveil.errors import CallError
from seqveil.kinds import kind
from seqveil.stream.mechanism import method_from
from seqveil.tables.units import Event, Run, UserDay
from seqveil.wall.continual import experiment_stream, open_stream

OTHERS = {"lis", "count", "sum", "matches", "bursts"}
ONLY = {"hierarchy": {"lis"}, "sqrt": {"count", "sum", "counts"}, "blocks": {"count", "sum", "counts", "matches", "bursts"}}
every_stream = pytest.mark.parametrize("name", STREAMS)
every_method = pytest.mark.parametrize(
    "method",
    [
        pytest.param(replace(mechanism(name), statistic=one), id=f"{name} {one.name}")
        for name, one in product(STREAMS, STATISTICS)
        if one.name in ONLY.get(name, OTHERS)
    ],
)
ODD = kind("events").small_world().odd()
EVENTS = kind("events").small_world().drifting(16, 2.0)


def delta(method):
    """The δ that a method cannot do without."""
    return "1e-6" if method.method == "sqrt" else None


def answers(method, events, seed=3):
    stream = experiment_stream(method, "1", seed, delta(method))
    stream.resume()
    return [tuple(answer) for answer in stream.feed_many(events)]


@every_stream
def test_a_stream_declares_what_it_works_on(name):
    """The kind names the unit; the verb sets the statistic; the rest can be typed."""
    chosen = registry.method(name)

    assert ("events", (Event, Run, UserDay)) == (chosen.kind, chosen.units)
    assert kind("events").unit_classes() == chosen.units
    assert name == mechanism(name).method
    assert set() == {key for key, one in registry.parameters(chosen).items() if one.required} - set(chosen.implied)


@every_method
def test_a_promise_rebuilds_its_method(method):
    """The public parameters, read back from JSON, make an equal method."""

    assert method == method_from(json.loads(json.dumps(method.parameters())))


@every_method
def test_a_seed_repeats_a_stream(method):
    """Equal seeds, equal answers."""

    assert answers(method, EVENTS) == answers(method, EVENTS) != []


@every_method
@pytest.mark.parametrize("odd", ODD)
def test_odd_events_hold_their_place(method, odd, capfd, caplog):
    """As many answers as for plain events, and not a word about any of them."""
    with caplog.at_level(logging.DEBUG, logger="seqveil"):
        positions = [answer[0] for answer in answers(method, ODD[odd])]
    printed = capfd.readouterr()

    assert [answer[0] for answer in answers(method, [0.0] * len(ODD[odd]))] == positions
    assert ("", "", []) == (printed.out, printed.err, [r for r in caplog.records if r.name.startswith("seqveil")])


@every_stream
def test_a_stream_is_charged_once_or_refused_unspent(name, tmp_path):
    """The whole stream is committed when it is opened; an experiment cannot be opened at all."""
    if mechanism(name).experimental:
        with pytest.raises(CallError, match="experiment"):
            open_stream(mechanism(name), "1", account="s", cap="2", home=tmp_path)
        assert [] == sv.Ledger(tmp_path).accounts()
        return
    stream = open_stream(mechanism(name), "1", delta=delta(mechanism(name)), account="s", cap="2", home=tmp_path)
    stream.resume()
    stream.feed_many(EVENTS)

    assert ["committed"] == [charge.status for charge in sv.Ledger(tmp_path).charges("s")]
