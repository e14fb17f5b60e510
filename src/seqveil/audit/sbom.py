"""The bill of materials: every package that Seqveil needs, directly or not, with its version, from what is installed.

`python -m seqveil.audit.sbom docs/sbom.json` writes it. With `--check` it fails when something is not pinned in
constraints.txt, and says whether the file is out of date. Known advisories are checked where their data is at hand
(`$SEQVEIL_ADVISORIES`, a JSON file that maps names to lists of {"id", "versions"}); nothing is ever asked of the network,
and where there is no data it says so.
"""

from __future__ import annotations

import json
import os
import re
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def plain_name(name: str) -> str:
    """How an index spells a package.

    >>> plain_name("Typing_Extensions")
    'typing-extensions'
    """
    return re.sub(r"[-_.]+", "-", name).lower()


def _needed(requirement: str, extras: frozenset[str]) -> str | None:
    """The name of a requirement that applies here, else None."""
    text, _, marker = requirement.partition(";")
    matched = _NAME.match(text)
    extra = re.search(r"extra\s*==\s*['\"]([^'\"]+)['\"]", marker)
    if matched is None or (extra is not None and extra.group(1) not in extras):
        return None
    return plain_name(matched.group())


def materials(root: str = "seqveil", extras: frozenset[str] = frozenset({"dev"})) -> list[dict[str, str]]:
    """The installed packages in the closure of a package's requirements, by name."""
    waiting, seen = [(root, extras)], {}
    while waiting:
        name, wanted = waiting.pop()
        try:
            package = distribution(name)
        except PackageNotFoundError:  # for another platform or Python
            continue
        seen[plain_name(name)] = {"name": plain_name(name), "version": package.version, "license": _license(package.metadata)}
        for requirement in package.requires or []:
            needed = _needed(requirement, wanted)
            if needed is not None and needed not in seen:
                waiting.append((needed, frozenset()))
    return [seen[name] for name in sorted(seen)]


def _license(metadata: Any) -> str:
    stated = metadata.get("License-Expression") or metadata.get("License") or ""
    classified = [c.rpartition(" :: ")[2] for c in metadata.get_all("Classifier") or [] if c.startswith("License ::")]
    return (stated if 0 < len(stated) < 60 else ", ".join(classified)) or "not stated"


def unpinned(packages: list[dict[str, str]], constraints: str) -> list[str]:
    """What is installed in another version than constraints.txt says, or not named there."""
    pins = dict(line.strip().split("==") for line in constraints.splitlines() if "==" in line)
    pinned = {plain_name(name): version for name, version in pins.items()}
    return [
        f"{one['name']} {one['version']} (constraints.txt says {pinned.get(one['name'], 'nothing')})"
        for one in packages
        if one["name"] != "seqveil" and pinned.get(one["name"]) != one["version"]
    ]


def advised_against(packages: list[dict[str, str]], advisories: dict[str, list[dict[str, Any]]]) -> list[str]:
    """Versions that an advisory names.

    >>> advised_against([{"name": "a", "version": "1"}], {"a": [{"id": "X-1", "versions": ["1"]}]})
    ['a 1: X-1']
    """
    hits = ((one, a) for one in packages for a in advisories.get(one["name"], []) if one["version"] in a["versions"])
    return [f"{one['name']} {one['version']}: {advisory['id']}" for one, advisory in hits]


def main(words: list[str]) -> int:
    """Write or check; the exit code."""
    check, path = "--check" in words, Path(next(word for word in words if not word.startswith("--")))
    packages = materials()
    text = json.dumps({"schema": 1, "of": "seqveil", "packages": packages}, indent=2) + "\n"
    if not check:
        path.write_text(text, encoding="utf-8")
        print(f"{path}: {len(packages)} packages")
        return 0
    loose = unpinned(packages, Path("constraints.txt").read_text(encoding="utf-8"))
    print(f"materials: {len(packages)} packages, {len(loose)} not pinned" + "".join(f"\n  {line}" for line in loose))
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        print(f"materials: {path} is out of date; `make sbom` rewrites it")
    data = os.environ.get("SEQVEIL_ADVISORIES")
    if data is None:
        print("materials: advisories were not checked: there is no advisory data (set SEQVEIL_ADVISORIES to a JSON file)")
        return 1 if loose else 0
    bad = advised_against(packages, json.loads(Path(data).read_text(encoding="utf-8")))
    print(f"materials: {len(bad)} packages with a known advisory" + "".join(f"\n  {line}" for line in bad))
    return 1 if loose or bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
