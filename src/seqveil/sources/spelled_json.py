"""JSON whose numbers are spelled by value: the one rule for files and streams of JSON Lines. It imports next to nothing."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from seqveil.tables.spelling import MOST_DIGITS, spelling


def spelled_json(line: bytes | str) -> Any:
    """A JSON text whose numbers are spelled as numbers are everywhere (`tables/spelling.py`): 3, 3.0 and 3e0 are "3".

    >>> spelled_json('[5, 5.0, -0.0, 2.50, 1e3, 12345678901234567890.0, NaN, 1e999]')
    ['5', '5', '0', '2.5', '1000', '12345678901234567890', None, None]
    """
    return json.loads(line, parse_int=_number, parse_float=_number, parse_constant=lambda _: None)


def _number(text: str) -> str | None:
    if text.isdecimal() and len(text) <= MOST_DIGITS:
        return text  # JSON allows no leading zeros
    try:
        spelled = spelling(Decimal(text))
    except ArithmeticError:  # an exponent that no Decimal has
        return None
    return None if spelled is None else spelled.decode()
