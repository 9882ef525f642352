"""The command that runs one network, with a place for the word: rendered once, where it is shown."""

from __future__ import annotations

import shlex
from dataclasses import dataclass


@dataclass(frozen=True)
class RunCommand:
    """`certify run` of a formula or a file, and the options that say which network it is.

    The subject may be what an option says that is ``beside`` it: ``--regex``.

    >>> print(RunCommand("Q_a since Q_b", ("--gamma", "2")).on("aab"))
    certify run 'Q_a since Q_b' aab --gamma 2
    """

    subject: str
    options: tuple[str, ...] = ()
    beside: str | None = None

    def on(self, word: str) -> str:
        """The command line for this word, quoted for a shell."""
        subject = [self.subject] if self.beside is None else [self.beside, self.subject]
        return shlex.join(["certify", "run", *subject, word, *self.options])
