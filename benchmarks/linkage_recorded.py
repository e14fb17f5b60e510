"""What recorded messages of a private linkage give away, beside the vectors of the classic protocol. Prints Markdown.

Everybody who sees messages runs a dictionary against them: the census list of 1990, as in benchmarks/linkage_attacks.py. A
control runs the same attack with the answerer's key, which is erased in reality: it must find the names, or it tests nothing.

python benchmarks/linkage_recorded.py
"""

from __future__ import annotations

import hashlib
import os
import secrets
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from linkage_attacks import hashed, read_off
from linkage_lists import LATIN, header, holders, line, listed, private_base
from seqveil.evaluate.linkage import true_pairs
from seqveil.link.psi import moves, oprf
from seqveil.link.psi.edits import edit_tokens
from seqveil.link.psi.entries import mask
from seqveil.link.psi.fields import Field
from seqveil.link.psi.keep import BLINDS, KEY, Keep, stretched
from seqveil.link.psi.listing import all_tokens, read_listing
from seqveil.link.psi.messages import open_message
from seqveil.link.psi.moves import People, Result
from seqveil.link.psi.terms import Terms

STARTER, ANSWERER = 1_000, 5_000
GAMES = 400


@contextmanager
def observed() -> Iterator[dict[str, bytes]]:
    """The secrets that a party has while its move runs: what it could keep if it wanted to."""
    seen: dict[str, bytes] = {}
    draw = Keep.secret

    def secret(self: Keep, name: str) -> bytes:
        seen[name] = draw(self, name)
        return seen[name]

    Keep.secret = secret  # type: ignore[method-assign]
    try:
        yield seen
    finally:
        Keep.secret = draw  # type: ignore[method-assign]


def people(names: list[str]) -> People:
    return People([[names]], "names")


def nothing(*_: object) -> None:
    """Nobody listens, and nothing is saved."""


class Session:
    """A session that was recorded, with the secrets of each party."""

    def __init__(self, folder: Path, ours: list[str], theirs: list[str], how: str = "edits") -> None:
        self.terms = Terms.agree([Field("name", how)], (len(ours), len(theirs)), LATIN)  # type: ignore[arg-type]
        with observed() as self.secrets:
            moves.start(self.terms, people(ours), folder / "s", folder / "1", nothing)
            moves.answer(self.terms, folder / "1", people(theirs), folder / "a", folder / "2", nothing)
            self.result: Result = moves.finish(folder / "2", people(ours), folder / "s", folder / "3", nothing, nothing)
        one, two = (open_message(folder / str(move), move, self.terms, {}) for move in (1, 2))
        self.name = bytes.fromhex(one.session)
        self.points = {row.tobytes() for message, part in ((one, "blinded"), (two, "evaluated")) for row in message.part(part)}
        self.tags = {row.tobytes()[:16] for row in two.part("entries")}
        self.first = one.part("blinded")

    def inputs(self, names: list[str]) -> list[bytes]:
        """The input of each name's own token, (=, name)."""
        inputs = []
        for name in names:
            text = next(text for equal, text in edit_tokens(name, "answerer") if equal)
            token = hashlib.blake2b(f"0\n{text}".encode(), digest_size=16, key=self.name, person=b"seqveil token").digest()
            inputs.append(self.name + token)
        return inputs


def share(names: list[str], recovered: set[str]) -> str:
    return f"{len(recovered & set(names)) / len(names):.1%}"


def recovered(session: Session, dictionary: list[str], inputs: list[bytes], scalars: list[bytes]) -> set[str]:
    """Names whose token shows in the messages, for somebody who can multiply by these scalars: as a point, or as a tag."""
    hits = set()
    for name, message in zip(dictionary, inputs, strict=True):
        point = oprf.hashed(message)
        for candidate in (point, *(oprf.times(scalar, point) for scalar in scalars)):
            if candidate in session.points or mask(oprf.output(message, candidate), 0)[:16] in session.tags:
                hits.add(name)
    return hits


