"""Edit tokens: two words share one if and only if at most one edit lies between them.

An edit leaves out, adds or replaces one character. With n = |s|, a word s has

    ("=", s)                            the word itself
    ("~", i, s without position i)      for each i < n: the word with a hole there
    (own, s without position i)         for each i < n: what it is after one deletion, under the tag of its own side
    (other, s)                          the word under the other side's tag: what the other word may be after one deletion

**Claim.** s of the starter and t of the answerer share a token if and only if their edit distance is at most 1.
*If.* Equal words share ("=", s). If t is s with position i replaced, both without i are the same, so they share ("~", i, ·). If
t is s without position i, s has (starter, t) by deletion and t has (starter, t) as itself; if s is t without one, the same
under the answerer's tag. *Only if.* Sharing ("=", ·) means s = t. Sharing ("~", i, w) means that both have length |w| + 1 and
agree outside position i. Sharing (starter, w) means that w is s after one deletion (only the starter's words have such tokens
by deletion) and that w = t; (answerer, w) likewise. Tokens with different tags differ. ∎

The two tags of deletions are what makes it exact: under one common tag "ab" and "bc" would share "b", two edits apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

Side = Literal["starter", "answerer"]
OWN: dict[Side, str] = {"starter": ">", "answerer": "<"}
OTHER: dict[Side, str] = {"starter": "<", "answerer": ">"}


def edit_tokens(word: str, side: Side) -> Iterator[tuple[bool, str]]:
    """The tokens of a word, each with whether it says that both words are equal; different ones only.

    >>> sorted(text for _, text in edit_tokens("aab", "starter"))
    ['<aab', '=aab', '>aa', '>ab', '~0 ab', '~1 ab', '~2 aa']
    """
    yield True, f"={word}"
    yield False, f"{OTHER[side]}{word}"
    own, before = OWN[side], None
    for i in range(len(word)):
        without = word[:i] + word[i + 1 :]
        yield False, f"~{i} {without}"
        if word[i] != before:  # of equal neighbours it does not matter which one is left out
            yield False, f"{own}{without}"
        before = word[i]


def most_edit_tokens(length: int) -> int:
    """The most tokens of a word of so many characters.

    >>> most_edit_tokens(3), len(list(edit_tokens("abc", "answerer")))
    (8, 8)
    """
    return 2 * length + 2
