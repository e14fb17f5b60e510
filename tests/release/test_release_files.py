"""A release on disk is whole, checked, and never half there."""

import gzip
import hashlib
import json
import stat

import pyarrow.parquet as pq
import pytest

from seqveil.errors import CallError, ReleaseDamaged, RunFailed
from seqveil.release import GraphRelease, load
from seqveil.release.grams import GramRelease, GramTable
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat


@pytest.fixture
def saved(sealed, tmp_path):
    """The paper's release in a folder."""
    return sealed.save(tmp_path / "out")


@pytest.fixture
def experiment(paper, tmp_path, wall_facts):
    """The same release made with a seed."""
    paper.seal(wall_facts(private=False, noise="seeded"))
    return paper.save(tmp_path / "try")


def test_save_and_load_give_the_same_release(sealed, saved):
    """Manifest, grams, records and answers come back."""
    loaded = load(saved)

    assert isinstance(loaded, GramRelease)
    assert sealed.manifest == loaded.manifest
    assert sealed.digest == loaded.digest == hashlib.sha256((saved / "manifest.json").read_bytes()).hexdigest()
    for column in ("symbols", "offsets", "parent", "count", "noisy", "measured", "scale", "threshold"):
        assert getattr(sealed.grams, column).tolist() == getattr(loaded.grams, column).tolist(), column
    assert list(sealed.synthesize()) == list(loaded.synthesize())
    assert sealed.count(["I2", "I3"]) == loaded.count(["I2", "I3"])


def test_a_release_of_another_type_is_refused(saved):
    """Whoever says which type they expect gets it, or a sentence with the type that it is."""
    assert isinstance(load(saved, as_=GramRelease), GramRelease)
    with pytest.raises(CallError, match=r"holds grams, a GramRelease: give as_=sv\.release\.GramRelease, or leave it out"):
        load(saved, as_=GraphRelease)


def test_the_folder_holds_what_the_design_says(saved):
    """Four files and the labels, all but the manifest listed with their SHA-256."""
    files = {path.name for path in saved.iterdir()}
    listed = json.loads((saved / "manifest.json").read_text())["files"]

    assert {"manifest.json", "grams.parquet", "synthetic.txt.gz", "README.txt", "domain.txt.gz"} == files
    assert files - {"manifest.json"} == set(listed)
    assert ["gram", "count", "variance", "noisy", "scale", "threshold"] == pq.read_schema(saved / "grams.parquet").names
    assert b"I2 I3 I1\nI2 I3\n" == gzip.decompress((saved / "synthetic.txt.gz").read_bytes())[:15]


def test_a_lawyer_can_read_it(saved):
    """The README says epsilon, whom it protects, why the labels are public, and what counts cover."""
    text = (saved / "README.txt").read_text()

    for part in ("epsilon = 1.0", "e^1.0 = 2.72", "add or remove one user", "printed in the paper"):
        assert part in text
    assert "Counts cover" in text
    assert 4 == len(text.splitlines())


def test_an_experiment_says_so_everywhere(experiment):
    """File names and the first line of the README of a seeded run carry EXPERIMENT, and it loads."""
    names = {path.name for path in experiment.iterdir()}

    assert {"grams.EXPERIMENT.parquet", "synthetic.EXPERIMENT.txt.gz"} <= names
    assert (experiment / "README.txt").read_text().startswith("EXPERIMENT - NOT PRIVATE")
    assert load(experiment).manifest.private is False


def test_an_integer_range_needs_no_list(tmp_path, wall_facts):
    """The labels of a range stand in the manifest, not in a file."""
    domain = Domain.range(1, 17)
    release = GramRelease(domain, grams=GramTable.of([[0]], [3.0]), synthetic=Flat.of([[0]]), l_max=2, n_max=1)
    release.seal(wall_facts(domain=domain))
    folder = release.save(tmp_path / "range")

    assert not (folder / "domain.txt.gz").exists()
    assert "1..17" == load(folder).manifest.domain.labels
    assert domain == load(folder).domain


def test_an_existing_target_is_refused(sealed, tmp_path):
    """Nothing is ever overwritten, not even an empty folder; the advice names a free one."""
    (tmp_path / "out").mkdir()

    with pytest.raises(CallError, match="out-2"):
        sealed.save(tmp_path / "out")

    assert [] == list((tmp_path / "out").iterdir())


