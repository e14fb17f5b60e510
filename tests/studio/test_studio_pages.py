"""Pages over a real socket: forms that follow from the registry and the kinds, and releases of every content."""

from __future__ import annotations

import ast
import html
import json
import re
import shutil
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar
from urllib.parse import urlencode

import pytest

import record_models
import seqveil as sv
from seqveil import registry
from seqveil.kinds import KINDS
from seqveil.parameters import described
from seqveil.studio.shelf import key_of
from seqveil.tables.units import Record, User
from seqveil.wall.mechanism import Plan
from studios import LABELS, Client, fill_in

EVIL = '<img src=x onerror="alert(1)">'


@dataclass(frozen=True)
class Plugged:
    """A mechanism of somebody else's package."""

    kind: ClassVar[str] = "sequences"
    units: ClassVar[tuple[type, ...]] = (Record, User)
    version: ClassVar[str] = "1"
    paper: ClassVar[str] = "nobody 2026"
    depth: int = described(7, "How deep the plug digs.")
    gentle: bool = described(True, "Whether it digs gently.")

    @property
    def name(self) -> str:
        return "plugged"

    def parameters(self) -> dict[str, Any]:
        return {"depth": self.depth, "gentle": self.gentle}

    def plan(self, epsilon: int, domain: Any, unit: Any, records: int | None = None) -> Plan:
        return Plan([("digging", epsilon, "a hole")], [f"a hole {self.depth} deep"])


