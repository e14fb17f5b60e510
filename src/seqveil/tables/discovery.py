"""How a domain came about that nobody declared: the release that discovered it, and what that cost."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Discovery:
    """The release that a domain was discovered by. Its guarantee adds to that of every release that uses the domain.

    >>> print(Discovery("ab" * 16, "0.2", "1e-6", "0.001", "trips"))
    discovered by release abababababababababababababababab with ε = 0.2, δ = 1e-6 (account 'trips')
    """

    release: str
    epsilon: str
    delta: str
    rho: str
    account: str | None

    def __str__(self) -> str:
        account = "" if self.account is None else f" (account {self.account!r})"
        return f"discovered by release {self.release} with ε = {self.epsilon}, δ = {self.delta}{account}"
