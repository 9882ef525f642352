"""How much a search may do, counted in work and not in time: the same search does the same everywhere.

A unit is about what the replay of a word takes for one position and one parameter, or for one head and one pair of
positions: some 25 microseconds on a machine of 2024.
"""

from collections.abc import Callable

from constructions.network.transformer import Transformer

DEFAULT_WORK = 800_000
"""A search that finds nothing then ends within some 20 seconds on one core."""


class WorkBudget:
    """Units of work that are left; ``exhausted`` says whether something was not done for want of them."""

    def __init__(self, work: int):
        """All of it is left."""
        self.left = work
        self.exhausted = False

    def spend(self, work: int) -> bool:
        """Take so much from what is left; False, and nothing is taken, if there is less."""
        self.exhausted = self.exhausted or work > self.left
        if work > self.left:
            return False
        self.left -= work
        return True

    def charge(self, work: int) -> None:
        """Take what was done already, as far as there is so much left."""
        self.left = max(self.left - work, 0)


def replay_work(transformer: Transformer) -> Callable[[int], int]:
    """Return the work of replaying a word, as a function of its length."""
    heads = sum(len(layer.heads) for layer in transformer.layers)
    parameters = transformer.parameter_count()
    return lambda n: n * parameters + n * n * heads
