"""Synthetic logs are mined by pm4py: read from XES and from CSV, without a word of explanation.

pm4py is licensed under the AGPL, so it is no dependency of ours, and nothing of ours imports it: the test runs another Python
that has it. `python -m venv DIR; DIR/bin/pip install pm4py; SEQVEIL_PM4PY=DIR/bin/python pytest tests/tables/write`.
"""

from __future__ import annotations

import json
import os
import subprocess

import pytest

from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.write import write_sequences

PM4PY = os.environ.get("SEQVEIL_PM4PY")

LABELS = Domain.of(["register", "examine & <check>", "decide", "pay"])
RECORDS = Flat.of([[0, 1, 2, 3]] * 6 + [[0, 2]] * 3 + [[0, 1, 1, 2]])
FOLLOWS = {
    ("register", "examine & <check>"): 7,
    ("examine & <check>", "decide"): 7,
    ("decide", "pay"): 6,
    ("register", "decide"): 3,
    ("examine & <check>", "examine & <check>"): 1,
}

MINE = """
import json, sys, pm4py, pandas
path = sys.argv[1]
if path.endswith(".csv"):
    log = pm4py.format_dataframe(pandas.read_csv(path), case_id="sequence", activity_key="item", timestamp_key="timestamp")
else:
    log = pm4py.read_xes(path)
follows, first, last = pm4py.discover_dfg(log)
net, begin, end = pm4py.discover_petri_net_inductive(log)
fitness = pm4py.fitness_token_based_replay(log, net, begin, end)
print(json.dumps({"follows": [[*pair, int(n)] for pair, n in follows.items()], "first": first, "last": last,
                  "cases": len(log["case:concept:name"].unique()), "fitness": fitness["log_fitness"]}))
"""


@pytest.mark.skipif(PM4PY is None, reason="no Python with pm4py: name one in $SEQVEIL_PM4PY")
@pytest.mark.parametrize("ending", [".xes", ".csv"])
def test_a_synthetic_log_is_mined(tmp_path, ending):
    path = write_sequences(tmp_path / f"log{ending}", LABELS, RECORDS)
    ran = subprocess.run([PM4PY, "-c", MINE, path], capture_output=True, text=True, check=False)
    mined = json.loads(ran.stdout.splitlines()[-1])

    assert {(a, b): n for a, b, n in mined["follows"]} == FOLLOWS
    assert mined["first"] == {"register": 10}
    assert mined["last"] == {"pay": 6, "decide": 4}
    assert mined["cases"] == 10
    assert mined["fitness"] == 1.0


def test_every_event_has_a_public_time_and_every_case_a_name(tmp_path):
    """What such tools look for; the times are the same for every record and every release."""
    xes = write_sequences(tmp_path / "log.xes", LABELS, Flat.of([[0, 2], [3]])).read_text()
    csv = write_sequences(tmp_path / "log.csv", LABELS, Flat.of([[0, 2], [3]])).read_text()

    assert xes.count('<date key="time:timestamp" value="2000-01-01T00:00:00+00:00"/>') == 2
    assert xes.count('<date key="time:timestamp" value="2000-01-01T00:01:00+00:00"/>') == 1
    assert '<trace><string key="concept:name" value="2"/>' in xes
    assert csv.splitlines()[1:] == [
        "1,1,register,2000-01-01T00:00:00+00:00",
        "1,2,decide,2000-01-01T00:01:00+00:00",
        "2,1,pay,2000-01-01T00:00:00+00:00",
    ]
