"""Seqveil: publish and mine personal sequences under differential privacy, with an epsilon that is true.

    import seqveil as sv

    trips = sv.read_sequences("trips.csv", user="card", time="ts", item="station", session="day", domain=stations)
    vault = sv.Vault(trips, unit=sv.User(max_sequences=5), account="metro-2026-10", cap="3.0")
    release = vault.release(sv.publish.NGram(l_max=20, n_max=5), epsilon="1.0")
    release.save("release")

The order of the work: read (`read_sequences`, `read_sets`, `read_graph`, `read_relational`, or `table_of`, `sets_of`, `graph_of`
from Python lists) over a `Domain`; choose a unit of privacy (`Record`, `User`, `Edge`, `Event`); open a `Vault`; release with a
mechanism of `publish` or `mine`; `load` what was saved; compare it with the raw data (`evaluate`, internal). `stream` releases
while events arrive, `link` finds the people that two data holders share, `fenced` holds what is not differentially private.

Names are listed in `__init__.pyi` and loaded when they are first used.
"""

from seqveil.lazily import listed

__all__, __getattr__, __dir__ = listed(__name__, __file__)
