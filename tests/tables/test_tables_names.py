"""Alphabets: what people declare, every way in which it can be wrong, and what becomes of names of the whole world."""

import gzip
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqveil.errors import InputProblems
from seqveil.tables.domain import Domain
from seqveil.tables.names import Alphabet, fold

LATIN = "abcdefghijklmnopqrstuvwxyz"
ALPHABETS = [
    Alphabet.parse(typed)
    for typed in ["latin", "а..я,ё", "α..ω", "U+4E00..U+4EFF", "가..김", "U+1100..U+11FF", "ء..ي", "-',é", "\u0307i"]
]


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("latin", LATIN),
        ("Latin", LATIN),
        ("cab", "cab"),
        ("CAB,c", "cab"),
        ("0..9, x", "0123456789x"),
        ("U+0061..c", "abc"),
        ("latin,-'", LATIN + "-'"),
        ("А..Г", "абвг"),
        ("ς..σ", "σ"),
        ("ẞ", "s"),
        ("İ", "i\u0307"),
        ("e\u0301", "é"),
        (".", "."),
        ("a.b", "a.b"),
        ("a\u200db\u00adc", "abc"),
        ("\u0390", "\u0390"),
    ],
)
def test_what_people_type_becomes_characters_in_order(typed, text):
    """Characters are folded like names are, and each is kept once, where it came first."""
    assert text == Alphabet.parse(typed).text


@pytest.mark.parametrize(
    ("typed", "problems"),
    [
        ("", ["has an empty part: remove the extra comma"]),
        ("a,,c", ["has an empty part: remove the extra comma"]),
        (
            "b..a,1..17",
            [
                "b..a runs backwards: write a..b",
                "'1..17' is not a range: give one character on each side, such as а..я or U+0430..U+044F",
            ],
        ),
        ("a b", ["' ' (U+0020) is a blank, and blanks never count in names: remove it"]),
        (
            "a\u3000b\x07",
            [
                "'\\u3000' (U+3000) is a blank, and blanks never count in names: remove it",
                "'\\x07' (U+0007) is not a character of text: remove it",
            ],
        ),
        ("\u200d", ["has no characters: give some, such as latin or а..я"]),
        ("U+0061..U+110000", ["U+0061..U+110000 goes beyond Unicode: U+10FFFF is the last character"]),
        ("U+0041..U+10FFFF", ["has far more than 100,000 characters: name the ranges that the names are written in"]),
        ("U+F0000..U+FFFFD,U+100000..U+10FFFD", ["has 131,068 characters: at most 100,000 are supported"]),
        (
            "U+D800..U+D801",
            [
                "'\\ud800' (U+D800) is not a character of text: remove it",
                "'\\ud801' (U+D801) is not a character of text: remove it",
            ],
        ),
        ("letters.txt", ["does not exist: check the path, or give the characters themselves"]),
        ("here/letters", ["does not exist: check the path, or give the characters themselves"]),
    ],
)
def test_a_bad_alphabet_is_refused_with_every_problem(typed, problems):
    """Nothing is guessed: a mistyped file name does not become an alphabet of its letters."""
    with pytest.raises(InputProblems) as caught:
        Alphabet.parse(typed)

    assert problems == caught.value.problems


def test_an_alphabet_from_a_file_has_one_part_per_line(tmp_path):
    """In a file a comma is a character; a packed file says the same; problems name the file."""
    body = "latin\n0..2\n,'\n"
    (tmp_path / "letters.txt").write_text(body)
    (tmp_path / "letters.txt.gz").write_bytes(gzip.compress(body.encode()))
    (tmp_path / "bad.txt").write_text("a\n\nb..a\n")

    assert LATIN + "012,'" == Alphabet.parse(str(tmp_path / "letters.txt")).text
    assert LATIN + "012,'" == Alphabet.parse(str(tmp_path / "letters.txt.gz")).text
    with pytest.raises(InputProblems) as caught:
        Alphabet.parse(str(tmp_path / "bad.txt"))
    assert (f"the alphabet {tmp_path / 'bad.txt'}", ["line 2 is empty: remove it"]) == (
        caught.value.source,
        caught.value.problems,
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "has no characters: give some, such as latin or а..я"),
        ("aa", "has a character twice: keep one of them"),
        ("ß", "'ß' (U+00DF) is written as 'ss' after normalisation: give that instead"),
        ("a\u200d", "'\\u200d' (U+200D) cannot be seen: remove it"),
        ("a\ud800", "'\\ud800' (U+D800) is not a character of text: remove it"),
    ],
)
def test_characters_from_elsewhere_are_checked_strictly(text, problem):
    """A base from another party is not mended silently: the two sides would embed differently."""
    with pytest.raises(InputProblems) as caught:
        Alphabet(text)

    assert [problem] == caught.value.problems


