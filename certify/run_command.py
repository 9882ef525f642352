"""The command that runs one network, with a place for the word: rendered once, where it is shown."""

from __future__ import annotations

import shlex
from dataclasses import dataclass


@dataclass(frozen=True)
class RunCommand:
    """`certify run` of a formula or a file, and the options that say which network it is.

    >>> print(RunCommand("Q_a since Q_b", ("--gamma", "2")).on("aab"))
    certify run 'Q_a since Q_b' aab --gamma 2
    """

    subject: str
    options: tuple[str, ...] = ()

    def on(self, word: str) -> str:
        """The command line for this word, quoted for a shell."""
        return shlex.join(["certify", "run", self.subject, word, *self.options])
