"""The pictures of the site, drawn by the build."""

from __future__ import annotations

from pathlib import Path

from sitebuilder.drawings import architecture, units
from sitebuilder.noise import laplace, two_worlds


def draw(to: Path) -> None:
    """All pictures, into one folder."""
    to.mkdir(parents=True, exist_ok=True)
    for name, picture in {**units.pictures(), "architecture": architecture.picture()}.items():
        (to / f"{name}.svg").write_text(picture, "utf-8")
    laplace().save(str(to / "laplace.svg"))
    two_worlds().save(str(to / "two-worlds.svg"))
