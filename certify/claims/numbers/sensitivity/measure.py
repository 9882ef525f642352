"""The sensitivity of a network, for each length by the best method that the network and the work allow.

If the network is certified at all these lengths, its output is a truth, and truths are decided exactly. Otherwise
abstract words, or all words, are run, whichever is less work, if that is little; else the change is enclosed between a
bound and a replayed pair.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from certify.claims.formula.outcomes import Certified
from certify.claims.formula.pipeline import Clock, certify_request, sketch
from certify.claims.numbers.sensitivity.laws import fit_law
from certify.claims.numbers.sensitivity.results import At, MeasuredLength, Method, Sensitivity
from certify.requests.request import Request
from constructions.errors import InputError, Unsupported
from constructions.network.lengths import Lengths
from constructions.network.transformer import Transformer
from constructions.network.validation import check_defined
from constructions.running.numpy_network import NumpyNetwork
from constructions.running.weights import weights_of
from proofs.enclosures.intervals import point
from proofs.formula.discharge import DischargedObligations, Progress
from proofs.formula.refutation.budget import replay_work
from proofs.numbers.sensitivity.bounds import SensitivityBounds
from proofs.numbers.sensitivity.changes import ReplayedPair, at_least, unlike_letters
from proofs.numbers.sensitivity.classes import Classes, merged
from proofs.numbers.sensitivity.climbing import Values, replay_pairs
from proofs.numbers.sensitivity.words import changes_of_all_words, check_pairs
from proofs.words.pairs_of_runs import ExchangedTruths, TooMuchWork

ENCLOSING_WORK = 250_000
"""Budget for running all words or abstract words of a length, in the units of the refutation's budget."""
BOUNDS_WORK = 5_000_000
"""Greatest n^3 * heads for which the change by every exchange is bounded: some ten seconds."""
USUAL_SHORT = 8
ONE = Fraction(1)


def usual_lengths(lengths: Lengths) -> list[int]:
    """Return every length up to 8, then powers of two, and the last.

    >>> usual_lengths(Lengths(1, 20))
    [1, 2, 3, 4, 5, 6, 7, 8, 16, 20]
    """
    return [n for n in lengths if n <= USUAL_SHORT or n & (n - 1) == 0 or n == lengths.last]


def judged_positions(at: At, n: int) -> range:
    """Return the positions where a change counts.

    >>> [list(judged_positions(at, 3)) for at in ("first", "last", "every")]
    [[1], [3], [1, 2, 3]]
    """
    return range(n if at == "last" else 1, 2 if at == "first" else n + 1)


