"""--config: a small TOML file with one value per name, and nothing else, in no time."""

from __future__ import annotations

from pathlib import Path

import pytest

from seqveil.cli.config import read_config
from seqveil.errors import CallError
from seqveil.registry import make


def test_values_are_read(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text('l_max = 12\ntheta = 3.5\napproximate = false\n# a remark\nn_max = "4"\n', encoding="utf-8")

    mechanism = make("ngram", read_config(file))

    assert (12, 3.5, False, 4) == (mechanism.l_max, mechanism.theta, mechanism.approximate, mechanism.n_max)


def test_a_file_without_end_is_refused() -> None:
    with pytest.raises(CallError, match=r"--config /dev/zero: is larger than 16,384 bytes"):
        read_config(Path("/dev/zero"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[publish]\nl_max = 12\n", "'publish' is a table: write one value per name, such as l_max = 20, and no [headings]"),
        ("l_max = [12]\n", "'l_max' is a list"),
        ("l_max = 2026-10-31\n", "'l_max' is a date or time"),
        ("l_max = " + "[" * 9000, "is not TOML"),
        ("l_max = " + "{a=" * 5000, "is not TOML"),
        ("l_max = " + "9" * 5000, "is not TOML"),
        ("l_max", "is not TOML (Expected '=' after a key in a key/value pair"),
        ("\0\0", "is not TOML"),
    ],
    ids=range(8),
)
def test_other_files_are_refused_with_what_to_write(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "run.toml"
    file.write_text(text, encoding="utf-8")

    with pytest.raises(CallError) as refused:
        read_config(file)
    assert told in str(refused.value)
    assert "l_max = 20" in str(refused.value)


@pytest.mark.parametrize("value", ["inf", "nan", "true", "-inf"])
def test_values_that_are_no_numbers_are_refused(tmp_path: Path, value: str) -> None:
    """An infinite threshold went through."""
    file = tmp_path / "run.toml"
    file.write_text(f"theta = {value}\n", encoding="utf-8")

    with pytest.raises(CallError, match=r"theta=.*: give a number\."):
        make("ngram", read_config(file))


@pytest.mark.parametrize("value", [1.5, True, [1], {"a": 1}, None, 10**30, 10**5000, float("nan")], ids=range(8))
def test_a_parameter_of_another_kind_is_refused(value: object) -> None:
    """Also where it comes from the manifest of a release (--like)."""
    with pytest.raises(CallError, match=r"n_max=.*: give a whole number\."):
        make("ngram", {"n_max": value})
