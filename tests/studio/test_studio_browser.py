"""The studio in a real browser: the whole way with the mouse and with the keyboard alone, and what every page must be like."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import Error

import seqveil as sv
from browsers import Recorded
from seqveil.studio.drawing import drawing
from seqveil.studio.shelf import key_of
from studios import Client, fill_in

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

PATIENCE = 120_000
"""Milliseconds for a run on a busy machine."""


@pytest.fixture
def own(serving, tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> Client:
    """A studio with a ledger of its own, over a copy of the data."""
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "home"))
    folder = tmp_path / "data"
    folder.mkdir()
    for name in ("trips.csv", "stations.txt"):
        (folder / name).write_bytes((data / name).read_bytes())
    client: Client = serving(folder)
    return client


@pytest.fixture
def recorded(chromium: Browser, own: Client) -> Iterator[Recorded]:
    """A page that has entered with the token."""
    shown = Recorded(chromium, accept_downloads=True)
    shown.page.goto(own.studio.address.first(own.studio.secrets))
    shown.page.wait_for_url(f"http://{own.host}/")
    yield shown
    shown.close()


def outside(recorded: Recorded, client: Client) -> list[str]:
    """Requests to anybody but the studio."""
    return [url for url in recorded.requests if not url.startswith(f"http://{client.host}/")]


def test_from_a_file_to_a_release_an_answer_and_a_download(recorded: Recorded, own: Client):
    """As somebody does who has never seen it: only what is on the page is used."""
    page = recorded.page
    page.get_by_role("main").get_by_role("button", name="New release").click()
    page.get_by_role("button", name="trips.csv").click()
    page.get_by_role("button", name="Next: who and what").click()
    assert [page.get_by_label(name, exact=True).input_value() for name in ("User", "Time", "Item")] == ["card", "ts", "station"]
    page.get_by_role("button", name="Next: labels").click()
    page.get_by_role("button", name="stations.txt").click()
    page.get_by_label("Why are they public?").fill("the map is published")
    page.get_by_role("button", name="Next: method").click()
    page.locator(".card", has=page.get_by_role("radio", name="record-model", exact=True)).get_by_text("Parameters").click()
    page.locator('[name="record-model:p.l_max"]').fill("4")
    page.get_by_role("button", name="Next: budget").click()
    page.get_by_role("slider").fill("9")
    assert page.get_by_label("ε", exact=True).input_value() == "3.0"
    page.get_by_role("heading", name="What ε = 3.0 means").wait_for(timeout=PATIENCE)
    page.get_by_role("button", name="Next: review").click()
    assert "seqveil publish" in page.locator("#command").inner_text()
    page.get_by_role("button", name="Spend ε = 3.0 and publish").click()
    run = page.url
    page.goto(f"http://{own.host}/ledger")  # closing the page does not stop the run
    page.goto(run)
    page.get_by_role("link", name="Look at the release").click(timeout=PATIENCE)
    page.get_by_label("Labels, one query per line").fill("home metro")
    page.locator("#answers td.n").first.wait_for(timeout=PATIENCE)
    released = sv.load(next(folder for folder in own.studio.roots.folders[0].iterdir() if folder.is_dir()))
    answer: Any = released.count(["home", "metro"])
    shown = page.locator("#answers").inner_text()
    with page.expect_download() as loading:
        page.get_by_role("link", name="synthetic records as CSV").click()
    saved = Path(loading.value.path()).read_text("utf-8")

    assert f"{round(answer.value):,}" in shown
    assert f"{answer.low:,} – {answer.high:,}" in shown
    assert saved.startswith("sequence,position,item")
    assert released.manifest.epsilon == "3.0"
    assert released.manifest.private
    page.get_by_role("button", name="Verify every file").click()
    assert "The ledger has the same digest" in page.get_by_role("status").first.inner_text()
    assert outside(recorded, own) == []
    assert recorded.complaints == []
    named = ("trips", "station", "card", "home%20", str(own.studio.roots.folders[0]))
    assert [] == [url for url in recorded.requests if any(name in url for name in named)]  # no file, column or path in an address
    page.get_by_role("link", name="Compare with raw data (internal)").click()
    page.get_by_role("button", name="Compare with raw data (internal)").click()
    assert "/compare" in page.url  # not without the promise
    page.get_by_label("I will not share what is shown").check()
    page.get_by_role("button", name="Compare with raw data (internal)").click()
    page.wait_for_url("**/tasks/*", timeout=PATIENCE)
    assert "INTERNAL" in page.locator(".banner").inner_text()


def test_going_back_to_a_page_with_a_problem_does_not_send_its_form_again(recorded: Recorded, own: Client):
    page = recorded.page
    page.get_by_role("main").get_by_role("button", name="New release").click()
    page.get_by_role("button", name="Next: who and what").click()
    page.locator("#problems").wait_for()
    page.get_by_role("link", name="Ledger").click()
    page.go_back()

    assert page.get_by_role("heading", name="Which data?").is_visible()
    assert page.locator("#problems").count() == 0


def test_going_back_to_raw_rows_shows_the_step_without_them(recorded: Recorded, own: Client):
    page = recorded.page
    page.get_by_role("main").get_by_role("button", name="New release").click()
    page.get_by_role("button", name="trips.csv").click()
    page.get_by_role("button", name="Show me raw rows (internal)").click()
    page.locator(".raw").wait_for()
    page.get_by_role("link", name="Ledger").click()
    page.go_back()

    assert page.get_by_role("heading", name="Which data?").is_visible()
    assert page.locator(".raw").count() == 0


class Keys:
    """Nothing but keys: Tab to what has a name, then a key that means it."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def to(self, name: str, back: bool = False) -> None:
        """Move the focus until it is on an element with this name."""
        for _ in range(120):
            focused = self.page.evaluate(NAME_OF_FOCUS)
            if re.search(name, focused):
                return
            self.page.keyboard.press("Shift+Tab" if back else "Tab")
        raise AssertionError(f"{name} cannot be reached; the last was {focused!r}")

    def press(self, name: str, key: str = "Enter") -> None:
        """Press a button or follow a link, and wait for what follows."""
        self.to(name)
        before = self.page.evaluate(LOADED)
        self.page.keyboard.press(key)
        deadline = time.monotonic() + PATIENCE / 1000
        while self._loaded() in (before, None):
            assert time.monotonic() < deadline, f"nothing follows {name}"
            self.page.wait_for_timeout(20)

    def _loaded(self) -> float | None:
        """When the page was loaded; None while another one is on its way."""
        try:
            loaded: float | None = self.page.evaluate(LOADED)
        except Error:
            return None
        return loaded


