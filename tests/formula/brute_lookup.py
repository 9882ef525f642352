"""The worst error of a lookup head by going through all cases at all visible positions; shares nothing with proofs."""

from fractions import Fraction

from mpmath import mp, mpf

from constructions.language.positional import positional_truth
from constructions.language.predicates import definition_of
from constructions.language.syntax import Comparison, Count, Formula, Iff, Not, PredicateOnCount
from constructions.network.meanings import Mean, Near, Others, Position, Product, Truth
from constructions.network.transformer import Coefficients, Head, Transformer

DIGITS = 60
RELATIONS = {
    "<=": lambda a, b: a <= b,
    "<": lambda a, b: a < b,
    ">=": lambda a, b: a >= b,
    ">": lambda a, b: a > b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


def case_truth(formula: Formula, counted: Formula, here: bool, total: int, n: int) -> bool:
    """Return the truth of what the tests use: θ(κ), κ R c, what is counted, true, and negations of these."""
    if formula is counted:
        return here
    match formula:
        case Not(operand):
            return not case_truth(operand, counted, here, total, n)
        case Iff(left, right):
            return case_truth(left, counted, here, total, n) == case_truth(right, counted, here, total, n)
        case PredicateOnCount(_, parameters):
            return definition_of(formula).holds(total, n, parameters)
        case Comparison(relation, left, right):
            ends = [sum(k * total for k, _ in term.coefficients) + term.constant for term in (left, right)]
            return bool(RELATIONS[relation](*ends))
    return positional_truth(formula, 1, n)


def number(transformer: Transformer, name: str, j: int, n: int, count: Count, here: bool, others: int) -> Fraction:
    """Return the value of a direction at j; the case decides the mean, and terms with the counted formula."""
    meaning = transformer.directions[name]
    match meaning:
        case Mean():
            return Fraction(others + here, j if count.side == "left" else n + 1 - j)
        case Truth(formula) if formula is count.operand:
            return Fraction(here)
        case Product(value, formula) if formula is count.operand:
            return value.evaluate(i=j, n=n) * here
        case Position(value):
            return value.evaluate(i=j, n=n)
        case Truth(formula):
            return Fraction(positional_truth(formula, j, n))
    raise AssertionError(meaning)


def worst_lookup_errors(transformer: Transformer, head: Head, direction: str, count: Count,
                        max_n: int) -> dict[bool, Fraction]:
    """Return the largest excess over the target (False) and shortfall below it (True), where they are positive."""
    meaning = transformer.directions[direction]
    worst: dict[bool, Fraction] = {}
    for n in range(1, max_n + 1):
        for i in range(1, n + 1):
            for here in (False, True):
                for others in range(i if count.side == "left" else n + 1 - i):
                    match meaning:
                        case Others():
                            target = Fraction(others)
                        case Near(formula, when):
                            if not case_truth(when, count.operand, here, others + here, n):
                                continue
                            target = Fraction(case_truth(formula, count.operand, here, others + here, n))
                    miss = mean_of(transformer, head, direction, count, i, n, here, others) - target
                    for below, error in ((False, miss), (True, -miss)):
                        if error > worst.get(below, Fraction(0)):
                            worst[below] = error
    return worst


def mean_of(transformer: Transformer, head: Head, direction: str, count: Count, i: int, n: int, here: bool,
            others: int) -> Fraction:
    def form(row: Coefficients, j: int) -> Fraction:
        return sum((w * number(transformer, name, j, n, count, here, others) for name, w in row.items()), Fraction(0))

    temperature = head.temperature.evaluate(i=i, n=n)
    query = [form(row, i) / temperature for row in head.queries]
    visible = {"none": range(1, n + 1), "future": range(1, i + 1), "past": range(i, n + 1)}[head.mask.value]
    scores = [sum((q * form(key, j) for q, key in zip(query, head.keys, strict=True)), Fraction(0)) for j in visible]
    top = max(scores)
    with mp.workdps(DIGITS):
        weights = [mp.exp(mpf((score - top).numerator) / (score - top).denominator) for score in scores]
        values = [form(head.values[direction], j) for j in visible]
        total = mp.fsum(weights)
        mean = mp.fsum(w * v.numerator / mpf(v.denominator) for w, v in zip(weights, values, strict=True)) / total
        sign, mantissa, exponent, _ = mean._mpf_
    return (-1) ** sign * Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
