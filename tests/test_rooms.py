"""Who may import whom: the contracts in pyproject.toml hold, and they really fail when somebody breaks one."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from seqveil.kinds import KINDS

ROOT = Path(__file__).parents[1]

BROKEN = [  # file that is changed, line that is planted, contract that must break
    (
        "publish/ngram/mechanism.py",
        "from seqveil.engines.local.grams import GramCounter",
        "mechanisms hold a wall, never a table or an engine",
    ),
    (
        "publish/ngram/allocation.py",
        "from seqveil.tables.sequences import SequenceTable",
        "mechanisms hold a wall, never a table or an engine",
    ),
    (
        "publish/ngram/predict.py",
        "from seqveil.wall.noise import SeededNoise",
        "mechanisms hold a wall, never a table or an engine",
    ),
    (
        "trees/growth.py",
        "from seqveil.engines.local.grams import GramCounter",
        "mechanisms hold a wall, never a table or an engine",
    ),
    (
        "trees/tree.py",
        "from seqveil.tables.sequences import SequenceTable",
        "mechanisms hold a wall, never a table or an engine",
    ),
    ("trees/tree.py", "from seqveil.wall.noise import SeededNoise", "mechanisms hold a wall, never a table or an engine"),
    ("trees/isotonic.py", "from seqveil.mine.refinement import refine_leaves", "trees and bases stand below the mechanisms"),
    ("trees/table.py", "from seqveil.publish.ngram.copies import Copies", "trees and bases stand below the mechanisms"),
    (
        "mine/prefixes.py",
        "from seqveil.publish.prefix.budget import sublevels",
        "publish, mine and stream do not import each other",
    ),
    (
        "publish/prefix/budget.py",
        "from seqveil.mine.asking import deviations_for",
        "publish, mine and stream do not import each other",
    ),
    (
        "stream/mechanism.py",
        "from seqveil.mine.asking import deviations_for",
        "publish, mine and stream do not import each other",
    ),
    ("release/grams/table.py", "from seqveil.trees.tree import LevelTree", "a release knows nothing raw"),
    ("wall/tree.py", "from seqveil.trees.tree import LevelTree", "the wall knows no mechanism and no release"),
    ("release/manifest.py", "from seqveil.wall.budget import GRAINS", "a release knows nothing raw"),
    ("release/lines.py", "from seqveil.tables.sequences import SequenceTable", "a release knows nothing raw"),
    ("kinds/sequences.py", "from seqveil.sources import read_sequences", "kinds name their parts and know tables only"),
    ("kinds/kind.py", "from seqveil.wall.budget import GRAINS", "kinds name their parts and know tables only"),
    ("publish/ngram/copies.py", "from seqveil.kinds import KINDS", "mechanisms hold a wall, never a table or an engine"),
    ("release/readme.py", "from seqveil.kinds import KINDS", "a release knows nothing raw"),
    ("kinds/graph.py", "from seqveil.evaluate.graphs import Graph", "nobody but people's doors imports evaluate and audit"),
    (
        "planning/scenes.py",
        "from seqveil.sources import read_sequences",
        "a plan reads nothing and opens no ledger",
    ),
    ("tables/flat.py", "from seqveil.wall.budget import GRAINS", "tables know nobody"),
    ("engines/protocol.py", "from seqveil.wall.budget import GRAINS", "engines know tables only"),
    ("whole.py", "from seqveil.wall.budget import GRAINS", "what every room may use knows nobody"),
    ("places.py", "from seqveil.release.manifest import Manifest", "what every room may use knows nobody"),
    ("wall/bill.py", "from seqveil.publish.ngram import NGram", "the wall knows no mechanism and no release"),
    ("facts.py", "from seqveil.wall.budget import GRAINS", "the facts of a run know domains and units only"),
    ("facts.py", "from seqveil.tables.flat import Flat", "the facts of a run know domains and units only"),
    ("signature/keys.py", "from seqveil.wall.ledger import Ledger", "what every room may use knows nobody"),
    ("signature/ed25519.py", "from seqveil.release.manifest import Manifest", "what every room may use knows nobody"),
    ("logs.py", "from seqveil.wall.budget import GRAINS", "what every room may use knows nobody"),
    ("home.py", "from seqveil.wall.budget import GRAINS", "what every room may use knows nobody"),
    ("lazily.py", "from seqveil.tables.domain import Domain", "what every room may use knows nobody"),
    ("link/matching.py", "from seqveil.wall.budget import GRAINS", "what is not differentially private never touches the wall"),
    (
        "link/sealed.py",
        "from seqveil.fenced.suppression.model import KCL",
        "linkage and what is fenced know nothing of each other",
    ),
    ("engines/protocol.py", "from seqveil.engines.local.engine import ENGINE", "no engine knows another one"),
    (
        "wall/questions/grams.py",
        "def f():\n    from seqveil.engines.local.grams import GramCounter",
        "the wall and all others ask an engine through its protocol, never by name",
    ),
    (
        "cli/publish.py",
        "from seqveil.engines.local.engine import ENGINE",
        "the wall and all others ask an engine through its protocol, never by name",
    ),
    ("report/page.py", "from seqveil.studio.pages import page", "nobody imports the studio but its own command"),
    ("cli/publish.py", "from seqveil.studio.orders import out_of", "nobody imports the studio but its own command"),
    (
        "studio/orders.py",
        "from seqveil.engines.local.engine import ENGINE",
        "the wall and all others ask an engine through its protocol, never by name",
    ),
    ("wall/paths.py", "from seqveil.evaluate.trie import occurrences", "nobody but people's doors imports evaluate and audit"),
]


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """lint-imports on a copy of the project; the copy shadows the installed package."""
    code = "import sys; sys.path.insert(0, 'src'); from importlinter.cli import lint_imports_command; lint_imports_command()"
    return subprocess.run([sys.executable, "-c", code, "--no-cache"], cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project's source and settings, to be broken."""
    folder = tmp_path_factory.mktemp("rooms")
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


