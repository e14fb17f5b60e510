"""`--delta`: from the command to the manifest, the ledger, and everything that is printed about them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import seqveil as sv
from gaussian import gaussian
from seqveil.errors import ReleaseDamaged, SeqveilError
from seqveil.release.manifest import Manifest
from seqveil.verification import refuse_false_curve

__all__ = ["gaussian"]

RUN = ("people.seq", "--domain", "a,b,c", "--public-because", "x", "--method", "gaussian", "--account", "shop")
PURE = ("people.seq", "--domain", "a,b,c", "--public-because", "x", "--method", "prefix", "--account", "shop")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gaussian: None) -> Path:
    (tmp_path / "people.seq").write_text("a b c\nb c\na a\n" * 60, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "home"))
    return tmp_path


def test_a_release_from_order_to_verification(seqveil: Callable[..., Any]) -> None:
    result = seqveil("publish", *RUN, "--epsilon", "1.0", "--delta", "1e-6", "--out", "release")
    inspected, verified = seqveil("inspect", "release"), seqveil("verify", "release")
    words = " ".join(inspected.out.split())
    readme = Path("release/README.txt").read_text(encoding="utf-8")

    assert result.code == 0, result.err
    assert "ε = 1.0, δ = 1e-6 for every record" in result.err
    assert "changes by at most a factor of e^1.0 = 2.72, and beyond that by at most δ = 1e-6" in words
    assert "epsilon = 1.290 at delta = 1e-9" in words
    assert "Spent rho 0.024355970359 in total" in words
    assert "(epsilon, delta)-differential privacy with epsilon = 1.0 and delta = 1e-6" in readme
    assert "their rho and the delta of their thresholds" in readme
    assert "ε = 1.0, δ = 1e-6 (committed)" in " ".join((verified.out + verified.err).split())


def test_an_evaluation_says_delta(seqveil: Callable[..., Any]) -> None:
    seqveil("publish", *RUN, "--epsilon", "1.0", "--delta", "1e-6", "--out", "release")
    evaluated = seqveil("evaluate", "people.seq", "release")

    assert "gaussian, ε = 1.0, δ = 1e-6" in evaluated.out + evaluated.err


def test_json_says_delta_and_rho(seqveil: Callable[..., Any]) -> None:
    result = json.loads(seqveil("publish", *RUN, "--epsilon", "1.0", "--delta", "1e-6", "--out", "release", "--json").out)
    inspected = json.loads(seqveil("inspect", "release", "--json").out)
    shown = json.loads(seqveil("ledger", "show", "shop", "--json").out)
    registry = json.loads(seqveil("inspect", "release", "--export", "registry").out)
    nist = json.loads(seqveil("inspect", "release", "--export", "sp800-226").out)

    assert (result["epsilon"], result["delta"], result["rho"]) == ("1.0", "1e-6", "0.024355970359")
    assert inspected["zcdp"]["curve"]["1e-9"] == "1.28964480674"
    assert [stage["rho"] for stage in inspected["stages"]] == ["0.024355970359"]
    assert (shown["accounts"][0]["measure"], shown["accounts"][0]["spent"]) == ("zcdp", "0.024355970359")
    assert (shown["charges"][0]["epsilon"], shown["charges"][0]["delta"]) == ("1.0", "1e-6")
    assert registry["deployment"]["dp_variant"]["variant_name"] == "zCDP"
    assert registry["deployment"]["privacy_loss"]["privacy_parameters"] == {"rho": 0.024355970359, "epsilon": 1.0, "delta": 1e-6}
    assert nist["privacy parameter epsilon"]["delta"] == "1e-6"


def test_the_ledger_in_words(seqveil: Callable[..., Any]) -> None:
    cap = seqveil("ledger", "cap", "shop", "3.0", "--delta", "1e-6")
    seqveil("publish", *RUN, "--epsilon", "1.0", "--delta", "1e-6", "--out", "one")
    seqveil("publish", *RUN, "--epsilon", "0.2", "--out", "two")
    shown = " ".join(seqveil("ledger", "show", "shop").out.split())
    history = " ".join(seqveil("ledger", "history", "shop").out.split())
    report = json.loads(seqveil("ledger", "report", "--json").out)

    assert "cap ε = 3.0 at δ = 1e-6, used ρ = 0.0 (ε = 0.0), remaining ρ = 0.185" in " ".join(cap.out.split())
    assert "all releases together are (ε, δ) = (1.3" in shown
    assert "1.0 at δ = 1e-6, ρ = 0.024355970359" in shown
    assert "0.2 (pure), ρ = 0.02" in shown
    assert "measure zcdp" in history
    assert report["accounts"][0]["delta"] == "1e-6"
    assert seqveil("ledger", "verify").code == 0


def test_a_dry_run_speaks_of_rho_and_of_the_account(seqveil: Callable[..., Any]) -> None:
    seqveil("ledger", "cap", "shop", "1.0", "--delta", "1e-6")
    fits = seqveil("publish", *RUN, "--epsilon", "1.0", "--delta", "1e-6", "--dry-run", "--size", "500000")
    too_much = seqveil("publish", *RUN, "--epsilon", "1.1", "--delta", "1e-6", "--dry-run")
    pure = seqveil("publish", *RUN, "--epsilon", "0.1", "--dry-run")

    assert "charged in zcdp" in fits.out
    assert "Give a rough public number" not in fits.err
    assert "this run would spend ρ = 0.024355970359" in fits.err
    assert "choose δ well below 1/500,000, for example --delta 1e-8" in fits.err
    assert "would refuse this run" in too_much.err
    assert "this run would spend ρ = 0.005" in pure.err


def test_a_plan_repeats_delta_in_the_command_that_it_prints(seqveil: Callable[..., Any]) -> None:
    asked = ("--domain", "a,b,c", "--method", "gaussian", "--size", "2000", "--epsilon", "1", "--delta", "1e-6")
    plan = seqveil("plan", *asked)
    facts = json.loads(seqveil("plan", *asked, "--json").out)

    assert plan.code == 0, plan.err
    assert "ε = 1.0, δ = 1e-6" in plan.out
    assert "--delta 1e-6" in facts["command"]
    assert facts["delta"] == "1e-6"
    assert seqveil("plan", *asked[:-1], "2").code == 2


def test_a_pure_account_refuses_it_and_says_what_to_type(seqveil: Callable[..., Any]) -> None:
    seqveil("publish", *RUN, "--epsilon", "1.0", "--out", "one")
    dry = seqveil("publish", *RUN, "--epsilon", "1.0", "--delta", "1e-6", "--dry-run")
    refused = seqveil("publish", *RUN, "--epsilon", "1.0", "--delta", "1e-6", "--out", "two")

    assert "this run would be refused: Account 'shop' adds up pure ε" in dry.err
    assert refused.code == 2
    assert "leave out --delta, or use another account (--account NAME)" in " ".join(refused.err.split())
    assert "Nothing was reserved or spent." in refused.err


def test_the_file_of_a_run_knows_delta(seqveil: Callable[..., Any], folder: Path) -> None:
    (folder / "run.toml").write_text('[run]\nepsilon = "1.0"\ndelta = "1e-6"\n', encoding="utf-8")
    result = seqveil("publish", *RUN, "--config", "run.toml", "--out", "release", "--json")

    assert json.loads(result.out)["delta"] == "1e-6", result.err


@pytest.mark.parametrize("delta", ["0", "1", "-1", "one", "1e-19"])
def test_a_wrong_delta_is_a_wrong_call(seqveil: Callable[..., Any], delta: str) -> None:
    refused = seqveil("publish", *RUN, "--epsilon", "1.0", f"--delta={delta}", "--out", "release")

    assert refused.code == 2
    assert "delta = " in refused.err


def test_a_method_without_it_refuses_it(seqveil: Callable[..., Any]) -> None:
    refused = seqveil("publish", *PURE, "--epsilon", "1.0", "--delta", "1e-6", "--out", "release")

    assert refused.code == 2
    assert "method 'prefix' knows pure ε only" in refused.err


@pytest.mark.parametrize(
    "forge",
    [
        lambda data: data.update(epsilon="0.9"),
        lambda data: data["zcdp"].update(delta="1e-7"),
        lambda data: data["zcdp"].update(thresholds="5e-7"),
        lambda data: data["zcdp"]["curve"].update({"1e-9": "1.2"}),
        lambda data: data["zcdp"]["curve"].update({"1e-12": "1.28964480674"}),
    ],
)
def test_a_manifest_that_promises_more_than_its_rho_is_refused(seqveil: Callable[..., Any], forge: Callable[[Any], Any]) -> None:
    seqveil("publish", *RUN, "--epsilon", "1.0", "--delta", "1e-6", "--out", "release")
    honest = sv.load("release").manifest
    refuse_false_curve(honest)
    data = json.loads(honest.to_json())
    forge(data)

    with pytest.raises(SeqveilError, match="it promises more than it keeps"):
        refuse_false_curve(Manifest.from_json(json.dumps(data)))


def test_a_page_of_a_release_says_delta(seqveil: Callable[..., Any]) -> None:
    seqveil("publish", *RUN, "--epsilon", "1.0", "--delta", "1e-6", "--out", "release")
    result = seqveil("report", "release", "--out", "report.html")
    page = Path("report.html").read_text(encoding="utf-8")

    assert result.code == 0, result.err
    assert "ε = 1.0, δ = 1e-6" in page
    assert "ρ = <bdi>0.024355970359" in page or "ρ = <b><bdi>0.024355970359" in page


@pytest.mark.parametrize("delta", ["1e-19", "0", "1.5e-18", "2", "1e-6 ", 1e-6, None])
def test_a_manifest_with_another_delta_is_damaged(seqveil: Callable[..., Any], delta: object) -> None:
    seqveil("publish", *RUN, "--epsilon", "1.0", "--delta", "1e-6", "--out", "release")
    data = json.loads(sv.load("release").manifest.to_json())
    data["zcdp"]["delta"] = delta

    with pytest.raises(ReleaseDamaged, match=r"zcdp\.delta"):
        Manifest.from_json(json.dumps(data))


def test_a_pure_run_of_two_is_not_taken_for_a_pure_account(seqveil: Callable[..., Any]) -> None:
    """ε = 2 costs ρ = 2: the same number, and another account."""
    seqveil("ledger", "cap", "shop", "30", "--delta", "1e-6")
    seqveil("publish", *PURE, "--epsilon", "2.0", "--out", "release")
    shown = json.loads(seqveil("ledger", "show", "shop", "--json").out)
    withdrawn = json.loads(seqveil("ledger", "withdraw", sv.load("release").manifest.release, "--json").out)

    assert (shown["charges"][0]["epsilon"], shown["charges"][0]["rho"]) == ("2.0", "2.0")
    assert withdrawn["rho"] == "2.0"


def test_a_stream_in_such_an_account_is_charged_half_its_square_and_resumes(seqveil: Callable[..., Any], folder: Path) -> None:
    (folder / "numbers.txt").write_text("7\n3\n9\n" * 4, encoding="utf-8")
    seqveil("ledger", "cap", "shop", "3.0", "--delta", "1e-6")
    stream = ("stream", "count", "numbers.txt", "--where", ">= 5", "--length", "100", "--epsilon", "0.2", "--account", "shop")
    first = seqveil(*stream, "--state", "state")
    again = seqveil(*stream, "--state", "state")

    assert first.code == 0, first.err
    assert again.code == 0, again.err
    assert sv.Ledger().account("shop").spent == 2 * 10**10
