"""Translation of C-RASP programs to formulas with counts: one formula for each Boolean definition.

Source      Yang and Chiang (2024); [SHA] Definition 19. docs/reference/crasp.md, "As a formula".
Claim       On every word and at every position, the formula of a definition holds iff the interpreter's value is true.
Numbers     A number is one of several linear forms of counts, each with the formula that says when it is the value.
            Exactly one of these formulas holds. ``min``, ``max``, if-else and counts with a guard make the cases; sums
            combine them, and equal forms are merged. A comparison holds iff it holds between the two forms of some
            case; a product is linear in each case, or refused.
Guards      ``#[pred4] b`` counts the position four to the left, if b holds there: 1 where ``prev prev prev prev b``.
Limits      64 cases of a number; 200,000 summands in all; coefficients of at most 1,000 digits.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import reduce

from constructions.crasp import syntax
from constructions.crasp.predicates import UNARY, distance_of
from constructions.errors import NoFormula
from constructions.language import syntax as language
from constructions.language.semantics import RELATIONS
from constructions.language.simplified import conjunction, disjunction, disjunction_of, negation, previous
from constructions.language.syntax import FALSE, TRUE, Formula, Relation, Symbol, Term
from constructions.language.terms import MAX_DIGITS
from constructions.rasp.syntax import Type

MAX_CASES = 64
MAX_SUMMANDS = 200_000
_TOO_LARGE = 10**MAX_DIGITS

Cases = Mapping[Term, Formula]
"""Linear forms, each with the formula that says when it is the value; exactly one holds, and none is false."""


def counting_program_to_formulas(program: syntax.CountingProgram) -> dict[str, Formula]:
    """Return the formulas of the Boolean definitions, in their order.

    >>> from constructions.crasp.parser import parse_counting_program
    >>> counting_program_to_formulas(parse_counting_program('more = (# "a") > (# "b")'))
    {'more': parse_formula('#<[Q_a] > #<[Q_b]')}

    Raises:
        NoFormula: if two counts are multiplied, or a limit is exceeded.
    """
    translation = _CraspTranslation()
    for definition in program.definitions:
        if definition.type is Type.BOOLEAN:
            translation.truths[definition.name] = translation.truth(definition.body)
        else:
            translation.numbers[definition.name] = translation.number(definition.body)
    return translation.truths


@dataclass
class _CraspTranslation:
    """The definitions so far, and the places of counts in linear forms, in the order of mention."""

    truths: dict[str, Formula] = field(default_factory=dict)
    numbers: dict[str, Cases] = field(default_factory=dict)
    places: dict[language.Count, int] = field(default_factory=dict)
    summands: int = 0

    # -- truth values --------------------------------------------------------------------------------------------------

    def truth(self, expression: syntax.RaspExpression) -> Formula:
        """Return the formula that holds where a Boolean expression is true."""
        match expression:
            case syntax.TruthValue(value):
                return TRUE if value else FALSE
            case syntax.SymbolTest(symbol):
                return Symbol(symbol)
            case syntax.Name(name):
                return self.truths[name] if name in self.truths else UNARY[name]
            case syntax.Not(operand):
                return negation(self.truth(operand))
            case syntax.Connective(connector, left, right):
                join = conjunction if connector == "&&" else disjunction
                return join(self.truth(left), self.truth(right))
            case syntax.ComparisonTerm(relation, left, right):
                return self._compared(relation, self.number(left), self.number(right), expression.place)
        raise TypeError(f"not a truth value: {type(expression).__name__}")

    def _compared(self, relation: Relation, left: Cases, right: Cases, place: int) -> Formula:
        return disjunction_of(
            conjunction(conjunction(here, there), self._stands(relation, first, second, place))
            for first, here in left.items() for second, there in right.items()
        )  # fmt: skip

    def _stands(self, relation: Relation, first: Term, second: Term, place: int) -> Formula:
        """Return the formula that compares the forms; subtracted summands move to the other side."""
        form = self._combined(first, second, -1, place)
        if not form.coefficients:
            return TRUE if RELATIONS[relation](form.constant, 0) else FALSE
        left = tuple((number, count) for number, count in form.coefficients if number > 0)
        right = tuple((-number, count) for number, count in form.coefficients if number < 0)
        return language.Comparison(relation, Term(left, max(form.constant, 0)), Term(right, max(-form.constant, 0)))

    # -- numbers -------------------------------------------------------------------------------------------------------

    def number(self, expression: syntax.RaspExpression) -> Cases:
        """Return the linear forms of a number, each with the formula that says when it is the value."""
        cases = self._number(expression)
        if len(cases) > MAX_CASES:
            raise NoFormula(f"a number with {len(cases)} cases, expected at most {MAX_CASES}", expression.place)
        return cases

    def _number(self, expression: syntax.RaspExpression) -> Cases:
        place = expression.place
        match expression:
            case syntax.Integer(value):
                return {Term((), value): TRUE}
            case syntax.Name(name):
                return self.numbers[name]
            case syntax.CountTerm(guard, operand):
                return self._counted(guard, self.truth(operand))
            case syntax.Negative(operand):
                return {self._scaled(-1, form, place): when for form, when in self.number(operand).items()}
            case syntax.SumTerm(sign, left, right):
                factor = 1 if sign == "+" else -1
                return self._joined(left, right, lambda a, b: {self._combined(a, b, factor, place): TRUE}, place)
            case syntax.ProductTerm(left, right):
                return self._joined(left, right, lambda a, b: {self._multiplied(a, b, place): TRUE}, place)
            case syntax.Extreme(choice, left, right):
                relation: Relation = "<=" if choice == "min" else ">="
                return self._joined(left, right, lambda a, b: self._chosen(relation, a, b, place), place)
            case syntax.Conditional(condition, chosen, otherwise):
                holds = self.truth(condition)
                return _united([(holds, self.number(chosen)), (negation(holds), self.number(otherwise))])
        raise TypeError(f"not a number: {type(expression).__name__}")

    def _counted(self, guard: str | None, operand: Formula) -> Cases:
        if guard is not None:
            there = reduce(lambda formula, _: previous(formula), range(distance_of(guard) or 0), operand)
            return _united([(there, {Term((), 1): TRUE}), (negation(there), {Term((), 0): TRUE})])
        if operand is FALSE:
            return {Term((), 0): TRUE}
        count = language.Count("left", operand)
        self.places.setdefault(count, len(self.places))
        return {Term(((1, count),), 0): TRUE}

    def _joined(self, left: syntax.RaspExpression, right: syntax.RaspExpression, join: Callable[[Term, Term], Cases],
                place: int) -> Cases:
        first, second = self.number(left), self.number(right)
        if len(first) * len(second) > MAX_CASES**2:
            raise NoFormula(f"numbers with {len(first)} and {len(second)} cases, expected fewer", place)
        return _united([(conjunction(here, there), join(one, other))
                        for one, here in first.items() for other, there in second.items()])

    def _chosen(self, relation: Relation, first: Term, second: Term, place: int) -> Cases:
        """Return the first form where the relation holds between the forms, else the second."""
        condition = self._stands(relation, first, second, place)
        return _united([(condition, {first: TRUE}), (negation(condition), {second: TRUE})])

    def _multiplied(self, first: Term, second: Term, place: int) -> Term:
        if first.coefficients and second.coefficients:
            raise NoFormula("a product of two counts, expected at most one of them to depend on counts", place)
        return (self._scaled(first.constant, second, place) if second.coefficients
                else self._scaled(second.constant, first, place))

    def _scaled(self, factor: int, form: Term, place: int) -> Term:
        return self._combined(Term((), 0), form, factor, place)

    def _combined(self, first: Term, second: Term, factor: int, place: int) -> Term:
        """Return the first form plus a multiple of the second, each count once, in the order of mention."""
        coefficients = {count: number for number, count in first.coefficients}
        for number, count in second.coefficients:
            coefficients[count] = coefficients.get(count, 0) + factor * number
        constant = first.constant + factor * second.constant
        self.summands += 1 + len(coefficients)
        if self.summands > MAX_SUMMANDS:
            raise NoFormula(f"more than {MAX_SUMMANDS} summands in linear forms, expected a smaller program", place)
        if max(map(abs, (constant, *coefficients.values()))) >= _TOO_LARGE:
            raise NoFormula(f"a coefficient of more than {MAX_DIGITS} digits, expected smaller ones", place)
        kept = sorted((self.places[count], count) for count, number in coefficients.items() if number)
        return Term(tuple((coefficients[count], count) for _, count in kept), constant)


def _united(branches: list[tuple[Formula, Cases]]) -> Cases:
    """Return the cases of the branch whose condition holds; exactly one condition holds."""
    united: dict[Term, Formula] = {}
    for condition, cases in branches:
        for form, when in cases.items():
            united[form] = disjunction(united.get(form, FALSE), conjunction(condition, when))
    return {form: when for form, when in united.items() if when is not FALSE}
