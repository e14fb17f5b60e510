"""`seqveil link psi terms`, `start`, `answer`, `finish`, `open`: the moves of a private linkage, as files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seqveil.cli.console import Json, command, emit, progress, say
from seqveil.cli.link_base import NamesFile
from seqveil.cli.link_embed import ROWS
from seqveil.cli.ordering import Collected
from seqveil.cli.reading import Delimiter
from seqveil.cli.writing import RawCells
from seqveil.errors import InputProblems

if TYPE_CHECKING:
    from seqveil.link.psi.fields import Field
    from seqveil.link.psi.moves import People, Result
    from seqveil.link.psi.terms import Terms

TermsFile = Annotated[Path, typer.Option("--terms", help="Terms that both agreed on: the file `link psi terms` wrote.")]
KeepFolder = Annotated[Path, typer.Option(help="SECRET: folder for what you keep between moves. Never send it.")]
Columns = Annotated[
    list[str] | None,
    typer.Option("--column", metavar="FIELD=COLUMN", help="Column of a field, if it has another name; repeat for more fields."),
]
MESSAGE = "File that the other side's `link psi {}` wrote."
RowsFile = Annotated[Path, typer.Option(help="CSV file for pair, row and fields of your rows; must not exist.")]


def terms_(
    field: Annotated[
        list[str],
        typer.Option(metavar="NAME:COMPARE", help="Field and how it is compared: exact, edits, sound or date; repeat for more."),
    ],
    rows: Annotated[str, typer.Option(help="Most rows that the starter and the answerer may list, e.g. 2000,90000.")],
    out: Annotated[Path, typer.Option(help="File for the terms; must not exist.")],
    rule: Annotated[
        list[str] | None,
        typer.Option(metavar="A+B", help="Fields that must agree in a pair; repeat for alternatives. Default: all fields."),
    ] = None,
    at_least: Annotated[int | None, typer.Option(help="Instead of --rule: how many of the fields must agree.")] = None,
    alphabet: Annotated[
        str, typer.Option(help="Characters of fields compared by edits or sound: latin, а..я, several separated by commas.")
    ] = "latin",
    one_to_one: Annotated[
        bool, typer.Option("--one-to-one", help="Use each record in at most one pair, best pairs first.")
    ] = False,
    starter_only: Annotated[
        bool, typer.Option("--starter-only", help="Only the starter learns its rows. Default: both.")
    ] = False,
    tokens: Annotated[int | None, typer.Option(help="Tokens per row, real and padding. Default: those of usual names.")] = None,
    as_json: Json = False,
) -> None:
    """Write down what both sides agree on. Reads no data. Send it to the other side, whose people must approve it.

    Example: seqveil link psi terms --field name:edits --rows 5000,90000 --out terms.json
    """
    from seqveil.link.psi import terms as agreeing
    from seqveil.link.whole import refuse_existing
    from seqveil.tables.names import Alphabet

    wrong = Collected()
    wrong.or_else(lambda: refuse_existing(out, "--out"), None)
    rules = [tuple(text.split("+")) for text in rule or []]
    fields = wrong.or_else(lambda: [_field(text) for text in field], list["Field"]())
    many = wrong.or_else(lambda: _rows(rows), (1, 1))
    letters = wrong.or_else(lambda: Alphabet.parse(alphabet), Alphabet("a"))
    if rule and at_least is not None:
        wrong.lines.append("--rule and --at-least are both given: keep one of them")
    elif at_least is not None and fields:
        rules = wrong.or_else(lambda: agreeing.at_least(fields, at_least), [])
    learns: Any = "starter" if starter_only else "both"
    agreed = None
    if not wrong.lines:
        agreed = wrong.or_else(lambda: agreeing.Terms.agree(fields, many, letters, rules, tokens, one_to_one, learns), None)
    if wrong.lines or agreed is None:
        raise InputProblems("", wrong.lines)
    agreed.save(out)
    if as_json:
        return emit({"out": str(out), "private": False, "id": agreed.id, "tokens": agreed.tokens, "rules": agreed.rules})
    for line in agreed.said:
        say(line)
    say(f"{out}: terms {agreed.id[:12]}. Send it to the other side, and agree on who starts and who answers.")
    say(f"Next, the starter: {command('link', 'psi', 'start')} PEOPLE --terms {out} --keep psi-secret/ --out move-1.psi")


def start(
    file: NamesFile,
    terms: TermsFile,
    keep: KeepFolder,
    out: Annotated[Path, typer.Option(help="File for the first message; must not exist.")],
    column: Columns = None,
    delimiter: Delimiter = None,
    as_json: Json = False,
) -> None:
    """Move 1, the starter: send your records, blinded. Whoever receives them learns nothing, not even how many they are.

    Example: seqveil link psi start people.csv --terms terms.json --keep psi-secret/ --out move-1.psi
    """
    from seqveil.link.psi import moves
    from seqveil.link.psi.terms import Terms

    agreed, people = opened(file, lambda: Terms.load(terms), column, delimiter, out)
    with progress("link psi", quiet=as_json) as stage:
        listing = moves.start(agreed, people, keep, out, telling(stage))
    if as_json:
        return emit({"out": str(out), "private": False, "terms": agreed.id, "sent": agreed.total("starter")})
    _left_out(listing.unusable)
    say(f"{out}: {agreed.total('starter'):,} blinded tokens, as many as the terms say. Send it to the answerer.")
    say(f"Keep {keep}, and keep it secret: without it, not even you can read the answer.")


def answer(
    file: NamesFile,
    message: Annotated[Path, typer.Argument(metavar="MOVE-1", help=MESSAGE.format("start"))],
    terms: TermsFile,
    keep: KeepFolder,
    out: Annotated[Path, typer.Option(help="File for the second message; must not exist.")],
    column: Columns = None,
    delimiter: Delimiter = None,
    as_json: Json = False,
) -> None:
    """Move 2, the answerer: evaluate the starter's records unseen, and add your own under the same key.

    Example: seqveil link psi answer people.csv move-1.psi --terms terms.json --keep psi-secret/ --out move-2.psi
    """
    from seqveil.link.psi import moves
    from seqveil.link.psi.terms import Terms

    agreed, people = opened(file, lambda: Terms.load(terms), column, delimiter, out)
    if not as_json:
        say(f"A cheating starter could test up to {agreed.total('starter'):,} guesses against your list; the log notes it.")
    with progress("link psi", quiet=as_json) as stage:
        listing = moves.answer(agreed, message, people, keep, out, telling(stage))
    if as_json:
        return emit({"out": str(out), "private": False, "terms": agreed.id, "sent": agreed.total("answerer")})
    _left_out(listing.unusable)
    say(f"{out}: the answer, with {agreed.total('answerer'):,} entries, as many as the terms say. Send it to the starter.")
    if agreed.learns == "both":
        say(f"Keep {keep}, and keep it secret: you need it to open the starter's reply.")
    else:
        say("By the terms you learn nothing more: your part is done, and its secrets are erased.")


def finish(
    file: NamesFile,
    message: Annotated[Path, typer.Argument(metavar="MOVE-2", help=MESSAGE.format("answer"))],
    keep: KeepFolder,
    out: RowsFile,
    reply: Annotated[
        Path | None, typer.Option(help="File for the third message; must not exist. Not where only you learn the pairs.")
    ] = None,
    column: Columns = None,
    delimiter: Delimiter = None,
    raw_cells: RawCells = False,
    as_json: Json = False,
) -> None:
    """Move 3, the starter: see which of your rows are in a pair, and tell the answerer its half.

    Example: seqveil link psi finish people.csv move-2.psi --keep psi-secret/ --out shared.csv --reply move-3.psi
    """
    from seqveil.link.psi import moves
    from seqveil.link.psi.keep import Keep

    agreed, people = opened(file, lambda: Keep.load(keep).terms, column, delimiter, out)
    with progress("link psi", quiet=as_json) as stage:
        save = partial(write, out, agreed.fields, raw_cells)
        result = moves.finish(message, people, keep, reply, save, telling(stage))
    learnt(out, result, as_json)
    if reply is not None and not as_json:
        say(f"{reply}: the answerer's half. Send it.")


def open_(
    file: NamesFile,
    message: Annotated[Path, typer.Argument(metavar="MOVE-3", help=MESSAGE.format("finish"))],
    keep: KeepFolder,
    out: RowsFile,
    column: Columns = None,
    delimiter: Delimiter = None,
    raw_cells: RawCells = False,
    as_json: Json = False,
) -> None:
    """The answerer: see which of your rows are in a pair. Pair 17 is the same pair for both.

    Example: seqveil link psi open people.csv move-3.psi --keep psi-secret/ --out shared.csv
    """
    from seqveil.link.psi import moves
    from seqveil.link.psi.keep import Keep

    agreed, people = opened(file, lambda: Keep.load(keep).terms, column, delimiter, out)
    result = moves.open_reply(message, people, keep, partial(write, out, agreed.fields, raw_cells))
    learnt(out, result, as_json)


def _field(text: str) -> Field:
    from seqveil.link.psi.fields import COMPARISONS, Field

    name, colon, compare = text.rpartition(":")
    if not colon:
        raise InputProblems(
            "", [f"--field {text!r} does not say how it is compared: write {text}:edits, or {', '.join(COMPARISONS)}"]
        )
    chosen: Any = compare
    return Field(name, chosen)


def _rows(text: str) -> tuple[int, int]:
    numbers = [part.strip().replace("_", "") for part in text.split(",")]
    if len(numbers) not in (1, 2) or not all(part.isascii() and part.isdigit() and len(part) < 12 for part in numbers):
        raise InputProblems("", [f"--rows {text!r}: give the starter's and the answerer's number of rows, such as 2000,90000"])
    return int(numbers[0]), int(numbers[-1])


def opened(
    file: Path, terms: Callable[[], Terms], column: Sequence[str] | None, delimiter: str | None, out: Path | None
) -> tuple[Terms, People]:
    """The terms and the people's columns; everything that is wrong with them at once. `out` is None where it is there already."""
    from seqveil.badge import BADGE
    from seqveil.extras import need
    from seqveil.link.whole import refuse_existing

    say(f"{BADGE}: who is in both lists will be revealed, exactly, to whom the terms say.")
    need("private set intersection")
    wrong = Collected()
    if out is not None:
        wrong.or_else(partial(refuse_existing, out, "--out"), None)
    agreed = wrong.or_else(terms, None)
    people = None if agreed is None else wrong.or_else(lambda: people_of(file, agreed, column, delimiter), None)
    if wrong.lines or agreed is None or people is None:
        raise InputProblems("", wrong.lines)
    return agreed, people


