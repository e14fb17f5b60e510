"""What this installation knows about the key that signed a release."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Literal

from seqveil.signature.ed25519 import fingerprint
from seqveil.signature.keys import Keys

State = Literal["unsigned", "own", "trusted", "stolen", "unknown"]


@dataclass(frozen=True, slots=True)
class Standing:
    """Whose signature a release has.

    The signature itself was checked when the release was loaded. `state` says what is known about its key: it is or was the `own`
    key of this installation, it is `trusted` (with a `name`), it was reported `stolen`, or it is `unknown`. Without one it is
    `unsigned`.
    """

    state: State
    key: str | None = None
    name: str = ""

    @property
    def established(self) -> bool:
        """Whether the signature says who vouches for the manifest."""
        return self.state in ("own", "trusted")

    @property
    def fingerprint(self) -> str | None:
        """The key, short enough to be compared by people."""
        return None if self.key is None else fingerprint(self.key)

    @property
    def sentence(self) -> str:
        """For people.

        >>> Standing("unsigned").sentence
        'Not signed: nothing shows that the manifest is as its publisher wrote it.'
        """
        if self.state == "unsigned":
            return "Not signed: nothing shows that the manifest is as its publisher wrote it."
        said = {
            "own": "Signed by this installation",
            "trusted": f"Signed by {self.name!r}, which you trust",
            "stolen": "Signed with a key of this installation that was reported stolen",
            "unknown": "Signed, but by a key that you do not trust yet",
        }
        return f"{said[self.state]} (key {self.fingerprint})."

    def to_dict(self) -> dict[str, Any]:
        """In JSON's types."""
        return {"state": self.state, "key": self.key, "fingerprint": self.fingerprint, "name": self.name or None}


def standing(public: str | None, home: str | os.PathLike[str] | None = None) -> Standing:
    """What this installation knows about a public key; None for a release that names none."""
    if public is None:
        return Standing("unsigned")
    key = Keys.at(home).standing(public)
    return Standing("unknown", public) if key is None else Standing(key.status, public, key.name)
