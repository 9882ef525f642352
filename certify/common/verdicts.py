"""The only table of verdicts, with exit status and colour."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

from certify.common.readable import HasPage

BAD_INPUT = 2
"""The exit status of bad usage and bad input, where nothing was decided."""
INTERRUPTED = 130
"""The exit status after Ctrl-C."""
READER_GONE = 141
"""The exit status if standard output is closed: 128 and the number of SIGPIPE, as shells have it."""
GREEN, RED, YELLOW, CYAN = "bold green", "bold red", "bold yellow", "bold cyan"
OWN_WORK = 20
"""Times the default budget of the checker: own certificates get more than foreign ones."""


@dataclass(frozen=True)
class Meaning:
    """The consequences of a verdict."""

    exit_status: int
    colour: str


VERDICTS: Mapping[str, Meaning] = {
    # of a claim about words
    "certified": Meaning(0, GREEN),
    "vacuous": Meaning(0, YELLOW),  # true, as nothing is claimed; constant formulas are 0, too
    "refuted": Meaning(1, RED),
    "refuted on a reading": Meaning(1, RED),  # of a statement whose words can be read otherwise, too
    "unknown": Meaning(3, YELLOW),
    "unsupported": Meaning(3, YELLOW),
    "not decidable": Meaning(0, CYAN),  # of an audit, with a reason: there is nothing to decide
    "measured": Meaning(0, CYAN),  # of a number: between two bounds, each of which is shown or proved
    # of a theorem for every n: a rejection by Coq does not refute it, as the library is incomplete
    "proved": Meaning(0, GREEN),
    "unproved": Meaning(3, YELLOW),
    "unchecked": Meaning(3, YELLOW),  # written for Coq, which was not run
    # of a certificate
    "accepted": Meaning(0, GREEN),
    "rejected": Meaning(1, RED),
    "malformed": Meaning(BAD_INPUT, RED),
    "unreadable": Meaning(BAD_INPUT, RED),  # the file does not exist, so its contents are not at fault
    "incomplete": Meaning(3, YELLOW),  # the checker reached a limit of its own
    # of a second solver
    "agreement": Meaning(0, GREEN),
    "contradiction": Meaning(1, RED),
}
POSITIVE = frozenset({"certified", "proved", "accepted", "agreement", "measured"})
"""Verdicts that make an answer true in Python; ``assert certify(...)`` fails for all others, "vacuous" too."""
_WORST_FIRST = (1, BAD_INPUT, 3, 0)
AVerdict = TypeVar("AVerdict", bound=str)


def exit_status(verdict: str) -> int:
    """Return the exit status that belongs to a verdict.

    >>> [exit_status(verdict) for verdict in ("certified", "refuted", "malformed", "incomplete")]
    [0, 1, 2, 3]
    """
    return VERDICTS[verdict].exit_status


def colour(verdict: str) -> str:
    """Return the colour of the verdict in a terminal."""
    return VERDICTS[verdict].colour


def worst(verdicts: Collection[AVerdict]) -> AVerdict:
    """Return the verdict to report of several: negative before undecided, undecided before positive.

    >>> worst({"accepted", "malformed", "rejected"}), worst(["certified", "unsupported", "unknown"])
    ('rejected', 'unknown')
    """
    order = list(VERDICTS)
    return min(verdicts, key=lambda verdict: (_WORST_FIRST.index(exit_status(verdict)), order.index(verdict)))


class HasVerdict(Protocol):
    """A result with a verdict of the table."""

    @property
    def verdict(self) -> str:
        """The verdict."""


class WithExitStatus(HasPage):
    """The answer of a command, which has a verdict; true only if the verdict is one of POSITIVE."""

    def __bool__(self: HasVerdict) -> bool:
        return self.verdict in POSITIVE

    @property
    def exit_code(self: HasVerdict) -> int:
        """The exit status of the command."""
        return exit_status(self.verdict)