LOADED = "document.readyState === 'complete' ? performance.timeOrigin : null"
NAME_OF_FOCUS = """(() => {
  const e = document.activeElement, labels = [...(e.labels || [])].map((l) => l.textContent).join(' ').trim();
  return e.getAttribute('aria-label') || labels || e.textContent.trim();
})()"""


def test_the_whole_way_with_the_keyboard_alone(recorded: Recorded, own: Client):
    keys, page = Keys(recorded.page), recorded.page
    keys.to("Skip to the content")
    page.keyboard.press("Enter")
    keys.press("^New release$")
    keys.press(r"^trips\.csv")
    keys.press("^Next: who")
    keys.to("^user$")
    page.keyboard.press("ArrowDown")  # radio buttons are one stop; arrows choose
    page.keyboard.press("ArrowUp")
    keys.press("^Next: labels")
    keys.to("^A file")
    page.keyboard.press("ArrowRight")
    keys.to("^Labels, one per line")
    page.keyboard.type("home\nmetro\noffice")
    keys.to("^Why are they public")
    page.keyboard.type("the map is published")
    keys.press("^Next: method")
    keys.press("^Next: budget")
    keys.to("^ε, from")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    keys.press("^Next: review")
    keys.press("^Spend ε = 2.0 and publish")
    page.get_by_role("link", name="Look at the release").wait_for(timeout=PATIENCE)
    keys.press("^Look at the release")
    keys.to("^Labels, one query per line")
    page.keyboard.type("home")
    page.locator("#answers td.n").first.wait_for(timeout=PATIENCE)

    assert "ε = 2.0" in page.title()
    assert outside(recorded, own) == []
    assert recorded.complaints == []