def people_of(file: Path, terms: Terms, column: Sequence[str] | None, delimiter: str | None) -> People:
    """The columns of a file that the terms compare."""
    from seqveil.link.psi.moves import People

    return People(_columns(file, terms, column or [], delimiter), str(file))


def _columns(file: Path, terms: Terms, given: Sequence[str], delimiter: str | None) -> list[Iterable[Sequence[str]]]:
    """Batches of the column of every field; the file is read once for each."""
    from seqveil.sources.names import names_format, stream_names
    from seqveil.sources.spool import spooled

    named = dict(text.partition("=")[::2] for text in given)
    fields = [field.name for field in terms.fields]
    problems = [f"--column {name}={column}: the terms have no field {name!r}; they have {', '.join(fields)}"
                for name, column in named.items() if name not in fields]  # fmt: skip
    problems += [f"--column {text}: write FIELD=COLUMN, such as {fields[0]}={text}" for text in given if "=" not in text]
    if problems:
        raise InputProblems("", problems)
    path = spooled(file)
    if names_format(path) == "txt":
        if len(fields) > 1:
            raise InputProblems(str(file), [f"has one name per line, but the terms compare {len(fields)} fields: give a table"])
        return [stream_names(path, None, delimiter, ROWS)]
    return [stream_names(path, named.get(name, name), delimiter, ROWS) for name in fields]


