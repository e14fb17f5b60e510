"""`seqveil inspect`: the promise in words, the bill, and a look at what a release holds."""

from __future__ import annotations

from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seqveil.cli.console import Json, banner, command, emit, paper, printable, say, tell
from seqveil.notation import to_text

if TYPE_CHECKING:
    from rich.tree import Tree

    from seqveil.release import Release
    from seqveil.release.grams import GramRelease
    from seqveil.release.manifest import Manifest

_BRANCHES = (6, 3, 2)
"""How many of the largest children the picture shows on each level."""


def inspect(
    release: Annotated[Path, typer.Argument(help="The folder of a release, or the state file of a stream.")],
    top: Annotated[int, typer.Option(min=0, help="How many of the most frequent grams or patterns to list.")] = 10,
    picture: Annotated[Path | None, typer.Option(help="Of a graph with a density map: also draw it into this .svg file.")] = None,
    as_json: Json = False,
) -> None:
    """Show what was promised, what each stage spent, the most frequent grams or patterns and a picture of the tree.

    Example: seqveil inspect release/ --top 20
    """
    from seqveil.cli.streaming import holds_state, show_state
    from seqveil.release import load
    from seqveil.release.grams import GramRelease

    if holds_state(release):
        return show_state(release, as_json)
    held: Any = load(release)
    if picture is not None:
        from seqveil.cli.graphs import write_picture

        write_picture(held, release, picture)
    listing = hasattr(held, "top")
    best = _top(held, top) if isinstance(held, GramRelease) else held.top(top) if listing else []
    if as_json:
        rules = {"rules": held.rules(top)} if hasattr(held, "rules") else {}
        return emit({**_promise(held), "top": best, **rules})
    if not held.manifest.private:
        banner("EXPERIMENT")
    out = paper()
    for line in _words(held.manifest):
        for part in wrap(printable(line), width=min(out.width, 100), subsequent_indent=" " * 11):
            tell(part)
    if held.content == "graph":
        from seqveil.cli.graphs import draw_map

        draw_map(held)
        if picture is not None:
            say(f"drawn: {picture}")
    if top and not best and (listing or isinstance(held, GramRelease)):
        tell()
        tell("Nothing stands above the noise: this release holds no counts. Its ε remains spent; more records, a smaller")
        tell("domain or more ε would help, and `--dry-run --size NUMBER` says beforehand how much.")
        return None
    if isinstance(held, GramRelease):
        tell()
        tell(f"Most frequent grams ({held.about}; 95 % intervals):")
        for gram in best:
            tell(_line(gram))
        tell()
        out.print(_picture(held))
    if listing:
        tell()
        tell(f"Most frequent patterns ({held.about}; 95 % intervals):")
        for pattern in best:
            tell(_line({"gram": pattern["pattern"], **pattern}))
    if hasattr(held, "rules"):
        tell()
        tell("Strongest rules (from noisy counts; confidence, lift, support):")
        for rule in held.rules(top):
            told = f"{rule['confidence']:>7.1%} {rule['lift']:>6.2f} {rule['support']:>11,}"
            tell(f"{told}  {to_text(rule['given'])} => {to_text([rule['then']])}")
    if best:
        asked = best[0]["gram" if isinstance(held, GramRelease) else "pattern"]
        tell()
        tell(f"Ask for any of them: {command('query', release, to_text(asked))}")


def _promise(held: Release) -> dict[str, Any]:
    from dataclasses import asdict

    return {**asdict(held.manifest), "digest": held.digest}


def _words(manifest: Manifest) -> list[str]:
    """The promise and the bill."""
    from seqveil.release.readme import promise

    promised = promise(manifest) if manifest.private else "Nothing: whoever knows the seed can remove the noise."
    unit = ", ".join(f"{key}={value}" for key, value in manifest.unit.items() if key != "name")
    made = manifest.mechanism
    parameters = ", ".join(f"{key}={value}" for key, value in made.parameters.items())
    return [
        f"Release    {manifest.release}, made {manifest.created}",
        f"Method     {made.name} {made.version} ({made.paper})",
        f"With       {parameters}",
        f"Promised   {promised}",
        f"Protects   every {manifest.unit['name']}" + (f" ({unit})" if unit else ""),
        f"Spent      epsilon {manifest.epsilon} in all, noise: {manifest.noise}",
        *(f"           {amount:>16}  {name}" + (f" ({kind})" if kind else "") for name, kind, amount in manifest.bill),
    ]


def _top(held: GramRelease, top: int) -> list[dict[str, Any]]:
    """The grams of two symbols and more with the largest answers; single labels where there are no longer ones."""
    import numpy as np

    longer = np.flatnonzero(held.grams.lengths > 1)
    rows = longer if len(longer) else np.arange(len(held.grams))
    best = held.ranked(rows, top)
    return [{"gram": _labels(held, row), **answer.to_json()} for row, answer in zip(best, held.answers(best), strict=True)]


def _labels(held: GramRelease, row: int) -> list[str]:
    from seqveil.release.grams.columns import end_mark

    end = len(held.domain)
    return [end_mark(held.domain) if code == end else held.domain.label(code) for code in held.grams.gram(row)]


def _line(gram: dict[str, Any]) -> str:
    words = to_text(gram["gram"])
    if gram["low"] is None:
        return f"{round(gram['value']):>12,}  (an estimate)  {words}"
    return f"{round(gram['value']):>12,}  {gram['low']:,} to {gram['high']:,}  {words}"


def _picture(held: GramRelease) -> Tree:
    """The top of the tree, widest branches first."""
    from rich.text import Text
    from rich.tree import Tree

    from seqveil.release.grams.columns import end_mark

    lengths = held.grams.lengths
    tallest = int(lengths.max(initial=0))
    tree = Tree(Text(f"{len(held.grams):,} grams, up to {tallest} symbols; {end_mark(held.domain)} is the end of a record"))
    _grow(tree, held, -1, 0)
    return tree


def _grow(branch: Tree, held: GramRelease, node: int, level: int) -> None:
    from rich.text import Text

    if level == len(_BRANCHES):
        return
    rows = held.children(node)
    widest = held.ranked(rows, _BRANCHES[level])
    for row, answer in zip(widest, held.answers(widest), strict=True):
        child = branch.add(Text(f"{to_text(_labels(held, row)[-1:])}  {round(answer.value):,}"))
        _grow(child, held, row, level + 1)
    if len(rows) > len(widest):
        branch.add(Text(f"… {len(rows) - len(widest):,} more"))
