"""The exact worst case of response functions: sums of ReLUs of rationals, and of σ enclosed by Arb.

Claim       Counting heads have equal scores, whose weight times the factor of the value is 1: exact arithmetic.
            Let L and U be the sums of min(W(d), 0) and max(W(d), 0) over all d except the peak p. The output is in
            [L, U] where the value at the peak is 0, and in [W(p) + L, W(p) + U] where it is 1.
"""

from dataclasses import dataclass
from fractions import Fraction

from constructions.network.meanings import ALLOWED_ERROR
from constructions.network.weightings import Response, Weighting
from proofs.enclosures.intervals import Interval
from proofs.formula.additive.lookup import SumLookupObligation
from proofs.formula.additive.obligation import CountingObligation, SelectedLetter, SelectingObligation
from proofs.formula.additive.responses import ResponseFunction
from proofs.formula.common.extremes import Extreme, WorstCase, proved_bound
from proofs.formula.failures import NotDerived
from proofs.formula.lookup.worst_case import ROOM
from proofs.formula.uniform.worst_case import check_equal_scores

ZERO, ONE = Fraction(0), Fraction(1)
ResponseObligation = SelectingObligation | SumLookupObligation


@dataclass(frozen=True)
class ResponseExtreme(Extreme):
    """The case in which all positions except the peak have the greatest error, at a length with this function."""

    function: ResponseFunction
    truth: bool

    @property
    def n(self) -> int:
        """The length of the word."""
        return self.function.distances.stop

    @property
    def i(self) -> int:
        """The position of the query."""
        return self.n

    @property
    def claimed(self) -> Fraction:
        """``upper``, with room up to 1/4 for a checker that encloses more coarsely."""
        return max(self.upper, min(proved_bound(self.upper * ROOM), ALLOWED_ERROR))


def find_response_worst_case(obligation: ResponseObligation, bits: int) -> WorstCase:
    """Return the largest errors of all response functions; a function that is exactly 1 and 0 as required has none.

    Raises:
        NotDerived: if a weight may be negative, or their sum more than 1, so that the output may be outside [0, 1]; or
            if a letter breaks the law of the peak.
    """
    if isinstance(obligation, SelectingObligation):
        check_laws(obligation)
    return WorstCase.of((extreme.truth, extreme) for function in obligation.functions
                        for extreme in _extremes_of(function, obligation.head.weighting, bits))


def _extremes_of(function: ResponseFunction, weighting: Weighting, bits: int) -> list[ResponseExtreme]:
    weights = {d: function.weight(d, bits) for d in function.distances}
    others = [weight for d, weight in weights.items() if d != function.peak]
    if any(weight.lower < 0 for weight in others):
        raise NotDerived("some weight may be negative, so that what is held may be less than 0")
    rest = Interval(sum((w.lower for w in others), ZERO), sum((w.upper for w in others), ZERO))
    errors = [(False, rest)]
    if function.peak in weights:
        peak = weights[function.peak]
        if peak.upper + rest.upper > 1:
            raise NotDerived("all weights together may be more than 1")
        errors.append((True, Interval(ONE - peak.upper, ONE - peak.lower)))
    return [ResponseExtreme(error.lower, proved_bound(error.upper), function, truth, weighting=weighting)
            for truth, error in errors if error.upper]


def check_laws(obligation: SelectingObligation) -> None:
    """Check that every letter obeys the law of the peak.

    Raises:
        NotDerived: naming the first position with a letter that does not.
    """
    if len(obligation.target.remembering) != 1:
        raise NotDerived(f"{len(obligation.target.remembering)} temporal operators, and heads that select follow one")
    keeps_law = _is_neighbour if obligation.peak else _is_last_counted
    for context in obligation.contexts:
        for letter in context.letters:
            if letter.value not in (0, 1) or not keeps_law(letter):
                law = "the neighbour" if obligation.peak else "the last position that is counted"
                raise NotDerived(f"the target is not the value of {law}, at position {context.j} of n = "
                                 f"{context.n}")


def _is_last_counted(letter: SelectedLetter) -> bool:
    """Return whether a letter, if counted, sets memory and target to its value, and else keeps both and has value 0."""
    if letter.counted:
        return all(effect == 3 * letter.value for effect in letter.effect)
    return letter.value == 0 and letter.effect == (0, 3)


def _is_neighbour(letter: SelectedLetter) -> bool:
    """Return whether a letter stores its value in the memory, and the target is the previous memory."""
    return all(effect == 2 * letter.value + before for before, effect in enumerate(letter.effect))


def check_counting(obligation: CountingObligation) -> None:
    """Check that at every (n, i) each position is counted once.

    Raises:
        NotDerived: naming the first (n, i) where it fails, or what is read there that is not known.
    """
    check_equal_scores(obligation)
    head, known = obligation.head, obligation.known
    for n in obligation.lengths:
        temperatures = head.temperature.column(range(1, n + 1), n)
        products = [[q * k for q, k in zip(known.forms(query, n), known.forms(key, n), strict=True)]
                    for query, key in zip(head.queries, head.keys, strict=True)]
        for i, temperature in enumerate(temperatures, start=1):
            score = sum((column[i - 1] for column in products), Fraction(0)) / temperature
            if not _counts_each_once(head.weighting, score, obligation.factor, n):
                raise NotDerived(f"all scores are {score} at i = {i}, n = {n}: the weight times {obligation.factor} is "
                                 "not 1")


def _counts_each_once(weighting: Weighting, score: Fraction, factor: Fraction, n: int) -> bool:
    expected = n if weighting.row.over_n else 1
    match weighting.row.response:
        case Response.RELU:
            return factor * max(score, Fraction(0)) == expected
        case Response.SIGMOID:
            return score == 0 and factor == 2 * expected  # nowhere else is σ rational
    return False
