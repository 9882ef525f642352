"""Who does the work: what ``run_tasks`` asks of workers, and the plainest of them."""

from collections import deque
from typing import Protocol

from certify.frame.shards.answers import Do, answer


class Crew(Protocol):
    """Workers that are given tasks, by number, and say what became of them."""

    @property
    def capacity(self) -> int:
        """How many tasks they should have at a time."""

    def begin(self, number: int, task: str) -> None:
        """Give them a task."""

    def collect(self) -> list[tuple[int, str]]:
        """Wait, and return the answers that are new, if any; there must be a task that was not answered yet.

        Raises:
            WorkLost: if workers died too often.
        """

    def close(self) -> None:
        """Stop at once, whatever is under way."""


class Alone:
    """This process itself, a task at a time."""

    capacity = 1

    def __init__(self, do: Do):
        self._do = do
        self._tasks: deque[tuple[int, str]] = deque()

    def begin(self, number: int, task: str) -> None:
        """Put the task down until ``collect``."""
        self._tasks.append((number, task))

    def collect(self) -> list[tuple[int, str]]:
        """Do the task that waits."""
        number, task = self._tasks.popleft()
        return [(number, answer(self._do, task))]

    def close(self) -> None:
        """There is nothing to stop."""
