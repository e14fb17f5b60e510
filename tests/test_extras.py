"""The core works without the optional packages, and what needs one says so before it does anything."""

from __future__ import annotations

import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from processes import run
from seqveil.audit.sbom import plain_name
from seqveil.errors import CallError
from seqveil.extras import NEEDED, need

ROOT = Path(__file__).parents[1]
MODULES = sorted({module for work in NEEDED.values() for module in work.modules} - {"pandas"})
"""Without pandas, which PyArrow looks for on its own and does not expect to be hidden in this way."""

HIDDEN = f"""
import sys
for name in {MODULES!r}:
    sys.modules[name] = None    # as if it were not installed: `import` fails, and nothing is found
import numba, pandas, pyarrow.compute, pyarrow.parquet, scipy.special, typer._adapters
"""
"""What a process has loaded before it is forked: packages of the core, and nothing of ours."""

BARE = """
from seqveil.__main__ import main
main()
"""
BENCH = """
title = "T"
data = "d.seq"
domain = "1..3"
epsilons = ["1.0"]
measure = ["shape"]
methods = [{label = "n-gram", method = "ngram"}]
plots = [{name = "p", title = "P", metric = "seconds", against = "epsilon"}]
"""


@pytest.fixture
def bare(tmp_path, monkeypatch):
    """The command in a process of its own that has only the core's packages."""
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("SEQVEIL_DATA", raising=False)

    def command(*words):
        return run([sys.executable, "-c", BARE, *map(str, words)], cwd=tmp_path, text=True, loads=HIDDEN)

    return command


@pytest.mark.slow
def test_the_core_publishes_and_answers_without_extras(bare, tmp_path):
    """Publish, query and synth need none of them; the page of the release does, and says what to type."""
    (tmp_path / "trips.txt").write_text("a b\nb a\n" * 300)
    publish = ["--domain", "a,b", "--public-because", "made up", "--epsilon", "1", "--account", "x", "--out", "release"]
    ran = [bare("publish", "trips.txt", *publish), bare("query", "release", "a b"), bare("synth", "release", "--out", "s.txt")]
    report = bare("report", "release", "--out", "page.html")

    assert [0, 0, 0] == [one.returncode for one in ran], [one.stderr for one in ran]
    assert (2, "") == (report.returncode, report.stdout)
    assert "error: not installed: jinja2, needed for HTML pages. Type: pip install 'seqveil[plots]'\n" == report.stderr
    assert not (tmp_path / "page.html").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "extra", "left"),
    [
        (["demo", "--out", "out"], "plots", "out"),
        (["audit", "ngram", "--out", "out"], "plots", "out"),
        (["bench", "small.toml", "--out", "out"], "plots", "out"),
        (["link", "demo", "--out", "out"], "link", "out"),
        (["link", "psi", "start", "a.csv", "--terms", "t.json", "--keep", "secret", "--out", "out"], "psi", "out"),
        (["studio", "--no-open"], "studio", "out"),
        (["fenced", "route", "roads.gr", "--pois", "places.txt", "--users", "who.yaml"], "routes", "out"),
        (["fenced", "route", "roads.graphml", "--users", "who.json"], "routes", "out"),
        (["fenced", "route", "roads.gr", "--pois", "places.txt", "--users", "who.json", "--picture", "m.svg"], "plots", "m.svg"),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, list) else None,
)
def test_each_verb_says_what_to_install_before_it_does_anything(bare, tmp_path, words, extra, left):
    """One sentence, exit code 2, no traceback; no file is written and no ledger is opened."""
    (tmp_path / "small.toml").write_text(BENCH)
    (tmp_path / "who.yaml").write_text("- {}\n")
    (tmp_path / "who.json").write_text('[{"start": "1", "end": "1", "limit": 9, "preferences": {"inn": 1}}]')
    ran = bare(*words)
    complaint = ran.stderr.splitlines()[-1]

    assert (2, "") == (ran.returncode, ran.stdout), ran.stderr
    assert complaint.startswith("error: not installed: ")
    assert complaint.endswith(f"Type: pip install 'seqveil[{extra}]'")
    assert not (tmp_path / left).exists()
    assert not (tmp_path / "home").exists()


def test_the_core_imports_without_extras():
    """Every name of the façade loads."""
    ran = run([sys.executable, "-c", "import seqveil as sv; [getattr(sv, n) for n in dir(sv)]"], loads=HIDDEN)

    assert 0 == ran.returncode, ran.stderr


def test_what_is_hidden_is_not_there():
    """Nor is anything of ours loaded before the process is forked."""
    code = "import sys; print([m for m in sys.modules if m.startswith('seqveil')], end=''); import jinja2"
    ran = run([sys.executable, "-c", code], loads=HIDDEN, text=True)

    assert (1, "[]") == (ran.returncode, ran.stdout)
    assert "import of jinja2 halted" in ran.stderr


def test_every_extra_installs_what_it_promises():
    """pyproject.toml lists, under the extra that the sentence names, a package with that module; dev includes them all."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    packages = packages_distributions()
    core = {plain_name(line.split(">")[0]) for line in project["dependencies"]}
    for what, modules, extra in NEEDED.values():
        listed = {plain_name(line.split(">")[0]) for line in project["optional-dependencies"][extra]}
        for module in modules:
            owners = {plain_name(package) for package in packages[module]}
            assert owners & listed, f"{what}: {extra} does not install {module}"
            assert not owners & core

    extras = project["optional-dependencies"]
    assert extras["all"] == [f"seqveil[{','.join(sorted({work.extra for work in NEEDED.values()}))}]"]
    assert "seqveil[all]" in extras["dev"]


def test_several_missing_packages_are_named_together(monkeypatch):
    """And nothing is said where they are there."""
    need("plots")
    for name in ("altair", "vl_convert"):
        monkeypatch.setitem(sys.modules, name, None)

    with pytest.raises(CallError, match=r"^not installed: altair, vl_convert, needed for plots and maps\. Type: pip install"):
        need("plots")
