"""The wheel as a stranger uses it: a clean environment, no checkout. Publishes, queries, verifies, and measures the packages.

    python benchmarks/wheel.py dist/seqveil-*.whl [--python python3.12]

Ends with 1 at the first step that fails. `make dist-check` builds the wheel first.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

MOST_MEGABYTES = 500
"""What the core environment should take."""


def run(*words: object, home: Path, expect: int = 0) -> str:
    """Run a command outside the checkout; its output, or the end of everything."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    environment = {**kept, "SEQVEIL_HOME": str(home / "home"), "HOME": str(home)}
    ran = subprocess.run([*map(str, words)], cwd=home, env=environment, capture_output=True, text=True, check=False)
    print(f"{'ok' if ran.returncode == expect else 'FAILED'}: {' '.join(map(str, words))[:110]}")
    if ran.returncode != expect:
        sys.exit(f"exit code {ran.returncode}, expected {expect}\n{ran.stdout}\n{ran.stderr}")
    return ran.stdout


def megabytes(folder: Path) -> float:
    """What a folder takes on disk."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink()) / 1e6


def sizes(packages: Path) -> None:
    """The environment, and the largest packages of it."""
    every = sorted(((megabytes(path), path.name) for path in packages.iterdir() if path.is_dir()), reverse=True)
    total = sum(size for size, _ in every)
    pip = sum(size for size, name in every if name.partition("-")[0] in ("pip", "setuptools"))
    print(f"core environment: {total:,.0f} MB, target {MOST_MEGABYTES} MB: {'met' if total <= MOST_MEGABYTES else 'NOT met'}")
    print(f"without pip and setuptools: {total - pip:,.0f} MB")
    for size, name in every[:6]:
        print(f"  {size:6,.0f} MB  {name}")


def main() -> None:
    """Everything, in a folder that is removed afterwards."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--python", default=sys.executable, help="the interpreter of the clean environment")
    given = parser.parse_args()
    wheel = given.wheel.absolute()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        run(given.python, "-m", "venv", "clean", home=home)
        run("clean/bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel, home=home)
        seqveil, release = "clean/bin/seqveil", "release"
        records = "\n".join(["home work shop", "home shop", "work home"] * 500)
        (home / "days.seq").write_text(records + "\n")
        publish = ("publish", "days.seq", "--domain", "home,work,shop", "--public-because", "an example", "--epsilon", "1")
        run(seqveil, "--version", home=home)
        run(seqveil, *publish, "--out", release, home=home)
        answer = run(seqveil, "query", release, "home work", home=home)
        run(seqveil, "synth", release, "--out", "synthetic.csv", home=home)
        verdict = run(seqveil, "verify", release, home=home)
        manifest = home / release / "manifest.json"
        manifest.write_text(manifest.read_text().replace('"noise": "secure"', '"noise": "edited"', 1))
        run(seqveil, "verify", release, home=home, expect=1)
        print(answer.strip())
        print(verdict.strip())
        sizes(next((home / "clean/lib").glob("python*/site-packages")))


if __name__ == "__main__":
    main()
