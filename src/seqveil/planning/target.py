"""What accuracy somebody wants, as they would say it: "top 20 within 5%".

>>> Target.parse("top 20 within 5%")
Target(what='top', k=20, within=0.05, share=0.95)
>>> str(Target.parse("90% of top 50 within 0.1")), str(Target.parse("labels within 2.5 %"))
('90% of top 50 within 10%', 'labels within 2.5%')
>>> Target.parse("top notch")
Traceback (most recent call last):
seqveil.errors.CallError: target='top notch': write what shall be how close, for example 'top 20 within 5%', ...
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from seqveil.errors import CallError
from seqveil.surface import parameter

SHAPES = ("lengths", "first", "last", "trip")
"""Targets that are total variations of synthetic records: lengths, first label, last label, first and last together."""

USUAL_SHARE = 0.95
"""How many of the patterns must be as close as wanted, if nothing else is said: 19 of 20."""

_FORM = re.compile(
    r"(?:(?P<share>[\d.]+\s*%?) of )?(?:the )?(?P<what>top (?P<k>\d{1,5})|labels|pairs|"
    + "|".join(SHAPES)
    + r") within (?:±\s*)?(?P<within>[\d.]+\s*%?)"
)


@dataclass(frozen=True, slots=True)
class Target:
    """How close something shall be.

    Args:
        what: `top` (the k most frequent patterns), `labels` or `pairs` (the k most frequent ones), or one of `SHAPES`.
        k: how many of them.
        within: the largest relative error of a count, or the largest total variation of a shape.
        share: the share of the k that must be this close; one that is not released is not.
    """

    what: str = "top"
    k: int = 20
    within: float = 0.05
    share: float = USUAL_SHARE

    @classmethod
    def parse(cls, text: str) -> Target:
        """As it was typed."""
        typed = _FORM.fullmatch(" ".join(text.lower().split()))
        within, share = (_fraction(typed[name]) if typed else None for name in ("within", "share"))
        what = typed["what"].split()[0] if typed else ""
        k = int(typed["k"] or 20) if typed else 0
        fits = within is not None and 0 < within < 1 and 1 <= k <= 1000
        if not fits or (typed and typed["share"] and (share is None or not 0 < share <= 1 or what in SHAPES)):
            raise CallError(
                f"{parameter('target', repr(text))}: write what shall be how close, for example 'top 20 within 5%', "
                f"'90% of top 100 within 10%', 'labels within 2%', 'pairs within 5%', or {', '.join(SHAPES)} 'within 5%'."
            )
        assert within is not None
        return cls(what, k, within, USUAL_SHARE if share is None else share)

    @property
    def is_shape(self) -> bool:
        """Whether it is about synthetic records, not about counts."""
        return self.what in SHAPES

    @property
    def subject(self) -> str:
        """What shall be close."""
        return f"top {self.k}" if self.what == "top" else self.what

    def __str__(self) -> str:
        share = "" if self.share == USUAL_SHARE or self.is_shape else f"{100 * self.share:g}% of "
        return f"{share}{self.subject} within {100 * self.within:g}%"


def _fraction(text: str | None) -> float | None:
    """A share, as a decimal or in per cent.

    >>> _fraction("5 %"), _fraction("0.05"), _fraction("1.2.3")
    (0.05, 0.05, None)
    """
    if text is None:
        return None
    number, percent, _ = text.partition("%")
    try:
        return round(float(number) / (100 if percent else 1), 9)
    except ValueError:
        return None
