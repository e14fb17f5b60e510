"""Seqveil in a process of its own, timed and weighed like the peers. In Seqveil's environment.

usage: ours.py publish DATA DOMAIN OUT METHOD EPSILON SEED | ours.py mine DATA DOMAIN OUT K
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from peak import megabytes


def main() -> None:
    verb, data, domain, out, *rest = sys.argv[1:]
    from seqveil.evaluate.bench.data import read

    table = read(Path(data), domain)
    # Compiled code is cached on disk, but loading it belongs to the first call; the peers are warm Python too.
    began = time.perf_counter()
    if verb == "publish":
        from seqveil.registry import make
        from seqveil.release.records import Records
        from seqveil.wall.vault import experiment

        release = experiment(table, make(rest[0], {}), rest[1], seed=int(rest[2]))
        seconds = time.perf_counter() - began
        Records(table.domain, release.synthetic).write(out)
    else:
        from seqveil.evaluate.gapped import top_gapped

        patterns = top_gapped(table.flat, len(table.domain), int(rest[0]))
        seconds = time.perf_counter() - began
        named = [[support, table.domain.labels(pattern)] for pattern, support in patterns.items()]
        Path(out).write_text(json.dumps(named), encoding="utf-8")
    print(json.dumps({"seconds": seconds, "mb": megabytes()}))


main()
