"""Products of elements of a solvable group, one for each position, as formulas that count modulo numbers.

Claim       Let events be formulas, at most one of them true at each position, each for an element of a solvable group.
            ``products`` returns for each element a formula that is true where the product of the elements so far,
            including this position, is that element.
Proof       By induction on the order. Let N be the kernel of a cyclic quotient of order m, h an element with exponent
            1: each element is one n·h^c with n in N, 0 <= c < m. The exponent c of the product is the sum of the
            exponents so far, modulo m: a sum of counts. If n·h^c is multiplied by x and its exponent becomes d, then
            n·h^c·x = n·(h^c·x·h^-d)·h^d, where the factor in brackets is in N. So n is a product in N of elements
            determined by x and the exponent one position before: the induction hypothesis gives it. (This is the
            embedding of a group into a wreath product, by Krasner and Kaloujnine.)
"""

from collections.abc import Callable, Mapping

from constructions.language.simplified import conjunction, disjunction, disjunction_of, negation, previous
from constructions.language.syntax import FALSE, TRUE, Count, Formula, Predicate, PredicateOnCount
from constructions.regular.permutations import Group, Permutation, cyclic_quotient, inverse, power, then

Events = Mapping[Permutation, Formula]


def products(group: Group, events: Events, tidy: Callable[[Formula], Formula]) -> dict[Permutation, Formula]:
    """Return, for each possible product, the formula that it is the product so far; no event is the identity.

    ``tidy`` is applied to each counted formula first.
    """
    degree = len(next(iter(group)))
    if not events:
        return {tuple(range(degree)): TRUE}
    quotient = cyclic_quotient(group)
    added: dict[int, Formula] = {}
    for element, event in events.items():
        exponent = quotient.exponents[element]
        added[exponent] = disjunction(added.get(exponent, FALSE), event)
    now = sum_modulo(quotient.modulus, {exponent: tidy(formula) for exponent, formula in added.items()})
    powers = [power(quotient.generator, times) for times in range(quotient.modulus)]
    inner: dict[Permutation, Formula] = {}
    for exponent, formula in enumerate(now):
        for element, event in events.items():
            after = (exponent + quotient.exponents[element]) % quotient.modulus
            factor = then(then(powers[exponent], element), inverse(powers[after]))
            if factor != tuple(range(degree)):
                both = conjunction(_exponent_before(exponent, formula), event)
                inner[factor] = disjunction(inner.get(factor, FALSE), both)
    in_kernel = products(quotient.kernel, inner, tidy)
    return {then(element, powers[exponent]): conjunction(formula, inside)
            for element, inside in in_kernel.items() for exponent, formula in enumerate(now)}


def moduli(group: Group) -> tuple[int, ...]:
    """Return the moduli that ``products`` counts by: orders of cyclic quotients; their product is the group's."""
    found: tuple[int, ...] = ()
    while len(group) > 1:
        quotient = cyclic_quotient(group)
        found, group = (*found, quotient.modulus), quotient.kernel
    return found


def _exponent_before(exponent: int, formula: Formula) -> Formula:
    """Return the formula of an exponent one position before; before the first letter the exponent is 0."""
    return negation(before(negation(formula))) if exponent == 0 else before(formula)


def before(formula: Formula) -> Formula:
    """Return ``prev`` of the formula, false at the first position."""
    return negation(Predicate("FIRST")) if formula is TRUE else previous(formula)


def sum_modulo(modulus: int, added: Mapping[int, Formula]) -> list[Formula]:
    """Return the formulas that the sum so far is 0, 1, … modulo ``modulus``; a number is added where its formula holds.

    >>> from constructions.language.syntax import Symbol
    >>> sum_modulo(2, {1: Symbol("a"), 0: Symbol("b")})
    [parse_formula('!ODD(#<[Q_a])'), parse_formula('ODD(#<[Q_a])')]
    """
    found: list[Formula] = [TRUE, *[FALSE] * (modulus - 1)]
    for number, formula in added.items():
        if number:
            counted = [_count_is(modulus, remainder, formula) for remainder in range(modulus)]
            found = [disjunction_of(conjunction(found[(total - number * times) % modulus], counted[times])
                                    for times in range(modulus)) for total in range(modulus)]
    return found


def _count_is(modulus: int, remainder: int, formula: Formula) -> Formula:
    """Return the formula that the number of positions so far with ``formula`` has this remainder modulo ``modulus``."""
    if modulus == 2:
        odd = Predicate("ODD") if formula is TRUE else PredicateOnCount("ODD", (), Count("left", formula))
        return odd if remainder else negation(odd)
    parameters = (modulus, remainder)
    return (Predicate("MOD", parameters) if formula is TRUE else
            PredicateOnCount("MOD", parameters, Count("left", formula)))
