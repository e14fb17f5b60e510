"""An order-2 Markov model of the raw data, without any privacy: what a model this simple can reach. In the peers' environment.

usage: markov.py DATA OUT SEED
"""

from __future__ import annotations

import gzip
import json
import random
import sys
import time
from bisect import bisect_right
from collections import Counter, defaultdict
from itertools import accumulate

from peak import megabytes

BEGIN, END = "\0begin", "\0end"


def main() -> None:
    data, out, seed = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with gzip.open(data, "rt", encoding="utf-8") as file:
        records = [line.split() for line in file]
    began = time.perf_counter()
    follows: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for record in records:
        before = (BEGIN, BEGIN)
        for item in [*record, END]:
            follows[before][item] += 1
            before = (before[1], item)
    tables = {before: (list(counts), list(accumulate(counts.values()))) for before, counts in follows.items()}
    draw = random.Random(seed).random
    with open(out, "w", encoding="utf-8") as file:
        for _ in records:
            before, record = (BEGIN, BEGIN), []
            while True:
                items, sums = tables[before]
                item = items[bisect_right(sums, draw() * sums[-1])]
                if item == END:
                    break
                record.append(item)
                before = (before[1], item)
            file.write(" ".join(record) + "\n")
    seconds = time.perf_counter() - began
    print(json.dumps({"seconds": seconds, "mb": megabytes()}))


main()
