"""The moves of a session: both learn the pairs and nothing else is written, sent or left behind."""

from __future__ import annotations

import json
import stat

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from psi_world import LATIN, OURS, PAIRS, THEIRS, World, name_terms, pairs_of_results

from seqveil.errors import CallError
from seqveil.evaluate.linkage import plain
from seqveil.link.psi.fields import Field
from seqveil.link.psi.messages import ENTRY, open_message
from seqveil.link.psi.terms import Terms


def test_both_learn_the_pairs(tmp_path):
    """One edit, equal names, repeated rows; both give a pair the same number."""
    assert PAIRS == World(tmp_path, name_terms()).whole()


WORDS = st.lists(st.text("ab", max_size=4), min_size=1, max_size=9)


@given(WORDS, WORDS)
@settings(max_examples=6)
def test_pairs_are_those_of_plain_distances(tmp_path_factory, ours, theirs):
    """No wrong and no missed pair, whatever the lists."""
    folder = tmp_path_factory.mktemp("psi")
    ours, theirs = [*ours, "abba"], [*theirs, "abba"]
    terms = Terms.agree([Field("name", "edits")], (10, 10), LATIN)

    assert set(map(tuple, plain(LATIN, ours, theirs, 1).tolist())) == World(folder, terms, ours, theirs).whole()


def test_a_message_is_as_large_as_the_terms_say(tmp_path):
    """Whatever is on the lists: its size, its parts and its order say nothing."""
    terms = name_terms()
    sizes = set()
    for number, (ours, theirs) in enumerate([(OURS, THEIRS), (["A"], ["Annabella", "Bob"]), (["Bob"] * 50, ["Bob"] * 70)]):
        folder = tmp_path / str(number)
        folder.mkdir()
        world = World(folder, terms, ours, theirs)
        world.start()
        world.answer()
        first = open_message(folder / "1.psi", 1, terms, {})
        second = open_message(folder / "2.psi", 2, terms, {})
        tags = [tuple(tag) for tag in np.ascontiguousarray(second.part("entries")[:, :16]).view(">u8").tolist()]
        points = {point.tobytes() for point in first.part("blinded")}
        sizes.add(((folder / "1.psi").stat().st_size, (folder / "2.psi").stat().st_size))

        assert tags == sorted(set(tags))
        assert len(points) == terms.total("starter")
    assert 1 == len(sizes)


def test_messages_of_the_same_people_have_nothing_in_common(tmp_path):
    """Two sessions of one list: no point, no tag, no label twice."""
    terms, parts = name_terms(), []
    for number in range(2):
        folder = tmp_path / str(number)
        folder.mkdir()
        world = World(folder, terms)
        assert PAIRS == world.whole()
        second = open_message(folder / "2.psi", 2, terms, {})
        third = open_message(folder / "3.psi", 3, terms, {})
        parts.append([
            {row.tobytes() for row in message.part(name)}
            for message, name in ((open_message(folder / "1.psi", 1, terms, {}), "blinded"), (second, "evaluated"),
                                  (second, "entries"), (third, "pairs"))
        ])  # fmt: skip

    assert [set()] * 4 == [first & second for first, second in zip(*parts, strict=True)]


def test_the_third_message_has_the_answerers_labels_only(tmp_path):
    """One for each pair: nothing about the starter's rows, tokens, or where names differ."""
    world = World(tmp_path, name_terms())
    world.whole()
    third = open_message(tmp_path / "3.psi", 3, world.terms, {})

    assert {"pairs": 3} == third.counts  # anna–hanna, anna–anna, bob–rob: values, not rows
    assert 2 + 1 == len({row.tobytes() for row in third.part("pairs")})


def test_only_the_starter_may_learn(tmp_path):
    """Then there is no third message, and the answerer's secrets go at once."""
    world = World(tmp_path, name_terms(learns="starter"))
    world.start()
    world.answer()
    with pytest.raises(CallError, match="by the terms only you learn the pairs: omit reply=FILE"):
        world.finish()
    with pytest.raises(CallError, match="is over, and its secrets are erased"):
        world.open()

    assert 3 == len(world.finish(reply=None).values)
    assert not list((tmp_path / "theirs").glob("*.secret"))


def test_one_to_one(tmp_path):
    """Equal names first; each value in one pair."""
    terms = Terms.agree([Field("name", "edits")], (9, 9), LATIN, one_to_one=True)

    assert {(0, 1), (3, 1), (1, 2)} == World(tmp_path, terms).whole()


def test_levels_say_how_fields_agree(tmp_path):
    """The starter hears which fields are equal and which are similar, as far as the rules compare them."""
    fields = [Field("last", "edits"), Field("born", "date")]
    terms = Terms.agree(fields, (9, 9), LATIN, [("last",), ("last", "born")], tokens=300)
    world = World(tmp_path, terms, [("Meyer", "1985-04-12"), ("Otto", "1990-01-02")], [("Meier", "1985-12-04"), ("Otto", "")])
    world.start()
    world.answer()
    result = world.finish()

    assert {0: 0b0101, 1: 0b0010} == dict(zip(result.values.tolist(), result.levels.tolist(), strict=True))
    assert {(0, 0), (1, 1)} == pairs_of_results(result, world.open())


