"""Streams that tests open, and open again from their state file."""

import seqveil as sv
from seqveil.stream.mechanism import method_from
from seqveil.wall.continual import promise_of, reopen_stream


def start(tmp_path, state=True, **more):
    place = {"home": tmp_path / "home", **({"state": tmp_path / "s"} if state else {})}
    return sv.stream.count(**{"length": 4000, "epsilon": "1.0", "account": "meter", "where": "> 0", **place, **more})


def reopened(tmp_path):
    """From its state file, before anything is gone through again."""
    state = tmp_path / "s"
    return reopen_stream(method_from(promise_of(state).parameters), state, home=tmp_path / "home")