@pytest.mark.parametrize(
    ("alphabet", "name", "normal"),
    [
        ("latin", "  Anne-Marie  O'Neill ", "annemarieoneill"),
        ("latin", "José", "jose"),
        ("latin", "Jose\u0301", "jose"),
        ("latin,é", "Jose\u0301 ÉVA", "joséeéva".replace("eé", "é")),
        ("latin", "GROẞ groß", "grossgross"),
        ("latin", "İpek IŞIK ışık", "ipekisikisik"),
        ("latin", "Łukasz Øster Æbeltoft Đorđe", "lukaszosteraebeltoftdorde"),
        ("latin,ł", "Łukasz", "łukasz"),  # ı has no decomposition: a Turkish alphabet declares it
        ("latin,ı,ş", "İpek IŞIK ışık", "ipekişikışık"),
        ("latin", "𝐀ｂ℃ﬁ", "abcfi"),
        ("latin", "Фёдор 王 김", ""),
        ("latin", "", ""),
        ("latin", "X", "x"),
        ("а..я", "ЁЛКИН й", "елкинй"),
        ("α..ω", "ΟΔΥΣΣΕΎΣ Ϊ\u0390", "οδυσσευσιι"),
        ("U+4E00..U+9FFF", "王小明 Wang", "王小明"),
        ("U+4E00..U+9FFF", "\uf9d1", "\u516d"),  # a compatibility ideograph is its unified one
        ("가..힣", "김민준", "김민준"),
        ("가..힣", unicodedata.normalize("NFD", "김민준"), "김민준"),
        ("U+1100..U+11FF", "김", unicodedata.normalize("NFD", "김")),
        ("ء..ي", "مُحَمَّد", "محمد"),
        ("ء..ي", "\ufee3\ufea4\ufee4\ufeaa", "محمد"),  # presentation forms
        ("latin", "a\ud800b\x00c\ufeff", "abc"),
    ],
)
def test_names_of_the_world_are_reduced_to_the_alphabet(alphabet, name, normal):
    """Case, accents and ways of writing the same character make no difference; what cannot be written is dropped."""
    assert normal == Alphabet.parse(alphabet).normalise(name)


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(ALPHABETS),
    st.lists(st.text(max_size=8) | st.text("aéİßΐ\n\r\u0301\u1100\u1161\ud800 ", max_size=8), max_size=6),
)
def test_encoding_many_names_is_normalising_each(alphabet, names):
    """Names that are encoded together never touch each other."""
    flat = alphabet.encode(names)

    assert [alphabet.normalise(name) for name in names] == ["".join(alphabet.text[c] for c in row) for row in flat]


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(ALPHABETS), st.text(max_size=12))
def test_composition_and_case_make_no_difference(alphabet, name):
    """A name and its decomposed form are the same name."""
    assert alphabet.normalise(name) == alphabet.normalise(unicodedata.normalize("NFD", name)) == alphabet.normalise(fold(name))


def test_an_alphabet_is_a_domain_and_back():
    """What a release says about its domain is enough to normalise the same way again."""
    alphabet = Alphabet.parse("а..я,ё")

    assert Domain.of(list("абвгдежзийклмнопрстуфхцчшщъыьэюяё")) == alphabet.domain
    assert alphabet == Alphabet.of_domain(alphabet.domain)
    assert Alphabet("0123456789") == Alphabet.of_domain(Domain.range(0, 9))
    with pytest.raises(InputProblems, match="more than 100,000 labels"):
        Alphabet.of_domain(Domain.range(0, 100_000))


def test_every_folded_character_may_be_declared():
    """Folding is finished after one step for every character of Unicode, so an alphabet can name whatever names fold to."""
    assert [] == [hex(number) for number in range(0x110000) for c in fold(chr(number)) if fold(c) != c]