@pytest.mark.slow
def test_the_rooms_are_in_order(copy):
    """No contract is broken as the code stands."""
    outcome = lint(copy)

    assert outcome.returncode == 0, outcome.stdout


@pytest.fixture(scope="module")
def planted(copy: Path) -> dict[str, list[tuple[str, str, int]]]:
    """What the linter says to all planted lines at once: for each broken contract, the direct imports that break it."""
    folder = shutil.copytree(copy, copy.parent / f"{copy.name}-planted")
    for file, line, _ in BROKEN:
        with (folder / "src/seqveil" / file).open("a") as code:
            code.write(f"\n{line}\n")
    outcome = lint(folder)
    assert outcome.returncode != 0
    contracts = [line.partition(" BROKEN")[0] for line in outcome.stdout.splitlines() if re.search(r" BROKEN( \(.*\))?$", line)]
    breaches: dict[str, list[tuple[str, str, int]]] = {contract: [] for contract in contracts}
    contract = ""
    for block in outcome.stdout.partition("Broken contracts")[2].split("\n\n"):
        if (title := block.strip().splitlines()[:1]) and title[0] in breaches:
            contract = title[0]
        chain = re.findall(r"^-? +(\S+) -> (\S+) \((.+)\)$", block, re.M)
        if len(chain) == 1:  # a longer one goes through somebody's import that may be planted for another contract
            importer, imported, lines = chain[0]
            breaches[contract] += [(importer, imported, int(number)) for number in re.findall(r"\d+", lines)]
    return breaches


@pytest.mark.slow
@pytest.mark.parametrize(("file", "line", "contract"), BROKEN, ids=[f"{file} {line.split()[1]}" for file, line, _ in BROKEN])
def test_a_planted_import_breaks_its_contract(copy, planted, file, line, contract):
    """The linter names this very line under the contract that forbids it, and nothing of the kind stood there before."""
    importer = "seqveil." + file.removesuffix(".py").replace("/", ".")
    imported = re.search(r"from (\S+) import", line)[1]
    length = len((copy / "src/seqveil" / file).read_text().splitlines())

    assert [number for *who, number in planted[contract] if who == [importer, imported] and number > length]


def test_every_engine_is_forbidden_by_name():
    """A new engine must be added to the contract, or the wall could come to depend on it."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    forbidden = next(c["forbidden_modules"] for c in settings if c["name"].startswith("the wall and all others ask an engine"))
    engines = {f"seqveil.engines.{path.parent.name}" for path in (ROOT / "src/seqveil/engines").glob("*/engine.py")}

    assert engines == set(forbidden)


def raw_modules() -> set[str]:
    """Modules of tables/ that define a raw table, by its name or because a kind says so."""
    tables = ROOT / "src/seqveil/tables"
    paths = [path for path in tables.rglob("*.py") if re.search(r"^class \w*(Table|EventStream)\b", path.read_text(), re.M)]
    named = {kind.table.partition(":")[0] for kind in KINDS.values()}
    return {"seqveil.tables." + ".".join(path.relative_to(tables).with_suffix("").parts) for path in paths} | {
        module for module in named if module.startswith("seqveil.tables.")
    }


CLOSED_TO_TABLES = (
    "mechanisms hold a wall, never a table or an engine",
    "a release knows nothing raw",
    "the facts of a run know domains and units only",
)


@pytest.mark.parametrize("contract", CLOSED_TO_TABLES)
def test_every_raw_table_is_forbidden(contract):
    """A new kind of table must be added to these contracts, or a mechanism could hold one."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    forbidden = next(c["forbidden_modules"] for c in settings if c["name"] == contract)

    assert "seqveil.tables.sequences" in raw_modules()
    missing = {module for module in raw_modules() if not any(module.startswith(f) for f in forbidden)}
    assert set() == missing, f"add {missing} to the forbidden_modules of {contract!r} in pyproject.toml"
