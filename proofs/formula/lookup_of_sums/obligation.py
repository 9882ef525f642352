"""The obligation of a head that looks up a sum of counts; it reads the counts by their approximations only.

Source      docs/background/obligations.md, section 5, lookup of a sum.
Setting     D = Σ c_k κ_k is the sum in the meaning. The queries read one form H of the others directions of the κ_k and
            of truths of the counted formulas, and known numbers. A *case* is the truths at the position and a value of
            D. In a case H is within E, the sum of the proved errors, of an integer p. The scores are -c (j - H)². That
            the value at p is the target is checked here, case by case. It remains to bound the weights of the other
            positions, by the least c and E.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import ClassVar, TypeVar

from constructions.language import syntax
from constructions.language.positional import connective, find_subformula_with_length, positional_truth
from constructions.language.predicates import definition_of
from constructions.language.printer import format_formula
from constructions.language.semantics import RELATIONS, counted_length
from constructions.network.lengths import Lengths
from constructions.network.meanings import Near, Others, Truth
from constructions.network.transformer import Coefficients, Head, Transformer
from proofs.formula.common.kinds import Approximation, ObligationKind
from proofs.formula.common.word_independent import KnownValues
from proofs.formula.common.written_direction import Bounds, WrittenDirection
from proofs.formula.failures import NotDerived
from proofs.formula.lookup.obligation import check_reads_known
from proofs.formula.uniform.obligation import check_sums_to_one

ZERO, ONE = Fraction(0), Fraction(1)
Key = TypeVar("Key")
Sum = Mapping[syntax.Count, Fraction]
Truths = Mapping[syntax.Formula, bool]


@dataclass(frozen=True)
class LeastCurvature:
    """The least curvature over the temperature, at the row (n, i)."""

    curvature: Fraction
    n: int
    i: int


@dataclass(frozen=True)
class LookupOfSumObligation(Approximation):
    """The others have a share of at most ``allowed_error``, with weights exp(-c (k² - 2 |k| error)) at distance k.

    The target position has weight 1; c is the least curvature. If ``least`` is None, all values are the target, and
    weights do not matter.
    """

    kind: ClassVar[ObligationKind] = ObligationKind.LOOKUP
    meaning: Near
    allowed_error: Fraction
    least: LeastCurvature | None
    error: Fraction

    def key(self) -> tuple[Hashable, ...]:
        """Return a key by which equal obligations are discharged once."""
        return "sum", self.head.weighting, self.allowed_error, self.lengths, self.least, self.error

    @property
    def aim(self) -> str:
        """The approximated truth, in words."""
        return format_formula(self.meaning.formula)


@dataclass(frozen=True)
class _Vertex:
    """The vertex p = sign * D + (sum of more[φ] over the φ that hold at the position)."""

    sign: int
    more: Mapping[syntax.Formula, int]
    curvature: Fraction
    error: Fraction

    def place(self, value: int, here: Truths) -> int:
        return self.sign * value + sum(number for formula, number in self.more.items() if here[formula])


def looks_up_sum(transformer: Transformer, head: Head) -> bool:
    """Return whether the rules of lookups of sums apply: queries read others directions."""
    return any(isinstance(transformer.directions[name], Others) for row in head.queries for name in row)


def oblige_lookup_of_sum(written: WrittenDirection) -> LookupOfSumObligation:
    """Return the obligation of one direction that means ``near θ(D) when G``.

    Raises:
        NotDerived: if the rules do not cover the head, or a value is not the target.
    """
    transformer, known, head, direction = written.transformer, written.known, written.head, written.direction
    meaning = written.meaning
    if not isinstance(meaning, Near):
        raise NotDerived(f"a head that looks up a sum of counts makes a truth, and this direction is {meaning}")
    check_sums_to_one(head)
    check_reads_known(transformer, known, head, direction)
    derivation = _LookupDerivation(transformer, known, head, direction, meaning, written.bounds)
    least, error = derivation.check(written.lengths)
    return LookupOfSumObligation(written.layer, written.place, head, direction, written.lengths, meaning,
                                 written.allowed_error, least, error)


class _LookupDerivation:
    """All data that the error of one direction that a head writes depends on."""

    def __init__(self, transformer: Transformer, known: KnownValues, head: Head, direction: str, meaning: Near,
                 bounds: Bounds) -> None:
        self._directions, self._known, self._head, self._meaning = transformer.directions, known, head, meaning
        self._bounds = bounds
        self._value = head.values[direction]
        self._sum = _find_sum(meaning)
        self._counted = list(dict.fromkeys(count.operand for count in self._sum))
        self._vertices: dict[tuple[Fraction, ...], _Vertex] = {}
        self._targets: dict[tuple[object, ...], bool | None] = {}
        self._by_length = any(find_subformula_with_length(part) is not None for part in (meaning.formula, meaning.when))

    def check(self, lengths: Lengths) -> tuple[LeastCurvature | None, Fraction]:
        """Return the least curvature (None if weights do not matter) and the greatest error of H, after all checks.

        Raises:
            NotDerived: if a value is not the target, or scores are not a parabola with a vertex.
        """
        least, error = None, ZERO
        for n in lengths:
            values = self._known.forms(self._value, n)
            if not all(ZERO <= value <= ONE for value in values):
                raise NotDerived(f"a value lies outside [0, 1] at n = {n}")
            vertex = self._vertex(n) if len(set(values)) > 1 else None
            for i in range(1, n + 1):
                self._check_row(n, i, values, vertex)
            if vertex is not None:
                found = self._least_curvature(n, vertex.curvature)
                least = found if least is None or found.curvature < least.curvature else least
                error = max(error, vertex.error)
        return least, error

    def _least_curvature(self, n: int, curvature: Fraction) -> LeastCurvature:
        temperature = self._head.temperature
        temperatures = temperature.column(range(1, n + 1 if temperature.mentions_i else 2), n)
        if (lowest := min(temperatures)) <= 0:
            raise NotDerived(f"the temperature is not positive at i = {temperatures.index(lowest) + 1}, n = {n}")
        return LeastCurvature(curvature / max(temperatures), n, temperatures.index(max(temperatures)) + 1)

    # -- the scores ----------------------------------------------------------------------------------------------------

    def _vertex(self, n: int) -> _Vertex:
        """Return the vertex of the scores of words of length n >= 2.

        Raises:
            NotDerived: if they are not a parabola near an integer that D and the truths at the position decide.
        """
        rest = [{name: weight for name, weight in row.items() if name not in self._known} for row in self._head.queries]
        form = next(row for row in rest if row)
        times = [_ratio(row, form) for row in rest]
        linear, square = [ZERO] * n, [ZERO] * n
        for row, key, factor in zip(self._head.queries, self._head.keys, times, strict=True):
            numbers = set(self._known.forms(row, n))
            if len(numbers) > 1:
                raise NotDerived(f"what a query knows differs from position to position at n = {n}")
            (number,), column = numbers, self._known.forms(key, n)
            linear = [before + factor * x for before, x in zip(linear, column, strict=True)]
            square = [before + number * x for before, x in zip(square, column, strict=True)]
        step, curvature = linear[1] - linear[0], (square[0] - square[1]) / 3
        if curvature <= 0 or any(linear[j] - linear[0] != step * j or square[0] - square[j] != curvature * j * (j + 2)
                                 for j in range(n)):
            raise NotDerived(f"the scores are not a parabola around the sum of counts at n = {n}")
        factor = step / (2 * curvature)
        if (factor, curvature) not in self._vertices:
            self._vertices[factor, curvature] = self._place({name: factor * form[name] for name in form}, curvature)
        return self._vertices[factor, curvature]

    def _place(self, sought: Coefficients, curvature: Fraction) -> _Vertex:
        """Return the vertex: the integer that the form is near, by D and truths."""
        others: dict[syntax.Count, Fraction] = {}
        more = dict.fromkeys(self._counted, ZERO)
        error = ZERO
        for name, weight in sought.items():
            match self._directions[name]:
                case Others(count) if name in self._bounds:
                    ends = self._bounds[name]
                    error += abs(weight) * max(-ends.lower, ends.upper)
                    others[count] = others.get(count, ZERO) + weight
                case Truth(formula) if formula in more:
                    more[formula] += weight
                case meaning:
                    raise NotDerived(f"a query reads {name}, {meaning}, which is not part of the sum of counts")
        sign = _ratio(others, self._sum)
        for count, weight in others.items():
            more[count.operand] -= weight
        if abs(sign) != 1 or any(weight.denominator != 1 for weight in more.values()):
            raise NotDerived("the queries are not near the sum of counts, nor near its negative")
        if 2 * error >= 1:
            raise NotDerived(f"the errors of the counts sum to {error}, expected less than 1/2")
        return _Vertex(int(sign), {formula: int(weight) for formula, weight in more.items()}, curvature, error)

    # -- the rows ------------------------------------------------------------------------------------------------------

    def _check_row(self, n: int, i: int, values: Sequence[Fraction], vertex: _Vertex | None) -> None:
        """Check that the value at p is the target in every case; without a vertex, that all values are.

        Raises:
            NotDerived: if one is not, or p is not visible.
        """
        visible = self._head.mask.visible(i, n)
        for here in self._truths_here(n, i):
            least, most = self._range(n, i, here)
            for value in range(least, most + 1):
                target = self._target(n, i, here, value)
                if target is None:
                    continue
                p = visible[0] if vertex is None else vertex.place(value, here)
                if p not in visible:
                    raise NotDerived(f"position {p} is looked for where the counts sum to {value}, and is not visible "
                                     f"at i = {i}, n = {n}")
                if values[p - 1] != target:
                    raise NotDerived(f"the value at position {p} is {values[p - 1]}, expected {int(target)} where the "
                                     f"counts sum to {value}, at i = {i}, n = {n}")

    def _truths_here(self, n: int, i: int) -> Iterator[dict[syntax.Formula, bool]]:
        free = [[positional_truth(formula, i, n)] if syntax.is_positional(formula) else [False, True]
                for formula in self._counted]
        for truths in product(*free):
            yield dict(zip(self._counted, truths, strict=True))

    def _range(self, n: int, i: int, here: Truths) -> tuple[int, int]:
        """Return the least and the greatest value of D."""
        ends = [sorted(int(number) * (here[count.operand] + others) for others in (0, counted_length(count, i, n) - 1))
                for count, number in self._sum.items()]
        return sum(low for low, _ in ends), sum(high for _, high in ends)

    def _target(self, n: int, i: int, here: Truths, value: int) -> bool | None:
        """Return the truth to be written; None where the guard does not hold."""
        positional = any(syntax.is_positional(part) for part in syntax.subformulas(self._meaning.when))
        key = (value, n if self._by_length else 0, i if positional else 0, *here.values())
        if key not in self._targets:
            holds = self._truth(self._meaning.when, n, i, here, value)
            self._targets[key] = self._truth(self._meaning.formula, n, i, here, value) if holds else None
        return self._targets[key]

    def _truth(self, formula: syntax.Formula, n: int, i: int, here: Truths, value: int) -> bool:
        """Return the truth of a formula in a case.

        Raises:
            NotDerived: if the case does not decide it.
        """
        if formula in here:
            return here[formula]
        if syntax.is_positional(formula):
            return positional_truth(formula, i, n)
        match formula:
            case syntax.PredicateOnSum(parameters=parameters, term=term):
                number = _ratio(_coefficients(term), self._sum) * value
                if number.denominator == 1:
                    return definition_of(formula).holds(int(number), n, parameters)
            case syntax.Comparison(relation):
                term = syntax.difference(formula)
                number = _ratio(_coefficients(term), self._sum) * value + term.constant
                return RELATIONS[relation]((number > 0) - (number < 0), 0)
        parts = () if syntax.counts_of(formula) else syntax.operands(formula)
        truth = connective(formula, tuple(self._truth(part, n, i, here, value) for part in parts))
        if truth is None:
            raise NotDerived(f"{format_formula(formula)} is not decided by the sum of counts")
        return truth


def _find_sum(meaning: Near) -> Sum:
    """Return the sum that a predicate of the meaning is applied to.

    Raises:
        NotDerived: if the meaning has no predicate on a sum.
    """
    for part in (*syntax.subformulas(meaning.formula)[::-1], *syntax.subformulas(meaning.when)):
        if isinstance(part, syntax.PredicateOnSum):
            return _coefficients(part.term)
    raise NotDerived("a head reads counts, and its meaning has no predicate on a sum of counts")


def _coefficients(term: syntax.Term) -> Sum:
    return {count: Fraction(number) for number, count in term.coefficients}


def _ratio(one: Mapping[Key, Fraction], other: Mapping[Key, Fraction]) -> Fraction:
    """Return the factor x with one = x * other.

    Raises:
        NotDerived: if no such x exists.
    """
    if not one:
        return ZERO
    found = {one[key] / other[key] for key in one if key in other}
    if one.keys() != other.keys() or len(found) != 1:
        raise NotDerived("two sums of counts are not in proportion")
    return found.pop()