def test_secrets_are_for_the_owner_and_end_with_the_session(tmp_path):
    """Folders 0700, files 0600; the answerer's key is gone as soon as the answer is written; nothing else stays."""
    world = World(tmp_path, name_terms())
    world.start()
    assert {"blinds.secret", "state.json", "terms.json"} == {path.name for path in (tmp_path / "ours").iterdir()}
    world.answer()
    assert {"labels.secret", "state.json", "terms.json"} == {path.name for path in (tmp_path / "theirs").iterdir()}
    for side in ("ours", "theirs"):
        assert 0o700 == stat.S_IMODE((tmp_path / side).stat().st_mode)
        for path in (tmp_path / side).iterdir():
            assert path.name == "terms.json" or 0o600 == stat.S_IMODE(path.stat().st_mode), path
    assert {0o600} == {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("1.psi", "2.psi")}
    world.finish()
    world.open()
    for side in ("ours", "theirs"):
        assert {"state.json", "terms.json"} == {path.name for path in (tmp_path / side).iterdir()}
    with pytest.raises(CallError, match="is over"):
        world.finish(reply="again.psi")
    with pytest.raises(CallError, match="is over"):
        world.open()


def test_a_lost_secret_is_never_drawn_anew(tmp_path):
    """It would find no pair, and say so."""
    world = World(tmp_path, name_terms())
    world.start()
    world.answer()
    (tmp_path / "ours" / "blinds.secret").unlink()
    with pytest.raises(CallError, match="is gone"):
        world.finish()


def test_the_log_notes_every_session_and_nothing_of_the_lists(tmp_path):
    """What the other side could test, before anything leaves; mode 0600."""
    world = World(tmp_path, name_terms())
    world.whole()
    log = tmp_path / "home" / "linkage.jsonl"
    lines = [json.loads(line) for line in log.read_text().splitlines()]

    assert 0o600 == stat.S_IMODE(log.stat().st_mode)
    assert [("starter", 9 * 22), ("answerer", 9 * 22)] == [(line["side"], line["they_could_test"]) for line in lines]
    assert {"time", "side", "session", "terms", "fields", "they_could_test", "keep"} == set(lines[0])


def test_a_session_is_answered_once(tmp_path):
    """The same first message again, into another folder: another key would let the starter test its bound anew."""
    world = World(tmp_path, name_terms())
    world.start()
    world.answer()
    with pytest.raises(CallError, match="was answered already"):
        world.answer(out="again.psi", keep="other")
    with pytest.raises(CallError, match="has sent its message already"):
        world.answer(out="again.psi")

    assert not (tmp_path / "again.psi").exists()


def test_other_people_are_refused_in_later_moves(tmp_path):
    """The numbers of rows would be those of somebody else."""
    world = World(tmp_path, name_terms())
    world.start()
    world.answer()
    for wrong in (OURS[::-1], OURS[:-1], [*OURS, "Zoe"]):
        with pytest.raises(CallError, match="has other rows than in your first move"):
            world.finish(rows=wrong)
    world.finish()
    with pytest.raises(CallError, match="has other rows"):
        world.open(rows=THEIRS[::-1])


def test_sides_cannot_be_mixed_up(tmp_path):
    """Folders, moves and verbs of the other side."""
    world = World(tmp_path, name_terms())
    world.start()
    with pytest.raises(CallError, match="holds no session"):
        world.finish(keep="nowhere")
    with pytest.raises(CallError, match="starter's folder, which `link psi open` does not read"):
        world.open(keep="ours", message="1.psi")
    with pytest.raises(CallError, match="has sent its message already"):
        world.start(out="again.psi")
    with pytest.raises(CallError, match="exists already"):
        world.start(keep="more")
    world.answer()
    with pytest.raises(CallError, match="by the terms both sides learn the pairs: add reply=FILE"):
        world.finish(reply=None)


def test_a_refused_list_leaves_no_folder(tmp_path):
    """So that the same folder can be used with better terms."""
    world = World(tmp_path, name_terms(tokens=5), ["Maximiliane"] * 1 + [f"Wilhelmine{c}" for c in "abcdefg"])
    with pytest.raises(CallError, match="tokens per row"):
        world.start()

    assert not (tmp_path / "ours").exists()
    assert not (tmp_path / "1.psi").exists()


def test_progress_counts_to_the_end(tmp_path):
    """Numbers of the terms while a message is made for the other side; each step reaches its end."""
    world = World(tmp_path, name_terms())
    world.whole()
    last = {step: (done, total) for step, done, total in world.steps}

    assert {"blinding", "answering", "finishing"} == set(last)
    assert all(done == total for done, total in last.values())
    assert ENTRY == 24
