"""What the site is built from: order of pages, generated reference, tutorials, and no address outside."""

from __future__ import annotations

import re

import pytest

import seqveil
from seqveil import registry
from seqveil.cli.app import VERBS
from sitebuilder import api, commands, manifest, parameters
from sitebuilder.nav import DOCS, Section, problems, sections, written
from sitebuilder.notebooks import CellFailed, as_notebook, run
from sitebuilder.pictures import draw
from sitebuilder.stage import relinked

TUTORIALS = [page for page in written() if page.startswith("tutorials/") and not page.endswith("index.md")]


def test_every_page_has_one_place():
    """In docs/sitebuilder/nav.toml."""
    assert [] == problems(sections(), written())


def test_a_page_without_a_place_is_seen():
    """So is one with two, and one that does not exist."""
    wrong = problems([Section("S", "a.md", ("b.md", "b.md", "gone.md"))], ["index.md", "a.md", "b.md", "new.md"])

    assert {"b.md", "gone.md", "new.md"} == {one.split()[0] for one in wrong}


def test_every_command_is_in_the_reference():
    """With every option of it."""
    pages = commands.pages()

    assert {f"reference/commands/{verb.name}.md" for verb in VERBS} | {"reference/commands.md"} == set(pages)
    assert "| `--session` |" in pages["reference/commands/publish.md"]
    assert "## seqveil ledger cap" in pages["reference/commands/ledger.md"]


def test_every_parameter_is_in_the_reference_with_its_sentence():
    """Of every method that people can name."""
    page = parameters.pages()["reference/parameters.md"]
    methods = [method for method in registry.OURS if f"\n## {method.name}\n" in page]

    assert registry.OURS == methods
    for method in registry.OURS:
        for name, one in registry.parameters(method).items():
            assert name in method.implied or one.help.split("|")[0].split("<")[0].split("*")[0] in page, (method.name, name)


def test_every_public_name_is_in_the_reference():
    """Of `sv`, with its docstring; nothing is shown by its address in memory."""
    pages = api.pages()

    assert set() == api.missing()
    assert "### Vault.release" in pages["reference/python/vault.md"]
    assert (seqveil.Vault.__doc__ or "").splitlines()[0] in pages["reference/python/vault.md"]
    assert not re.search(r"0x[0-9a-f]{6}|<class ", "".join(pages.values()))


def test_the_manifest_and_errors_are_in_the_reference():
    """Every key of the schema says what it means."""
    pages = manifest.pages()

    assert {key.removesuffix("[]") for key, _ in manifest.places() if "." not in key} == set(manifest.MEANS)
    assert "`BudgetRefused`** (exit code 3)" in pages["reference/errors.md"]


def test_pages_of_the_root_find_their_targets():
    """A link is made to work from where the site has the page."""
    assert "[a](../promise.md#x)" == relinked("[a](docs/promise.md#x)", "CONTRIBUTING.md", "contribute/contributing.md")
    assert "[s](../contribute/security.md)" == relinked(
        "[s](../../SECURITY.md)", "docs/understand/units.md", "understand/units.md"
    )
    assert "[u](https://x.org/a)" == relinked("[u](https://x.org/a)", "docs/plan.md", "plan.md")


def test_pictures_that_pages_show_are_drawn(tmp_path):
    """By the build, and no others; every picture says what it shows."""
    draw(tmp_path)
    texts = [(DOCS / page).read_text("utf-8") for page in written()]
    used = {name for text in texts for name in re.findall(r"!\[[^\]]+\]\((?:understand/)?pictures/([\w-]+\.svg)\)", text)}

    assert used == {path.name for path in tmp_path.iterdir()}


@pytest.mark.slow
@pytest.mark.parametrize("page", TUTORIALS)
def test_a_tutorial_runs(page):
    """Every cell, in order, in an empty folder."""
    outputs, names = run((DOCS / page).read_text("utf-8"), page)

    assert any(one.printed for one in outputs)
    if "pm4py" in names and names["pm4py"] is None:
        pytest.skip("pm4py is not installed: the cell that uses it was left out, all others ran")


def test_a_cell_that_fails_is_named():
    """By its tutorial and its number."""
    with pytest.raises(CellFailed, match=r"^small, cell 2: ZeroDivisionError"):
        run("```python\nx = 0\n```\n\n```python\n1 / x\n```\n", "small")


@pytest.mark.parametrize("page", TUTORIALS)
def test_a_tutorial_is_a_notebook(page):
    """Its file has the cells, and no outputs."""
    cells = as_notebook((DOCS / page).read_text("utf-8"))["cells"]

    assert len(cells) > 6
    assert all(cell["outputs"] == [] for cell in cells if cell["cell_type"] == "code")
