"""`seqveil query`: counts with error bars, from a release alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seqveil.cli.console import Json, banner, command, emit, say, table
from seqveil.errors import CallError
from seqveil.notation import from_text, to_text

if TYPE_CHECKING:
    from seqveil.release.answers import Answer
    from seqveil.tables.domain import Domain


def query(
    release: Annotated[Path, typer.Argument(help="The folder of a release.")],
    queries: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="QUERY...",
            help="Labels in order, as inspect prints them: 'A \"West Ham\" &'; & is a record's end. Of a graph: 'A B | C D'.",
        ),
    ] = None,
    total: Annotated[bool, typer.Option("--total", help="Also the sum of the queries, with its own bar.")] = False,
    separator: Annotated[str | None, typer.Option(help="Separator of labels, if not blanks, for example ','.")] = None,
    degrees: Annotated[str | None, typer.Option(help="Of a graph: how many vertices have 1,10,… edges or more; or all.")] = None,
    as_json: Json = False,
) -> None:
    """Count how often labels follow each other, with 95 % error bars. Reads the release and nothing else.

    Example: seqveil query release/ "A B C" "B C &" --total
    """
    from seqveil.release import load

    held = load(release)
    ask: Any = held
    queries = queries or []
    if not hasattr(held, "count"):
        raise CallError(f"{release} holds {held.content}, which answers no counts: try {command('inspect', release)}")
    asked = [_labels(text, separator) for text in queries]
    if [] in asked:
        raise CallError("a query is empty: give labels in their order, such as 'A B C'.")
    if held.content == "graph":
        from seqveil.cli.graphs import query_graph

        return query_graph(held, asked, degrees, as_json)
    if degrees is not None or not queries:
        raise CallError("give a query such as 'A B C'; --degrees is for releases of graphs.")
    try:
        answers: list[Answer] = [ask.count(labels) for labels in asked]
    except CallError as error:
        if separator is None and held.domain.has_blanks:
            example = f"a label with blanks is put in double quotes, such as '{to_text([_blank(held.domain)])}'"
            raise CallError(f"{error} Here {example}; or use --separator '{_free(held.domain)}'.") from None
        raise
    whole: Answer | None = ask.total(asked) if total else None
    if as_json:
        return emit(_result(held, asked, answers, whole))
    if not held.manifest.private:
        banner("EXPERIMENT")
    rows = [_row(to_text(labels), answer) for labels, answer in zip(asked, answers, strict=True)]
    table(["query", "count", "low", "high", "kind"], rows + ([_row("total", whole)] if whole else []))
    _remarks([*answers, *([whole] if whole else [])])


def _labels(text: str, separator: str | None) -> list[str]:
    """The labels of a query as typed.

    >>> _labels('A  "West Ham"', None), _labels("West Ham, Abbey Road", ",")
    (['A', 'West Ham'], ['West Ham', 'Abbey Road'])
    """
    if separator == "":
        raise CallError("--separator is empty: give the character between two labels, for example --separator ','")
    return from_text(text) if separator is None else [piece.strip() for piece in text.split(separator) if piece.strip()]


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


def _row(text: str, answer: Answer) -> list[str]:
    ends = [f"{end:,}" if end is not None else "-" for end in (answer.low, answer.high)]
    value = "-" if answer.kind == "not released" else f"{round(answer.value):,}"
    return [text, value, *ends, answer.kind]


def _remarks(answers: list[Answer]) -> None:
    """What the numbers speak of, for people."""
    say(f"Counts are {answers[0].about}; low to high covers the true count with probability 95 % or more.")
    if any(answer.kind == "estimate" for answer in answers):
        say("An estimate follows from shorter sequences (Markov) or from synthetic records; it has no error bound.")
    if any(answer.kind == "not released" for answer in answers):
        say("A pattern that was not released may be rare, or its count was never asked for.")


def _result(held: Any, asked: list[list[str]], answers: list[Answer], whole: Answer | None) -> dict[str, Any]:
    return {
        "release": held.manifest.release,
        "private": held.manifest.private,
        "about": answers[0].about,
        "answers": [{"query": labels, **answer.to_json()} for labels, answer in zip(asked, answers, strict=True)],
        "total": whole.to_json() if whole else None,
    }
