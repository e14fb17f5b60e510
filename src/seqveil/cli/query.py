"""`seqveil query`: counts with error bars, from a release alone."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seqveil.cli.console import Json, banner, command, emit, say, table
from seqveil.cli.groups import takes
from seqveil.errors import CallError
from seqveil.notation import from_text, to_text
from seqveil.numbers import whole
from seqveil.surface import command_line

if TYPE_CHECKING:
    from seqveil.release import Release
    from seqveil.release.answers import Answer, Ranking
    from seqveil.release.capabilities import Countable
    from seqveil.release.labels import UnknownLabel
    from seqveil.release.ofrecords import OfRecords, Question
    from seqveil.tables.domain import Domain


@dataclass(frozen=True, slots=True)
class Asked:
    """A query as it is shown, its labels, and its answer; a question about whole records has a name, perhaps a number.

    `of_whole` says which records it is about.
    """

    text: str
    labels: list[str]
    answer: Answer
    question: str | None = None
    number: int | None = None
    of_whole: str | None = None

    @classmethod
    def of_pair(cls, option: str, row: Ranking) -> Asked:
        """A cell of the matrix of first and last labels."""
        from seqveil.release.answers import Answer

        measured = row["low"] is not None
        answer = Answer(row["value"] or 0.0, row["low"], row["high"], "count" if measured else "estimate", row["about"])
        return cls(shlex.join([option, to_text(row["pattern"])]), row["pattern"], answer, "od")

    @property
    def asked(self) -> str | list[str] | int:
        """As JSON shows it."""
        from seqveil.release.answers import CutAnswer

        if isinstance(self.answer, CutAnswer):
            return self.text
        return self.labels if self.number is None else self.number


_BOUNDS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
"""The degrees of `--degrees all`."""

_MOST_WORDS = 8
"""How many words a label may have that is recognised without its quotes."""

_ONE = r'\s*("(?:[^"\\]|\\.)*"|[^",\s][^",]*?)\s*'
_PIECE = re.compile(rf"{_ONE}(?:,|$)")
_QUOTED_LIST = re.compile(rf"{_ONE}(?:,{_ONE})+")
"""Labels with commas between them, some of them in double quotes, which may hold commas."""


class RecordOptions:
    """Questions about whole records (each can be given several times)."""

    begins: Annotated[list[str] | None, typer.Option(metavar="LABELS", help="Records that begin with the labels: 'A B'.")] = None
    ends: Annotated[list[str] | None, typer.Option(metavar="LABELS", help="Records that end with the labels.")] = None
    whole: Annotated[list[str] | None, typer.Option(metavar="LABELS", help="Records that consist of exactly these labels.")] = (
        None
    )
    visits: Annotated[
        list[str] | None, typer.Option(metavar="LABELS", help="Records that contain all of the labels, in any order: 'A,B'.")
    ] = None
    visits_in_order: Annotated[
        list[str] | None,
        typer.Option(metavar="LABELS", help="Records that contain the labels in this order, with anything in between."),
    ] = None
    first: Annotated[list[str] | None, typer.Option(metavar="LABEL", help="Records whose first label is this one.")] = None
    last: Annotated[list[str] | None, typer.Option(metavar="LABEL", help="Records whose last label is this one.")] = None
    od: Annotated[
        list[str] | None,
        typer.Option(metavar="LABELS", help="Records from one label to another (first and last): 'A,B'; or all pairs: all."),
    ] = None
    length: Annotated[list[int] | None, typer.Option(min=1, help="Records with this number of items.")] = None
    hour: Annotated[
        list[str] | None,
        typer.Option(metavar="TIME", help="Records whose first item is in this time bin: 8, or all bins: all. Needs time bins."),
    ] = None
    lengths: Annotated[bool, typer.Option("--lengths", help="Records of every length, and all records.")] = False


@takes(..., RecordOptions)
def query(
    release: Annotated[Path, typer.Argument(help="Folder of a release.")],
    queries: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="QUERY...",
            help="Labels in order, as inspect prints them: 'A \"West Ham\" &', where & is the end of a record. "
            "With time bins also 'A at 8', 'A before B' and 'A'. For a graph, a cut: 'A B | C D'.",
        ),
    ] = None,
    total: Annotated[bool, typer.Option("--total", help="Also the sum of all queries, with its own interval.")] = False,
    separator: Annotated[str | None, typer.Option(help="Separator between labels, if not blanks, e.g. ','.")] = None,
    degrees: Annotated[
        str | None, typer.Option(help="For a graph: number of vertices with at least 1,10,… edges; or all.")
    ] = None,
    as_json: Json = False,
    **of_records: Any,
) -> None:
    """Count how often labels follow each other, or what whole records do, with 95 % confidence intervals.

    Reads only the release. Example: seqveil query release/ "A B C" --begins A --visits "A,C"
    """
    from seqveil.release import load
    from seqveil.release.capabilities import Countable, Degrees, Summable
    from seqveil.release.coverage import coverage
    from seqveil.release.labels import UnknownLabel
    from seqveil.release.ofrecords import OfRecords

    opened: Release = load(release)
    shape = {name: value for name, value in of_records.items() if value}
    if shape and not isinstance(opened, OfRecords):
        option = command_line(next(iter(shape)))
        raise CallError(f"{option} only applies to sequences, but {release} holds {opened.description}: leave it out.")
    if (queries or (degrees is None and not shape)) and not isinstance(opened, Countable):
        raise CallError(f"{release} holds {opened.content}, which answers no counts: try {command('inspect', release)}")
    if degrees is not None and not isinstance(opened, Degrees):
        raise CallError(f"--degrees only applies to graphs, but {release} holds {opened.description}: leave it out.")
    if total and not isinstance(opened, Summable):
        raise CallError(f"--total does not apply to {opened.description}: leave it out.")
    ordered: list[str] = []
    if isinstance(opened, OfRecords) and separator is None:
        queries, ordered = _with_times(queries or [], opened.domain)
    if ordered:
        shape["visits_in_order"] = [*ordered, *shape.get("visits_in_order", [])]
    asked = [_labels(text, separator) for text in queries or []]
    if [] in asked:
        raise CallError("a query is empty: give labels in order, such as 'A B C'.")
    of_cells = _one_question(shape) if total and not asked and isinstance(opened, OfRecords) else None
    if total and shape and not asked and of_cells is None:
        raise _overlapping()
    if not asked and degrees is None and not shape:
        graph = ", or --degrees 1,10,100" if isinstance(opened, Degrees) else ""
        raise CallError(f"no query given: give one such as {_example(opened)}{graph}.")
    try:
        answers = [Asked(to_text(labels), labels, _count(opened, labels)) for labels in asked if isinstance(opened, Countable)]
    except UnknownLabel as error:
        raise _unknown(error, release, opened.domain, asked, separator) from None
    if isinstance(opened, OfRecords):
        answers += _of_records(opened, shape, release, separator)
    if degrees is not None and isinstance(opened, Degrees):
        answers += [Asked(f"vertices with {d:,} edges or more", [], opened.at_least(d)) for d in _bounds(degrees)]
    if total and of_cells is not None and isinstance(opened, OfRecords):
        answers.append(_sum(opened, of_cells, answers))
    elif total and isinstance(opened, Summable):
        answers.append(Asked("total", [], opened.total(asked)))
    if as_json:
        return emit(_result(opened, answers, total))
    if not opened.manifest.private:
        banner("EXPERIMENT")
    _show(answers)
    if sentence := coverage(opened.manifest):
        say(sentence)


def _one_question(shape: dict[str, Any]) -> Question | None:
    """The question with labels, if it is the only one that was asked: its answers may be added up."""
    from seqveil.release.ofrecords import QUESTIONS

    return next((question for question in QUESTIONS if [*shape] == [question] and "all" not in shape[question]), None)


def _sum(opened: OfRecords, question: Question, answers: list[Asked]) -> Asked:
    """The sum of cells of one table, where the release has such tables."""
    added = opened.total_of(question, [asked.labels for asked in answers])
    if added is None:
        raise _overlapping()
    return Asked("total", [], added, question, of_whole=opened.whole_records)


def _overlapping() -> CallError:
    return CallError("--total adds up queries such as 'A B'; questions about whole records overlap: leave it out.")


def _with_times(queries: list[str], domain: Domain) -> tuple[list[str], list[str]]:
    """Queries of a timed domain as labels: those that count, and those that ask for one place before another."""
    from seqveil.cli.times import of_times

    counted: list[str] = []
    ordered: list[str] = []
    for text in queries:
        named = of_times(text, domain)
        labels = text if named is None else to_text(named[0])
        (ordered if named is not None and named[1] else counted).append(labels)
    return counted, ordered


def _count(opened: Countable, labels: list[str]) -> Answer:
    """How often labels follow each other; of places without a time, at any time."""
    from seqveil.release.timed import Timed

    return opened.anytime(labels) if isinstance(opened, Timed) and opened.are_places(labels) else opened.count(labels)


def _of_records(opened: OfRecords, given: dict[str, Any], release: Path, separator: str | None) -> list[Asked]:
    """The answers about whole records, in the order of the options."""
    from seqveil.release.labels import UnknownLabel
    from seqveil.release.ofrecords import QUESTIONS

    answers = []
    for question in QUESTIONS:
        option = command_line(question)
        for text in given.get(question, []):
            if question == "od" and text == "all":
                answers += [Asked.of_pair(option, row) for row in opened.od()]
                continue
            labels = _listed(text, separator, opened.domain)
            if not labels:
                raise CallError(f"{option} is empty: give labels, such as {option} {_example(opened)}.")
            try:
                answer = opened.ask(question, labels)
            except UnknownLabel as error:
                raise _unknown(error, release, opened.domain, [labels], separator, option) from None
            answers.append(Asked(shlex.join([option, to_text(labels)]), labels, answer, question))
    answers += [Asked(f"--length {n}", [], opened.length(n), "length", n) for n in given.get("length", [])]
    for text in given.get("hour", []):
        bins = opened.hours() if text == "all" else {text: opened.hour(text)}
        answers += [Asked(f"--hour {name}", [name], answer, "hour") for name, answer in bins.items()]
    if given.get("lengths"):
        answers += [Asked(f"--length {n}", [], answer, "length", n) for n, answer in opened.lengths().items()]
        answers.append(Asked("all records", [], opened.size(), "size"))
    return [replace(asked, of_whole=opened.whole_records) for asked in answers]


def _listed(text: str, separator: str | None, domain: Domain) -> list[str]:
    """One label, or several with commas between them, where these are labels; else as in other queries.

    >>> from seqveil.tables.domain import Domain
    >>> places = Domain.of(["West Ham", "Ely", "Mill, East"])
    >>> _listed("West Ham,Ely", None, places), _listed("Mill, East", None, places), _listed('"Mill, East" Ely', None, places)
    (['West Ham', 'Ely'], ['Mill, East'], ['Mill, East', 'Ely'])
    >>> _listed('"Mill, East", Ely', None, places), _listed('West Ham,"Mill, East"', None, places)
    (['Mill, East', 'Ely'], ['West Ham', 'Mill, East'])
    >>> _listed('"West Ham" "Mill, East"', None, places), _listed('"Mill, East","Elly"', None, places)
    (['West Ham', 'Mill, East'], ['Mill, East', 'Elly'])
    >>> _listed("West Ham,Mill, East", None, places), _listed("Mill, East,Mill, East", None, places)
    (['West Ham', 'Mill, East'], ['Mill, East', 'Mill, East'])
    >>> _listed("West Ham,Elly", None, places)  # which of them is no label can then be said
    ['West Ham', 'Elly']
    """
    from seqveil.cli.times import meant

    for pieces in ([text.strip()], [piece.strip() for piece in text.split(",")]):
        labels = [label for piece in pieces if (label := meant(piece, domain)) is not None]
        if separator is None and len(labels) == len(pieces):
            return labels
    if separator is None and (labels := _with_commas(text, domain)):
        return labels
    if separator is None and '"' in text and _QUOTED_LIST.fullmatch(text):
        return [_unquoted(piece[1]) for piece in _PIECE.finditer(text)]
    if separator is None and any(domain.code(piece) is not None for piece in pieces):
        return pieces
    return _labels(text, separator)


def _with_commas(text: str, domain: Domain) -> list[str]:
    """Labels with commas between them, some of which may hold commas themselves; nothing where a piece is no label."""
    labels, rest = [], text.split(",")
    while rest:
        ends = range(min(len(rest), _MOST_WORDS), 0, -1)
        taken = next((end for end in ends if domain.code(",".join(rest[:end]).strip()) is not None), None)
        if taken is None:
            return []
        labels.append(",".join(rest[:taken]).strip())
        rest = rest[taken:]
    return labels


def _unquoted(piece: str) -> str:
    return from_text(piece)[0] if piece.startswith('"') else piece


def _labels(text: str, separator: str | None) -> list[str]:
    """The labels of a query as typed.

    >>> _labels('A  "West Ham"', None), _labels("West Ham, Abbey Road", ",")
    (['A', 'West Ham'], ['West Ham', 'Abbey Road'])
    """
    if separator == "":
        raise CallError("--separator is empty: give the character between two labels, for example --separator ','")
    return from_text(text) if separator is None else [piece.strip() for piece in text.split(separator) if piece.strip()]


def _example(release: Release | OfRecords) -> str:
    """A query that this release answers, as it is typed."""
    from seqveil.release.capabilities import Degrees

    some = release.domain.labels(range(min(len(release.domain), 2)))
    return "'" + (" | " if isinstance(release, Degrees) else " ").join(to_text([label]) for label in some) + "'"


def _unknown(
    error: UnknownLabel, release: Path, domain: Domain, asked: list[list[str]], separator: str | None, *option: str
) -> CallError:
    """What can be typed instead of a query with a label that is not in the domain."""
    unknown = f"{to_text([error.label])} is not in the domain of this release"
    joined = [_joined(labels, domain) if error.label in labels else labels for labels in asked]
    if separator is None and not any(error.label in labels for labels in joined):
        unknown += f". Try {command('query', release, *option, *map(to_text, joined))}"
    elif error.close:
        best = [[error.close[0] if label == error.label else label for label in labels] for labels in asked]
        others = f" (or {' or '.join(to_text([label]) for label in error.close[1:])})" if error.close[1:] else ""
        typed = command("query", release, *option, *map(to_text, best))
        unknown += f": did you mean {to_text(error.close[:1])}{others}? Try {typed}"
    else:
        some = domain.labels(range(min(len(domain), 4)))
        unknown += f": its labels are {', '.join(to_text([label]) for label in some[:3])}{', …' if some[3:] else ''}."
    if separator is None and domain.has_blanks:
        blank = to_text([_blank(domain)])
        unknown += f"\nPut a label with blanks in double quotes, such as '{blank}', or add --separator '{_free(domain)}'."
    return CallError(unknown)


def _joined(labels: list[str], domain: Domain) -> list[str]:
    """Neighbouring words put together where they are one label of the domain.

    >>> from seqveil.tables.domain import Domain
    >>> _joined(["Ely", "West", "Ham", "Bow"], Domain.of(["West Ham", "Ely"]))
    ['Ely', 'West Ham', 'Bow']
    """
    words, rest = [], labels
    while rest:
        ends = range(min(len(rest), _MOST_WORDS), 1, -1)
        taken = next((end for end in ends if domain.code(" ".join(rest[:end])) is not None), 1)
        words.append(" ".join(rest[:taken]))
        rest = rest[taken:]
    return words


def _blank(domain: Domain) -> str:
    """A label with a blank, as an example."""
    return next((label for label in domain.labels(range(min(len(domain), 10_000))) if " " in label), "West Ham")


def _free(domain: Domain) -> str:
    """A character that stands in no label, for between them.

    >>> from seqveil.tables.domain import Domain
    >>> _free(Domain.of(["West Ham", "Ely"])), _free(Domain.of(["Mill, East", "Ely"]))
    (',', ';')
    """
    used = set("".join(domain.labels(range(min(len(domain), 10_000)))))
    return next((c for c in ",;|/" if c not in used), ",")


def _bounds(text: str) -> list[int]:
    """The degrees that were asked for.

    >>> _bounds("1, 10,3"), _bounds("all")[:4]
    ([1, 3, 10], [1, 2, 5, 10])
    """
    if text == "all":
        return list(_BOUNDS)
    try:
        return sorted({whole(word) for word in text.split(",")})
    except ValueError:
        raise CallError(f"--degrees {text!r}: give whole numbers such as 1,10,100, or all.") from None


def _show(answers: list[Asked]) -> None:
    """A table, and what its numbers mean."""
    from seqveil.release.answers import CutAnswer

    of_graph = [asked.answer for asked in answers if isinstance(asked.answer, CutAnswer)]
    table(["query", "count", "low", "high", "likely" if of_graph else "kind"], [_row(asked) for asked in answers])
    if of_graph:
        say("low to high covers the true count with probability 95 % or more, whatever the graph is. likely is narrower: it")
        say("assumes that edges lie evenly inside each region of the density map, or that noise is normal, and has no guarantee.")
        return
    for about in dict.fromkeys(asked.of_whole or asked.answer.about for asked in answers):
        say(f"Counts are {about}; low to high covers the true count with probability 95 % or more.")
    kinds = {asked.answer.kind for asked in answers}
    if "estimate" in kinds:
        say("An estimate follows from shorter sequences (Markov) or from synthetic records; it has no error bound.")
    if "not released" in kinds:
        say("Not released does not mean 0: the count was too small beside the noise, or was never measured.")
    for asked in answers:
        if asked.answer.at_most is not None:
            say(f"{asked.text}: not released, at most about {asked.answer.at_most:,} (with probability 95 % or more).")


def _row(asked: Asked) -> list[str]:
    from seqveil.release.answers import CutAnswer

    answer = asked.answer
    ends = [f"{end:,}" if end is not None else "-" for end in (answer.low, answer.high)]
    value = "-" if answer.kind == "not released" else f"{round(answer.value):,}"
    if not isinstance(answer, CutAnswer):
        return [asked.text, value, *ends, answer.kind]
    return [asked.text, value, *ends, f"{answer.likely[0]:,}..{answer.likely[1]:,}" if answer.likely else "-"]


def _result(release: Release, answers: list[Asked], total: bool) -> dict[str, Any]:
    single = answers[:-1] if total else answers
    return {
        "release": release.manifest.release,
        "private": release.manifest.private,
        "about": answers[0].answer.about if answers else "",
        "answers": [
            {**({"question": asked.question} if asked.question else {}), "query": asked.asked, **asked.answer.to_json()}
            for asked in single
        ],
        "total": answers[-1].answer.to_json() if total else None,
    }
