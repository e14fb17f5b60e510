"""Messages and terms are refused when they do not belong: another session, move, order, or one that was changed."""

from __future__ import annotations

import json
import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psi_world import LATIN, World, name_terms

from seqveil.errors import CallError, InputProblems
from seqveil.link.psi import chunks, messages
from seqveil.link.psi.edits import edit_tokens
from seqveil.link.psi.fields import Field
from seqveil.link.psi.messages import write_message
from seqveil.link.psi.terms import Terms

HEADER = messages.HEADER


@pytest.fixture
def world(tmp_path):
    """Two moves are made."""
    world = World(tmp_path, name_terms())
    world.start()
    world.answer()
    return world


@pytest.fixture
def other(tmp_path):
    """Another session of the same terms' makers, also at its second move."""
    (tmp_path / "other").mkdir()
    world = World(tmp_path / "other", name_terms())
    world.start()
    world.answer()
    world.finish()
    return world


def changed(path, change, name="changed.psi"):
    """A copy with other bytes."""
    body = bytearray(path.read_bytes())
    result = change(body)
    (path.parent / name).write_bytes(bytes(result if result is not None else body))
    return name


def flip(at):
    def change(body):
        body[at] ^= 1

    return change


def swap_records(width):
    def change(body):
        first, second = slice(HEADER, HEADER + width), slice(HEADER + width, HEADER + 2 * width)
        body[first], body[second] = body[second], body[first]

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (flip(HEADER + 5), "was changed, or its records are in another order"),
        (swap_records(32), "was changed, or its records are in another order"),
        (lambda body: body[:-24], "was truncated"),
        (lambda body: body + b"\0" * 24, "bytes instead of"),
        (lambda body: body[:100], "is not a message of a linkage, or was truncated"),
        (lambda body: b"", "is not a message of a linkage, or was truncated"),
        (lambda body: b"\xff" * 5000, "is not a message of a linkage"),
        (lambda body: body.replace(b'"version": 1', b'"version": 9', 1), "this Seqveil reads version 1"),
        (lambda body: body.replace(b'"format": "seqveil private', b'"format": "seqveil_private', 1), "give the file that"),
    ],
)
def test_a_changed_message_is_refused(world, change, words):
    """And the right one is still accepted afterwards."""
    name = changed(world.folder / "2.psi", change)
    with pytest.raises(InputProblems, match=words):
        world.finish(message=name)

    assert 3 == len(world.finish().values)


@given(st.integers(0, 500), st.binary(min_size=1, max_size=20))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
def test_a_header_of_anything_is_refused_or_harmless(second_message, at, noise):
    """Bytes of somebody else's making end in a refusal that says what to do, never in anything else."""
    path, terms, body = second_message
    wrong = body[:at] + noise + body[at + len(noise) :]
    (path.parent / "wrong.psi").write_bytes(wrong)
    if wrong == body:
        return
    with pytest.raises(InputProblems):
        messages.open_message(path.parent / "wrong.psi", 2, terms, {}, before=messages.open_message(path, 2, terms, {}).id)


@pytest.fixture(scope="module")
def second_message(tmp_path_factory):
    """A second message, its terms and its bytes."""
    folder = tmp_path_factory.mktemp("psi")
    patch = pytest.MonkeyPatch()
    patch.setenv("SEQVEIL_HOME", str(folder / "home"))
    world = World(folder, name_terms())
    world.start()
    world.answer()
    patch.undo()
    return folder / "2.psi", world.terms, (folder / "2.psi").read_bytes()


def test_messages_of_other_sessions_are_refused(world, other):
    """Of other terms, of another session of the same terms, of another move, played back."""
    with pytest.raises(InputProblems, match="belongs to other terms"):
        world.finish(message="other/2.psi")
    with pytest.raises(
        InputProblems, match="is move 1 of a session: give the file that the other side's `seqveil link psi answer`"
    ):
        world.finish(message="1.psi")
    with pytest.raises(InputProblems, match="is move 3 of a session"):
        world.finish(message="other/3.psi")
    with pytest.raises(InputProblems, match="belongs to other terms"):
        world.answer(message="other/1.psi", keep="k", out="x.psi")
    with pytest.raises(InputProblems, match="cannot be read"):
        world.finish(message="nowhere.psi")


