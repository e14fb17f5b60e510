"""The files that pages load: our own style and scripts, and the script of the report's tree."""

from __future__ import annotations

from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response

STATIC = {
    "studio.css": ("seqveil.studio", "text/css"),
    "studio.js": ("seqveil.studio", "text/javascript"),
    "icon.svg": ("seqveil.studio", "image/svg+xml"),
    "icicle.js": ("seqveil.report", "text/javascript"),
}
"""Every file that may be loaded, the package that has it, and its type."""


def static(request: Request) -> Response:
    """One of these files, and nothing else."""
    name = request.path_params["name"]
    if name not in STATIC:
        return Response("This address leads nowhere.\n", 404, media_type="text/plain")
    package, kind = STATIC[name]
    return Response((files(package) / "files" / name).read_bytes(), media_type=kind)
