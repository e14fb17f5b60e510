"""What the planner warns of stands on the budget and review steps, in the planner's own words."""

from __future__ import annotations

import html
import json
import time
from pathlib import Path

import pytest

from seqveil.planning.forecast import scarce
from seqveil.studio.words import on_page
from seqveil.surface import speaking
from seqveil.wall.budget import grains, too_large
from studios import Client, fill_in


def sentences(page: str) -> str:
    return html.unescape(page)


def capital(text: str) -> str:
    """As a sentence; ε has no capital that anybody would know."""
    return text[:1].upper() + text[1:] if text[:1].isascii() else text


def test_data_too_small_for_any_method_is_said_at_once(client: Client, data: Path):
    """Nothing has to be simulated for it; a size that is not given is no reason to warn."""
    base = fill_in(client, data)
    (said,) = scarce(40, "user", grains("0.01"))
    shown = {}
    for size in ("40", ""):
        assert client.post(f"{base}/budget", epsilon="0.01", size=size, account="metro").status == 303
        shown[size] = [capital(said) in sentences(client.get(f"{base}/{step}").text) for step in ("budget", "review")]

    assert shown == {"40": [True, True], "": [False, False]}


def test_what_the_simulation_warns_of_stands_on_the_review_too(client: Client, data: Path):
    base = fill_in(client, data)
    client.post(f"{base}/budget", epsilon="0.02", size="60", account="metro")
    early = client.get(f"{base}/review").text
    deadline = time.monotonic() + 90
    while (answer := json.loads(client.get(f"{base}/foretold").text))["state"] == "running":
        assert time.monotonic() < deadline
        time.sleep(0.1)
    (task,) = [task for task in client.studio.tasks._tasks.values() if task.given["fields"].get("size") == "60"]
    pages = [sentences(text) for text in (answer["html"], client.get(f"{base}/budget").text, client.get(f"{base}/review").text)]

    assert f'data-poll="{base}/foretold"' in early
    assert task.answer["warnings"]  # one of a release that says next to nothing
    assert all(capital(line) in page for line in task.answer["warnings"] for page in pages)
    assert "data over your labels: if it warns" not in pages[0]


def test_a_large_budget_is_warned_of_on_the_review_as_on_the_budget(client: Client, data: Path):
    base = fill_in(client, data, epsilon="50.0")
    with speaking(on_page):
        said = too_large(grains("50.0"), "user")

    assert said is not None
    assert all(capital(said) in sentences(client.get(f"{base}/{step}").text) for step in ("budget", "review"))


@pytest.mark.parametrize(("size", "said"), [("5000000", True), ("300", False)])
def test_a_simulation_smaller_than_the_data_says_so(client: Client, data: Path, size: str, said: bool):
    from seqveil.studio import foresight
    from seqveil.studio.drafts import Draft

    fields = client.studio.drafts.load(fill_in(client, data).rpartition("/")[2]).fields
    first = next(iter(foresight.foreseen(Draft("", {**fields, "size": size}))))

    assert bool(first["remark"]) == said
    assert not said or "of 5,000,000 users" in first["remark"]
