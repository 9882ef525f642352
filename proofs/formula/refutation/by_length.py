"""Looking for a counterexample at one length after another, out of one pool of work."""

from collections.abc import Sequence
from fractions import Fraction

from constructions.network.lengths import Lengths
from constructions.network.transformer import Transformer
from proofs.formula.discharge import Line, Progress
from proofs.formula.refutation.budget import DEFAULT_WORK
from proofs.formula.refutation.search import Search, find_counterexample

SHARE = Fraction(1, 2)
"""What one length may take of the work that is left: many lengths at which nothing is found end soon."""


class SearchByLength:
    """Searches whose work together is bounded, as long as they find nothing.

    Whoever asks about the same lengths in the same order gets the same answers, whether it goes on or not once
    something is found: what is found gives back the pool.
    """

    def __init__(self, network: Transformer, allowed_error: Fraction | None, progress: Progress = lambda _: None,
                 work: int = DEFAULT_WORK):
        """The pool has so much ``work``."""
        self._network = network
        self._allowed_error = allowed_error
        self._progress = progress
        self._work = self._left = work

    def find(self, lengths: Lengths, lines: Sequence[Line]) -> Search:
        """The search at these lengths, whose obligations are ``lines``."""
        search = find_counterexample(self._network, lengths, lines, self._allowed_error, int(SHARE * self._left),
                                     self._progress)
        self._left = self._work if search.counterexample else self._left - search.spent
        return search