@pytest.fixture(scope="module")
def entered(chromium: Browser, client: Client) -> Iterator[Recorded]:
    """One page for all tests that only look."""
    shown = Recorded(chromium)
    shown.page.goto(client.studio.address.first(client.studio.secrets))
    shown.page.wait_for_url(f"http://{client.host}/")
    yield shown
    shown.close()


CHECKS = (Path(__file__).parent / "checks.js").read_text("utf-8").partition("*/")[2].strip()


ODD = [
    "<b>shop & co</b>",
    "W" * 80,
    "محطة القطار المركزية الكبرى",
    "東京駅前広場のバス停留所入口",
    "</script>",
    "<<<<>>>>====++++",
]
"""Labels that are long, wide, from right to left, or would be markup."""


@pytest.fixture(scope="module")
def pages(client: Client, data: Path) -> dict[str, str]:
    """Every page, in a state with something on it."""
    domain = sv.Domain.of(["home", "metro", "office", *ODD], public_because="a published map")
    days = [["home", "metro", "office"], ["home", "<b>shop & co</b>", "home"], ODD[:4], ODD[3:]] * 200
    folder = data / "browsed"
    sv.experiment(sv.table_of(days, domain), sv.NGram(l_max=4, n_max=2), epsilon="8.0", seed=2).save(folder)
    ring = sv.graph_of([(a, (a + 1) % 40) for a in range(40)], sv.Domain.range(0, 39), order_is_public=True)
    sv.experiment(ring, sv.DER(), epsilon="8.0", seed=2).save(data / "ring")
    client.post("/ledger/cap", account="metro", cap="3.0")
    base = fill_in(client, data)
    steps = {step: f"{base}/{step}" for step in ("data", "who", "labels", "method", "budget", "review")}
    release = {"release": f"/releases/{key_of(folder)}?how=count&q=home+metro", "graph": f"/releases/{key_of(data / 'ring')}"}
    others = {
        "home": "/",
        "ledger": "/ledger",
        "account": "/ledger?account=metro",
        "experiments": "/experiments",
        "open": "/open",
    }
    return {**others, **steps, **release, "compare": f"/releases/{key_of(folder)}/compare", "error": "/nowhere"}


def test_the_checks_see_what_is_wrong(recorded: Recorded):
    """A page with everything that they look for; as it was before, nothing is wrong with it."""
    page = recorded.page
    before = page.evaluate(CHECKS)
    page.evaluate(
        """() => { const main = document.querySelector('main'); const add = (tag, set) => main.append(Object.assign(
        document.createElement(tag), set)); add('button', {}); add('h1', {textContent: 'again'}); add('i', {id: 'main'});
        const pale = document.createElement('p'); pale.textContent = 'pale'; pale.style.color = '#bbb'; main.append(pale);
        const wide = document.createElement('div'); wide.style.width = '5000px'; wide.textContent = 'x'; main.append(wide);
        add('label', {htmlFor: 'nothing', textContent: 'label'}); }"""
    )
    wrong = " ".join(page.evaluate(CHECKS))

    assert before == []
    for what in ("no name", "contrast", "id twice: main", "leads nowhere: nothing", "first level: 2", "wider than the screen"):
        assert what in wrong


