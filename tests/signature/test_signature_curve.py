"""Public keys for which anybody can sign: found by their order, refused by `trust`, never valid."""

from pathlib import Path

import pytest

from seqveil.errors import CallError
from seqveil.signature.curve import usable
from seqveil.signature.ed25519 import throwaway, valid
from seqveil.signature.keys import Keys

P = 2**255 - 19
D = -121665 * pow(121666, -1, P) % P


def add(a, b):
    """The law of the group, in full, for comparison."""
    (x, y), (u, v) = a, b
    t = D * x * u * y * v
    return (x * v + y * u) * pow(1 + t, -1, P) % P, (y * v + x * u) * pow(1 - t, -1, P) % P


def encoded(point) -> str:
    x, y = point
    return (y | (x & 1) << 255).to_bytes(32, "little").hex()


def root(square: int) -> int:
    """A square root modulo P, which is 5 modulo 8."""
    candidate = pow(square, (P + 3) // 8, P)
    return candidate if candidate * candidate % P == square else candidate * pow(2, (P - 1) // 4, P) % P


def torsion() -> list[tuple[int, int]]:
    """All eight points whose order divides 8: multiples of one of order 8, which has y² = (−1 ± √(1 + d)) / d."""
    for sign in (1, -1):
        y = root((-1 + sign * root((1 + D) % P)) * pow(D, -1, P) % P)
        x = root((y * y - 1) * pow(D * y * y + 1, -1, P) % P)
        points = [(0, 1)]
        while (after := add(points[-1], (x, y))) != (0, 1) and len(points) < 8:
            points.append(after)
        if after == (0, 1) and len(points) == 8:
            return points
    raise AssertionError


FORGED = [encoded(point) for point in torsion()]
OTHERWISE = [(P + 1).to_bytes(32, "little").hex(), P.to_bytes(32, "little").hex(), "01" + "00" * 30 + "80"]
"""The same points, with y not reduced, or with the sign of an x that is 0."""


def test_there_are_eight_of_them():
    assert 8 == len(set(FORGED))


@pytest.mark.parametrize("public", [*FORGED, *OTHERWISE])
def test_a_key_that_anybody_can_sign_for_is_never_trusted(public: str, tmp_path: Path):
    assert not usable(public)
    with pytest.raises(CallError, match="small order"):
        Keys.at(tmp_path).trust(public, "Metro")
    assert [] == Keys.at(tmp_path).trusted()


def test_a_signature_that_nobody_made_is_not_valid():
    """R and A neutral, S = 0 satisfy the equation for every text; also where trusted.txt was edited by hand."""
    neutral, nothing = FORGED[0], "00" * 32

    assert not any(valid(neutral, text, neutral + nothing) for text in (b"epsilon 1.0", b"epsilon 0.1"))


def test_the_equation_alone_would_accept_it():
    """What the check is for: the library verifies it."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    Ed25519PublicKey.from_public_bytes(bytes.fromhex(FORGED[0])).verify(bytes.fromhex(FORGED[0]) + bytes(32), b"anything")


def test_real_keys_are_usable_and_half_of_all_numbers_are_none():
    assert all(usable(throwaway().public) for _ in range(50))
    assert 20 < sum(usable(f"{n:064x}") for n in range(1000, 1100)) < 80
