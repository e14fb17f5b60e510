"""`seqveil stream --delta`: what is said before, while and after a stream runs under (ε, δ)."""

import json

import pytest

ASKED = ("stream", "count", "door.log", "--where", "= open", "--epsilon", "1", "--length", "100")


@pytest.fixture
def typed(seqveil, monkeypatch, tmp_path):
    """Runs `seqveil` beside a small log, with a home of its own."""
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "door.log").write_text("open\nfail\nopen\n")
    return seqveil


def test_a_stream_says_its_guarantee_and_is_resumed(typed, tmp_path):
    """In the run, by inspect, and again after a restart."""
    ran = typed(*ASKED, "--delta", "1e-6", "--account", "door", "--state", "s")
    (tmp_path / "door.log").write_text("open\nfail\nopen\nopen\n")
    again = typed("stream", "count", "door.log", "--state", "s", "--reprint")
    shown = typed("inspect", "s").out

    assert "ε = 1.0 at δ = 1e-6 for every event of at most 100" in ran.err
    assert again.out.startswith(ran.out)
    assert 4 == len(again.out.splitlines())
    assert "Guarantee  ε = 1.0 at δ = 1e-6 for every event" in shown
    assert "discrete Gaussian of σ = 6.74871 (drawn in multiples of 2^-20) on every released value" in shown


def test_the_plan_has_rho_and_the_width_in_whole_numbers(typed):
    """A lattice is no unit for people: σ and the bound are in those of the count."""
    planned = json.loads(typed(*ASKED, "--delta", "1e-6", "--dry-run", "--json").out)

    assert ("1e-6", "0.024355970359", "sqrt") == (planned["delta"], planned["rho"], planned["method"])
    assert planned["scale"] == pytest.approx(6.74871, rel=1e-5)
    assert planned["within"] == pytest.approx(1.96 * planned["scale"] * planned["draws"] ** 0.5, abs=1)


def test_a_pure_account_says_what_to_type(typed):
    """Another account; nothing is spent."""
    typed(*ASKED, "--account", "pure")
    refused = typed(*ASKED, "--delta", "1e-6", "--account", "pure")

    assert refused.code in (2, 3)
    assert "use another account (--account NAME)" in refused.err
