"""`seqveil query` answers questions about whole records as the Python methods do, for every release of sequences."""

import json
import shlex

import pytest

import record_models
from seqveil.cli.groups import names
from seqveil.cli.query import RecordOptions
from seqveil.release import load
from seqveil.release.ofrecords import QUESTIONS


@pytest.fixture
def folder(tmp_path):
    return record_models.model().save(tmp_path / "model")


def test_there_is_an_option_for_every_question():
    assert [*QUESTIONS, "length", "hour", "lengths"] == list(names(RecordOptions))


def test_a_transcript(seqveil, folder):
    """Measured rows have intervals, the rest are estimates; what is asked is shown as it can be typed."""
    ran = seqveil("query", folder, "home work", "--begins", "home", "--begins", "home work", "--visits", "city hall,home",
                  "--od", "home,work", "--length", 2)  # fmt: skip

    assert 0 == ran.code
    assert [
        "query\tcount\tlow\thigh\tkind",
        "home work\t3\t0\t12\tcount",
        "--begins home\t4\t0\t7\tcount",
        "--begins 'home work'\t3\t-\t-\testimate",
        "--visits '\"city hall\" home'\t1\t-\t-\testimate",
        "--od 'home work'\t2\t0\t10\tcount",
        "--length 2\t2\t0\t9\tcount",
    ] == ran.out.splitlines()
    covers = "low to high covers the true count with probability 95 % or more."
    assert [
        f"Counts are occurrences in records cut to their first 4 items; {covers}",
        f"Counts are records cut to their first 4 items; {covers}",
        "An estimate follows from shorter sequences (Markov) or from synthetic records; it has no error bound.",
    ] == ran.err.splitlines()


@pytest.mark.parametrize("question", QUESTIONS)
def test_json_holds_what_python_answers(seqveil, folder, question):
    labels = ["home", "city hall"][: QUESTIONS[question][1]]
    (answer,) = json.loads(seqveil("query", folder, f"--{question.replace('_', '-')}", ",".join(labels), "--json").out)["answers"]

    assert {"question": question, "query": labels, **load(folder).ask(question, labels).to_json()} == answer


def test_what_is_printed_can_be_pasted(seqveil, folder):
    ran = seqveil("query", folder, "--od", "all")
    rows = [line.split("\t") for line in ran.out.splitlines()[1:]]

    assert 4 == len(rows)
    for text, *numbers in rows:
        again = seqveil("query", folder, *shlex.split(text))
        assert numbers == again.out.splitlines()[1].split("\t")[1:]


def test_labels_between_commas_may_stand_in_quotes(seqveil, folder):
    quoted, bare = (seqveil("query", folder, "--visits", labels) for labels in ('"city hall", home', "city hall,home"))

    assert 0 == quoted.code
    assert bare.out == quoted.out


def test_lengths_end_in_the_number_of_records(seqveil, folder):
    result = json.loads(seqveil("query", folder, "--lengths", "--json").out)["answers"]

    assert [1, 2, 3, 4, []] == [answer["query"] for answer in result]
    assert ["count"] * 4 + ["total"] == [answer["kind"] for answer in result]
    assert result[-1]["value"] == sum(answer["value"] for answer in result[:-1])


def test_a_gram_release_answers_from_its_records(seqveil, small_release):
    ran = seqveil("query", small_release(), "--begins", "home", "--ends", "work", "--lengths")

    assert [
        "--begins home\t1\t-\t-\testimate",
        "--ends work\t2\t-\t-\testimate",
        "--length 1\t1\t-\t-\testimate",
        "--length 2\t1\t-\t-\testimate",
        "all records\t2\t-\t-\testimate",
    ] == ran.out.splitlines()[1:]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--begins", "hme"), "did you mean home? Try seqveil query {folder} --begins home"),
        (("--od", "home"), "--od takes 2 labels; 1 was given."),
        (("--first", "home,work"), "--first takes 1 label; 2 were given."),
        (("--begins", ""), "--begins is empty: give labels, such as --begins 'home work'."),
        (("--length", "5"), "--length 5: give a whole number from 1 to 4; longer records were cut"),
        (("--length", "0"), "--length"),
        (("--visits", '"city hall",hme'), "hme is not in the domain"),
        (("--od", "home,wrk"), "wrk is not in the domain"),
        (("--begins", "home", "--total"), "--total adds up queries such as 'A B'"),
    ],
)
def test_wrong_questions_say_what_to_type(seqveil, folder, words, problem):
    ran = seqveil("query", folder, *words)

    assert (2, "") == (ran.code, ran.out)
    assert problem.format(folder=folder) in ran.err
