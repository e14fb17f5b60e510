"""How close a release, or a method, is to the raw data, for every kind of data. INTERNAL: reads raw data; do not share results.

    print(sv.evaluate.compare(table, release))                     one release
    print(sv.evaluate.compare_runs(table, sv.NGram(), "1.0"))      a method: mean and 95 % interval over five seeded experiments

Names: `__init__.pyi`.
"""

from seqveil.lazily import listed

__all__, __getattr__, __dir__ = listed(__name__, __file__)