def telling(stage: Callable[[str], None]) -> Callable[[str, int, int], None]:
    return lambda step, done, total: stage(f"{step}: {done:,} of {total:,} tokens")


def _left_out(rows: int) -> None:
    if rows:
        say(f"Left out (internal, do not share): {rows:,} rows that lack a field in every rule.")


def learnt(out: Path, result: Result, as_json: bool) -> None:
    rows = len({row for _, row, _ in result.lines})
    if as_json:
        return emit({"out": str(out), "private": False, "pairs": len(result.values), "rows_in_pairs": rows})
    say(f"{out}: {len(result.values):,} pairs; {rows:,} of your {len(result.listing.cells):,} rows are in one.")
    say("The secrets of this session are erased.")


def write(out: Path, fields: Sequence[Field], raw_cells: bool, result: Result) -> None:
    import csv

    from seqveil.tables.write.cells import neutral
    from seqveil.whole import INTERNAL, write_whole

    spelled = str if raw_cells else neutral

    def fill(work: Path) -> None:
        with work.open("w", encoding="utf-8", newline="") as file:
            agrees = [] if result.levels is None else ["agrees"]
            writer = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
            writer.writerow(["pair", "row", *agrees, *(field.name for field in fields)])
            for pair, row, levels in result.lines:
                how = [" ".join(_agreement(fields, levels))] if agrees else []
                writer.writerow([pair, row, *how, *map(spelled, result.listing.cells[row - 1])])

    write_whole(out, fill, mode=INTERNAL)


def _agreement(fields: Sequence[Field], levels: int) -> list[str]:
    """How well each field of a pair agrees, as far as the rules say."""
    from seqveil.link.psi.fields import EQUAL, NEAR

    words = {EQUAL: "equal", NEAR: "similar"}
    return [f"{field.name}:{words[level]}" for i, field in enumerate(fields) if (level := levels >> 2 * i & 3)]
