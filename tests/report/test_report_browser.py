"""The report in a real browser: it renders, it is interactive, and it asks the network for nothing."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow

CONTRAST = """(() => {
  const parts = (c) => c.match(/[\\d.]+/g).map(Number);
  const over = ([r, g, b, a = 1], under) => [r, g, b].map((v, i) => a * v + (1 - a) * under[i]);
  const ground = (e) => (e ? over(parts(getComputedStyle(e).backgroundColor), ground(e.parentElement)) : [255, 255, 255]);
  const linear = (v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const ratio = (e) => {
    const [a, b] = [parts(getComputedStyle(e).color), ground(e)].map(light);
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  };
  return ['main p', 'main .soft', '.banner', '.tag', '#icicle button', '.bar span', '.true', '#crumbs button', 'footer p',
          '.brand', '.heat td', '.heat th', '.columns span']
    .map((s) => [s, Math.min(...[...document.querySelectorAll(s)].map(ratio))]);
})()"""
"""The worst contrast between text and what lies behind it, for every kind of text on the page."""

AREAS = "[...document.querySelectorAll('%s')].map(e => e.getBoundingClientRect()).filter(r => r.width > 0 && r.height > 0).length"


@pytest.mark.parametrize("raw", [False, True])
def test_nothing_is_requested_and_nobody_complains(browser, written, raw):
    """The page itself is the only thing that is loaded, and the console stays silent."""
    page = written(raw)
    browser.open(page)

    assert [page.resolve().as_uri()] == [url for url in browser.requests if not url.startswith("data:")]
    assert [] == browser.complaints


@pytest.mark.parametrize(
    ("picture", "at_least"),
    [
        ("#icicle button", 12),
        ("#patterns .track b", 5),
        ("#lengths .pair i", 3),
        ("#transitions .heat td", 25),
    ],
)
def test_every_plot_has_marks_that_can_be_seen(browser, written, picture, at_least):
    """Marks have an area, so something was really drawn."""
    browser.open(written(False))

    assert browser.run(AREAS % picture) >= at_least


def test_error_bars_stand_where_the_numbers_say(browser, written):
    """The whisker of the first pattern begins left of the bar's end and stops right of it."""
    browser.open(written(False))
    bar, line = (
        browser.run(f"(r => [r.left, r.right])(document.querySelector('#patterns .track {mark}').getBoundingClientRect())")
        for mark in ("b", "s")
    )

    assert line[0] <= bar[1] <= line[1] + 0.5


def test_choosing_a_box_zooms_and_a_crumb_leads_back(browser, written):
    """The icicle answers clicks, and tells in words what it shows."""
    browser.open(written(False))
    boxes = browser.run("document.querySelectorAll('#icicle button').length")
    browser.run("document.querySelectorAll('#icicle button')[1].click()")
    zoomed = browser.run("document.querySelectorAll('#icicle button').length")

    assert zoomed < boxes
    assert 2 == browser.run("document.querySelectorAll('#crumbs button').length")
    assert "95 %" in browser.run("document.getElementById('said').textContent")
    browser.run("document.querySelector('#crumbs button').click()")
    assert boxes == browser.run("document.querySelectorAll('#icicle button').length")


def test_labels_are_text_never_markup(browser, written):
    """A label that looks like HTML is shown as it is."""
    browser.open(written(False))

    assert 0 == browser.run("document.querySelectorAll('#patterns th b, #transitions th b').length")
    assert browser.run("document.body.innerText.includes('<b>shop & co</b>')")


@pytest.mark.parametrize("width", [360, 1100])
@pytest.mark.parametrize("raw", [False, True])
def test_nothing_hangs_over_the_edge(browser, written, width, raw):
    """Neither a phone nor a desk needs to scroll sideways, and text stays readable."""
    browser.open(written(raw), width=width)

    assert browser.run("document.documentElement.scrollWidth") <= width
    texts = "[...document.querySelectorAll('main p, main td, main li')]"
    assert 11 <= browser.run(f"Math.min(...{texts}.map(e => parseFloat(getComputedStyle(e).fontSize)))")


@pytest.mark.parametrize("dark", [False, True])
def test_text_can_be_read_in_light_and_dark(browser, written, dark):
    """Body text, soft text and banners reach the contrast of 4.5 that WCAG asks for."""
    browser.open(written(True), dark=dark)
    worst = browser.run(CONTRAST)

    assert [] == [(selector, ratio) for selector, ratio in worst if ratio < 4.5]


def test_every_picture_says_in_words_what_it_shows(browser, written):
    """Pictures have alternative texts, buttons have names, headings are in order."""
    browser.open(written(True))

    nameless = "[...document.querySelectorAll('[role=img], button')].filter(e => !(e.ariaLabel || e.textContent.trim())).length"

    assert 0 == browser.run(nameless)
    assert 1 == browser.run("document.querySelectorAll('h1').length")
    assert "en" == browser.run("document.documentElement.lang")


def test_the_internal_banner_is_red_and_stays_in_sight(browser, written):
    """Whoever scrolls still sees that the page is not for handing on."""
    browser.open(written(True))
    browser.run("window.scrollTo(0, 1500)")
    colour = browser.run("getComputedStyle(document.querySelector('.internal')).backgroundColor")
    red, green, blue = (int(part) for part in colour.removeprefix("rgb(").removesuffix(")").split(","))

    assert red > 150 > 80 > max(green, blue)
    assert 0 == browser.run("document.querySelector('.internal').getBoundingClientRect().top")


def test_a_screenshot_is_kept(browser, written, tmp_path):
    """The page can be looked at: a PNG of its whole height."""
    browser.open(written(True))
    browser.screenshot(tmp_path / "report.png")

    assert b"\x89PNG" == (tmp_path / "report.png").read_bytes()[:4]
    assert (tmp_path / "report.png").stat().st_size > 50_000
