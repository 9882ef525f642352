"""The remainder of a sum of multiples of counts, as a formula about remainders of single counts.

The remainder of a sum is determined by the remainders of its counts: s + c·k has remainder r exactly if, for some t, k
has remainder t and s has remainder r - c·t. So the condition is a Boolean combination of MOD(m,t)(count) for every n,
with at most m² shared parts for each count. Remainders are from 0 to m - 1, also of negative sums.
"""

from collections.abc import Mapping
from math import gcd

from constructions.errors import Unsupported
from constructions.language import syntax
from constructions.language.semantics import RELATIONS
from constructions.language.simplified import conjunction, disjunction_of, negation

MIRRORED: Mapping[syntax.Relation, syntax.Relation] = {
    "<=": ">=", "<": ">", ">=": "<=", ">": "<", "==": "==", "!=": "!="}
"""The relation with its sides exchanged."""
MAX_SPLIT = 20_000
"""Greatest number of parts that a predicate may be split into."""


def compare_remainder(term: syntax.Term, modulus: int, relation: syntax.Relation, number: int) -> syntax.Formula:
    """Return the formula that holds where the remainder of the term is in this relation to the number.

    Raises:
        Unsupported: if it would have too many parts.
    """
    if relation in ("==", "!="):
        found = remainder_is(term, modulus, number)
        return found if relation == "==" else negation(found)
    if modulus > MAX_SPLIT:
        raise Unsupported(f"the order of remainders by {modulus}: it would have more than {MAX_SPLIT} parts")
    return disjunction_of(remainder_is(term, modulus, one) for one in range(modulus)
                          if RELATIONS[relation](one, number))


def remainder_is(term: syntax.Term, modulus: int, wanted: int) -> syntax.Formula:
    """Return the formula that holds where the term has remainder ``wanted`` modulo ``modulus``.

    Raises:
        Unsupported: if it would have too many parts.
    """
    if not 0 <= wanted < modulus:
        return syntax.FALSE
    reduced = syntax.difference(syntax.Comparison("==", term, syntax.Term((), 0)))
    counted = [(number % modulus, count) for number, count in reduced.coefficients if number % modulus]
    if not counted:
        return syntax.TRUE if reduced.constant % modulus == wanted else syntax.FALSE
    if (len(counted) - 1) * modulus**2 > MAX_SPLIT:
        raise Unsupported(f"the remainder by {modulus} of a sum of counts: it would have more than {MAX_SPLIT} parts")
    first, *others = counted
    if not others:
        return _multiple_leaves(*first, modulus, wanted - reduced.constant)
    leaves = [_multiple_leaves(*first, modulus, remainder - reduced.constant) for remainder in range(modulus)]
    for number, count in others:
        leaves = [_add(leaves, number, count, remainder) for remainder in range(modulus)]
    return leaves[wanted]


def _multiple_leaves(number: int, count: syntax.Count, modulus: int, remainder: int) -> syntax.Formula:
    """Return where ``number`` times the count has the remainder: a remainder of the count, or nowhere."""
    common = gcd(number, modulus)
    if remainder % common:
        return syntax.FALSE
    period = modulus // common
    return _leaves(count, period, remainder // common * pow(number // common, -1, period) % period)


def _add(leaves: list[syntax.Formula], number: int, count: syntax.Count, remainder: int) -> syntax.Formula:
    """Return where the sum so far plus ``number`` times the count has the remainder; ``leaves`` is of the former."""
    modulus = len(leaves)
    period = modulus // gcd(number, modulus)
    return disjunction_of(conjunction(leaves[(remainder - number * residue) % modulus], _leaves(count, period, residue))
                          for residue in range(period))


def _leaves(count: syntax.Count, modulus: int, remainder: int) -> syntax.Formula:
    if modulus == 2:
        return syntax.PredicateOnCount("ODD" if remainder else "EVEN", (), count)
    return syntax.PredicateOnCount("MOD", (modulus, remainder), count)
