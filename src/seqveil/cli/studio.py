"""`seqveil studio`: the local web page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from seqveil.cli.console import Json, emit, say
from seqveil.extras import need


def studio(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 is any free one.")] = 0,
    no_open: Annotated[bool, typer.Option("--no-open", help="Open no browser; the address with its token is printed.")] = False,
    folder: Annotated[
        list[Path] | None, typer.Option(help="Folder that may be looked into; can be repeated. Default: the working directory.")
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on; only this machine's own ones are accepted.")] = "127.0.0.1",
    exposed: Annotated[bool, typer.Option("--exposed", help="Accept an address that other machines can reach. Do not.")] = False,
    as_json: Json = False,
) -> None:
    """Open a page on this machine that leads from a file to a release. Nothing leaves the machine.

    Example: seqveil studio --folder data/
    """
    need("studio")
    from seqveil.studio.address import WHY_NOT, Address, is_loopback, listening, refuse_remote
    from seqveil.studio.roots import Roots

    refuse_remote(host, exposed)
    roots = Roots.of(folder or [Path.cwd()])
    sock = listening(host, port)
    from seqveil.studio.app import application
    from seqveil.studio.entrance import open_browser
    from seqveil.studio.server import serve
    from seqveil.studio.studio import Studio
    from seqveil.studio.warm import warm_later

    opened = Studio(roots, Address(host, sock.getsockname()[1]))
    first = opened.address.first(opened.secrets)
    if not is_loopback(host):
        say(f"warning: {WHY_NOT}.")
    if as_json:
        emit({"address": first, "folders": [str(root) for root in roots.folders]})
    else:
        say(f"Seqveil Studio: {first}")
        say(f"It reads {', '.join(map(str, roots.folders))}. Stop it with Ctrl-C; releases that are running go on.")
    app = application(opened, lambda name: say(f"internal error ({name})"))
    try:
        with open_browser(opened, wanted=not no_open):
            warm_later()
            serve(app, sock, opened.tasks.close)
    except KeyboardInterrupt:
        say("Stopped. Releases that are running go on; the next start finds them.")
    finally:
        opened.tasks.close()
