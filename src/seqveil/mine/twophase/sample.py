"""PublicSample: records outside the protected data that someone vouched for as public."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from seqveil.errors import CallError
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat


@dataclass(frozen=True, eq=False)
class PublicSample:
    """Public records over a domain, for the model of PT-Sample. They get NO protection.

    `because` says how the data holder knows that they are public (consent, an earlier publication, …), and is recorded in the
    manifest with a digest. They must not be among the protected records: drawing them from the protected table would void
    the guarantee for the people drawn. Whether they are is never checked, because an answer would reveal something about the
    protected table.

    >>> web = Domain.of(["home", "buy"])
    >>> PublicSample(web, Flat.of([[0, 1]]), because="volunteers who agreed in writing")
    PublicSample(1 public records)
    >>> PublicSample(web, Flat.of([[0, 1]]), because="")
    Traceback (most recent call last):
    seqveil.errors.CallError: no reason given for treating the sample as public; it gets no protection: add because=TEXT.
    """

    domain: Domain
    records: Flat
    because: str

    def __post_init__(self) -> None:
        if not self.because.strip():
            raise CallError("no reason given for treating the sample as public; it gets no protection: add because=TEXT.")

    def __repr__(self) -> str:
        return f"PublicSample({len(self.records):,} public records)"

    def describe(self) -> dict[str, str | int]:
        """Its entry in the manifest."""
        body = np.concatenate([self.records.offsets, self.records.items.astype(np.int64)]).tobytes()
        return {"records": len(self.records), "digest": hashlib.sha256(body).hexdigest(), "public_because": self.because}