def test_an_answer_to_another_message_is_refused(tmp_path):
    """Two starts with the same terms: the answer to one is not an answer to the other."""
    world = World(tmp_path, name_terms())
    world.start()
    world.start(out="second.psi", keep="second")
    world.answer(message="second.psi")
    with pytest.raises(InputProblems, match="belongs to another session"):
        world.finish()
    world.finish(keep="second")
    world.open()


def test_an_answer_to_a_forged_first_message_is_refused(world, tmp_path):
    """The same session, but not our first message: somebody stood between."""
    first = messages.open_message(tmp_path / "1.psi", 1, world.terms, {})
    points = [point.tobytes() for point in first.part("blinded")][::-1]
    write_message(tmp_path / "forged.psi", 1, world.terms, first.nonce, "", {"blinded": points}, {"blinded": len(points)})
    (tmp_path / "home" / "linkage.jsonl").unlink()
    world.answer(message="forged.psi", keep="forged", out="to-forged.psi")
    with pytest.raises(InputProblems, match="answers another message than the one you sent"):
        world.finish(message="to-forged.psi")


@pytest.mark.parametrize("point", [pytest.param(bytes(32), id="the identity"), pytest.param(b"\xff" * 32, id="not canonical")])
def test_what_is_no_point_is_refused_on_both_sides(tmp_path, point):
    """Well-formed messages with a record that is none; nothing is sent, and no secret is lost."""
    world = World(tmp_path, name_terms())
    world.start()
    first = messages.open_message(tmp_path / "1.psi", 1, world.terms, {})
    points = [p.tobytes() for p in first.part("blinded")]
    points[17] = point
    write_message(tmp_path / "bad-1.psi", 1, world.terms, first.nonce, "", {"blinded": points}, {"blinded": len(points)})
    with pytest.raises(InputProblems, match="no element of the group"):
        world.answer(message="bad-1.psi", keep="bad", out="bad-2.psi")
    (tmp_path / "home" / "linkage.jsonl").unlink()
    world.answer()
    second = messages.open_message(tmp_path / "2.psi", 2, world.terms, {})
    parts = {name: [row.tobytes() for row in second.part(name)] for name in ("evaluated", "entries")}
    for at in range(len(parts["evaluated"])):
        parts["evaluated"][at] = point
    write_message(tmp_path / "bad.psi", 2, world.terms, first.nonce, first.id, parts, second.counts)
    with pytest.raises(InputProblems, match="no element of the group"):
        world.finish(message="bad.psi")

    assert not (tmp_path / "bad-2.psi").exists()
    assert 3 == len(world.finish().values)


def test_half_of_a_refused_answer_is_forgotten(world, tmp_path, monkeypatch):
    """An answer without any of their people, whose last record is no point: nothing of it is taken for the right one's."""
    asked = messages.open_message(tmp_path / "1.psi", 1, world.terms, {})
    second = messages.open_message(tmp_path / "2.psi", 2, world.terms, {})
    parts = {"evaluated": [row.tobytes() for row in second.part("evaluated")]}
    parts["entries"] = sorted(os.urandom(24) for _ in range(second.counts["entries"]))
    last = len({token for name in ("anna", "bob", "otto", "xaver") for _, token in edit_tokens(name, "starter")}) - 1
    monkeypatch.setattr(chunks, "PIECE", 16)  # so that some pieces are there when the last one fails
    parts["evaluated"][last] = b"\xff" * 32
    write_message(tmp_path / "bad.psi", 2, world.terms, second.nonce, asked.id, parts, second.counts)
    with pytest.raises(InputProblems, match="no element of the group"):
        world.finish(message="bad.psi")

    assert 3 == len(world.finish().values)


def test_entries_out_of_order_and_unknown_labels_are_refused(world, tmp_path):
    """What an honest side never writes."""
    second = messages.open_message(tmp_path / "2.psi", 2, world.terms, {})
    parts = {name: [row.tobytes() for row in second.part(name)] for name in ("evaluated", "entries")}
    parts["entries"].reverse()
    asked = messages.open_message(tmp_path / "1.psi", 1, world.terms, {})
    write_message(tmp_path / "bad.psi", 2, world.terms, second.nonce, asked.id, parts, second.counts)
    with pytest.raises(InputProblems, match="has entries out of order"):
        world.finish(message="bad.psi")
    world.finish()
    write_message(tmp_path / "bad-3.psi", 3, world.terms, second.nonce, second.id, {"pairs": [b"unlucky!"]}, {"pairs": 1})
    with pytest.raises(InputProblems, match="names values that you do not have"):
        world.open(message="bad-3.psi")
    world.open()


