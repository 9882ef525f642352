"""Partial answers when ``--timeout`` expires: the results for the finished lengths, with verdict unknown.

With a deadline, lengths are decided in growing ranges, so that something is known when it expires; without one, all at
once. If a range is not settled, the whole question is decided at once.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from certify.common.verdicts import HasVerdict, WithExitStatus, exit_status
from constructions.deadline import TimeIsUp, has_deadline
from constructions.network.lengths import Lengths

Anything = TypeVar("Anything")
AnAnswer = TypeVar("AnAnswer", bound=HasVerdict)
SHORTEST_STRETCH = 2


@dataclass(frozen=True)
class PartialAnswer(WithExitStatus, Generic[Anything]):
    """An answer at the timeout: ``answer`` covers ``finished``, with verdict ``found``; None if no length finished."""

    answer: Anything | None
    finished: Lengths | None
    asked: Lengths
    seconds: int
    found: str = ""
    verdict: str = "unknown"

    @property
    def reason(self) -> str:
        """The reason in words.

        >>> PartialAnswer(None, None, Lengths(1, 64), 10).reason
        'time is up (--timeout 10); no length was finished'
        """
        if self.answer is None or self.finished is None:
            return f"time is up (--timeout {self.seconds}); no length was finished"
        return (f"time is up (--timeout {self.seconds}); {self.found} for n = {self.finished}, and nothing is "
                "said of greater n")

    @property
    def certified_to(self) -> int | None:
        """The length up to which there is an answer."""
        return None if self.finished is None else self.finished.last


def stretches(lengths: Lengths) -> Iterator[Lengths]:
    """Yield shorter ranges before the whole one, each twice as long as the one before it.

    >>> [str(stretch) for stretch in stretches(Lengths(1, 20))], [str(stretch) for stretch in stretches(Lengths(6, 9))]
    (['1..2', '1..4', '1..8', '1..16'], ['6..8'])
    """
    last = SHORTEST_STRETCH
    while last < lengths.last:
        if last >= lengths.first:
            yield Lengths(lengths.first, last)
        last *= 2


def answer_in_time(lengths: Lengths, ask: Callable[[Lengths], AnAnswer]) -> AnAnswer | PartialAnswer[AnAnswer]:
    """Return the answer about all these lengths; or a partial answer at the deadline.

    A refuted shorter range also answers the whole question.
    """
    if not has_deadline():
        return ask(lengths)
    known: AnAnswer | None = None
    finished: Lengths | None = None
    refuted: AnAnswer | None = None
    try:
        for stretch in stretches(lengths):
            found = ask(stretch)
            if exit_status(found.verdict):
                refuted = found if exit_status(found.verdict) == exit_status("refuted") else None
                break
            known, finished = found, stretch
        return ask(lengths)
    except TimeIsUp as up:
        return refuted if refuted is not None else PartialAnswer(known, finished, lengths, up.seconds,
                                                              known.verdict if known is not None else "")
