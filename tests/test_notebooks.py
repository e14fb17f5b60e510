"""Steps in the cell of a notebook: named one after the other, gone at the end, and nothing in them depends on the data."""

from __future__ import annotations

import sys
import textwrap
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import seqveil as sv
from seqveil.notebooks import stages

DOMAIN = sv.Domain.of(["home", "shop", "work"], public_because="made up")
TABLE = sv.table_of([["home", "shop"], ["work"]] * 40, DOMAIN)


class Cell:
    """What a front end has been sent: the first line, and every update of it."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def display(self, line: Any, display_id: bool) -> Cell:
        assert display_id
        return self.update(line)

    def update(self, line: Any) -> Cell:
        self.lines.append(repr(line))
        return self


@pytest.fixture
def cell(monkeypatch: pytest.MonkeyPatch) -> Cell:
    """A process that is the kernel of a notebook, as far as IPython's two functions tell."""
    shown, ipython = Cell(), ModuleType("IPython")
    ipython.get_ipython = lambda: SimpleNamespace(kernel=None)  # type: ignore[attr-defined]
    ipython.display = SimpleNamespace(display=shown.display)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    return shown


def test_a_release_names_its_stages(cell, tmp_path):
    vault = sv.Vault(TABLE, unit=sv.Record(), account="shop", cap="5", home=tmp_path)
    vault.release(sv.NGram(l_max=2, n_max=2), "1", out=tmp_path / "release")

    assert cell.lines[0] == "release: preparing"
    assert "release: reading" in cell.lines
    assert cell.lines[-2:] == ["release: saving", ""]


def test_what_is_shown_is_the_same_for_other_data(cell):
    """Experiments without noise: whatever differs would come from the data."""
    for table in (TABLE, sv.table_of([["shop"]] * 900, DOMAIN)):
        sv.experiment(table, sv.NGram(l_max=2, n_max=2), "1", seed=None)
    half = len(cell.lines) // 2

    assert half > 2
    assert cell.lines[:half] == cell.lines[half:]


def test_plans_and_evaluations_show_their_own_steps_only(cell):
    sv.evaluate.compare_runs(TABLE, sv.NGram(l_max=2, n_max=2), "1", runs=2, sources=False)
    sv.plan(sv.NGram(l_max=2, n_max=2), DOMAIN, size=500, epsilon="1")

    assert ["evaluating: run 1 of 2", "evaluating: run 2 of 2", "", "planning: ε = 1.0", ""] == cell.lines


def test_a_caller_who_listens_is_told_instead(cell):
    heard: list[str] = []
    sv.evaluate.compare_runs(TABLE, sv.NGram(l_max=2, n_max=2), "1", runs=1, sources=False, on_step=heard.append)

    assert ["run 1 of 1"] == heard
    assert not [line for line in cell.lines if line.startswith("evaluating")]


def test_a_front_end_that_has_gone_costs_nothing(cell):
    sys.modules["IPython"].display = None
    with stages("publishing") as stage:
        stage("reading")

    assert [] == cell.lines


def test_elsewhere_nothing_is_shown(capfd):
    with stages("publishing") as stage:
        stage("reading")

    assert ("", "") == capfd.readouterr()


@pytest.mark.slow
def test_a_real_notebook_shows_a_bar_and_leaves_none(tmp_path):
    """Where Jupyter is installed; it is no tool of this project."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    code = """
        import seqveil as sv
        from IPython import display
        sent, show = [], display.display
        def listening(line, **more):
            handle = show(line, **more)
            update = handle.update
            handle.update = lambda next: (sent.append(repr(next)), update(next))
            sent.append(repr(line))
            return handle
        display.display = listening
        trips = sv.table_of([["home", "shop"]] * 40, sv.Domain.of(["home", "shop"], public_because="made up"))
        done = sv.experiment(trips, sv.NGram(l_max=2, n_max=2), "1", seed=1)
        print(sent)
    """
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(textwrap.dedent(code))])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    shown, printed = notebook.cells[0].outputs

    assert printed["text"].startswith("['experiment: reading', ")
    assert printed["text"].rstrip().endswith("'']")
    assert {"text/html": "", "text/plain": ""} == shown["data"]
