"""Predicates of sums of multiples of counts, ``SQUARE(2*#<[Q_a] - #<[Q_b] + 1)``, as formulas of the core language.

Meaning     the rule of the predicate, applied to the value t of the sum, which may be negative (predicates.py).
Remainders  MOD, ODD, EVEN, and the remainders in users' conditions: remainders.py.
Comparisons FIRST is t = 1, LAST is t = n; users' conditions that only compare and divide: linear_conditions.py.
Others      are looked up. (a) t = g·D + c, where the coefficients of D have no common divisor, so θ(t) is θ'(D), with
            the θ' of affine_predicates.py. (b) D is L + R, the counts to the left and those to the right. Let K be at
            least what one position adds to either, K·q + r = L and K·q' + r' = R with remainders r, r' < K; then D =
            K·(q + q') + (r + r'). So θ'(D) holds exactly if, for the actual s = r + r', θ'(K·Q + s) holds of Q = q +
            q', which is a sum of at most four counts with coefficients 1 and -1 (quotients.py). (c) That is a predicate
            on a count, or on a difference or sum of counts, PredicateOnSum. If D is already such a sum, (b) is skipped.
"""

from collections.abc import Sequence
from math import gcd

from constructions.errors import Unsupported
from constructions.language.affine_predicates import NumericalPredicate
from constructions.language.functions import NUMBER_TESTS
from constructions.language.linear_conditions import LENGTH, find_linear_form
from constructions.language.predicate_definition import PredicateDefinition
from constructions.language.quotients import Summand, greatest_step, quotient
from constructions.language.remainders import MAX_SPLIT, remainder_is
from constructions.language.simplified import conjunction, disjunction_of
from constructions.language.syntax import TRUE, Comparison, Count, Formula, PredicateOnCount, Term, difference

HERE, FROM_HERE = Count("left", TRUE), Count("right", TRUE)


def predicate_of_term(name: str, parameters: tuple[int, ...], term: Term,
                      definition: PredicateDefinition | None = None) -> Formula:
    """Return the formula that holds where the predicate holds of the value of the term.

    ``definition`` belongs to a user's predicate; it is None for a built-in one. The caller has checked the parameters.

    >>> from constructions.language.syntax import Symbol
    >>> a, b = Count("left", Symbol("a")), Count("left", Symbol("b"))
    >>> predicate_of_term("ODD", (), Term(((1, a), (-1, b)), 1))
    parse_formula('EVEN(#<[Q_a]) & EVEN(#<[Q_b]) | ODD(#<[Q_a]) & ODD(#<[Q_b])')
    >>> predicate_of_term("SQUARE", (), Term(((1, a), (1, b)), 0))
    parse_formula('SQUARE(#<[Q_a | Q_b])')

    Raises:
        Unsupported: if it would be split into too many parts. InputError: if a condition becomes too long.
    """
    reduced = difference(Comparison("==", term, Term((), 0)))
    match reduced:
        case Term(((1, count),), 0):
            return PredicateOnCount(name, parameters, count, definition)
    if definition is None and name not in NUMBER_TESTS:
        return _built_in(name, parameters, reduced)
    condition = definition.condition if definition is not None else None
    linear = find_linear_form(condition, reduced) if condition is not None else None
    return linear if linear is not None else _look_up(NumericalPredicate(name, definition), reduced)


def _built_in(name: str, parameters: tuple[int, ...], term: Term) -> Formula:
    match name:
        case "FIRST":
            return Comparison("==", term, Term((), 1))
        case "LAST":
            return Comparison("==", term, LENGTH)
        case "ODD" | "EVEN":
            return remainder_is(term, 2, int(name == "ODD"))
    assert name == "MOD", f"no rule for the built-in predicate {name}"
    return remainder_is(term, *parameters)


def _look_up(theta: NumericalPredicate, term: Term) -> Formula:
    """Apply step (a), after separating what depends on the position and the length only."""
    coefficients = {count: number for number, count in term.coefficients}
    lengths = coefficients.pop(FROM_HERE, 0)  # #>[true] is n + 1 - i
    coefficients[HERE] = coefficients.get(HERE, 0) - lengths
    summands = [(number, count) for count, number in coefficients.items() if number]
    divisor = gcd(*(number for number, _ in summands))
    if summands and all(number < 0 for number, _ in summands):
        divisor = -divisor
    of_multiple = theta.of_multiple(divisor, term.constant + lengths, lengths)
    if not summands:
        return of_multiple.of_position()
    return _look_up_sum(of_multiple, [(number // divisor, count) for number, count in summands])


def _look_up_sum(theta: NumericalPredicate, summands: Sequence[Summand]) -> Formula:
    """Apply steps (b) and (c)."""
    if summands == [(1, HERE)]:
        return theta.of_position()
    sides = [[summand for summand in summands if summand[1].side == side] for side in ("left", "right")]
    sides = [side for side in sides if side]
    if all(_adds_one_at_most(side) for side in sides):
        return _apply(theta, summands)
    divisor = max(greatest_step(side) for side in sides)
    if divisor**2 * sum(len(side) for side in sides) > MAX_SPLIT:
        raise Unsupported(f"{theta.name} of a sum to which one position may add {divisor}: it would have more than "
                          f"{MAX_SPLIT} parts")
    quotients = [summand for side in sides for summand in quotient(side, divisor).summands()]
    return disjunction_of(conjunction(_remainders_sum_to(sides, divisor, remainder),
                                      _apply(theta.of_multiple(divisor, remainder), quotients))
                          for remainder in range(len(sides) * (divisor - 1) + 1))


def _adds_one_at_most(summands: Sequence[Summand]) -> bool:
    """Return whether each position adds -1, 0 or 1 to the sum, whatever holds there."""
    positive, negative = ([number for number, _ in summands if number * sign > 0] for sign in (1, -1))
    return sum(positive) <= 1 and sum(negative) >= -1


def _remainders_sum_to(sides: Sequence[Sequence[Summand]], divisor: int, wanted: int) -> Formula:
    """Return the formula that holds where the remainders of the sides' sums add up to ``wanted``."""
    if len(sides) == 1:
        return remainder_is(Term(tuple(sides[0]), 0), divisor, wanted)
    left, right = (Term(tuple(side), 0) for side in sides)
    return disjunction_of(conjunction(remainder_is(left, divisor, one), remainder_is(right, divisor, wanted - one))
                          for one in range(divisor))


def _apply(theta: NumericalPredicate, summands: Sequence[Summand]) -> Formula:
    """Return the predicate on a sum of counts with coefficients 1 and -1; negate it if all are -1."""
    if summands and all(number < 0 for number, _ in summands):
        return _apply(theta.of_multiple(-1, 0), [(-number, count) for number, count in summands])
    match summands:
        case []:
            return theta.of_multiple(0, 0).of_position()
        case [(1, count)]:
            return theta.of_count(count)
    return theta.of_sum(Term(tuple(summands), 0))
