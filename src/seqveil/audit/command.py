"""Attack through the front door: the command line is replayed on a neighbouring file.

Text on both channels, exit code, the names, sizes and bytes of every file, and what is left behind must be the same. Paths,
the release's random id and dates are what two runs may differ in.
"""

from __future__ import annotations

import io
import json
import re
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

from seqveil.audit.adversary import Adversary
from seqveil.audit.budget import Effort
from seqveil.audit.findings import Attack
from seqveil.audit.subjects import Subject
from seqveil.audit.tape import Diverged, Recorder, Replayer
from seqveil.audit.watch import watching
from seqveil.kinds.world import Content
from seqveil.wall.noise import Noise

Seen = dict[str, object]


def attack_command(subject: Subject, verb: str, attack: Attack, effort: Effort) -> None:
    """Before every base, the worst unit comes and goes."""
    for number, base in enumerate(subject.world.bases()[: effort.bases]):
        for content in subject.world.worst(subject.unit)[: 3 if effort.variants else 1]:
            for arrives in (True, False) if effort.variants else (number == 1,):
                _hold(subject, verb, base, content, arrives, attack)
    attack.summary = (
        f"{attack.tried} runs of `seqveil {verb}` on neighbouring files: the same output and the same files, byte for byte."
    )


def _hold(subject: Subject, verb: str, base: list[Content], content: Content, arrives: bool, attack: Attack) -> None:
    here, there = (base, [*base, content]) if arrives else ([*base, content], base)
    tape = Recorder()
    seen = run(subject, verb, here, tape, Adversary("up", 1))
    attack.tried += 1
    try:
        again = run(subject, verb, there, Replayer(tape=tape, leaves=len(base), owns=subject.unit.sequences), Adversary("up", 1))
    except Diverged as diverged:
        attack.violated(f"`seqveil {verb}` asks different questions: {diverged}")
        return
    witness = f"{subject}; {len(base)} units {'and' if arrives else 'less'} {content}"
    for name in seen.keys() | again.keys():
        if seen.get(name) != again.get(name):
            attack.violated(f"`seqveil {verb}`: {name} differs between neighbours", witness)
    if seen["exit code"] != 0:
        attack.violated(f"`seqveil {verb}` fails on simulated data: {seen['stderr']}", witness)


def run(subject: Subject, verb: str, people: list[Content], session: Recorder, noise: Noise) -> Seen:
    """One call of the command in this process, in folders of its own."""
    from seqveil.cli.app import main

    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "in").mkdir()
        options = subject.world.write(people, home / "in" / "data.txt")
        words = [
            "seqveil", verb, str(home / "in" / "data.txt"), "--method", subject.method, "--epsilon", "1.0", "--account", "audit",
            "--out", str(home / "out" / "release"), "--public-because", "simulated by the audit", *options, *_parameters(subject),
        ]  # fmt: skip
        out, err, code = io.StringIO(), io.StringIO(), 0
        with (
            watching(session),
            patch.object(sys, "argv", words),
            patch.dict("os.environ", {"SEQVEIL_HOME": str(home / "ledger")}),
            patch("seqveil.wall.noise.SecureNoise", lambda: noise),
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            try:
                main()
            except SystemExit as left:
                code = int(left.code or 0)
        seen: Seen = {"exit code": code, "stdout": out.getvalue(), "stderr": err.getvalue()}
        seen = {name: text.replace(folder, "…") if isinstance(text, str) else text for name, text in seen.items()}
        seen["stages"] = list(session.stages)
        seen["files"] = sorted(str(p.relative_to(home / "out")) for p in (home / "out").rglob("*"))
        for path in sorted((home / "out").rglob("*")):
            if path.is_file():
                seen[f"bytes of {path.name}"] = _content(path)
        seen["ledger"] = _ledger(home / "ledger")
    return seen


def _parameters(subject: Subject) -> list[str]:
    """The subject's parameters as options; what a method presets is not typed."""
    from seqveil import registry

    allowed = registry.parameters(registry.method(subject.method))
    words = []
    for name, value in subject.mechanism.parameters().items():
        if name in allowed and value is not None and value != allowed[name].default:
            words += [f"--{name.replace('_', '-')}", str(value)]
    return words


def _content(path: Path) -> object:
    """A file's content without what may differ: id and date of a manifest."""
    if path.name == "manifest.json":
        manifest = json.loads(path.read_text(encoding="utf-8"))
        return {k: v for k, v in manifest.items() if k not in ("release", "created", "files", "signer")} | {
            "files": sorted(manifest["files"])
        }
    if path.name == "manifest.sig":
        return "a signature of the manifest"
    if path.suffix == ".txt":
        return re.sub(r"[0-9a-f]{32}|\d{4}-\d\d-\d\d\S*", "…", path.read_text(encoding="utf-8"))
    return path.read_bytes()


def _ledger(home: Path) -> object:
    from seqveil.wall.ledger import Ledger

    return [(c.account, c.grains, c.status, c.mechanism) for c in Ledger(home).charges("audit")]
