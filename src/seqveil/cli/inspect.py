"""`seqveil inspect`: the guarantee in words, the bill, and a look at what a release holds."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated

import typer

from seqveil.cli.console import Json, banner, command, data, emit, paper, printable, say, tell
from seqveil.cli.shape import lines_of, shape_of
from seqveil.errors import CallError
from seqveil.notation import to_text
from seqveil.whole import refuse_taken, write_whole

if TYPE_CHECKING:
    from rich.tree import Tree

    from seqveil.release import Release
    from seqveil.release.answers import Ranking
    from seqveil.release.capabilities import Ranked
    from seqveil.release.grams import GramRelease
    from seqveil.release.ofrecords import OfRecords

_BRANCHES = (6, 3, 2)
"""How many of the largest children the picture shows on each level."""


def inspect(
    release: Annotated[Path, typer.Argument(help="Folder of a release, or state file of a stream.")],
    top: Annotated[int, typer.Option(min=0, help="How many of the most frequent n-grams or patterns to list.")] = 10,
    picture: Annotated[Path | None, typer.Option(help="For a graph with a density map: also draw it to this .svg file.")] = None,
    export: Annotated[
        str | None, typer.Option(help="Print a description of the deployment instead: sp800-226 or registry.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show the guarantee, the privacy budget of each stage, the shape of records, and the most frequent n-grams or patterns.

    Example: seqveil inspect release/ --top 20
    """
    from seqveil.cli.streaming import holds_state, show_state
    from seqveil.release import load
    from seqveil.release.capabilities import Pictured, Ranked
    from seqveil.release.coverage import coverage
    from seqveil.release.grams import GramRelease
    from seqveil.release.model import RecordRelease
    from seqveil.release.ofrecords import OfRecords
    from seqveil.release.sets import SetRelease

    if holds_state(release):
        return show_state(release, as_json)
    opened = load(release)
    if export is not None:
        return _export(opened, export)
    if picture is not None:
        _write_picture(opened, release, picture)
    best, left_out = _top(opened, top, release) if isinstance(opened, Ranked) else ([], [])
    if as_json:
        listed = [{"gram": row["pattern"], **row} for row in best] if isinstance(opened, GramRelease) else best
        rules = {"rules": opened.rules(top)} if isinstance(opened, SetRelease) else {}
        shape = {"shape": shape_of(opened, top)} if isinstance(opened, OfRecords) else {}
        return emit(
            {
                **opened.manifest.to_dict(),
                "digest": opened.digest,
                "signature": opened.signature.to_dict(),
                "top": listed,
                **shape,
                **rules,
            }
        )
    if not opened.manifest.private:
        banner("EXPERIMENT")
    out = paper()
    for line in _words(opened):
        for part in wrap(printable(line), width=min(out.width, 100), subsequent_indent=" " * 11):
            tell(part)
    if isinstance(opened, Pictured):
        tell()
        for line in opened.picture():
            tell(line)
        if picture is not None:
            say(f"drawn: {picture}")
    if not isinstance(opened, Ranked):
        return _tables(opened, release, min(out.width, 100)) if isinstance(opened, OfRecords) and top else None
    if top and not best:
        tell()
        tell("No count exceeded the noise: this release holds no counts. Its privacy budget remains spent. More records, a")
        tell("smaller domain or a larger ε would help; `--dry-run --size NUMBER` predicts by how much.")
        return None
    grams = isinstance(opened, GramRelease | RecordRelease)
    if sentence := coverage(opened.manifest):
        tell()
        tell(sentence)
    if isinstance(opened, OfRecords) and top:
        tell()
        for line in lines_of(opened, min(out.width, 100)):
            tell(line)
    tell()
    tell(f"Most frequent {'n-grams' if grams else 'patterns'} ({opened.about}; 95 % intervals):")
    for row in best:
        tell(_line(row))
    if isinstance(opened, RecordRelease):
        left_out.append("A pair that is also in from, to has two intervals: occurrences are counted here, ends of records there.")
    for remark in left_out:
        tell(remark)
    if isinstance(opened, GramRelease):
        tell()
        out.print(_picture(opened))
    if isinstance(opened, SetRelease):
        tell()
        tell("Strongest rules (from noisy counts; confidence, lift, support):")
        for rule in opened.rules(top):
            numbers = f"{rule['confidence']:>7.1%} {rule['lift']:>6.2f} {rule['support']:>11,}"
            tell(f"{numbers}  {to_text(rule['given'])} => {to_text([rule['then']])}")
    if best:
        tell()
        tell(f"Query any of them: {command('query', release, to_text(best[0]['pattern']))}")


def _tables(release: OfRecords, folder: Path, width: int) -> None:
    """What the tables of a release without patterns show, and how to see every cell."""
    tell()
    for line in lines_of(release, width):
        tell(line)
    tell()
    asked = release.asked
    option = "--od" if "od" in asked else f"--{asked[0]}" if asked else None
    label = to_text(release.domain.untimed.labels([0]))
    example = {"--od": f"{label},{label}", "--length": "1", "--hour": "all"}.get(option or "", label)
    tell(f"Every cell has a count and an interval. For one: {command('query', folder, *([option] if option else []), example)}")


