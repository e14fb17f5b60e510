"""The top K gapped patterns by the `prefixspan` package. In the peers' environment.

usage: prefixspan_top.py DATA OUT K
"""

from __future__ import annotations

import gzip
import json
import sys
import time

from peak import megabytes


def main() -> None:
    data, out, k = sys.argv[1], sys.argv[2], int(sys.argv[3])
    from prefixspan import PrefixSpan

    with gzip.open(data, "rt", encoding="utf-8") as file:
        records = [line.split() for line in file]
    began = time.perf_counter()
    miner = PrefixSpan(records)
    miner.minlen = 2
    patterns = miner.topk(k)
    seconds = time.perf_counter() - began
    with open(out, "w", encoding="utf-8") as file:
        json.dump(patterns, file)
    print(json.dumps({"seconds": seconds, "mb": megabytes()}))


main()
