"""Evaluation by mpmath of expressions, weights and runs of words: an independent library and algorithm.

``seconded``, ``check_by_mpmath``, ``confirm_by_mpmath`` and ``values_by_mpmath`` compare printed numbers: each raises
an error where mpmath disagrees, and never improves a verdict.
"""

import operator
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import mpmath
from mpmath import mpf
from mpmath.libmp import from_rational

from constructions.errors import InternalError
from constructions.language.arithmetic import BINARY, UNARY, Operations, run_time
from constructions.language.brackets import Bracket, PositionFunction
from constructions.network.run import run_layers
from constructions.network.transformer import Coefficients, FeedForward, Head, Mask, Transformer
from constructions.network.weightings import Response, Weighting
from proofs.enclosures.exponential import ball, exact_ends, working_precision
from proofs.enclosures.intervals import Interval

Residual = dict[str, mpf]
DIGITS = (100, 200, 400, 800)
AGREEMENT = 25
"""Decimal digits to which mpmath must agree."""
MOST_STEPS = 100_000
"""The most scores and weights of one word; mpmath takes seconds for more."""
MEASURED_STEPS = 20_000
"""The most steps for words of one length, about 0.1 s; further words are not compared."""
Reals = Callable[[Fraction | int], Any]
"""A constructor of numbers of Arb or mpmath, with the methods exp, log, log1p, sqrt, tanh and max."""

_UNARY: Operations = {**UNARY, "ln": mpmath.log, "sqrt": mpmath.sqrt,
                      "log2ceil": lambda x: _log2(x, 1), "log2floor": lambda x: _log2(x, 0)}
_BINARY: Operations = {**BINARY, "+": operator.add, "-": operator.sub, "*": operator.mul,
                       "/": lambda x, y: mpf(x) / y, "^": lambda x, y: mpf(x) ** int(y)}


def by_mpmath(function: PositionFunction, i: int, n: int) -> mpf:
    """Return the value at the working precision; ln and sqrt are the real functions."""
    if isinstance(function, Bracket) or not function.may_be_irrational:
        return mpf_of(Fraction(function.evaluate(i=i, n=n)))
    return mpf(run_time(function.postfix, _UNARY, _BINARY)({"i": i, "n": n}))


def _log2(x: mpf, rounded_up: int) -> int:
    mantissa, exponent = mpmath.frexp(x)  # the mantissa is at least 1/2 and below 1
    return int(exponent) - 1 + (rounded_up if mantissa > mpf(1) / 2 else 0)


@lru_cache(maxsize=1 << 16)
def _shared(function: Callable[[Any], Any], x: Any, _precision: int) -> Any:
    return function(x)


def exponential(x: Any) -> Any:
    """Return the exponential at the working precision of mpmath; equal numbers share the work."""
    return _shared(mpmath.exp, x, mpmath.mp.prec)


def weigh(scores: Sequence[mpmath.mpf], weighting: Weighting) -> list[mpmath.mpf]:
    """Return the weights of these scores; thresholds are found by bisection."""
    top = max(scores)
    if weighting.is_sparse:
        return _by_threshold([(score - top) * mpf_of(weighting.slope) for score in scores], int(1 / weighting.slope))
    raised = [exponential(score - top) for score in scores]
    total = mpmath.fsum(raised) + (weighting.row.extra * mpmath.exp(-top) if weighting.row.extra else 0)
    share = 1 / total
    return [weight * share for weight in raised]


def _by_threshold(scores: Sequence[mpmath.mpf], power: int) -> list[mpmath.mpf]:
    """Return max(score - θ, 0)^power with the sum 1, for scores up to 0: θ is from -1 to 0."""
    heavy = [score for score in scores if score > -1]
    low, high = mpmath.mpf(-1), mpmath.mpf(0)
    for _ in range(mpmath.mp.prec):
        middle = (low + high) / 2
        if mpmath.fsum(max(score - middle, 0)**power for score in heavy) > 1:
            low = middle
        else:
            high = middle
    return [max(score - low, mpmath.mpf(0))**power for score in scores]


def respond(response: Response, score: Any) -> Any:
    """Return the response function of a score."""
    match response:
        case Response.RELU:
            return max(score, mpmath.mpf(0))
        case Response.SIGMOID:
            return 1 / (1 + mpmath.exp(-score))


def mpf_of(x: Fraction) -> mpf:
    """Return the nearest number of the working precision."""
    return mpmath.make_mpf(from_rational(x.numerator, x.denominator, *mpmath.mp._prec_rounding))