def _export(release: Release, form: str) -> None:
    """The description of a deployment on stdout, as JSON, which is YAML as well; what is to be filled in on stderr."""
    from seqveil.report.deployment import FORMS, unfilled

    if form not in FORMS:
        raise CallError(f"--export {form!r} is unknown: use {' or '.join(FORMS)}.")
    if not release.manifest.private:
        raise CallError("--export: this is an experiment, which has no guarantee to describe. Give the folder of a release.")
    described = FORMS[form](release)
    data(json.dumps(described, indent=2, ensure_ascii=False) + "\n")
    for line in unfilled(form, described):
        say(f"to be filled in: {line}")


def _top(release: Ranked, top: int, folder: Path) -> tuple[list[Ranking], list[str]]:
    """The best patterns of two labels and more (single labels where there are no longer ones), and what the list leaves out."""
    from seqveil.release.grams import GramRelease

    ends = {"ends": True} if isinstance(release, GramRelease) else {}
    singles = release.top(top, longest=1)
    longer = release.top(top, shortest=2, **ends)
    if not longer:
        return singles, ["The release has no others."] if len(singles) < top else []
    fewer = ["The release has no others of two labels or more."] if len(longer) < top else []
    if singles:
        fewer.append(f"Single labels are not listed. For one: {command('query', folder, to_text(singles[0]['pattern']))}")
    return longer, fewer


def _words(release: Release) -> list[str]:
    """The guarantee, who vouches for it, and the bill."""
    from seqveil.release.readme import curve, promise

    manifest = release.manifest
    stated = {"Dataset": manifest.holder.dataset, "Purpose": manifest.holder.purpose, "Contact": manifest.holder.contact}
    guaranteed = promise(manifest) if manifest.private else "Nothing: anyone who knows the seed can remove the noise."
    unit = ", ".join(f"{key}={value}" for key, value in manifest.unit.items() if key != "name")
    mechanism = manifest.mechanism
    parameters = ", ".join(f"{key}={value}" for key, value in mechanism.parameters.items())
    return [
        f"Release    {manifest.release}, created {manifest.created}",
        *(f"{name:<10} {text}" for name, text in stated.items() if text),
        *([f"Not stated {manifest.holder.remark}"] if manifest.private and manifest.holder.remark else []),
        f"Signature  {release.signature.sentence if manifest.private else 'Experiments are never signed.'}",
        f"Method     {mechanism.name} {mechanism.version}" + (f" ({mechanism.paper})" if mechanism.paper else ""),
        f"Parameters {parameters}",
        f"Guarantee  {guaranteed}",
        f"Protects   every {manifest.unit['name']}" + (f" ({unit})" if unit else ""),
        *([f"           {curve(manifest)}"] if manifest.private and manifest.zcdp else []),
        f"Spent      {'epsilon' if manifest.zcdp is None else 'rho'} {manifest.charged} in total, noise: {manifest.noise}",
        *(f"           {amount:>16}  {name}" + (f" ({kind})" if kind else "") for name, kind, amount in manifest.bill),
    ]


def _write_picture(release: Release, folder: Path, picture: Path) -> None:
    """The release as a drawing in a new file; one that cannot be drawn is refused."""
    from seqveil.release.capabilities import Pictured

    drawing = release.drawing() if isinstance(release, Pictured) else None
    if drawing is None:
        what = "this graph has no density map" if isinstance(release, Pictured) else f"{folder} holds {release.description}"
        raise CallError(
            f"--picture: {what}; only graphs made by der or graph-random have a map to draw. "
            f"For a page with pictures: {command('report', folder)}"
        )
    refuse_taken(picture, "give another name with --picture")
    write_whole(picture, drawing.encode())


def _line(row: Ranking) -> str:
    words, value = to_text(row["pattern"]), round(row["value"] or 0.0)
    if row["low"] is None:
        return f"{value:>12,}  (an estimate)  {words}"
    return f"{value:>12,}  {row['low']:,} to {row['high']:,}  {words}"


def _picture(release: GramRelease) -> Tree:
    """The top of the tree, widest branches first."""
    from rich.text import Text
    from rich.tree import Tree

    from seqveil.release.grams.columns import end_mark

    tallest = int(release.grams.lengths.max(initial=0))
    tree = Tree(
        Text(f"{len(release.grams):,} n-grams, up to {tallest} labels; {end_mark(release.domain)} is the end of a record")
    )
    _grow(tree, release, -1, 0)
    return tree


def _grow(branch: Tree, release: GramRelease, node: int, level: int) -> None:
    from rich.text import Text

    if level == len(_BRANCHES):
        return
    rows = release.children(node)
    widest = release.ranked(rows, _BRANCHES[level])
    for row, answer in zip(widest, release.answers(widest), strict=True):
        child = branch.add(Text(f"{to_text(release.labels(row)[-1:])}  {round(answer.value):,}"))
        _grow(child, release, row, level + 1)
    if len(rows) > len(widest):
        branch.add(Text(f"… {len(rows) - len(widest):,} more"))
