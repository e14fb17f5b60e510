"""`seqveil bench quality` for those who tune a method: one seed, no journal unless asked, parameters by name.

    python benchmarks/quality.py --method NAME --sets msnbc,us_flights --seeds 1 --epsilon 1 [--delta 1e-6] [--with n_max=4 …]
    python benchmarks/quality.py --method ngram --seeds 5 --epsilon .1,.5,1,10 --out results --keep benchmarks/quality-today.json

`--keep` writes the figures to which other methods are compared.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from seqveil.evaluate.bench.quality.run import carry_out, chosen_sets
from seqveil.evaluate.bench.quality.tables import markdown
from seqveil.evaluate.bench.quality.today import FILE, read_today, write_today


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--method", default="ngram")
    parser.add_argument("--sets", help="names, separated by commas; all by default")
    parser.add_argument("--epsilon", default="1", help="budgets, separated by commas")
    parser.add_argument("--delta", help="charge runs in zCDP, for this δ")
    parser.add_argument("--seeds", type=int, default=1, help="runs with the seeds 1, 2, …")
    parser.add_argument(
        "--with", dest="given", action="append", default=[], metavar="NAME=VALUE", help="a parameter of the method"
    )
    parser.add_argument("--out", type=Path, help="folder of the journal, to resume from")
    parser.add_argument("--keep", type=Path, help="write the figures as those to compare with")
    options = parser.parse_args()
    quality = carry_out(
        options.method,
        chosen_sets(options.sets.split(",") if options.sets else None),
        options.epsilon.split(","),
        options.seeds,
        given=dict(pair.split("=", 1) for pair in options.given),
        results=options.out,
        delta=options.delta,
        on_run=lambda what, done, of: print(f"{done + 1}/{of} {what}", flush=True) if done < of else None,
    )
    if options.keep:
        write_today(options.keep, quality)
    print("\n" + markdown(quality, read_today(Path(__file__).parent / FILE, quality)))


if __name__ == "__main__":
    main()