@dataclass(frozen=True)
class SensitivityQuestion:
    """A network, one of its directions, and the positions where a change counts."""

    request: Request
    direction: str
    at: At
    numbers: Sequence[int]
    progress: Progress = lambda _: None

    @cached_property
    def network(self) -> Transformer:
        """The network that is measured."""
        return self.request.network

    def rows(self) -> Iterator[MeasuredLength]:
        """Yield the results by length, the shortest first."""
        truths = self._truths()
        for n in self.numbers:
            self.progress(f"length {n}")
            row = None if truths is None else self._row_of_truths(truths, n)
            yield row or self._row_of_numbers(n)

    # -- truths --------------------------------------------------------------------------------------------------------

    def _truths(self) -> ExchangedTruths | None:
        """Return the truths of the formula, if the direction is the output and the network is certified."""
        formula = self.request.formula
        if formula is None or self.direction != self.network.output or not self._is_certified():
            return None
        return ExchangedTruths(formula, self.network.alphabet)

    def _is_certified(self) -> bool:
        """Return whether the certificate for these lengths is accepted; the fast exact prover goes first."""
        lines = sketch(self.network, self.request.claimed_lengths, None, DischargedObligations())
        return all(line.proved for line in lines) and isinstance(
            certify_request(self.request, progress=self.progress), Certified)

    def _row_of_truths(self, truths: ExchangedTruths, n: int) -> MeasuredLength | None:
        judged = judged_positions(self.at, n)
        try:
            found = {i: truths.judged_at(n, i) for i in judged}
        except TooMuchWork:
            return None
        changes = []
        for p in range(1, n + 1):
            i = next((i for i in judged if found[i].at(p)), None)
            pair = None if i is None else ReplayedPair(*truths.witness(n, i, p), i, point(ONE))
            changes.append(at_least(p, pair, Fraction(i is not None)))
        return MeasuredLength(n, Method.TRUTHS, tuple(changes))

    # -- numbers -------------------------------------------------------------------------------------------------------

    def _row_of_numbers(self, n: int) -> MeasuredLength:
        judged = judged_positions(self.at, n)
        try:
            found = self._row_of_runs(n, judged) or self._row_of_bounds(n, judged)
        except Unsupported as fault:  # words cannot be run
            found = self._row_of_bounds(n, judged, fault)
        check_pairs(self.network, self.direction, found.changes)
        return found

    def _row_of_runs(self, n: int, judged: Sequence[int]) -> MeasuredLength | None:
        """Run all abstract words or all words; None if that is too much work."""
        words = len(unlike_letters(self.network)) ** n * replay_work(self.network)(n)
        classes = [Classes(self.network, n, self.direction, i) for i in judged]
        if sum(one.work for one in classes) < min(words, ENCLOSING_WORK):
            return MeasuredLength(n, Method.CLASSES, merged([one.changes() for one in classes]))
        if words <= ENCLOSING_WORK:
            return MeasuredLength(n, Method.WORDS, changes_of_all_words(self.network, n, self.direction, judged))
        return None

    def _row_of_bounds(self, n: int, judged: Sequence[int], fault: Unsupported | None = None) -> MeasuredLength:
        """Bound the changes, and replay pairs unless words cannot be run; raise the fault without bounds."""
        uppers = self._uppers(n, judged)
        if fault is not None and uppers is None:
            raise fault
        pairs = {} if fault else replay_pairs(self.network, n, self.direction, judged,
                                              float_values(self.network, n, self.direction, judged))
        method = Method.BOUND if fault else Method.PAIRS if uppers is None else Method.BRACKET
        return MeasuredLength(n, method, tuple(at_least(p, pairs.get(p), None if uppers is None else uppers[p - 1])
                                               for p in range(1, n + 1)))

    def _uppers(self, n: int, judged: Sequence[int]) -> list[Fraction] | None:
        """Return the upper bounds; None if words are too long."""
        if n**3 * sum(1 for _ in self.network.heads()) > BOUNDS_WORK:
            return None
        bounds = SensitivityBounds(self.network, n, judged)
        return [bounds.change(p, self.direction) for p in range(1, n + 1)]


def measure(request: Request, at: At = "last", direction: str | None = None, numbers: Sequence[int] | None = None,
            progress: Progress = lambda _: None) -> Sensitivity:
    """Bound the largest change of a direction (default: the output), at some lengths (default: the usual ones).

    Raises:
        InputError: if the network has no such direction, or a function of the position has no value somewhere.
        Unsupported: if there is no network, or words cannot be run.
    """
    clock, network = Clock(), request.network
    direction, numbers = read_direction(network, direction), read_numbers(numbers, request.claimed_lengths)
    check_defined(network, request.claimed_lengths)
    rows = tuple(SensitivityQuestion(request, direction, at, numbers, progress).rows())
    return Sensitivity(request.description, network.alphabet, direction, at, rows, fit_law(rows), clock.total)


def read_numbers(numbers: Sequence[int] | None, lengths: Lengths) -> Sequence[int]:
    """Return the given lengths, or the usual ones.

    Raises:
        InputError: if no length is given, or one is not in ``lengths``.
    """
    if numbers is None:
        return usual_lengths(lengths)
    outside = [n for n in numbers if not lengths.first <= n <= lengths.last]
    if outside or not numbers:
        raise InputError(f"lengths: {outside[0] if outside else 'none'}, expected some of {lengths}")
    return numbers


def read_direction(network: Transformer, direction: str | None) -> str:
    """Return the direction, by default the output.

    Raises:
        InputError: if the network has no such direction.
    """
    if direction is None:
        return network.output
    if direction not in network.directions:
        near = [name for name in network.directions if direction.lower() in name.lower()]
        names = ", ".join((near or list(network.directions))[:12])
        raise InputError(f"direction: {direction!r}, expected one of the network's, such as {names}")
    return direction


BATCH_NUMBERS = 1 << 22
"""The number of attention weights in memory at a time."""


def float_values(network: Transformer, n: int, direction: str, judged: Sequence[int]) -> Values | None:
    """Return the values of the direction, [words, judged positions], as a function; None without a float program."""
    try:
        program = NumpyNetwork(weights_of(network, Lengths(n, n), "binary64"))
    except (InputError, Unsupported):
        return None
    column = program.weights.directions.index(direction)
    places = [i - 1 for i in judged]
    most = max(1, BATCH_NUMBERS // (n * n * max(1, sum(1 for _ in network.heads()))))
    return lambda words: np.concatenate([program.stream(words[k : k + most])[:, places, column]
                                         for k in range(0, len(words), most)])