def attack() -> None:
    lists = next((entry for entry in holders() if entry.name == "NAMES"), None)
    public = listed("surnames_1990.tsv.gz", 0, None)
    if lists is None or public is None:
        return
    random = np.random.default_rng(8)
    ours = [lists.a[i] for i in random.permutation(len(lists.a))[:STARTER]]
    theirs = [lists.b[i] for i in random.permutation(len(lists.b))[:ANSWERER]]
    inside = set(theirs) & set(public)
    print(
        f"\n### A dictionary of {len(public):,} names against the list of {ANSWERER:,}: {len(inside) / ANSWERER:.1%} are in it\n"
    )
    header("protocol", "who", "knows", "names of the list recovered, beyond the pairs")
    base = private_base(lists, 75, "1.0", 1)
    seen = hashed(base, LATIN.encode(theirs))
    line("vectors", "third party and a holder", "the base, a dictionary", read_off(base, theirs, seen, public)[0])
    with tempfile.TemporaryDirectory() as work:
        os.environ["SEQVEIL_HOME"] = work
        session = Session(Path(work), ours, theirs)
        inputs = session.inputs(public)
        near = true_pairs(ours, theirs, 1)
        pairs = {theirs[j] for _, j in near.tolist()}
        key = oprf.scalar_of(stretched(session.secrets[KEY], "key", 0, oprf.WIDE))
        blind = oprf.scalar_of(stretched(session.secrets[BLINDS], "blinds", 0, oprf.WIDE))
        line(
            "`link psi`",
            "whoever records all messages",
            "a dictionary",
            share(theirs, recovered(session, public, inputs, []) - pairs),
        )
        line(
            "`link psi`",
            "starter",
            "a factor of its own, a dictionary",
            share(theirs, recovered(session, public, inputs, [blind]) - pairs),
        )
        control = recovered(session, public, inputs, [key])
        line("`link psi`", "**control**: who has the answerer's key", "the key, a dictionary", share(theirs, control - pairs))
        line("`link psi`", "a starter that lists the dictionary", "the pairs", share(theirs, inside))
        print(f"\n### The same dictionary against the starter's list of {STARTER:,}\n")
        header("protocol", "who", "knows", "names of the list recovered")
        own = all_tokens(session.terms, session.name.hex(), "starter", read_listing(session.terms, "starter", [[ours]], ""), "")
        line(
            "`link psi`", "answerer, from move 1", "its key, a dictionary", share(ours, points_of(session, public, inputs, [key]))
        )
        true = {own.digests[t].tobytes(): t for t in range(len(own))}
        line(
            "`link psi`",
            "**control**: who has the starter's factors",
            "the factors",
            share(ours, unblinded(session, public, inputs, true)),
        )


def points_of(session: Session, dictionary: list[str], inputs: list[bytes], scalars: list[bytes]) -> set[str]:
    """Names whose point shows in what the starter sent."""
    blinded = {row.tobytes() for row in session.first}
    return {
        name
        for name, message in zip(dictionary, inputs, strict=True)
        if {oprf.hashed(message), *(oprf.times(scalar, oprf.hashed(message)) for scalar in scalars)} & blinded
    }


def unblinded(session: Session, dictionary: list[str], inputs: list[bytes], places: dict[bytes, int]) -> set[str]:
    """Names whose point shows in what the starter sent, once every factor is taken off."""
    wide = [stretched(session.secrets[BLINDS], "blinds", at, oprf.WIDE) for at in range(len(places))]
    factors = oprf.inverses([oprf.scalar_of(each) for each in wide])
    bare = {oprf.times(back, row.tobytes()) for back, row in zip(factors, session.first, strict=False)}
    return {name for name, message in zip(dictionary, inputs, strict=True) if oprf.hashed(message) in bare}


def games() -> None:
    """Which of two lists was it? By the frequencies of bytes and the size, learnt from half of the sessions; a bug must show."""
    first, second = ["anna", "otto", "maria", "jon"] * 2, ["wilhelmine", "bob", "bob", "bob"] * 2

    def features(points: np.ndarray) -> np.ndarray:
        places = np.arange(points.shape[1])[None, :] * 256 + points
        return np.append(np.bincount(places.ravel(), minlength=256 * points.shape[1]) / len(points), len(points))

    def play(what: str, bug: Callable[[np.ndarray, int], np.ndarray]) -> None:
        rows, truth = [], []
        with tempfile.TemporaryDirectory() as work:
            os.environ["SEQVEIL_HOME"] = work
            terms = Terms.agree([Field("name", "edits")], (8, 8), LATIN)
            for game in range(GAMES):
                which = secrets.randbelow(2)
                folder = Path(work) / str(game)
                moves.start(terms, people((first, second)[which]), folder, Path(work) / f"{game}.psi", nothing)
                rows.append(features(bug(open_message(Path(work) / f"{game}.psi", 1, terms, {}).part("blinded"), which)))
                truth.append(which)
        table, label = np.array(rows), np.array(truth)
        half = GAMES // 2
        means = [table[:half][label[:half] == which].mean(0) for which in (0, 1)]
        far = [((table[half:] - mean) ** 2).sum(1) for mean in means]
        right = ((far[1] < far[0]) == label[half:]).mean()
        line(what, f"{right:.3f}", f"{0.98 / half**0.5:.3f}")

    print("\n### Which of two lists did the starter send?\n")
    header("messages", "guesses that were right (chance: .500)", "95 % of chance lies within ±")
    play("as they are", lambda points, _: points)
    play("**control**: without dummies", lambda points, which: points[: (32, 44)[which]])


if __name__ == "__main__":
    attack()
    games()