def test_fewer_or_more_records_than_agreed_are_refused(tmp_path):
    """The bound is what the other side may test."""
    world = World(tmp_path, name_terms())
    world.start()
    first = messages.open_message(tmp_path / "1.psi", 1, world.terms, {})
    points = [p.tobytes() for p in first.part("blinded")]
    for name, many in (("more.psi", [*points, points[0]]), ("less.psi", points[1:])):
        write_message(tmp_path / name, 1, world.terms, first.nonce, "", {"blinded": many}, {"blinded": len(many)})
        with pytest.raises(InputProblems, match="but by the terms there are 198"):
            world.answer(message=name, keep=name, out="x.psi")


def test_a_message_in_a_pipe_is_not_waited_for(world, tmp_path):
    """Only regular files are read."""
    os.mkfifo(tmp_path / "pipe.psi")
    with pytest.raises(InputProblems, match="cannot be read"):
        world.finish(message="pipe.psi")


def test_terms_survive_a_file(tmp_path):
    """All of them, and their id with them."""
    fields = [Field("last", "edits"), Field("born", "date")]
    terms = Terms.agree(fields, (5, 7), LATIN, [("last",), ("last", "born")], tokens=50, one_to_one=True, learns="starter")
    path = terms.save(tmp_path / "terms.json")

    assert (terms, terms.id) == (Terms.load(path), Terms.load(path).id)
    assert any("at most 5 rows" in line for line in terms.said)
    assert any("test up to 250" in line for line in terms.said)


@pytest.mark.parametrize("key", ["alphabet", "fields", "rules", "rows", "tokens", "one_to_one", "learns", "nonce"])
def test_every_agreed_thing_is_in_the_id(tmp_path, key):
    """A file in which one of them was changed is refused."""
    fields = [Field("last", "edits"), Field("born", "date")]
    path = Terms.agree(fields, (5, 7), LATIN).save(tmp_path / "terms.json")
    data = json.loads(path.read_text())
    data[key] = {
        "alphabet": "abc", "fields": [["last", "sound"], ["born", "date"]], "rules": [["last"]],
        "rows": {"starter": 5, "answerer": 8}, "tokens": 7, "one_to_one": True, "learns": "starter", "nonce": "0" * 64,
    }[key]  # fmt: skip
    path.write_text(json.dumps(data))
    with pytest.raises(InputProblems, match="its id does not match its content"):
        Terms.load(path)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": "x"}, "is not a file of terms"),
        ({"version": 2}, "both must use the same version"),
        ({"fields": [["a"]]}, "of another form"),
        ({"rows": {"starter": 5}}, "of another form"),
        ({"rows": {"starter": True, "answerer": 1}}, "of another form"),
        ({"more": 1}, "unknown key"),
        ({"tokens": 0}, "rows and tokens must be 1 or more"),
        ({"tokens": 2**40}, "are more than 268,435,456 in all"),
        ({"learns": "nobody"}, "choose both or starter"),
        ({"fields": []}, "give 1 to 8"),
        ({"fields": [["name", "guess"]]}, "use exact, edits, sound, date"),
        ({"fields": [["na\nme", "edits"]]}, "is no name"),
        ({"rules": [["x"]]}, "which is no field"),
        ({"rules": [["name"], ["name"]]}, "a rule is given twice"),
        ({"rules": []}, "no rule"),
        ({"rules": [["name", "name"]]}, "names a field twice"),
        ({"nonce": "x"}, "64 hexadecimal digits"),
        ({"alphabet": "aA"}, "normalisation"),
    ],
)
def test_hostile_terms_are_refused(tmp_path, change, words):
    """A file of somebody else's making."""
    path = name_terms().save(tmp_path / "terms.json")
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(CallError, match=words):
        Terms.load(path)
