"""pm4py's private variant query, called as its users call it. Runs in the peers' environment, not in Seqveil's.

usage: pm4py_variants.py DATA OUT EPSILON K P
"""

from __future__ import annotations

import gzip
import importlib.util
import json
import sys
import time
import warnings
from itertools import groupby

from peak import megabytes


def main() -> None:
    data, out, epsilon, k, p = sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5])
    warnings.simplefilter("ignore")
    if not hasattr(importlib.util, "find_loader"):
        # As shipped (2.7.13 to 2.7.23.11) the query calls this function, which this module never had, and stops.
        importlib.util.find_loader = importlib.util.find_spec  # type: ignore[attr-defined]
    from pm4py.algo.anonymization.trace_variant_query import algorithm
    from pm4py.objects.log.obj import Event, EventLog, Trace

    with gzip.open(data, "rt", encoding="utf-8") as file:
        log = EventLog([Trace([Event({"concept:name": item}) for item in line.split()]) for line in file])
    began = time.perf_counter()
    settings = {"epsilon": epsilon, "k": k, "p": p, "show_progress_bar": False}
    frame = algorithm.apply(log, variant=algorithm.Variants.LAPLACE, parameters=settings)
    seconds = time.perf_counter() - began
    rows = zip(frame["case:concept:name"], frame["concept:name"], strict=True)
    with open(out, "w", encoding="utf-8") as file:
        file.writelines(" ".join(str(item) for _, item in case) + "\n" for _, case in groupby(rows, key=lambda row: row[0]))
    print(json.dumps({"seconds": seconds, "mb": megabytes()}))


main()
