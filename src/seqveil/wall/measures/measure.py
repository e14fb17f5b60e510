"""In what a run is charged and an account adds up."""

from __future__ import annotations

from typing import Literal, get_args

Measure = Literal["pure", "zcdp"]
"""pure: grains are 10⁻¹² of ε, and ε of releases add up. zcdp: grains are 10⁻¹² of ρ, and ρ of releases add up."""

MEASURES: tuple[Measure, ...] = get_args(Measure)

SYMBOL: dict[Measure, str] = {"pure": "ε", "zcdp": "ρ"}
"""How an amount in this measure is written."""
