"""The fuzzing campaign: a coverage-guided fuzzer (atheris) at every door that a stranger's bytes come through. `make fuzz`.

One process per door and a line of results each; a find is written to `--finds` and ends the campaign with exit code 1. Without
atheris (it needs the extra `fuzz`), inputs are made by chance from the corpus alone, and the line says so.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COSTLY = {"run command": 300, "parse words": 30, "read relational": 10, "load release": 4, "read lines": 2, "read jsonl": 2}
"""How many times slower than the others a door is: it gets so many times fewer inputs."""


def cost(name: str) -> int:
    """A door at which bytes are read apart and together is read five times, through files."""
    return COSTLY.get(name, 10 if name.startswith("read apart") else 1)


def by_chance(name: str, runs: int, seed: int) -> None:
    """Pieces of the corpus, shuffled, cut and joined."""
    from seqveil.audit.corpus import PIECES, corpus
    from seqveil.audit.fuzzing import TARGETS

    luck, seeds, target = random.Random(seed), corpus(name), TARGETS[name]
    for number in range(runs):
        body = bytearray(luck.choice(seeds))
        for _ in range(luck.randrange(6)):
            at = luck.randrange(len(body) + 1)
            body[at : at + luck.randrange(4)] = luck.choice(PIECES)
        try:
            target(bytes(body))
        except Exception:
            print(f"FIND {name} {number}: {bytes(body)!r}", flush=True)
            raise


def guided(name: str, runs: int, seed: int, finds: Path) -> None:
    """The same, led by coverage; never returns."""
    import atheris

    with atheris.instrument_imports(include=["seqveil"]):
        from seqveil.audit.corpus import PIECES, corpus
        from seqveil.audit.fuzzing import TARGETS
    folder = Path(tempfile.mkdtemp())
    for number, body in enumerate(corpus(name)):
        (folder / str(number)).write_bytes(body)
    words = folder.parent / f"{folder.name}.dict"
    words.write_text("".join(f'"{_escaped(piece)}"\n' for piece in PIECES), encoding="ascii")
    options = [
        f"-runs={runs}",
        f"-seed={seed}",
        "-max_len=4096",
        f"-dict={words}",
        f"-artifact_prefix={finds}/",
        "-rss_limit_mb=4096",
    ]
    atheris.Setup([sys.argv[0], *options, str(folder)], TARGETS[name])
    atheris.Fuzz()


def _escaped(piece: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in piece)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=1_000_000, help="inputs over all doors")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--finds", type=Path, default=Path("finds"))
    parser.add_argument("--door", help="one door only, in this process")
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--chance", action="store_true", help="no coverage: inputs by chance")
    options = parser.parse_args()
    if options.door:
        if options.chance:
            return by_chance(options.door, options.runs, options.seed)
        return guided(options.door, options.runs, options.seed, options.finds)
    sys.exit(campaign(options))


def campaign(options: argparse.Namespace) -> int:
    """Every door in a process of its own; how many of them gave way."""
    from seqveil.audit.fuzzing import TARGETS

    try:
        import atheris  # noqa: F401

        how = []
    except ImportError:
        how = ["--chance"]
        print("atheris is not installed (pip install 'seqveil[fuzz]'): inputs are made by chance, without coverage.")
    options.finds.mkdir(parents=True, exist_ok=True)
    share = options.inputs / sum(1 / cost(name) for name in TARGETS)
    broken, total, begun = 0, 0, time.perf_counter()
    for name in TARGETS:
        runs, started = int(share / cost(name)) + 1, time.perf_counter()
        call = [
            sys.executable,
            __file__,
            "--door",
            name,
            "--runs",
            str(runs),
            "--seed",
            str(options.seed),
            "--finds",
            str(options.finds),
        ]
        result = subprocess.run([*call, *how], capture_output=True, text=True, check=False)
        took = time.perf_counter() - started
        verdict = "passed" if result.returncode == 0 else f"FAILED\n{result.stderr[-2000:]}"
        print(f"{name}\t{runs:,} inputs\t{took:.0f} s\t{verdict}", flush=True)
        broken, total = broken + (result.returncode != 0), total + runs
    print(f"{total:,} inputs at {len(TARGETS)} doors in {time.perf_counter() - begun:.0f} s: {broken} gave way")
    return 1 if broken else 0


if __name__ == "__main__":
    main()
