"""`python -m sitebuilder [--serve] [--port 8000]`: build the site in build/site, and show it on this machine."""

from __future__ import annotations

import argparse
import functools
import http.server
import os
import sys
from pathlib import Path

from sitebuilder.stage import ROOT, stage


def build(to: Path, pages: Path, notebooks: bool = True) -> int:
    """Stage and build; a warning of Sphinx is an error. Returns the exit code."""
    from sphinx.cmd.build import main as sphinx

    stage(pages, notebooks)
    return sphinx(["-q", "-W", "--keep-going", "-n", "-b", "html", "-d", str(pages.parent / "doctrees"), str(pages), str(to)])


def serve(folder: Path, port: int) -> None:
    """Show a folder on 127.0.0.1 until Ctrl-C."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
        print(f"http://127.0.0.1:{server.server_address[1]}/ (stop with Ctrl-C)")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()


def main() -> int:
    """The command."""
    options = argparse.ArgumentParser(prog="sitebuilder", description=__doc__)
    options.add_argument("--serve", action="store_true", help="show the site on this machine after building it")
    options.add_argument("--port", type=int, default=8000, help="port of 127.0.0.1 for --serve (default: 8000)")
    chosen = options.parse_args()
    os.environ.setdefault("SEQVEIL_HOME", str(ROOT / "build" / "home"))  # tutorials open ledgers
    site = ROOT / "build" / "site"
    code = build(site, ROOT / "build" / "pages")
    if code == 0:
        print(f"{site / 'index.html'}")
        if chosen.serve:
            serve(site, chosen.port)
    return code


if __name__ == "__main__":
    sys.exit(main())
