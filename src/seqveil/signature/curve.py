"""Which public keys can be trusted at all: points of the curve of Ed25519 (RFC 8032, §5.1) whose order is not small.

For a key A whose order divides 8, the equation that a signature (R, S) has to satisfy, S·B = R + h·A, no longer depends on a
secret: anybody finds an S for any text. RFC 8032 leaves it to the application to refuse such keys. Only y is needed: x² follows
from y, and so does the y of the doubled point.
"""

from __future__ import annotations

_P = 2**255 - 19
_D = -121665 * pow(121666, -1, _P) % _P


def usable(public: str) -> bool:
    """Whether 64 hexadecimal digits are a point of the curve whose order does not divide 8.

    The neutral element, and the base point of the curve:

    >>> usable("01" + "00" * 31), usable("58" + "66" * 31)
    (False, True)
    """
    y = (int.from_bytes(bytes.fromhex(public), "little") & (2**255 - 1)) % _P
    if pow(_x_squared(y), (_P - 1) // 2, _P) == _P - 1:  # not a square: no x belongs to this y
        return False
    for _ in range(3):
        y = _doubled(y)
    return y != 1


def _x_squared(y: int) -> int:
    """x² from −x² + y² = 1 + d·x²·y². The divisor is never 0, because −1/d is not a square."""
    return (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P


def _doubled(y: int) -> int:
    """The y of twice a point, (y² + x²) / (1 − d·x²·y²)."""
    square = _x_squared(y)
    return (y * y + square) * pow(1 - _D * square * y * y, -1, _P) % _P
