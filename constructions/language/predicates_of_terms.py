"""Predicates of sums of multiples of counts, ``MOD(3,0)(#<[Q_0] - #<[Q_1])``, as formulas about single counts.

Meaning     the rule of the predicate, applied to the value of the sum. The value may be negative; its remainder is the
            one from 0 to m - 1, so that -1 is odd, and MOD(3,2) holds of it.
MOD, ODD, EVEN
            The remainder of a sum is determined by those of its counts: s + c·k leaves r exactly if k leaves some t
            and s leaves r - c·t. So each is a Boolean combination of MOD(m,t)(count), whatever n is; its parts are
            shared, at most m² for each count.
"""

from __future__ import annotations

from math import gcd

from constructions.errors import Unsupported
from constructions.language.predicates import PredicateDefinition
from constructions.language.simplified import conjunction, disjunction_of
from constructions.language.syntax import FALSE, TRUE, Comparison, Count, Formula, PredicateOnCount, Term, difference

MAX_SPLIT = 20_000
"""How many parts a predicate may be split into."""


def predicate_of_term(name: str, parameters: tuple[int, ...], term: Term,
                      definition: PredicateDefinition | None = None) -> Formula:
    """The formula that holds where the value of the term satisfies the predicate.

    ``definition`` is that of a user's predicate; of a built-in one it is None. The parameters are checked already.

    >>> from constructions.language.syntax import Symbol
    >>> a, b = Count("left", Symbol("a")), Count("left", Symbol("b"))
    >>> predicate_of_term("ODD", (), Term(((1, a), (-1, b)), 1))
    parse_formula('EVEN(#<[Q_a]) & EVEN(#<[Q_b]) | ODD(#<[Q_a]) & ODD(#<[Q_b])')

    Raises:
        Unsupported: if the predicate is none of those above, or would be split into too many parts.
    """
    reduced = difference(Comparison("==", term, Term((), 0)))
    match reduced:
        case Term(((1, count),), 0):
            return PredicateOnCount(name, parameters, count, definition)
    remainder = {"ODD": (2, 1), "EVEN": (2, 0), "MOD": parameters}.get(name)
    if definition is not None or remainder is None:
        raise Unsupported(f"{name} of a sum of counts; it is supported of a single count, and MOD, ODD, EVEN of sums")
    modulus, wanted = remainder
    return remainder_is(reduced, modulus, wanted)


def remainder_is(term: Term, modulus: int, wanted: int) -> Formula:
    """The formula that holds where the value of the term leaves the remainder ``wanted`` when divided by ``modulus``.

    Raises:
        Unsupported: if it would have too many parts.
    """
    if not 0 <= wanted < modulus:
        return FALSE
    reduced = difference(Comparison("==", term, Term((), 0)))
    counted = [(number % modulus, count) for number, count in reduced.coefficients if number % modulus]
    if not counted:
        return TRUE if reduced.constant % modulus == wanted else FALSE
    if (len(counted) - 1) * modulus**2 > MAX_SPLIT:
        raise Unsupported(f"the remainder by {modulus} of a sum of counts: it would have more than {MAX_SPLIT} parts")
    first, *others = counted
    if not others:
        return _multiple_leaves(*first, modulus, wanted - reduced.constant)
    leaves = [_multiple_leaves(*first, modulus, remainder - reduced.constant) for remainder in range(modulus)]
    for number, count in others:
        leaves = [_add(leaves, number, count, remainder) for remainder in range(modulus)]
    return leaves[wanted]


def _multiple_leaves(number: int, count: Count, modulus: int, remainder: int) -> Formula:
    """Where ``number`` times the count leaves the remainder: the count leaves one of its own, or there is none."""
    common = gcd(number, modulus)
    if remainder % common:
        return FALSE
    period = modulus // common
    return _leaves(count, period, remainder // common * pow(number // common, -1, period) % period)


def _add(leaves: list[Formula], number: int, count: Count, remainder: int) -> Formula:
    """Where the sum so far and ``number`` times the count leave the remainder; ``leaves`` says it of the sum so far."""
    modulus = len(leaves)
    period = modulus // gcd(number, modulus)
    return disjunction_of(conjunction(leaves[(remainder - number * residue) % modulus], _leaves(count, period, residue))
                          for residue in range(period))


def _leaves(count: Count, modulus: int, remainder: int) -> Formula:
    if modulus == 2:
        return PredicateOnCount("ODD" if remainder else "EVEN", (), count)
    return PredicateOnCount("MOD", (modulus, remainder), count)
