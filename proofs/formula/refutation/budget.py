"""The budget of a search in units of work instead of time, so that searches are reproducible.

A unit is about the work to replay a word for one position and one parameter, or for one head and one pair of positions:
about 25 microseconds on a machine of 2024.
"""

from collections.abc import Callable

from constructions.network.transformer import Transformer

DEFAULT_WORK = 800_000
"""The default budget: a search that finds nothing ends within about 20 seconds on one core."""


class WorkBudget:
    """Units of work that are left; ``exhausted`` is True once a request was refused."""

    def __init__(self, work: int):
        """Start with all units left."""
        self.left = work
        self.exhausted = False

    def spend(self, work: int) -> bool:
        """Take units and return True; if fewer are left, take nothing and return False."""
        self.exhausted = self.exhausted or work > self.left
        if work > self.left:
            return False
        self.left -= work
        return True

    def charge(self, work: int) -> None:
        """Take the units of work already done, at most all that are left."""
        self.left = max(self.left - work, 0)


def replay_work(transformer: Transformer) -> Callable[[int], int]:
    """Return the work of replaying a word, as a function of its length."""
    heads = sum(len(layer.heads) for layer in transformer.layers)
    parameters = transformer.parameter_count()
    return lambda n: n * parameters + n * n * heads
