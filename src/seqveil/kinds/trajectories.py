"""Trajectories: where people were and when, with a sensitive value each. Fenced: no vault opens them."""

from __future__ import annotations

from seqveil.kinds.kind import Kind

KIND = Kind(
    name="trajectories",
    noun="trajectories with times",
    table="seqveil.tables.trajectories:TrajectoryTable",
    readers={"read": "seqveil.fenced.suppression.files:read_event_log"},
    fenced=(
        "the pairs of place and time are taken from the data, so no release of them is differentially private; suppress them "
        "with `seqveil fenced suppress`, or read the places alone as sequences"
    ),
)
