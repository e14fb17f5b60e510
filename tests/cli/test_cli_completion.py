"""`seqveil --install-completion` for bash: verbs, and the options of a verb, are completed by what it installs."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


@pytest.mark.slow
def test_bash_completes_what_is_typed(tmp_path):
    home = {**os.environ, "HOME": str(tmp_path), "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}  # it looks for a parent
    seqveil = [sys.executable, "-m", "seqveil"]
    subprocess.run([*seqveil, "--install-completion", "bash"], env=home, check=True, capture_output=True)
    script = (tmp_path / ".bash_completions/seqveil.sh").read_text()

    def completed(words: str, at: int) -> list[str]:
        asked = {**home, "_SEQVEIL_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(at)}
        ran = subprocess.run(seqveil, env=asked, check=False, capture_output=True, text=True)
        return ran.stdout.split()

    assert "seqveil.sh" in (tmp_path / ".bashrc").read_text()
    assert "_SEQVEIL_COMPLETE=complete_bash" in script
    assert completed("seqveil ver", 1) == ["verify"]
    assert completed("seqveil publish --purp", 2) == ["--purpose"]
