"""Attack on the readers: can one person's rows change how another's are read?

Hostile rows (bytes that look like archives, marks and quotes; values of every type) join ordinary ones, before, after and among
them, and pass through the real readers. What is read, what is left out and what is said must be what both give apart.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np

from seqveil.audit.budget import Effort
from seqveil.audit.corpus import PIECES
from seqveil.audit.findings import Attack
from seqveil.audit.readings import BY_LINE, BY_OWNER, PLACES, Reader, Row, by_value, differing

LINES = [
    b"\xef\xbb\xbfa b", b"\xef\xbb\xbfa", b"a\tb", b"PK\x03\x04", b"\x1f\x8b\x08\x00", b"BZh9", b"PAR1",
    b"\xff\xfea\x00", b"\xfe\xff", b"\x28\xb5\x2f\xfd",
    b"\xfd7zXZ\x00", b"", b"\x00", b"\xff\xc3", b'"', b'a,"b', b'"a', b"# a b", b"% a", b"@ a", b"-1 -2 -2",
    b"-2 a", b"\r", b"a\rb",
    b"[", b'["a"', b'{"i":', b'{"i":["a",1,null]}', b'["a","\\ud800"]', b"[" * 2000, b"1e400", b"9" * 400,
    b"a " * 3000, b"{",
    b"<trace>", b"&x;", b"]]>", b"a\xef\xbb\xbf b", b"e,f", b"u,t,i", b"\xed\xa0\x80", "İẞ\ufb01".encode(), b"1",
    b"x y", b"a,1,a",
]  # fmt: skip
"""Lines that have changed, or could change, how a file is taken."""

TAILS = [
    b"0,a", b"5e9,b", b"1600000000000,b", b"1600000000000000000,a", b"2020-01-01T00:00:00Z,a",
    b"03/04/2012 18:00,a", b"soon,a",
    b"NaN,a", b"-1e300,b", b"1e300,b", b"9999999999999999999999,a", b"0001-01-01,a", b"9999-12-31,b", b',"a',
    b'"1,a', b",", b"1,1",
    b"1,\x00", b"\xef\xbb\xbf1,a", b"1,PK\x03\x04", b"12/31/2012 18:00,a", b"1" * 300 + b",a",
]  # fmt: skip
"""What may follow an owner: a time and an item."""

VALUES: list[Any] = [
    "a", "b", "1", "n/a", "", "\ud800", "1.0", b"a", b"\xff", 1, 2, -1, 2**53 + 1, 2**63, 10**30, 10**500, 1.0,
    2.5, 1e300, float("nan"),
    float("inf"), True, False, None, Decimal("1"), Decimal("1.000"), Decimal("1E+999999"), Decimal("NaN"),
    Decimal("0.1"), [], {}, ["a"],
    ["a", 1, None], ("b", 2.0), [["a"]], np.array([1, 2]), np.array(["a", None, 1], object), np.int8(1),
    np.float32(2.0), np.bool_(True),
    np.datetime64("2020-01-01"), np.datetime64("NaT"), np.timedelta64(1, "s"), date(2020, 1, 1), datetime(9999, 12,
    31, tzinfo=UTC),
    timedelta(days=1), 1 + 2j, object, 1_600_000_000_000_000_000,
]  # fmt: skip
"""Values that a column of objects may hold, alone or beside any other."""

_LINES = [b"a b 1", b"b", b"a\tb\t1", b"1 2", b'["a","1"]', b'{"i":"a"}', b"a,b", b"x y"]
_ROWS = [b"p,0,a", b"q,2020-01-01,b", b"p,1600000000,1", b"r,03/04/2012 18:00,a", b"q,1,2", b"q,90000,a", b"p,03/04/2012 17:00,b"]
_OBJECTS: list[Row] = [
    ("p", 0, 1),
    ("q", 1.5, 2),
    ("p", "2020-01-01", "a"),
    ("r", date(2020, 1, 2), 1.0),
    ("q", 2, True),
    ("r", 1, "b"),
]


def attack_locality(attack: Attack, effort: Effort) -> None:
    """Every reader and every hostile row; then rows made by chance."""
    readers = 0
    for reader, base, units in _cases(effort):
        readers += 1
        apart = reader.read(base)
        for number, unit in enumerate(units):
            attack.tried += 1
            places = PLACES[number % effort.stride :: effort.stride]
            if words := differing(reader, base, unit, apart, places):
                attack.violated(f"{reader.name}: {words}", f"{unit!r:.200}")
    attack.summary = f"{attack.tried} users' rows through {readers} readers: no other user's rows were read differently."


def _cases(effort: Effort) -> Iterator[tuple[Reader, list[Row], list[list[Row]]]]:
    luck = random.Random(7)
    more = effort.climbs // 4
    for reader in BY_LINE:
        units: list[list[Row]] = [[line] for line in LINES]
        yield reader, _LINES, units + [_by_chance(luck) for _ in range(more)]
    for reader in BY_OWNER:
        units = [[b"z," + tail] for tail in TAILS] + [[b"z,0,a", b"z," + tail] for tail in TAILS[::4]]
        yield reader, _ROWS, units + [[b"z," + row for row in _by_chance(luck)] for _ in range(more)]
    for reader in by_value():
        units = [[("z", 1, value)] for value in VALUES] + [[("z", value, "a")] for value in VALUES]
        units += [[(value, 1, "a")] for value in VALUES]
        yield reader, _OBJECTS, units


def _by_chance(luck: random.Random) -> list[Row]:
    """Up to three lines of the words that formats are made of."""
    return [b"".join(luck.choices(PIECES, k=luck.randrange(8))) for _ in range(luck.randrange(1, 4))]
