"""Every error a user can meet, and the exit code it ends a command with.

    SeqveilError                    1
    ├── CallError                   2   a parameter is wrong: what was given, what is allowed, what to type instead
    │   └── InputProblems           2   what is wrong with the format of an input, all of it at once
    ├── BudgetError                 3   there is not enough ε
    │   ├── BudgetExceeded          3   a mechanism asked the wall for more than it was given
    │   └── BudgetRefused           3   the account's cap does not allow this release
    ├── AlreadyRun              0 or 1   a run with this key is in the ledger: done (0), or charged without an end (1)
    ├── LedgerError                 1   the ledger cannot be opened, locked or trusted
    ├── ReleaseDamaged              1   a release on disk is not what its manifest says
    └── RunFailed                   1   anything else that ended a run
        └── OutputLost              1   the result could not be printed
            └── ReaderLeft          1   because its reader had seen enough (| head)

    ReleaseWarning                      before a release is made: no cap, the same data under another account, noise that swamps

On the release path no message may depend on raw data: an error text is a way out like any other.
"""

from __future__ import annotations

from collections.abc import Sequence

from seqveil.surface import parameter


class SeqveilError(Exception):
    """The root of the tree: `except SeqveilError` catches everything Seqveil raises on purpose."""

    exit_code = 1


class CallError(SeqveilError):
    """A parameter is wrong. Says what was given, what is allowed, and what to type instead."""

    exit_code = 2


class InputProblems(CallError):
    """Everything that is wrong with the format of an input, collected and shown together; of very many, the first ones.

    `source` names the input; it is empty where the call itself is wrong. `unlisted` says how many problems there are beyond
    those given.

    >>> print(InputProblems("trips.csv", ["no column 'card'", "no column 'ts'"]))
    trips.csv has 2 problems:
      - no column 'card'
      - no column 'ts'
    >>> print(InputProblems("the names", ["row 3 is too long", "row 9 is too long"], unlisted=45))
    the names has 47 problems:
      - row 3 is too long
      - row 9 is too long
      - … and 45 more
    >>> print(InputProblems("", ["--itme is unknown", "--out is missing"]))
    2 problems:
      - --itme is unknown
      - --out is missing
    """

    MOST_SHOWN = 10

    def __init__(self, source: str, problems: Sequence[str], unlisted: int = 0) -> None:
        self.source = source
        self.problems = list(problems)
        self.unlisted = unlisted
        super().__init__(source, self.problems, unlisted)

    @property
    def shown(self) -> list[str]:
        """The problems that are shown, and how many more there are: as many as the headline says."""
        listed = self.problems if self.total <= self.MOST_SHOWN + 1 else self.problems[: self.MOST_SHOWN]
        rest = self.total - len(listed)
        return [*listed, f"… and {rest:,} more"] if rest else listed

    @property
    def total(self) -> int:
        """How many problems there are."""
        return len(self.problems) + self.unlisted

    def __str__(self) -> str:
        if self.total == 1:
            return f"{self.source}: {self.problems[0]}" if self.source else self.problems[0]
        lines = "\n".join("  - " + problem.replace("\n", "\n    ") for problem in self.shown)
        return f"{self.source} has {self.total:,} problems:\n{lines}".removeprefix(" has ")


class BudgetError(SeqveilError):
    """There is not enough ε."""

    exit_code = 3


class BudgetExceeded(BudgetError):
    """A mechanism asked the wall for more than it was given; raised before any noise is drawn."""


class BudgetRefused(BudgetError):
    """The account's cap does not allow this release; says how much of it remains."""


class AlreadyRun(SeqveilError):
    """A run with the same key is in the ledger; nothing was spent again. `release` is its id, if it was finished.

    >>> AlreadyRun("shop", "2026-W47", "committed", "9f3a").exit_code, AlreadyRun("shop", "2026-W47", "begun").exit_code
    (0, 1)
    """

    def __init__(self, account: str, once: str, status: str, release: str = "") -> None:
        self.account, self.once, self.release = account, once, release or None
        self.exit_code = 0 if release else 1
        run = f"The run {once!r} of account {account!r}"
        if release:
            super().__init__(f"{run} is done: release {release}. Nothing was spent again.")
        elif status == "begun":
            super().__init__(
                f"{run} was charged and has not ended: it is still running, or was stopped while it read data. Its ε remains "
                f"charged. To spend ε again on purpose, give another {parameter('once', 'KEY')}."
            )
        else:
            super().__init__(
                f"{run} has reserved its ε and has not begun: it is still running, or was stopped before it read data. "
                f"To spend ε again on purpose, give another {parameter('once', 'KEY')}."
            )


class LedgerError(SeqveilError):
    """The ledger cannot be opened, locked or trusted."""


class ReleaseWarning(UserWarning):
    """A warning before a release is made: its account has no cap, the same data was used under another account, or its plan
    expects little of it."""


class ReleaseDamaged(SeqveilError):
    """A release on disk is not what its manifest says."""


class RunFailed(SeqveilError):
    """Anything else that ended a run."""


class OutputLost(RunFailed):
    """The result could not be printed.

    >>> OutputLost("No space left on device").after("release/")
    OutputLost('release/ is complete, but its summary could not be printed on stdout (No space left on device).')
    """

    def __init__(self, reason: str, text: str = "the result could not be printed on stdout") -> None:
        self.reason = reason
        super().__init__(f"{text} ({reason}).")

    def after(self, path: str) -> OutputLost:
        """The same, where the work itself is done and lies at a path."""
        return OutputLost(self.reason, f"{path} is complete, but its summary could not be printed on stdout")


class ReaderLeft(OutputLost, BrokenPipeError):
    """The reader of the result has closed it (`| head`), so no message is needed."""
