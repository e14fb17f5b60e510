"""Alphabets: a public map of the labels of a domain to few codes, applied to every item before anything is counted.

It is chosen from public parameters and noisy answers, for example "the strong labels, and one code for all others". Replacing
items one by one changes neither the length of a record nor how many records there are, so it changes no sensitivity.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError


@dataclass(frozen=True, slots=True, eq=False)
class Alphabet:
    """`codes` has a code of 0..size-1 for every label of the domain; several labels may share one.

    >>> Alphabet(np.array([0, 1, 1], np.int32), 2).size
    2
    >>> Alphabet(np.array([0, 2], np.int32), 2)
    Traceback (most recent call last):
    seqveil.errors.CallError: codes must hold one whole number of 0 to size − 1 = 1 for every label.
    """

    codes: NDArray[np.int32]
    size: int

    def __post_init__(self) -> None:
        codes = self.codes
        fits = isinstance(codes, np.ndarray) and codes.ndim == 1 and codes.dtype == np.int32
        if not fits or self.size < 1 or (len(codes) and not 0 <= codes.min() <= codes.max() < self.size):
            raise CallError(f"codes must hold one whole number of 0 to size − 1 = {self.size - 1} for every label.")

    @classmethod
    def identity(cls, labels: int) -> Alphabet:
        """Every label has a code of its own.

        >>> Alphabet.identity(3).codes.tolist()
        [0, 1, 2]
        """
        return cls(np.arange(labels, dtype=np.int32), labels)

    def of(self, domain_size: int) -> NDArray[np.int32]:
        """The codes, once it is sure that there is one for every label: kernels look them up without asking."""
        if len(self.codes) != domain_size:
            raise CallError(f"an alphabet of {len(self.codes):,} labels cannot be used for a domain of {domain_size:,}.")
        return self.codes
