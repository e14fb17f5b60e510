"""Which machine a ledger belongs to. SQLite's log and file locks are only safe within one."""

from __future__ import annotations

import json
import os
import platform
import uuid
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from seqveil.durable import sync
from seqveil.errors import LedgerError


@dataclass(frozen=True, slots=True)
class Host:
    """A machine: `machine` outlives a reboot, `boot` is shared by all containers on one running kernel."""

    name: str
    machine: str
    boot: str

    def same_as(self, other: Host) -> bool:
        """Whether both are one machine: the same boot, or the same identity after a reboot.

        >>> Host("a", "m", "1").same_as(Host("a", "m", "2")), Host("a", "m", "1").same_as(Host("b", "n", "2"))
        (True, False)
        """
        return self.machine == other.machine or (self.boot != "" and self.boot == other.boot)


def _first_line(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""


def this_host() -> Host:
    """The machine we run on. Cloned images share a machine id, so the name is part of the identity."""
    name = platform.node()
    identity = _first_line("/etc/machine-id")
    if not identity and not (node := uuid.getnode()) >> 40 & 1:  # a set bit means that Python made the number up
        identity = f"{node:012x}"
    return Host(name, sha256(f"{identity}/{name}".encode()).hexdigest(), _first_line("/proc/sys/kernel/random/boot_id"))


def mark(marker: Path, host: Host) -> None:
    """Write down, durably, that the ledger belongs to `host`."""
    fresh = marker.with_suffix(".new")
    descriptor = os.open(fresh, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(asdict(host), file)
        file.flush()
        os.fsync(descriptor)
    os.replace(fresh, marker)
    sync(marker.parent)


def check(marker: Path, host: Host) -> None:
    """Refuse a ledger that belongs to another machine; mark one that has no owner yet."""
    try:
        owner = Host(**json.loads(marker.read_text()))
    except FileNotFoundError:
        return mark(marker, host)
    except (ValueError, TypeError):
        raise LedgerError(
            f"{marker}, which names the machine that this ledger belongs to, is damaged. "
            "If only this machine uses it, run: seqveil ledger adopt"
        ) from None
    if not owner.same_as(host):
        raise LedgerError(
            f"The ledger in {marker.parent} belongs to the machine {owner.name!r}; this is {host.name!r}. "
            "Two machines must not share a ledger: they cannot lock it against each other, and a budget could be spent twice. "
            f"Publish on {owner.name!r}, or choose another place with SEQVEIL_HOME=DIRECTORY. "
            "If the directory was moved here for good, run: seqveil ledger adopt"
        )
    if owner != host:
        mark(marker, host)
