"""Checks that the position functions and temperatures of a transformer are defined for all lengths of a claim."""

from fractions import Fraction

from constructions.errors import InputError
from constructions.language.brackets import PositionFunction
from constructions.language.expressions import Expression
from constructions.language.syntax import Predicate, PredicateOnCount, PredicateOnSum, Term, subformulas_of_all
from constructions.network.lengths import Lengths
from constructions.network.meanings import formulas_of
from constructions.network.transformer import Transformer


def shortened(value: Fraction) -> str:
    """Return the number as text if it is short, else only its sign: Python refuses to print very long numbers.

    >>> shortened(Fraction(-1, 3)), shortened(Fraction(-(10**5000)))
    ('-1/3', 'a negative number')
    """
    if value.numerator.bit_length() + value.denominator.bit_length() <= 200:
        return str(value)
    return "a negative number" if value < 0 else "a positive number"


def not_positive(expression: Expression, i: int, n: int) -> str | None:
    """Return a description of an expression not certainly positive at (n, i); None if it is positive.

    >>> from constructions.language.expressions import parse_expression
    >>> [not_positive(parse_expression(text), 1, 2) for text in ("i-n", "ln(4)-2*ln(2)", "ln(n)")]
    ['is -1', 'may not be positive (the enclosures of ln and sqrt are too wide to tell)', None]

    Raises:
        InputError: if there is no value.
    """
    value, (lower, upper) = expression.evaluate(i=i, n=n), expression.enclose(i=i, n=n)
    if lower > 0 and value > 0:
        return None
    if upper > 0:
        return "may not be positive (the enclosures of ln and sqrt are too wide to tell)"
    return f"is {shortened(lower)}" if lower == upper else "is negative"


def _check_predicates(transformer: Transformer, lengths: Lengths) -> None:
    """Evaluate every predicate on its possible arguments: positions from 1 to n, counts from 0 to n, sums."""
    formulas = (formula for meaning in transformer.directions.values() for formula in formulas_of(meaning))
    for part in subformulas_of_all(formulas):
        if isinstance(part, Predicate | PredicateOnCount) and part.definition is not None:
            for n in lengths:
                new = 0 if part.definition.depends_on_n or n == lengths.first else n
                for k in range(max(new, isinstance(part, Predicate)), n + 1):
                    part.definition.holds(k, n, part.parameters)
        if isinstance(part, PredicateOnSum) and part.definition is not None:
            for n in lengths if part.definition.depends_on_n else [lengths.last]:
                for k in _numbers_of(part.term, n):
                    part.definition.holds(k, n, part.parameters)


def _numbers_of(term: Term, n: int) -> range:
    """Return all integers that the sum may be at a position of a word of length n."""
    ends = [[sorted((0, number * (i if count.side == "left" else n + 1 - i))) for number, count in term.coefficients]
            for i in (1, n)]
    return range(min(sum(low for low, _ in row) for row in ends), max(sum(high for _, high in row) for row in ends) + 1)


def _is_defined_in_columns(transformer: Transformer, lengths: Lengths) -> bool:
    """Return whether all rational embeddings and temperatures have values, and temperatures are positive."""
    temperatures = {head.temperature for _, _, head in transformer.heads()}
    try:
        for embedding in filter(_is_rational, {*transformer.position_embedding.values()}):
            for n in lengths if embedding.mentions_n else [lengths.last]:
                embedding.check_defined(range(1, n + 1), n)
        return all(value.numerator > 0 for temperature in filter(_is_rational, temperatures)
                   for n in (lengths if temperature.mentions_n else [lengths.last])
                   for value in temperature.column(range(1, n + 1 if temperature.mentions_i else 2), n))
    except InputError:
        return False


def _is_rational(function: PositionFunction) -> bool:
    return not function.may_be_irrational


def check_defined(transformer: Transformer, lengths: Lengths) -> None:
    """Check every (n, i) with n one of the lengths, and predicates at every count up to n.

    Raises:
        InputError: naming the first embedding, predicate or temperature that divides by zero, or a temperature that
            is not positive, with i and n.
    """
    _check_predicates(transformer, lengths)
    are_defined = _is_defined_in_columns(transformer, lengths)
    temperatures = {head.temperature: f"layer {layer}, head {place}" for layer, place, head in transformer.heads()}
    embeddings = {*transformer.position_embedding.values()}
    if are_defined and all(map(_is_rational, (*embeddings, *temperatures))):
        return
    for n, i in lengths.rows():
        for embedding in embeddings:
            if not are_defined or _is_new(embedding, i, n, lengths):
                embedding.evaluate(i=i, n=n)
                embedding.enclose(i=i, n=n)
        for temperature, where in temperatures.items():
            if ((not are_defined or _is_new(temperature, i, n, lengths))
                    and (found := not_positive(temperature, i, n)) is not None):
                raise InputError(f"{where}: the temperature {temperature} {found} at i = {i}, n = {n}, "
                                 "expected a positive number")


def _is_new(function: PositionFunction, i: int, n: int, lengths: Lengths) -> bool:
    """Return whether an irrational function has not had this value at an earlier row."""
    return function.may_be_irrational and ((i == 1 or "i" in function.variables)
                                           and (n in (lengths.first, i) or "n" in function.variables))
