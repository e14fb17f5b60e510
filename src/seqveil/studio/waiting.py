"""The page of long work that spends nothing: it waits, then shows the result."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from seqveil.studio.pages import page, studio_of, to
from seqveil.studio.sidebyside import in_plain_words

TITLES = {
    "check": "Check of the data",
    "compare": "Comparison with the raw data",
    "experiment": "Experiments",
    "predict": "Prediction",
}
RAW = ("check", "compare")
"""Work on raw data: its result is INTERNAL."""


def show(request: Request) -> Response:
    """The result, or that it is being worked on."""
    task = studio_of(request).tasks.get(request.path_params["id"])
    internal = task.name in RAW
    questions = in_plain_words(task.answer) if task.name == "experiment" and task.state == "done" else []
    return page(request, "task", task=task, title=TITLES[task.name], internal=internal, questions=questions)


def state(request: Request) -> Response:
    """Whether it is done, for the page that waits."""
    return JSONResponse({"state": studio_of(request).tasks.get(request.path_params["id"]).state})


def stop(request: Request) -> Response:
    """Stop it: it has cost nothing."""
    task = studio_of(request).tasks.get(request.path_params["id"])
    studio_of(request).tasks.stop(task.id)
    return to(task.back)
