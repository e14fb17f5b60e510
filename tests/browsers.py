"""A real browser for tests: Debian's Chromium, headless, driven by Playwright. Every request and complaint is recorded."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAMES = ("chromium", "chromium-browser", "google-chrome")
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]


def _executable() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def _install() -> None:
    """Debian's own package, where this process may install it; SEQVEIL_NO_INSTALL=1 forbids it."""
    if os.environ.get("SEQVEIL_NO_INSTALL") or not hasattr(os, "geteuid") or os.geteuid() != 0 or not shutil.which("apt-get"):
        return
    unattended = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update", "-q"], ["apt-get", "install", "-qy", "--no-install-recommends", "chromium"]):
        try:
            subprocess.run(command, timeout=240, check=False, capture_output=True, env=unattended)
        except (OSError, subprocess.TimeoutExpired):
            return


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser; where there is none and none may be installed, the tests that need it say why they are skipped."""
    from playwright.sync_api import sync_playwright

    if _executable() is None:
        _install()
    executable = _executable()
    if executable is None:
        pytest.skip("no Chromium on this machine, and it may not be installed here: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=QUIET)
        try:
            yield browser
        finally:
            browser.close()


class Recorded:
    """A page of a browser that remembers what it asked for and what it complained about."""

    def __init__(self, browser: Browser, width: int = 1100, height: int = 900, dark: bool = False, **more: Any) -> None:
        scheme = "dark" if dark else "light"
        self.context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, **more)
        self.page: Page = self.context.new_page()
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", lambda message: self._note(message))

    def _note(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.text} {message.location.get('url', '')}")

    def close(self) -> None:
        self.context.close()