def test_a_failed_save_leaves_nothing(sealed, tmp_path, monkeypatch):
    """When the disk gives up at the last step, neither the release nor a part of it stays behind."""

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("seqveil.places.rename_new", full)

    with pytest.raises(RunFailed, match="No space left on device"):
        sealed.save(tmp_path / "out")

    assert [] == list(tmp_path.iterdir())


def test_an_unsealed_release_has_no_promise(paper, tmp_path):
    """Without a seal there is no manifest and nothing can be saved."""
    with pytest.raises(RunFailed, match="never sealed"):
        paper.save(tmp_path / "out")

    assert [] == list(tmp_path.iterdir())


def test_a_seal_is_final(sealed):
    """What the wall vouched for cannot be replaced."""
    with pytest.raises(RunFailed, match="sealed already"):
        sealed.seal(None)


def change(folder, **changes):
    """Forge the manifest."""
    data = json.loads((folder / "manifest.json").read_text())
    data.update(changes)
    (folder / "manifest.json").write_text(json.dumps(data))


def outside(folder):
    (folder.parent / "loot.txt").write_text("loot")
    digest = hashlib.sha256(b"loot").hexdigest()
    data = json.loads((folder / "manifest.json").read_text())
    change(folder, files={**data["files"], "../loot.txt": digest})


def link(folder):
    body = (folder / "README.txt").read_bytes()
    (folder / "README.txt").unlink()
    (folder.parent / "elsewhere.txt").write_bytes(body)
    (folder / "README.txt").symlink_to(folder.parent / "elsewhere.txt")


TAMPERING = [
    ("a changed file", lambda f: (f / "README.txt").write_text("trust me"), "README.txt was changed"),
    ("a missing file", lambda f: (f / "grams.parquet").unlink(), "grams.parquet is missing"),
    ("an extra file", lambda f: (f / "extra.txt").write_text("x"), "extra.txt is not in the manifest"),
    ("an extra folder", lambda f: (f / "more").mkdir(), "more is not in the manifest"),
    ("a path outside", outside, "'../loot.txt' at 'files': expected a plain file name"),
    ("a link", link, "README.txt is a link"),
    ("an unknown content", lambda f: change(f, content="pickles"), "holds 'pickles'"),
    ("other facts", lambda f: change(f, facts={"l_max": "5", "n_max": 3}), "wrong type at 'facts.l_max'"),
    ("a manifest of bytes", lambda f: (f / "manifest.json").write_bytes(b"\xff\xfe"), "not UTF-8"),
]


@pytest.mark.parametrize(("what", "tamper", "problem"), TAMPERING, ids=[t[0] for t in TAMPERING])
def test_tampering_is_found(saved, what, tamper, problem):
    """Whatever differs from the manifest is named, and nothing is loaded."""
    tamper(saved)

    with pytest.raises(ReleaseDamaged) as error:
        load(saved)

    assert problem in str(error.value)


def test_a_wrong_domain_digest_is_found(saved):
    """Labels that hash to something else than promised are refused even when the file's hash fits."""
    data = json.loads((saved / "manifest.json").read_text())
    change(saved, domain={**data["domain"], "digest": "0" * 64})

    with pytest.raises(ReleaseDamaged, match="labels are not those of the manifest"):
        load(saved)


def test_a_forged_table_is_found(saved):
    """A parquet file with matching hash but without a gram table inside is damage, not a crash."""
    table = pq.read_table(saved / "grams.parquet")
    pq.write_table(table.slice(0, 0).append_column("x", [[]]).select(["x"]), saved / "grams.parquet")
    data = json.loads((saved / "manifest.json").read_text())
    digest = hashlib.sha256((saved / "grams.parquet").read_bytes()).hexdigest()
    change(saved, files={**data["files"], "grams.parquet": digest})

    with pytest.raises(ReleaseDamaged, match="no column 'gram'"):
        load(saved)


@pytest.mark.parametrize(("make", "problem"), [("nothing", "does not exist"), ("file", "is a file"), ("dir", "no manifest")])
def test_what_is_no_release_is_a_wrong_call(tmp_path, make, problem):
    """A missing folder, a file or any other folder is the caller's mistake, with what to give instead."""
    path = tmp_path / "x"
    if make == "file":
        path.write_text("")
    elif make == "dir":
        path.mkdir()

    with pytest.raises(CallError, match=problem):
        load(path)


def test_files_are_readable_by_others(saved):
    """A release is for the world: nothing about it is executable or hidden."""
    for path in saved.iterdir():
        assert not stat.S_IMODE(path.stat().st_mode) & stat.S_IXUSR
        assert not path.name.startswith(".")
