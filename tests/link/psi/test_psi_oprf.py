"""The oblivious function is the one of RFC 9497, and nothing that is no point is ever multiplied."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from seqveil.link.psi import oprf

KEY = bytes.fromhex("5ebcea5ee37023ccb9fc2d2019f9d7737be85591ae8652ffa9ef0f4d37063b0e")
BLIND = bytes.fromhex("64d37aed22a27f5191de1c1d69fadb899d8862b58eb4220029e036ec4c1f6706")
VECTOR = {  # RFC 9497, appendix A.1.1, test vector 1
    "blinded": "609a0ae68c15a3cf6903766461307e5c8bb2f95e7e6550e1ffa2dc99e412803c",
    "evaluated": "7ec6578ae5120958eb2db1745758ff379e77cb64fe77b0b2d8cc917ea0869c7e",
    "output": "527759c3d9366f277d8c6020418d96bb393ba2afb20ff90df23fb7708264e2f3"
    "ab9135e3bd69955851de4b1f9fe8a0973396719b7912ba9ee8aa7d0b5e24bcf6",
}
ORDER = 2**252 + 27742317777372353535851937790883648493


def test_the_vector_of_the_standard():
    """Blind, evaluate, finalize, as in appendix A.1.1."""
    blinded = oprf.times(BLIND, oprf.hashed(b"\0"))
    evaluated = oprf.times(KEY, blinded)
    output = oprf.output(b"\0", oprf.times(oprf.inverses([BLIND])[0], evaluated))

    assert VECTOR == {"blinded": blinded.hex(), "evaluated": evaluated.hex(), "output": output.hex()}


def test_both_ways_lead_to_the_same_output():
    """The starter's, through a blind, and the answerer's, without one; another message or another key gives another output."""
    key, blind = oprf.random_key(), oprf.random_key()
    through = oprf.times(oprf.inverses([blind])[0], oprf.times(key, oprf.times(blind, oprf.hashed(b"anna"))))
    direct = oprf.times(key, oprf.hashed(b"anna"))

    assert oprf.output(b"anna", through) == oprf.output(b"anna", direct)
    assert 3 == len({direct, oprf.times(key, oprf.hashed(b"anne")), oprf.times(oprf.random_key(), oprf.hashed(b"anna"))})


@pytest.mark.parametrize(
    "point",
    [
        pytest.param(bytes(32), id="the identity"),
        pytest.param(b"\xff" * 32, id="not canonical"),
        pytest.param(b"\x01" + bytes(31), id="negative"),
        pytest.param((2**255 - 19).to_bytes(32, "little"), id="zero, written otherwise"),
        pytest.param(bytes.fromhex("26948d35ca62e643e26a83177332e6b6afeb9d08e4268b650f1f5bbd8d81d371"), id="not a square"),
    ],
)
def test_what_is_no_point_is_refused(point):
    """Encodings of RFC 9496, appendix A.3, and the identity, which would give one output for all keys."""
    with pytest.raises(oprf.NotAPoint):
        oprf.times(oprf.random_key(), point)


def test_inverses_are_inverses():
    """Of one, of many, of none."""
    scalars = [oprf.scalar_of(bytes([i]) * 64) for i in range(1, 40)]
    products = [
        int.from_bytes(a, "little") * int.from_bytes(b, "little") % ORDER
        for a, b in zip(scalars, oprf.inverses(scalars), strict=True)
    ]

    assert [1] * len(scalars) == products
    assert ([], oprf.inverses(scalars[:1])) == (oprf.inverses([]), oprf.inverses(scalars)[:1])


def test_the_binding_leaves_no_library_behind(tmp_path):
    """It unpacks one into a temporary file at every start."""
    code = "from seqveil.link.psi import oprf; print(len(oprf.random_key()))"
    ran = subprocess.run([sys.executable, "-c", code], env={"TMPDIR": str(tmp_path)}, capture_output=True, text=True, check=True)

    assert ("32\n", []) == (ran.stdout, list(Path(tmp_path).iterdir()))