@pytest.fixture
def plug_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that registers a mechanism, as an entry point does."""
    module = ModuleType("plugged_package")
    module.Plugged = Plugged  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "plugged_package", module)
    method = registry.Method("plugged", "publish", "plugged_package:Plugged", "digs holes into sequences")

    class Point:
        def load(self) -> registry.Method:
            return method

    monkeypatch.setattr(registry, "_plugged", lambda path: [Point()])


def test_a_new_mechanism_has_a_form_by_itself(client: Client, data: Path, plug_in: None):
    base = fill_in(client, data)
    page = html.unescape(client.get(f"{base}/method").text)
    wrong = client.post(f"{base}/method", method="plugged", **{"plugged:p.depth": "deep"})
    right = client.post(f"{base}/method", method="plugged", **{"plugged:p.depth": "9", "plugged:p.gentle": "no"})
    review = html.unescape(client.get(f"{base}/review").text)

    assert "digs holes into sequences" in page.lower() or "Digs holes into sequences" in page
    assert {"How deep the plug digs.", "Whether it digs gently."} <= set(re.findall(r"(?:How|Whether)[^<]*?\.", page))
    assert 'name="plugged:p.depth"' in page
    assert 'placeholder="7"' in page
    assert wrong.status == 400
    assert "“Depth” = deep: give a whole number." in html.unescape(wrong.text)
    assert right.location.endswith("/budget")
    assert "--method plugged" in review
    assert "--depth 9" in review
    assert "Plugged(depth=9, gentle=False)" in review
    assert "from tests" in review or "Plugged" in review
    assert "digging" in review
    assert "Shares may shift with the noisy number of records; the total never exceeds ε" in review


def test_a_parameter_that_names_a_file_outside_is_refused(client: Client, data: Path, tmp_path: Path):
    base = fill_in(client, data)
    (tmp_path / "tree.txt").write_text("home\n")
    answer = client.post(f"{base}/method", method="prefix-hybrid", **{"prefix-hybrid:p.taxonomy": str(tmp_path / "tree.txt")})

    assert answer.status == 400
    assert "is not in a folder" in answer.text


def test_without_the_plug_in_there_is_no_such_form(client: Client, data: Path):
    assert "plugged" not in client.get(f"{fill_in(client, data)}/method").text


def test_a_new_kind_of_data_can_be_chosen_by_itself(client: Client, data: Path, monkeypatch: pytest.MonkeyPatch):
    scrolls = replace(KINDS["sequences"], name="scrolls", noun="scrolls of papyrus", becomes="sequences", formats="sequences")
    monkeypatch.setitem(KINDS, "scrolls", scrolls)
    base = fill_in(client, data)
    page = client.get(f"{base}/data").text

    assert "scrolls of papyrus" in page
    assert client.post(f"{base}/data", reader="scrolls").status == 303
    assert client.get(f"{base}/method").status == 200
    assert client.post(f"{base}/data", reader="pictures").status == 400


def test_no_method_is_named_in_the_studio():
    """Neither in a string of its code nor in a page: whatever is shown comes from the registry."""
    folder = Path(sys.modules["seqveil.studio.shelf"].__file__ or "").parent
    names = set(registry.methods())
    strings = {
        (path.name, node.value)
        for path in folder.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    templates = [
        path for path in (folder / "files").glob("*.j2") if any(f'"{name}"' in path.read_text("utf-8") for name in names)
    ]

    assert [] == [(file, text) for file, text in strings if text in names]
    assert [] == templates


@pytest.mark.parametrize("kind", sorted({method.kind for method in registry.methods().values() if method.verb != "stream"}))
def test_every_parameter_of_every_method_has_a_control_with_its_help(client: Client, data: Path, kind: str):
    from seqveil.studio.forms import method_controls

    for method in registry.methods().values():
        if method.kind == kind and method.verb != "stream":
            shown, others = method_controls(method, {})
            named = {one.name.removeprefix("p.") for one in shown} | set(others)
            assert named == set(registry.parameters(method)) - set(method.implied)
            assert all(one.help for one in shown), method.name
            assert set(others) <= {"sample"}, method.name


def test_the_draft_survives_the_studio_and_every_step_can_be_gone_back_to(client: Client, serving, data: Path):
    base = fill_in(client, data)
    other: Client = serving()
    pages = {step: other.get(f"{base}/{step}") for step in ("data", "who", "labels", "method", "budget", "review")}

    assert {page.status for page in pages.values()} == {200}
    assert 'aria-current="step"' in pages["labels"].text
    assert 'value="a published map"' in pages["labels"].text
    assert 'value="4"' in pages["method"].text


@pytest.mark.parametrize("step", ["who", "labels", "method", "budget", "review"])
def test_a_step_before_its_time_leads_to_the_first_that_is_open(client: Client, step: str):
    base = client.post("/new").location.removesuffix("/data")
    answer = client.get(f"{base}/{step}")
    for _ in range(6):
        if answer.status == 200:
            break
        answer = client.get(answer.location)

    assert answer.status == 200
    assert "Which data?" in answer.text


@pytest.mark.parametrize("id", ["nothing", "0000000000000000", "../../etc", "%2e%2e%2f", "0" * 200])
def test_an_address_that_was_made_up_leads_nowhere(client: Client, id: str):
    for page in (f"/new/{id}/data", f"/runs/{id}", f"/tasks/{id}", f"/releases/{id}", f"/runs/{id}/state"):
        assert client.get(page).status in (400, 404)


def test_columns_are_matched_by_name_and_rows_are_shown_on_request_only(client: Client, data: Path):
    base = client.post("/new").location.removesuffix("/data")
    client.post(f"{base}/data/choose", path=str(data / "trips.csv"))
    before = client.get(f"{base}/data").text
    rows = client.post(f"{base}/data/rows")
    client.post(f"{base}/data", reader="sequences")
    who = client.get(f"{base}/who").text

    assert ">c1<" not in before
    assert "INTERNAL" not in before
    assert rows.status == 200
    assert "<td><bdi>c1</bdi></td>" in rows.text
    assert rows.text.count("INTERNAL") >= 2
    assert "c1</bdi>" not in client.get(f"{base}/data").text
    for column in ("card", "ts", "station"):
        assert f'<option value="{column}" selected>' in who


def test_another_kind_of_data_forgets_the_columns_of_the_first(client: Client, data: Path):
    """Rows of a table have no user, time and item: what was guessed for events must not be refused there."""
    (data / "people.csv").write_text("user,page\nf,20\nm,30\n" * 20)
    base = client.post("/new").location.removesuffix("/data")
    client.post(f"{base}/data/choose", path=str(data / "people.csv"))
    client.post(f"{base}/data", reader="sequences")
    events = client.get(f"{base}/who").text
    client.post(f"{base}/data", reader="relational")
    rows = client.get(f"{base}/who").text
    client.post(f"{base}/who", unit="record")
    labelled = client.post(f"{base}/labels", labels="typed", typed="user=f,user=m,page=20,page=30", public_because="x")

    assert '<option value="page" selected>' in events
    assert " selected>page" not in rows
    assert labelled.location.endswith("/method")


def test_work_that_ends_at_once_has_failed():
    """Before it has read what it was given, as where the machine has no memory left."""
    from seqveil.studio import tasks

    task = tasks.Tasks(["true"]).start("check", {"fields": "x" * 1_000_000}, "/")
    deadline = time.monotonic() + 30
    while task.state == "running" and time.monotonic() < deadline:
        time.sleep(0.01)

    assert (task.state, task.problem) == ("failed", tasks.ENDED)


def test_a_check_runs_beside_the_page_and_is_internal(client: Client, data: Path):
    base = fill_in(client, data)
    task = client.post(f"{base}/check").location
    deadline = time.monotonic() + 60
    while json.loads(client.get(f"{task}/state").text)["state"] == "running":
        assert time.monotonic() < deadline
        time.sleep(0.1)
    page = client.get(task)

    assert "<title>INTERNAL" in page.text
    assert "rows read" in page.text
    assert not [path for path in client.studio.folder.rglob("*") if path.is_file() and b"rows read" in path.read_bytes()]


LABELLED: dict[str, dict[str, Any]] = {
    "pasted": {"labels": "paste", "pasted": "\n".join(LABELS)},
    "typed": {"labels": "typed", "typed": "home,metro,office"},
    "range": {"labels": "typed", "typed": "1..17"},
}


@pytest.mark.parametrize("way", LABELLED)
def test_labels_may_be_pasted_or_typed(client: Client, data: Path, way: str):
    base = fill_in(client, data)
    assert client.post(f"{base}/labels", public_because="a map", **LABELLED[way]).status == 303
    page = html.unescape(client.get(f"{base}/labels").text)

    assert f"<b>{ {'pasted': 5, 'typed': 3, 'range': 17}[way] } labels</b>" in page


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"labels": "paste", "pasted": "", "public_because": "x"}, "one label per line"),
        ({"labels": "paste", "pasted": "a\na", "public_because": "x"}, "repeats"),
        ({"labels": "typed", "typed": "/etc/passwd", "public_because": "x"}, "range such as 1..17"),
        ({"labels": "typed", "typed": "1..17", "public_because": ""}, "No reason given"),
    ],
)
def test_labels_that_do_not_fit_are_explained(client: Client, data: Path, fields: dict[str, str], said: str):
    base = fill_in(client, data)
    answer = client.post(f"{base}/labels", **fields)

    assert answer.status == 400
    assert said in html.unescape(answer.text)
    assert "root:" not in answer.text


def test_the_data_themselves_are_no_list_of_labels(client: Client, data: Path):
    base = fill_in(client, data)
    answer = client.post(f"{base}/labels/choose", path=str(data / "trips.csv"))

    assert answer.status == 400
    assert "is the data to be protected" in answer.text
    assert "stations.txt" in client.get(f"{base}/labels").text  # the list of before is still chosen


def test_what_looks_like_markup_is_text_everywhere(serving, tmp_path: Path):
    """File names, columns, labels, accounts, reasons and queries."""
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / f"{EVIL.replace('/', '')}.csv").write_text(f'card,"{EVIL.replace(chr(34), chr(34) * 2)}"\nc1,a\n')
    (folder / "stations.txt").write_text(f"a\n{EVIL}\n")
    client: Client = serving(folder)
    base = client.post("/new").location.removesuffix("/data")
    client.post(f"{base}/data/choose", path=str(folder / f"{EVIL}.csv"))
    client.post(f"{base}/data", reader="sequences")
    client.post(f"{base}/who", **{"layout.user": "card", "layout.item": EVIL, "unit": "user", "layout.session": ""})
    client.post(f"{base}/labels/choose", path=str(folder / "stations.txt"))
    client.post(f"{base}/labels", labels="file", public_because=EVIL)
    client.post(f"{base}/method", method="ngram")
    client.post(f"{base}/budget", epsilon="1.0", account="x", size=EVIL)
    table = sv.table_of([["a", EVIL]] * 50, sv.Domain.of(["a", EVIL], public_because=EVIL))
    sv.experiment(table, sv.NGram(l_max=3, n_max=2), epsilon="9", seed=1).save(folder / "release")
    release = f"/releases/{key_of(folder / 'release')}"
    steps = [f"{base}/{step}" for step in ("data", "who", "labels", "method", "budget", "review")]
    query = "?" + urlencode({"q": EVIL})
    texts = {page: client.get(page).text for page in ["/", "/open", *steps, release, release + query, f"{release}/query{query}"]}

    assert [] == [page for page, text in texts.items() if "<img src=x" in text or 'onerror="alert' in text]
    assert sum("&lt;img src=x" in text for text in texts.values()) >= 6


@pytest.fixture(scope="module")
def releases(data: Path) -> dict[str, Path]:
    """A small experiment of every content, saved where the studio looks."""
    domain = sv.Domain.of(LABELS, public_because="a published map")
    days = [["home", "metro", "office"], ["home", "<b>shop & co</b>", "home"]] * 300
    ring = sv.graph_of([(a, (a + 1) % 40) for a in range(40)] * 1, sv.Domain.range(0, 39), order_is_public=True)
    tables: dict[str, Any] = {"sequences": sv.table_of(days, domain), "sets": sv.sets_of(days, domain), "graph": ring}
    small = {"l_max": "4", "n_max": "2", "h": "3", "top": "5", "length": "2", "longest": "3", "l_most": "5"}
    folders = {}
    for name in ("record-model", "ngram", "prefix", "ffs", "diffpart", "itemsets", "der", "graph-degrees"):
        method = registry.method(name)
        given = {key: value for key, value in small.items() if key in registry.parameters(method)}
        release = sv.experiment(tables[method.kind], registry.make(name, given), epsilon="8.0", seed=2)
        folders[name] = release.save(data / "kept" / name)
    return folders


@pytest.mark.parametrize(
    ("name", "sections"),
    [
        ("record-model", ["ask", "tree", "patterns", "follows", "trips", "ends", "lengths", "budget", "downloads"]),
        ("ngram", ["ask", "tree", "patterns", "follows", "trips", "lengths", "budget", "downloads"]),
        ("prefix", ["ask", "tree", "patterns", "follows", "trips", "lengths", "budget", "downloads"]),
        ("ffs", ["ask", "patterns", "budget", "downloads"]),
        ("diffpart", ["ask", "lengths", "budget", "downloads"]),
        ("itemsets", ["ask", "patterns", "budget", "downloads"]),
        ("der", ["ask", "graph", "budget", "downloads"]),
        ("graph-degrees", ["ask", "graph", "budget", "downloads"]),
    ],
)
def test_the_page_of_a_release_shows_what_the_release_can_do(client: Client, releases, name: str, sections: list[str]):
    answer = client.get(f"/releases/{key_of(releases[name])}")
    shown = re.findall(r'<section id="(\w+)"', answer.text)

    assert answer.status == 200
    assert set(sections) <= set(shown)
    assert "EXPERIMENT" in answer.text
    assert len(answer.body) < 1_500_000
    assert "<b>shop" not in answer.text


def test_a_release_that_is_mostly_noise_says_so(client: Client, releases, data: Path):
    """One sentence above its pictures; a release with enough records has none."""
    noise = record_models.model().save(data / "kept" / "mostly-noise")

    assert "Mostly noise: there are 8 records" in client.get(f"/releases/{key_of(noise)}").text
    assert "Mostly noise" not in client.get(f"/releases/{key_of(releases['record-model'])}").text


@pytest.mark.parametrize("name", ["record-model", "ngram", "diffpart", "der", "ffs"])
def test_everything_that_is_listed_can_be_downloaded(client: Client, releases, name: str):
    key = key_of(releases[name])
    listed = set(re.findall(rf'/releases/{key}/download/([^"]+)"', client.get(f"/releases/{key}").text))
    for file in listed:
        answer = client.get(f"/releases/{key}/download/{file}")
        assert (answer.status, bool(answer.body)) == (200, True), file
        assert (
            file == "map.svg"
            or "EXPERIMENT" in answer.headers["content-disposition"]
            or "attachment" in answer.headers["content-disposition"]
        )
    if name == "record-model":
        tables = [f"{table}.table.{ending}" for table in ("firsts", "lasts", "trips", "lengths") for ending in ("csv", "parquet")]
        assert {"synthetic.xes", "synthetic.jsonl", *tables} <= listed
    if name == "ngram":
        assert {"synthetic.csv", "synthetic.parquet", "synthetic.xes", "grams.table.json", "manifest.json"} <= listed
        rows = json.loads(client.get(f"/releases/{key}/download/grams.table.json").text)
        assert "<b>shop & co</b>" in {label for row in rows for label in row["gram"]}


@pytest.mark.parametrize(
    "name", ["../manifest.json", "..%2f..%2fstations.txt", "secrets", "grams.table.exe", "manifest.json.bak"]
)
def test_nothing_else_can_be_downloaded(client: Client, releases, name: str):
    assert client.get(f"/releases/{key_of(releases['ngram'])}/download/{name}").status in (400, 404)


def test_queries_are_answered_as_the_release_answers_them(client: Client, releases):
    key = key_of(releases["ngram"])
    asked = urlencode({"q": 'home metro\n"<b>shop & co</b>" home\nnowhere'})
    shown = html.unescape(json.loads(client.get(f"/releases/{key}/query?{asked}").text)["html"])
    answer = sv.load(releases["ngram"]).count(["home", "metro"])

    assert f"{round(answer.value):,}" in shown
    assert f"{answer.low:,} – {answer.high:,}" in shown
    assert "nowhere is not a label of this release" in shown
    assert "&lt;b>" not in shown.replace("&lt;b&gt;", "")


@pytest.mark.parametrize(
    ("how", "labels"),
    [("begins", ["home"]), ("ends", ["office"]), ("visits", ["office", "home"]), ("first", ["home"]), ("od", ["home", "office"])],
)
def test_questions_about_whole_records_are_answered_with_their_intervals(client: Client, releases, how: Any, labels: list[str]):
    key = key_of(releases["record-model"])
    asked = urlencode({"q": " ".join(labels), "how": how})
    shown = html.unescape(json.loads(client.get(f"/releases/{key}/query?{asked}").text)["html"])
    answer = sv.load(releases["record-model"]).ask(how, labels)

    assert f">{round(answer.value):,}<" in shown
    assert ("an estimate without an error bound" if answer.low is None else f"{answer.low:,} – {answer.high:,}") in shown


def asked_of(client: Client, folder: Path, how: str, query: str) -> str:
    """The answers to a query, as the page shows them."""
    answer = client.get(f"/releases/{key_of(folder)}/query?{urlencode({'q': query, 'how': how})}")
    return html.unescape(json.loads(answer.text)["html"])


def test_a_query_may_separate_labels_by_commas(client: Client, releases):
    spaces = asked_of(client, releases["record-model"], "od", "home office")
    commas = asked_of(client, releases["record-model"], "od", "home, office")

    assert "95 % interval" in commas
    assert commas.replace("home, office", "home office") == spaces


def test_a_query_with_too_many_labels_says_what_was_read(client: Client, releases):
    shown = asked_of(client, releases["record-model"], "od", "home office home")

    assert "This question takes 2 labels, not 3: “home”, “office”, “home”. Separate labels by spaces or commas" in shown


def test_downloads_say_what_they_hold(client: Client, releases):
    page = client.get(f"/releases/{key_of(releases['record-model'])}").text

    assert "counts of pairs of first and last label</th>" in page
    assert "table trips" not in page


def test_a_prediction_that_takes_too_long_shows_what_there_is(client: Client, data: Path, monkeypatch: pytest.MonkeyPatch):
    """A method that is given up after its first draws, and one that has all the time: parts come one after the other."""
    from seqveil.studio import foresight
    from seqveil.studio.drafts import Draft

    draft = Draft("", {**client.studio.drafts.load(fill_in(client, data).rpartition("/")[2]).fields, "size": "300"})
    parts = list(foresight.foreseen(draft))
    monkeypatch.setattr(foresight, "SECONDS", -1.0)
    given_up = list(foresight.foreseen(draft))

    assert [bool(part["series"]) for part in parts] == [False, True, True]
    assert all(part["rows"] for part in parts)
    assert "unfinished" not in parts[-1]
    assert [(part["rows"], part["series"], part["unfinished"]) for part in given_up] == [([], {}, True)]


def test_a_release_that_was_changed_is_not_shown(client: Client, data: Path, releases):

    copy = data / "kept" / "changed"
    shutil.copytree(releases["ngram"], copy)
    key = key_of(copy)
    assert client.post(f"/releases/{key}/verify").status == 200
    (copy / "README.txt").write_text("trust me")
    answer = client.post(f"/releases/{key}/verify")

    assert answer.status == 500
    assert "README.txt was changed" in html.unescape(answer.text)
    shutil.rmtree(copy)


def test_the_ledger_can_be_capped_verified_and_a_release_withdrawn(client: Client):
    from seqveil.wall.budget import grains
    from seqveil.wall.ledger import Ledger

    said = client.post("/ledger/cap", account="caps", cap="3.0")
    with Ledger().reserve("caps", grains("1.0"), unit=Record(), mechanism="ngram") as spend:
        spend.begin()
        spend.commit("ab" * 16, "digest")
    unsure = client.post("/ledger/withdraw", account="caps", release="ab" * 16)
    before = Ledger().charges("caps")[0].status
    sure = client.post("/ledger/withdraw", account="caps", release="ab" * 16, sure="yes")

    assert "has a cap of ε = 3.0; 3.0 remains" in html.unescape(said.text)
    assert (unsure.status, before) == (303, "committed")
    assert "remains spent" in sure.text
    assert Ledger().charges("caps")[0].status == "withdrawn"
    assert "The ledger is intact" in client.post("/ledger/verify").text
    assert "withdrawn" in client.get("/ledger?account=caps").text
    assert client.post("/ledger/cap", account="caps", cap="-1").status == 400
    assert client.get("/ledger?account=nobody").status == 400


def test_an_experiment_that_makes_no_sense_is_explained(client: Client):
    answer = client.post("/experiments", methods=["nothing"], epsilons="0,x", runs="0")

    assert answer.status == 400
    assert answer.text.count("<li>") == 3


def test_experiments_on_a_public_file_need_a_statement_and_stay_in_the_folders(client: Client, data: Path):
    (data / "public.seq").write_text("home metro\nmetro home\n" * 50)
    asked = {"methods": ["ngram"], "epsilons": "5", "runs": "1", "data": "file", "domain": "home,metro"}
    unstated = client.post("/experiments", file=str(data / "public.seq"), **asked)
    foreign = client.post("/experiments", file="/etc/passwd", public="yes", **asked)
    stated = client.post("/experiments", file=str(data / "public.seq"), public="yes", **asked)
    deadline = time.monotonic() + 90
    while json.loads(client.get(f"{stated.location}/state").text)["state"] == "running":
        assert time.monotonic() < deadline
        time.sleep(0.1)
    page = client.get(stated.location).text

    assert unstated.status == 400
    assert "state that the data are public" in unstated.text
    assert foreign.status == 400
    assert "root:" not in foreign.text
    assert "ngram" in page
    assert "not recorded in any ledger" in page
    assert "How far off are counts?" in page
    assert "Smaller is better." in page
    assert page.index("How far off are counts?") < page.index("All figures of the evaluator")


@pytest.mark.slow
def test_a_release_of_many_counts_answers_at_once(client: Client, data: Path):
    """60,000 n-grams: a query takes less than 100 ms, and the page is smaller than 1.5 MB."""
    import numpy as np

    from seqveil.tables.flat import Flat

    random = np.random.default_rng(1)
    offsets = np.concatenate([[0], np.cumsum(random.integers(2, 9, 30_000))])
    items = np.minimum(random.zipf(1.3, int(offsets[-1])) - 1, 399).astype(np.int32)
    table = sv.SequenceTable(sv.Domain.range(1, 400), Flat(items, offsets))
    release = sv.experiment(table, sv.NGram(l_max=8, n_max=3), epsilon="30", seed=1)
    key = key_of(release.save(data / "kept" / "large"))
    page = client.get(f"/releases/{key}")
    took = []
    for n in range(30):
        begun = time.perf_counter()
        how = ("count", "begins", "visits")[n % 3]
        assert client.get(f"/releases/{key}/query?{urlencode({'q': f'{n % 9 + 1} {n % 5 + 1}', 'how': how})}").status == 200
        took.append(time.perf_counter() - begun)

    assert len(release.grams) >= 60_000
    assert len(page.body) < 1_500_000
    assert sorted(took)[len(took) // 2] < 0.1


def test_journeys_are_cut_to_two_items_as_on_the_command_line(client: Client, data: Path):
    """Origin and destination are a whole record: the method, its form, the command and the code all say l_max = 2."""
    (data / "journeys.csv").write_text("card,a,b\n" + "c1,home,work\nc2,work,home\n" * 50)
    base = client.post("/new").location.removesuffix("/data")
    for step, given in [
        ("data/choose", {"path": str(data / "journeys.csv")}),
        ("data", {"reader": "sequences"}),
        ("who", {"layout.user": "card", "layout.origin": "a", "layout.destination": "b", "unit": "user"}),
        ("labels/choose", {"path": str(data / "stations.txt")}),
        ("labels", {"labels": "file", "public_because": "a published map"}),
    ]:
        answer = client.post(f"{base}/{step}", **given)
        assert answer.status == 303, (step, answer.text)
    form = html.unescape(client.get(f"{base}/method").text)
    client.post(f"{base}/method", method="record-model", **{"record-model:p.n_max": "2"})
    client.post(f"{base}/budget", epsilon="1.0", size="400", account="journeys")
    review = html.unescape(client.get(f"{base}/review").text)

    assert re.search(r'name="record-model:p.l_max"[^>]*value="2"', form)
    assert "--l-max 2" in review
    assert re.search(r"RecordModel\(l_max=2, n_max=2\)", review)