# -- formulas in real numbers ------------------------------------------------------------------------------------------


def _context_with_methods() -> Any:
    """Return a separate context of mpmath whose numbers have the methods of Arb's."""
    context = mpmath.MPContext()
    methods = {"max": max} | {name: getattr(context, name) for name in ("log", "log1p", "sqrt", "tanh")}
    methods["exp"] = lambda x: _shared(context.exp, x, context.prec)
    for name, function in methods.items():
        setattr(context.mpf, name, lambda *numbers, function=function: function(*numbers))
    return context


_REALS = _context_with_methods()


def seconded(compute: Callable[[Reals], Any], bits: int) -> Interval:
    """Enclose by Arb the result of ``compute``, which gets a constructor of numbers.

    >>> seconded(lambda real: real(3) / 4, 128).lower
    Fraction(3, 4)

    Raises:
        InternalError: if mpmath, with more than twice the bits and without enclosures, computes another number.
    """
    with working_precision(bits):
        found = Interval(*exact_ends(compute(ball)))
    with _REALS.workprec(2 * bits + 128):
        number, lower, upper = compute(_real), _real(found.lower), _real(found.upper)
        if abs(min(max(number, lower), upper) - number) * 10**AGREEMENT > abs(number):
            raise InternalError(f"Arb encloses a number near {mpmath.nstr(lower, 25)} where mpmath does not find it")
    return found


def _real(x: Fraction | int) -> Any:
    return _REALS.make_mpf(from_rational(x.numerator, x.denominator, *_REALS._prec_rounding))


# -- words -------------------------------------------------------------------------------------------------------------


def run_by_mpmath(transformer: Transformer, word: Sequence[str]) -> list[Residual]:
    """Return the final residual vectors under soft attention, at the working precision."""
    return run_layers(_embed(transformer, word), transformer, _attend, _feed, operator.add)


def _form(row: Coefficients, vector: Residual) -> mpf:
    return mpmath.fsum(mpf_of(w) * vector[name] for name, w in row.items() if name in vector)


def _embed(transformer: Transformer, word: Sequence[str]) -> list[Residual]:
    stream = []
    for i, symbol in enumerate(word, start=1):
        vector = {name: mpf_of(x) for name, x in transformer.token_embedding[symbol].items()}
        for name, value in transformer.position_embedding.items():
            vector[name] = vector.get(name, mpf(0)) + by_mpmath(value, i, len(word))
        stream.append(vector)
    return stream


def _attend(head: Head, stream: list[Residual]) -> list[Residual]:
    keys = [[_form(row, vector) for row in head.keys] for vector in stream]
    columns = {name: [_form(row, vector) for vector in stream] for name, row in head.values.items()}
    changes = []
    for i, vector in enumerate(stream, start=1):
        visible, temperature = head.mask.visible(i, len(stream)), by_mpmath(head.temperature, i, len(stream))
        queries = [_form(row, vector) / temperature for row in head.queries]
        scores = [mpmath.fdot(zip(queries, keys[j - 1], strict=True)) for j in visible]
        weights = _weights(head, scores, len(stream))
        changes.append({name: mpmath.fdot((w, column[j - 1]) for w, j in zip(weights, visible, strict=True))
                        for name, column in columns.items()})
    return changes


def _weights(head: Head, scores: Sequence[mpf], n: int) -> list[mpf]:
    row = head.weighting.row
    if row.response is None:
        return weigh(scores, head.weighting)
    answers = [respond(row.response, score) for score in scores]
    if head.weighting.is_additive:
        return [answer / n for answer in answers] if row.over_n else answers
    nearest_first = answers if head.mask is Mask.PAST else answers[::-1]
    left, weights = mpf(1), [mpf(0)]  # the position itself takes nothing
    for share in nearest_first[1:]:
        weights.append(left * share)
        left *= 1 - share
    return weights if head.mask is Mask.PAST else weights[::-1]


def _feed(feedforward: FeedForward, vector: Residual) -> Residual:
    change = {name: mpf_of(x) for name, x in feedforward.bias.items()}
    for unit in feedforward.units:
        active = max(_form(unit.reads, vector) + mpf_of(unit.bias), mpf(0))
        for name, weight in unit.writes.items():
            change[name] = change.get(name, mpf(0)) + mpf_of(weight) * active
    return change


