"""The pages of the studio and their addresses, behind the guard."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from seqveil.errors import BudgetError, CallError, SeqveilError
from seqveil.studio.guard import Guard
from seqveil.studio.pages import page
from seqveil.studio.studio import Studio

PAGES = [
    ("GET", "/", "home:home"),
    ("GET", "/static/{name}", "static:static"),
    ("POST", "/new", "home:new"),
    ("POST", "/drafts/{id}/remove", "home:remove"),
    ("GET", "/open", "home:open_folder"),
    ("POST", "/open", "home:opened"),
    ("GET", "/new/{id}/data", "data:show"),
    ("POST", "/new/{id}/data", "data:save"),
    ("POST", "/new/{id}/data/browse", "data:browse"),
    ("POST", "/new/{id}/data/choose", "data:choose"),
    ("POST", "/new/{id}/data/rows", "data:rows"),
    ("GET", "/new/{id}/who", "who:show"),
    ("POST", "/new/{id}/who", "who:save"),
    ("POST", "/new/{id}/check", "who:check"),
    ("GET", "/new/{id}/labels", "labels:show"),
    ("POST", "/new/{id}/labels", "labels:save"),
    ("POST", "/new/{id}/labels/browse", "labels:browse"),
    ("POST", "/new/{id}/labels/choose", "labels:choose"),
    ("GET", "/new/{id}/method", "method:show"),
    ("POST", "/new/{id}/method", "method:save"),
    ("GET", "/new/{id}/budget", "budget:show"),
    ("POST", "/new/{id}/budget", "budget:save"),
    ("GET", "/new/{id}/forecast", "budget:forecast"),
    ("GET", "/new/{id}/review", "review:show"),
    ("POST", "/new/{id}/review", "review:save"),
    ("GET", "/new/{id}/foretold", "review:foretold"),
    ("POST", "/new/{id}/publish", "review:publish"),
    ("GET", "/runs/{id}", "running:show"),
    ("GET", "/runs/{id}/state", "running:state"),
    ("POST", "/runs/{id}/cancel", "running:cancel"),
    ("POST", "/runs/{id}/start", "running:start"),
    ("GET", "/tasks/{id}", "waiting:show"),
    ("GET", "/tasks/{id}/state", "waiting:state"),
    ("POST", "/tasks/{id}/stop", "waiting:stop"),
    ("GET", "/releases/{key}", "release:show"),
    ("GET", "/releases/{key}/query", "release:query"),
    ("GET", "/releases/{key}/download/{name}", "download:download"),
    ("POST", "/releases/{key}/verify", "release:verify"),
    ("GET", "/releases/{key}/compare", "release:confirm"),
    ("POST", "/releases/{key}/compare", "release:compare"),
    ("GET", "/ledger", "ledger:show"),
    ("POST", "/ledger/cap", "ledger:cap"),
    ("POST", "/ledger/withdraw", "ledger:withdraw"),
    ("POST", "/ledger/verify", "ledger:verify"),
    ("GET", "/experiments", "experiments:show"),
    ("POST", "/experiments", "experiments:start"),
]
"""Method, address, and the function that answers: its module is loaded when it is first asked for."""


def application(studio: Studio, on_failure: Callable[[str], None] = lambda name: None) -> Guard:
    """Everything, behind the guard."""
    routes = [Route(path, _answering(where), methods=[method]) for method, path, where in PAGES]
    app = Starlette(routes=routes, exception_handlers={SeqveilError: refused, 404: missing, 405: missing, Exception: failed})
    app.router.redirect_slashes = False
    app.state.studio = studio
    return Guard(app, studio.address, studio.secrets, on_failure)


def _answering(where: str) -> Any:
    module, _, name = where.partition(":")

    def work(request: Request) -> Response:
        answer: Response = getattr(import_module(f"seqveil.studio.{module}"), name)(request)
        return answer

    async def answer(request: Request) -> Response:
        return await run_in_threadpool(work, request)

    return answer


def refused(request: Request, error: Exception) -> Response:
    """Whatever the library refuses, in its own words."""
    from seqveil.wall.fate import fates

    status = 409 if isinstance(error, BudgetError) else 400 if isinstance(error, CallError) else 500
    content = {"text": str(error), "fates": [str(fate) for fate in fates(error)], "back": _before(request)}
    return page(request, "error", status, title="That did not work", **content)


def _before(request: Request) -> str:
    """The page that a refused form was on."""
    given, path = request.path_params, request.url.path
    if request.method != "POST" or path == "/open":
        return ""
    if path.startswith("/new/"):
        return path if path.count("/") == 3 and not path.endswith(("publish", "check")) else f"/new/{given['id']}/data"
    return f"/releases/{given['key']}" if "key" in given else "/ledger" if path.startswith("/ledger/") else ""


def missing(request: Request, error: Exception) -> Response:
    """An address that leads nowhere."""
    return page(request, "error", 404, title="Not here", text="This address leads nowhere.", fates=[], back="")


def failed(request: Request, error: Exception) -> Response:
    """A defect of ours. Its message may quote raw data, and is not shown; its type may not."""
    text = f"Internal error ({type(error).__name__}). Please report it. Nothing that was running has been stopped."
    return page(request, "error", 500, title="That did not work", text=text, fates=[], back="")
