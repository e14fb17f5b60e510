"""Discrete Laplace noise from independent binary digits, exactly and many at a time.

T with P(T = k) = (1 − r)·rᵏ, r = e^(−1/s), has independent binary digits: rᵏ is the product of r^(2ʲ) over the digits j of k that
are 1, so digit j is 1 with probability pⱼ = r^(2ʲ) / (1 + r^(2ʲ)) = 1 / (1 + e^(2ʲ/s)), whatever the others are. Discrete Laplace
noise is T, or −T − 1 with probability r / (1 + r) = p₀ (docs/mechanisms/noise.md). So a draw is a row of biased coins.

A coin of probability p is U < p for a uniform real U. Sixteen bits of U settle nearly all of them; where they do not, U keeps its
bits and gets more, and p is computed more closely, until the two differ. So each coin falls as in infinitely precise arithmetic.

Digits end at J, the first with e^(−2ᴶ/s) < 2⁻⁶⁴. What lies beyond is a coin as well: T ≥ 2ᴶ has that probability, independently
of the digits below, and so has T − 2ᴶ ≥ 2ᴶ then.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, ROUND_FLOOR, Context, Decimal, localcontext
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from seqveil.wall.noise.scale import Scale

BITS = 16
"""Bits of U that are drawn for every coin; about one in 2¹⁶ needs more."""

BATCH = 100_000
"""Draws at a time: their bits are a few megabytes."""

FEW = 4096
"""Up to so many draws NumPy is as fast as compiled code, which takes half a second to load: a stream should not wait for it."""

_UNSURE = Decimal(10) ** -20

RandomBytes = Callable[[int], bytes]


@dataclass(frozen=True, slots=True, eq=False)
class Coins:
    """The coins of a scale: J digits, the one beyond and the sign. Words below `low` are sure to mean 1, from `high` on 0."""

    scale: Scale
    digits: int
    low: NDArray[np.uint16]
    high: NDArray[np.uint16]

    def chance(self, coin: int, bits: int) -> tuple[int, int]:
        """Whole numbers around the probability of a coin times 2**bits."""
        return _chance(self.scale, self.digits, coin, bits)


@lru_cache(maxsize=4096)
def coins(scale: Scale) -> Coins:
    """The coins of a scale."""
    digits = 0
    while 2**digits < 45 * scale.exact:  # e⁻⁴⁵ < 2⁻⁶⁴
        digits += 1
    around = [_chance(scale, digits, coin, BITS) for coin in range(digits + 2)]
    low, high = (np.array(side, np.uint16) for side in zip(*around, strict=True))
    return Coins(scale, digits, low, high)


@lru_cache(maxsize=65_536)
def _chance(scale: Scale, digits: int, coin: int, bits: int) -> tuple[int, int]:
    """Coin j < digits is digit j; then the one beyond, e^(−2ᴶ/s), and the sign, p₀.

    The exponent x, at most 90·10⁹, is rounded once, so e^(−x) is right to a relative (x + 2)·10^(1 − prec), and the probability
    to three times that. With prec = bits/3 + 60 and 2**bits < 10**(bits/3) the product is right to 10⁻⁴⁵, so what lies 10⁻²⁰
    below it is below the true one and what lies as far above is above. Rounded outwards they are on either side.
    """
    with localcontext(Context(prec=bits // 3 + 60, Emin=MIN_EMIN, Emax=MAX_EMAX, rounding=ROUND_FLOOR)):
        numerator, denominator = scale.exact.as_integer_ratio()
        power = 1 if coin > digits else 2**coin
        x = (-Decimal(power * denominator) / numerator).exp()
        p = x if coin == digits else x / (1 + x)
        return around(p * 2**bits)


def around(computed: Decimal) -> tuple[int, int]:
    """The nearest whole numbers that are surely on either side of what was computed to within far less than 10⁻²⁰."""
    return max(int(computed - _UNSURE), 0), int(computed + _UNSURE) + 1


def tossed(
    words: NDArray[np.uint16], low: NDArray[np.uint16], high: NDArray[np.uint16], digits: int, out: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The draws, as far as their words settle them, with a sign where there is a word for it; returns which coins are open."""
    if len(words) > FEW:
        from seqveil.wall.noise.tossing import tossed_compiled

        return np.asarray(tossed_compiled(words, low, high, digits, out))
    width = words.shape[1]
    ones = words < low[:width]
    out[:] = (ones[:, :digits].astype(np.int64) << np.arange(digits)).sum(axis=1)
    if width > digits + 1:
        out[:] = np.where(ones[:, digits + 1], ~out, out)
    return np.flatnonzero(~ones & (words < high[:width]))


def settled(chance: Callable[[int], tuple[int, int]], word: int, bits: int, source: RandomBytes) -> bool:
    """Whether U < p, for a U that begins with these bits; `chance(bits)` gives whole numbers around p · 2**bits."""
    while True:
        word = word << 112 | int.from_bytes(source(14), "little")
        bits += 112
        low, high = chance(bits)
        if word + 1 <= low:
            return True
        if word >= high:
            return False


def draw(scale: Scale, size: int, source: RandomBytes, signed: bool) -> NDArray[np.int64]:
    """Independent draws: of discrete Laplace noise, or of T alone."""
    law = coins(scale)
    width = law.digits + 1 + signed
    drawn = np.empty(size, np.int64)
    for start in range(0, size, BATCH):
        part = drawn[start : start + BATCH]
        words = np.frombuffer(source(2 * width * len(part)), np.uint16).reshape(len(part), width)
        for place in tossed(words, law.low, law.high, law.digits, part).tolist():
            i, coin = divmod(place, width)
            if settled(partial(law.chance, coin), int(words[i, coin]), BITS, source):
                part[i] = _flipped(int(part[i]), coin, law, source)
    return drawn


def load_compiled() -> None:
    """Have the compiled code loaded now, by as many draws as need it: a run loads nothing once its ε is spent."""
    draw(Scale(1.0), FEW + 1, os.urandom, signed=True)


def _flipped(value: int, coin: int, law: Coins, source: RandomBytes) -> int:
    """A draw with one more coin that fell on 1; its coins are settled in order, the sign last."""
    if coin > law.digits:
        return ~value
    more = 1 << coin
    while coin == law.digits and settled(partial(law.chance, coin), int.from_bytes(source(2), "little"), BITS, source):
        more += 1 << coin
    return value + more if value >= 0 else value - more
