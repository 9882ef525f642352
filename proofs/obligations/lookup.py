"""What a head that looks up a count must satisfy, derived from its weights and the meanings it reads and writes.

Nothing about the word enters its scores but the count at the position of the query, so a *case* is (n, i), the truth
``here`` of what is counted at i, and how many ``others`` are counted. Scores are quadratic in the position j and affine
in ``here`` and ``others``; in every case they must be concave, so that the weights fall away from the greatest one.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import ClassVar

from constructions.language.positional import connective, positional_truth
from constructions.language.predicates import definition_of
from constructions.language.printer import format_count, format_formula
from constructions.language.semantics import RELATIONS
from constructions.language.syntax import (
    Comparison,
    Count,
    Formula,
    Predicate,
    PredicateOnCount,
    counts_of,
    difference,
    is_positional,
    operands,
    subformulas,
)
from constructions.network.lengths import Lengths
from constructions.network.meanings import Mean, Meaning, Near, Others, Product, Truth
from constructions.network.transformer import Coefficients, Head, Transformer, Weighting
from proofs.failures import NotDerived
from proofs.obligations.kinds import Kind
from proofs.obligations.known import KnownValues, known_value

ZERO = Fraction(0)
Affine = tuple[int, int, int]
"""A number that depends on the case: constant, coefficient of ``here``, coefficient of ``others``."""


@dataclass(frozen=True)
class LookupRow:
    """One (n, i): its visible positions, and the scaled scores of all its cases.

    ``slope`` is the score at j = 2 less that at j = 1 and ``bend`` the second difference, both times ``denominator``.
    ``targets[here][others]`` is what the weighted mean of ``values`` must be near; None where nothing is claimed.
    """

    n: int
    i: int
    visible: range
    denominator: int
    slope: Affine
    bend: Affine
    values: tuple[Fraction, ...]
    targets: tuple[Sequence[int | None], ...]

    def key(self) -> tuple[object, ...]:
        """Equal for rows that are the same problem, if their values are."""
        return self.visible, self.denominator, self.slope, self.bend, self.targets


@dataclass(frozen=True)
class LookupObligation:
    """In every case of every row, the weighted mean of the values is near the target; ``allowed_error`` says how near.

    One of None states no bound: whatever bound is proved becomes part of the claim.
    """

    kind: ClassVar[Kind] = Kind.LOOKUP
    layer: int
    place: int
    head: Head
    direction: str
    meaning: Near | Others
    count: Count
    allowed_error: Fraction | None
    by_query: tuple[LookupRow, ...]

    def key(self) -> tuple[object, ...]:
        """Equal obligations are discharged once."""
        values = {row.n: row.values for row in self.by_query}  # the same at every i
        return self.allowed_error, tuple(values.items()), tuple((row.n, *row.key()) for row in self.by_query)

    @property
    def aim(self) -> str:
        """What the head approximates, in words."""
        if isinstance(self.meaning, Near):
            return format_formula(self.meaning.formula)
        return f"{format_count(self.count)} elsewhere"

    @property
    def source(self) -> str:
        """The statement that the head names."""
        return self.head.source

    @property
    def rows(self) -> int:
        """The number of (n, i) that are checked."""
        return len(self.by_query)


def looks_up(transformer: Transformer, known: KnownValues, head: Head, direction: str) -> bool:
    """Whether the rules of lookup heads apply to a written direction."""
    return isinstance(transformer.directions[direction], Others) or any(
        name not in known for row in head.queries for name in row)


def oblige_lookup(transformer: Transformer, known: KnownValues, lengths: Lengths, layer: int, place: int, head: Head,
                  direction: str, allowed_error: Fraction | None) -> LookupObligation:
    """The obligation of one direction that means ``near χ when G`` or ``others``.

    Source      docs/certificate.md, section 5, lookup head; [SHA] Theorem 20, second stage, and Lemma 7.

    Raises:
        NotDerived: if the rules do not cover the head.
    """
    meaning = transformer.directions[direction]
    assert isinstance(meaning, Near | Others)
    if head.weighting is not Weighting.SOFTMAX:
        raise NotDerived(f"weighting {head.weighting.value}: only softmax is certified")
    for name in dict.fromkeys(name for row in (*head.keys, head.values[direction]) for name in row):
        if name not in known:
            raise NotDerived(f"a key or value reads {name}, {transformer.directions[name]}: a head whose queries "
                             "depend on the word looks up known directions only")
    derivation = _Derivation(transformer, known, head, head.values[direction], meaning)
    rows = tuple(row for n in lengths for row in derivation.rows(n))
    return LookupObligation(layer, place, head, direction, meaning, derivation.count,
                            allowed_error, rows)


class _Derivation:
    def __init__(self, transformer: Transformer, known: KnownValues, head: Head, value: Coefficients,
                 meaning: Near | Others):
        self.known = known
        self.head = head
        self.value = value
        self.meaning = meaning
        self.count = find_count(transformer.directions, head, meaning)
        self.queries = [self._parts(transformer.directions, row) for row in head.queries]
        self.truths = CaseTruths(self.count)

    def _parts(self, directions: Mapping[str, Meaning], row: Coefficients) -> list[tuple[Fraction, Meaning]]:
        """The coefficients of a query with the meanings they belong to; each is known or decided by the case."""
        for name in row:
            match directions[name]:
                case Truth(formula) | Product(_, formula) if formula is self.count.operand:
                    continue
                case Mean(count) if count is self.count:
                    continue
            if name not in self.known:
                raise NotDerived(f"a query reads {name}, {directions[name]}, which {format_count(self.count)} and the "
                                 "truth of what it counts do not decide")
        return [(weight, directions[name]) for name, weight in row.items()]

    def rows(self, n: int) -> Iterator[LookupRow]:
        """The rows of all i for this n."""
        keys = [_quadratic([self.known.form(row, j, n) for j in range(1, n + 1)]) for row in self.head.keys]
        values = tuple(self.known.form(self.value, j, n) for j in range(1, n + 1))
        if isinstance(self.meaning, Near) and not all(0 <= value <= 1 for value in values):
            raise NotDerived(f"a value lies outside [0, 1] at n = {n}")
        for i in range(1, n + 1):
            temperature = self.head.temperature.evaluate(i=i, n=n)
            queries = [[part / temperature for part in self._query(parts, i, n)] for parts in self.queries]
            slope, bend = ([sum((query[part] * key[which] for query, key in zip(queries, keys, strict=True)), ZERO)
                            for part in range(3)] for which in (0, 1))
            denominator = lcm(*(x.denominator for x in (*slope, *bend)))
            row = LookupRow(n, i, self.head.mask.visible(i, n), denominator, _scaled(slope, denominator),
                      _scaled(bend, denominator), values, self._targets(i, n))
            _check_concave(row)
            yield row

    def _query(self, parts: list[tuple[Fraction, Meaning]], i: int, n: int) -> list[Fraction]:
        """The query as a function of the case: constant, coefficient of ``here``, coefficient of ``others``."""
        total = [ZERO, ZERO, ZERO]
        for weight, meaning in parts:
            match meaning:
                case Mean():
                    share = weight / counted_length(self.count, i, n)
                    total[1] += share
                    total[2] += share
                case Truth(formula) if formula is self.count.operand:
                    total[1] += weight
                case Product(value, formula) if formula is self.count.operand:
                    total[1] += weight * value.evaluate(i=i, n=n)
                case _:
                    total[0] += weight * known_value(meaning, i, n)
        return total

    def _targets(self, i: int, n: int) -> tuple[Sequence[int | None], ...]:
        cases = range(counted_length(self.count, i, n))
        match self.meaning:
            case Others():
                return cases, cases
            case Near(formula, when):
                return tuple(
                    tuple(int(self.truths.truth(formula, here, others, i, n))
                          if self.truths.truth(when, here, others, i, n) else None for others in cases)
                    for here in (False, True))
        raise AssertionError(self.meaning)


def find_count(directions: Mapping[str, Meaning], head: Head, meaning: Near | Others) -> Count:
    """The one count that the head looks up.

    Raises:
        NotDerived: if its queries read the means of several counts, or none and the meaning mentions not exactly one.
    """
    read = {mean.count for row in head.queries for name in row if isinstance(mean := directions[name], Mean)}
    match meaning:
        case Others(count):
            mentioned = {count}
        case Near(formula, when):
            mentioned = {count for part in (*subformulas(formula), *subformulas(when)) for count in counts_of(part)}
    found = (read | mentioned) if isinstance(meaning, Others) else (read or mentioned)
    if len(found) != 1:
        named = ", ".join(sorted(map(format_count, found))) or "none"
        raise NotDerived(f"a head looks up one count, and this one has to do with {len(found)}: {named}")
    return found.pop()


def counted_length(count: Count, i: int, n: int) -> int:
    """The number of positions that the count looks at.

    >>> from constructions.language.syntax import TRUE
    >>> counted_length(Count("left", TRUE), 2, 5), counted_length(Count("right", TRUE), 2, 5)
    (2, 4)
    """
    return i if count.side == "left" else n + 1 - i


class CaseTruths:
    """The truth of formulas in a case: what is counted, predicates on the count, comparisons of it with numbers.

    What is counted follows the case even where it depends on the position alone: such cases that no word has are
    checked like the others.
    """

    def __init__(self, count: Count):
        """Formulas that another count, or more of the word, decides are refused."""
        self.count = count
        self._truths: dict[tuple[Formula, bool, int, int, int], bool] = {}
        self._on_position: dict[Formula, bool] = {}

    def truth(self, formula: Formula, here: bool, others: int, i: int, n: int) -> bool:
        """The truth at position i of a word of length n.

        Raises:
            NotDerived: if the case does not decide it.
        """
        if formula not in self._on_position:
            self._on_position[formula] = any(isinstance(part, Predicate) for part in subformulas(formula))
        key = (formula, here, others, i if self._on_position[formula] else 0, n)
        if key not in self._truths:
            self._truths[key] = self._decide(formula, here, others, i, n)
        return self._truths[key]

    def _decide(self, formula: Formula, here: bool, others: int, i: int, n: int) -> bool:
        if formula is self.count.operand:
            return here
        match formula:
            case PredicateOnCount(count=count) if count is self.count:
                return definition_of(formula).holds(others + here, n, formula.parameters)
            case Comparison(relation) if {count for _, count in difference(formula).coefficients} == {self.count}:
                ((factor, _),) = difference(formula).coefficients
                return RELATIONS[relation](factor * (others + here) + difference(formula).constant, 0)
            case Predicate() | Comparison() if is_positional(formula):
                return positional_truth(formula, i, n)
        parts = () if isinstance(formula, Comparison | PredicateOnCount) else operands(formula)
        truth = connective(formula, tuple(self._decide(part, here, others, i, n) for part in parts))
        if truth is None:
            raise NotDerived(f"{format_formula(formula)} is not decided by {format_count(self.count)} and the truth "
                             "of what it counts")
        return truth


def _quadratic(sequence: list[Fraction]) -> tuple[Fraction, Fraction]:
    """The first step and the constant second difference; 0 where the sequence is too short to have them."""
    steps = [b - a for a, b in itertools.pairwise(sequence)]
    bends = {b - a for a, b in itertools.pairwise(steps)}
    if len(bends) > 1:
        raise NotDerived(f"a key is not quadratic in the position at n = {len(sequence)}")
    return (steps[0] if steps else ZERO), (bends.pop() if bends else ZERO)



def _scaled(parts: list[Fraction], denominator: int) -> Affine:
    constant, here, others = (int(part * denominator) for part in parts)
    return constant, here, others


def _check_concave(row: LookupRow) -> None:
    """Bends are affine in ``others``, so the ends decide."""
    last = len(row.targets[0]) - 1
    for here in (0, 1):
        for others in (0, last):
            if row.bend[0] + row.bend[1] * here + row.bend[2] * others > 0:
                raise NotDerived(f"the scores are not concave at i = {row.i}, n = {row.n}")