@pytest.mark.parametrize(("width", "dark"), [(390, True), (800, False), (1440, True)])
def test_every_page_can_be_used_by_everybody(chromium: Browser, client: Client, pages: dict[str, str], width: int, dark: bool):
    shown = Recorded(chromium, width, 900, dark)
    shown.page.goto(client.studio.address.first(client.studio.secrets))
    shown.page.wait_for_url(f"http://{client.host}/")
    wrong = {}
    try:
        for name, path in pages.items():
            shown.page.goto(f"http://{client.host}{path}")
            if problems := shown.page.evaluate(CHECKS):
                wrong[name] = problems
        silent = [line for line in shown.complaints if "/nowhere" not in line]
    finally:
        shown.close()

    assert wrong == {}
    assert silent == []
    assert outside(shown, client) == []


def test_the_focus_follows_the_page_and_can_be_seen(entered: Recorded, client: Client, pages: dict[str, str]):
    """Tab visits what stands on the page in its order, and each stop has an outline."""
    path = pages["who"]
    shown = entered
    shown.page.goto(f"http://{client.host}{path}")
    stops = []
    for _ in range(30):
        shown.page.keyboard.press("Tab")
        stops.append(
            shown.page.evaluate(
                "(() => { const e = document.activeElement; return [[...document.querySelectorAll('*')].indexOf(e), "
                "getComputedStyle(e).outlineStyle, e.tagName]; })()"
            )
        )
        if stops[-1][2] == "BODY":
            break
    visited = [stop for stop in stops if stop[2] != "BODY"]

    assert len(visited) > 15
    assert [place for place, _, _ in visited] == sorted({place for place, _, _ in visited})
    assert {style for _, style, _ in visited} <= {"solid", "auto"}


def test_labels_are_text_and_the_tree_can_be_explored(entered: Recorded, client: Client, pages: dict[str, str]):
    """Markup in a label is shown as it is typed; a click on a box goes deeper, and the way back is there."""
    path = pages["release"]
    shown = entered
    shown.page.goto(f"http://{client.host}{path}")
    page = shown.page
    boxes = page.locator("#icicle button").count()
    page.locator("#icicle button").nth(1).click()
    zoomed, crumbs = page.locator("#icicle button").count(), page.locator("#crumbs button").count()
    page.locator("#crumbs button").first.click()

    assert page.locator("main b", has_text="shop").count() == 0
    assert "<b>shop & co</b>" in page.locator("main").inner_text()
    assert zoomed < boxes
    assert crumbs == 2
    assert page.locator("#icicle button").count() == boxes
    assert "95 %" in page.locator("#answers").inner_text()


def test_pictures_that_take_long_come_after_the_words(
    entered: Recorded, client: Client, pages: dict[str, str], monkeypatch: pytest.MonkeyPatch
):
    """What somebody types meanwhile stays."""
    from concurrent.futures import Future

    waiting: Future[Any] = Future()
    release = client.studio.shelf.load(client.studio.shelf.line(pages["release"].rpartition("/")[2].partition("?")[0]))
    done = drawing(release).result()
    monkeypatch.setattr("seqveil.studio.release.PATIENCE", 0.01)
    monkeypatch.setattr("seqveil.studio.release.drawing", lambda _: waiting)
    page = entered.page
    page.goto(f"http://{client.host}{pages['release'].partition('?')[0]}")
    page.get_by_text("drawing the pictures").wait_for()
    early = page.locator("#tiles").inner_text(), page.locator("#icicle").count()
    page.get_by_label("Labels, one query per line").fill("home metro")
    page.locator("#answers td.n").first.wait_for(timeout=PATIENCE)
    waiting.set_result(done)
    page.locator("#icicle button").first.wait_for(timeout=PATIENCE)

    assert ("ε" in early[0], "synthetic records" in early[0], early[1]) == (True, False, 0)
    assert "synthetic records" in page.locator("#tiles").inner_text()
    assert page.get_by_role("link", name="Explore").is_visible()
    assert page.get_by_label("Labels, one query per line").input_value() == "home metro"
    assert page.locator("#answers td.n").count() > 0
    assert entered.complaints == []


