"""The most memory that this process ever held. Read from /proc, because getrusage also counts what was held before exec."""

from __future__ import annotations

from pathlib import Path


def megabytes() -> float:
    """VmHWM in MB."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024