def settled_run(transformer: Transformer, word: Sequence[str]) -> tuple[list[Residual], int] | None:
    """Return the final residual vectors, and the digits with which they were computed.

    None if twice the digits give other vectors, or the word is not ``computable``.
    """
    rough: list[Residual] | None = None
    for digits in DIGITS if computable(transformer, word) else ():
        with mpmath.workdps(digits):
            stream = run_by_mpmath(transformer, word)
            if rough and all(_near(vector[name], x) for vector, xs in zip(rough, stream, strict=True)
                             for name, x in xs.items()):
                return stream, digits
        rough = stream
    return None


def computable(transformer: Transformer, word: Sequence[str]) -> bool:
    """Return whether mpmath runs the word: no head is hard, and the steps are not too many."""
    return (not any(head.weighting.is_hard for _, _, head in transformer.heads())
            and steps_of(transformer, word) <= MOST_STEPS)


def confirm_by_mpmath(transformer: Transformer, word: Sequence[str], enclosed: Sequence[dict[str, Interval]]) -> bool:
    """Return whether mpmath computes values of the word in these enclosures; False if it does not compute them.

    Values with the fewest digits suffice if they lie in all enclosures; those that do not may have too few digits.

    Raises:
        InternalError: if a value is not in its enclosure.
    """
    if not computable(transformer, word):
        return False
    with mpmath.workdps(DIGITS[0]):
        if _first_outside(run_by_mpmath(transformer, word), enclosed) is None:
            return True
    return values_by_mpmath(transformer, word, enclosed) is not None


def values_by_mpmath(transformer: Transformer, word: Sequence[str],
                     enclosed: Sequence[dict[str, Interval]]) -> list[dict[str, str]] | None:
    """Return the values on a word with 25 digits, if they are in the enclosures; None as for ``settled_run``.

    Raises:
        InternalError: if a value is not in its enclosure.
    """
    if (run := settled_run(transformer, word)) is None:
        return None
    stream, digits = run
    with mpmath.workdps(digits):
        if outside := _first_outside(stream, enclosed):
            name, position = outside
            raise _disagreement(f"{name} at position {position} of the word {' '.join(word)}")
        least = mpf(10) ** (10 - digits)
        return [{name: mpmath.nstr(x if abs(x) > least else mpf(0), 25) for name, x in vector.items()}
                for vector in stream]


def _first_outside(stream: Sequence[Residual], enclosed: Sequence[dict[str, Interval]]) -> tuple[str, int] | None:
    """Return the first direction, and its position, whose value is not in its enclosure."""
    return next(((name, i) for i, (vector, intervals) in enumerate(zip(stream, enclosed, strict=True), start=1)
                 for name, interval in intervals.items() if not _is_in(interval, vector.get(name, mpf(0)))), None)


Measured = tuple[int, Interval, Sequence[Sequence[str]]]
"""A position, the enclosure there, and its words: one, or two whose values have this distance."""


def check_by_mpmath(transformer: Transformer, direction: str, measured: Iterable[Measured]) -> None:
    """Compare enclosures of a direction in order: the first, and more within the budget of steps.

    Raises:
        InternalError: if a value is not in its enclosure.
    """
    left = MEASURED_STEPS
    for position, found, words in measured:
        runs = [run for word in words if left > 0 and (run := settled_run(transformer, word))]
        left -= sum(steps_of(transformer, word) for word in words)
        if len(runs) == len(words):
            with mpmath.workdps(min(digits for _, digits in runs)):
                number, *others = [stream[position - 1].get(direction, mpf(0)) for stream, _ in runs]
                if not _is_in(found, abs(number - others[0]) if others else number):
                    raise _disagreement(f"{direction} at position {position} of {' and '.join(map(' '.join, words))}")


def steps_of(transformer: Transformer, word: Sequence[str]) -> int:
    """Return the number of scores and weights of the word."""
    units = [unit for layer in transformer.layers for unit in layer.feedforward.units]
    weights, n = sum(len(unit.reads) + len(unit.writes) for unit in units), len(word)
    return n * n * sum(1 for _ in transformer.heads()) + n * weights


def _is_in(found: Interval, number: mpf) -> bool:
    return _near(min(max(number, mpf_of(found.lower)), mpf_of(found.upper)), number)


def _disagreement(where: str) -> InternalError:
    return InternalError(f"{where}: Arb encloses a value where mpmath does not find it")


def _near(x: mpf, y: mpf) -> bool:
    return bool(abs(x - y) * 10**AGREEMENT <= 1 + abs(y))