def test_the_file_that_opens_the_browser_leads_in(chromium: Browser, client: Client, monkeypatch: pytest.MonkeyPatch):
    """From a file on disk, which is another site: the cookie is strict, and still there on the first page."""
    import webbrowser

    from seqveil.studio.entrance import open_browser

    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    shown = Recorded(chromium)
    with open_browser(client.studio, wanted=True):
        while not opened:
            time.sleep(0.02)
        shown.page.goto(opened[0])
        shown.page.get_by_role("heading", name="From a file to a release").wait_for()
    here = shown.page.url
    shown.close()

    assert here == f"http://{client.host}/"


PAPER = """() => {
  const seen = (e) => e.checkVisibility() && e.getClientRects().length > 0;
  const all = (what) => [...document.querySelectorAll(what)].filter(seen);
  const controls = all('nav, form, input, select, textarea, summary, button, a.button').filter((e) => !e.closest('#icicle'));
  const wide = all('svg, table, pre, img').filter((e) => e.getBoundingClientRect().right > innerWidth + 1);
  const fits = document.documentElement.scrollWidth <= innerWidth;
  return [controls.length, wide.map((e) => e.outerHTML.slice(0, 80)), fits];
}"""
"""Controls on paper, what is cut off at its edge, and whether all of it fits."""


@pytest.mark.parametrize("name", ["release", "graph", "account", "ledger", "home"])
def test_on_paper_everything_fits_and_there_are_no_controls(
    chromium: Browser, client: Client, pages: dict[str, str], entered: Recorded, name: str
):
    """A4 between its margins is 182 mm wide, 688 pixels; pictures are dark on white, whatever the screen."""
    page = entered.page
    page.goto(f"http://{client.host}{pages[name]}")
    page.set_viewport_size({"width": 688, "height": 1000})
    page.emulate_media(media="print", color_scheme="dark")
    printed, ground = page.evaluate(PAPER), page.evaluate("getComputedStyle(document.body).backgroundColor")
    kept = page.locator("#promise").is_visible() and page.locator(".banner").is_visible() if name == "release" else True
    page.emulate_media(media="screen", color_scheme="light")
    page.set_viewport_size({"width": 1100, "height": 900})

    assert printed == [0, [], True]
    assert (ground, kept) == ("rgb(255, 255, 255)", True)


def test_a_page_of_another_origin_gets_nothing(chromium: Browser, client: Client):
    """A site that the same browser has open: neither its forms, its scripts nor its frames reach the studio."""
    import http.server
    import threading

    page = (
        f"<iframe src='http://{client.host}/'></iframe><script>"
        f"fetch('http://{client.host}/', {{credentials: 'include'}}).then(r => r.text()).then(t => document.title = 'read')"
        f".catch(() => document.title = 'refused');</script>"
        f"<form method='post' action='http://{client.host}/new'><input name='secret' value='{client.studio.secrets.form}'></form>"
    )

    class Evil(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(page.encode())

        def log_message(self, *_: object) -> None:
            pass

    evil = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Evil)
    threading.Thread(target=evil.serve_forever, daemon=True).start()
    shown = Recorded(chromium)
    try:
        shown.page.goto(client.studio.address.first(client.studio.secrets))
        shown.page.wait_for_url(f"http://{client.host}/")
        before = len(client.studio.drafts.ids())
        shown.page.goto(f"http://127.0.0.1:{evil.server_address[1]}/")
        shown.page.wait_for_function("document.title !== ''")
        title = shown.page.title()
        shown.page.evaluate("document.forms[0].submit()")
        shown.page.wait_for_load_state()
        said = shown.page.inner_text("body")
    finally:
        shown.close()
        evil.shutdown()
        evil.server_close()

    assert title == "refused"
    assert "another page" in said
    assert len(client.studio.drafts.ids()) == before
