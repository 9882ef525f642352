"""The obligation of a head that looks up a count, derived from its weights and the meanings it reads and writes.

Scores depend on the word by the count at the position of the query only. So a *case* is (n, i), the truth ``here`` of
the counted formula at i, and the number of ``others`` that are counted. Scores are quadratic in the position j, and
affine in ``here`` and ``others``. In every case they must be concave: weights decrease away from the greatest one.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from constructions.language.printer import format_count
from constructions.language.semantics import counted_length
from constructions.language.syntax import Count
from constructions.network.lengths import Lengths
from constructions.network.meanings import Mean, Near, Others, Product, Truth
from constructions.network.transformer import Coefficients, Head, Transformer
from proofs.formula.common.count_cases import CaseTruths, find_count
from proofs.formula.common.kinds import Approximation, ObligationKind
from proofs.formula.common.word_independent import KnownValues
from proofs.formula.failures import NotDerived
from proofs.formula.lookup.scores import LookupScores, QueryPart
from proofs.formula.uniform.obligation import check_sums_to_one

Targets = tuple[Sequence[int | None], Sequence[int | None]]
"""The targets of the weighted mean, by ``here`` and ``others``; None where nothing is claimed."""
Affine = tuple[int, int, int]
"""A number that depends on the case: constant, coefficient of ``here``, coefficient of ``others``."""


@dataclass(frozen=True)
class LookupRow:
    """One (n, i): its visible positions, and the scaled scores of all its cases.

    ``slope`` is the score at j = 2 minus the score at j = 1; it and ``second_difference`` are times ``denominator``.
    The weighted mean of ``values`` must be near ``targets[here][others]``.
    """

    n: int
    i: int
    visible: range
    denominator: int
    slope: Affine
    second_difference: Affine
    values: tuple[Fraction, ...]
    targets: Targets


class LookupTargets:
    """The targets of all cases, computed once for all (n, i) that share them."""

    def __init__(self, meaning: Near | Others, count: Count):
        """Prepare the targets of a direction that means ``near χ when G`` or ``others``, by this count."""
        self.meaning = meaning
        self.count = count
        self._truths = CaseTruths(count)
        formulas = (meaning.formula, meaning.when) if isinstance(meaning, Near) else ()
        self.mention_i = any(map(self._truths.mentions_i, formulas))
        self.mention_n = any(map(self._truths.mentions_n, formulas))
        self._found: dict[tuple[int, int], tuple[list[int | None], list[int | None]]] = {}

    def key(self) -> Hashable:
        """Return a key: targets with equal keys are equal in all cases, for any counted formulas."""
        if isinstance(self.meaning, Others):
            return "others", self.count.side
        return "near", self.count.side, self._truths.shape(self.meaning.formula), self._truths.shape(self.meaning.when)

    def at(self, n: int, i: int) -> Targets:
        """Return the targets of all cases of (n, i).

        Raises:
            NotDerived: if a case does not decide them.
        """
        length = counted_length(self.count, i, n)
        if isinstance(self.meaning, Others):
            return range(length), range(length)
        where = (n if self.mention_n else 0, i if self.mention_i else 0)
        found = self._found.setdefault(where, ([], []))
        for here, known in enumerate(found):
            known += [self._target(bool(here), others, i, n) for others in range(len(known), length)]
        return found[0][:length], found[1][:length]

    def _target(self, here: bool, others: int, i: int, n: int) -> int | None:
        assert isinstance(self.meaning, Near)
        truth = int(self._truths.truth(self.meaning.formula, here, others, i, n))
        return truth if self._truths.truth(self.meaning.when, here, others, i, n) else None


class LookupProblem:
    """All data that the errors of a lookup head depend on: scores, values and targets of all rows."""

    def __init__(self, known: KnownValues, head: Head, direction: str, scores: LookupScores, targets: LookupTargets,
                 lengths: Lengths):
        """Store the data of one direction that the head writes."""
        self.known = known
        self.mask = head.mask
        self.weighting = head.weighting
        self.value = head.values[direction]
        self.scores = scores
        self.targets = targets
        self.lengths = lengths

    def key(self) -> Hashable:
        """Return a key: problems with equal keys have equal rows."""
        return (self.mask, self.weighting, self.lengths, self.known.describe(self.value), self.scores.key(),
                self.targets.key())

    @property
    def values_mention_n(self) -> bool:
        """True if the value at a position may depend on the length."""
        return self.known.mentions_n(self.value)

    def values(self, n: int) -> tuple[Fraction, ...]:
        """Return the values at all positions of a word of length n."""
        return self.known.forms(self.value, n)

    def row(self, n: int, i: int) -> LookupRow:
        """Return the row of (n, i)."""
        return LookupRow(n, i, self.mask.visible(i, n), *self.scores.scaled(n, i), self.values(n),
                         self.targets.at(n, i))

    def rows(self, longest_first: bool = False) -> Iterator[LookupRow]:
        """Return all rows, length by length."""
        lengths = reversed(list(self.lengths)) if longest_first else iter(self.lengths)
        return (self.row(n, i) for n in lengths for i in range(1, n + 1))


@dataclass(frozen=True)
class LookupObligation(Approximation):
    """The weighted mean of the values is within ``allowed_error`` of the target, in every case of every row.

    None means that no bound is stated: the bound that is proved becomes part of the claim.
    """

    kind: ClassVar[ObligationKind] = ObligationKind.LOOKUP
    meaning: Near | Others
    count: Count
    problem: LookupProblem

    def key(self) -> tuple[Hashable, ...]:
        """Return a key by which equal obligations are discharged once, for any counted formulas."""
        return self.allowed_error, self.problem.key()

    @property
    def by_query(self) -> Iterator[LookupRow]:
        """The row of every (n, i)."""
        return self.problem.rows()

    @property
    def aim(self) -> str:
        """The approximated truth or number, in words."""
        return f"{format_count(self.count)} elsewhere" if isinstance(self.meaning, Others) else super().aim


def looks_up(transformer: Transformer, known: KnownValues, head: Head, direction: str) -> bool:
    """Return whether the rules of lookup heads apply to a written direction."""
    return isinstance(transformer.directions[direction], Others) or any(
        name not in known for row in head.queries for name in row)


def oblige_lookup(transformer: Transformer, known: KnownValues, lengths: Lengths, layer: int, place: int, head: Head,
                  direction: str, allowed_error: Fraction | None) -> LookupObligation:
    """Return the obligation of one direction that means ``near χ when G`` or ``others``.

    Source      docs/background/obligations.md, lookup head; [SHA] Theorem 20, second stage, and Lemma 7.

    Raises:
        NotDerived: if the rules do not cover the head.
    """
    meaning = transformer.directions[direction]
    assert isinstance(meaning, Near | Others)
    check_sums_to_one(head)
    check_reads_known(transformer, known, head, direction)
    count = find_count(transformer.directions, head, meaning)
    queries = [_parts(transformer, known, count, row) for row in head.queries]
    scores = LookupScores(known, head, queries, count)
    scores = known.once(("scores", scores.key()), lambda: scores)
    problem = LookupProblem(known, head, direction, scores, LookupTargets(meaning, count), lengths)
    _check_covered(problem, meaning)
    return LookupObligation(layer, place, head, direction, lengths, meaning, allowed_error, count, problem)


def check_reads_known(transformer: Transformer, known: KnownValues, head: Head, direction: str) -> None:
    """Check that keys and values read known directions only; raise NotDerived if not."""
    for name in dict.fromkeys(name for row in (*head.keys, head.values[direction]) for name in row):
        if name not in known:
            raise NotDerived(f"a key or value reads {name}, {transformer.directions[name]}: a head whose queries "
                             "depend on the word looks up known directions only")


def _parts(transformer: Transformer, known: KnownValues, count: Count, row: Coefficients) -> list[QueryPart]:
    """Return the parts of a query with their meanings; each is known or decided by the case."""
    parts = []
    for name, weight in row.items():
        match meaning := transformer.directions[name]:
            case Truth(formula) | Product(_, formula) if formula is count.operand:
                parts.append(QueryPart(weight, meaning))
            case Mean(other) if other is count:
                parts.append(QueryPart(weight, meaning))
            case _ if name not in known:
                raise NotDerived(f"a query reads {name}, {meaning}, which {format_count(count)} and the truth of what "
                                 "it counts do not decide")
            case _:
                parts.append(QueryPart(weight, meaning, name))
    return parts


def _check_covered(problem: LookupProblem, meaning: Near | Others) -> None:
    """Check every row.

    Raises:
        NotDerived: if keys are not quadratic, values of a truth are outside [0, 1], the case does not decide targets,
            or scores are not concave.
    """
    checked = 0
    for n in problem.lengths:
        problem.scores.check_quadratic(n)
        if isinstance(meaning, Near):
            values = problem.values(n)[checked:]
            if not all(0 <= value.numerator <= value.denominator for value in values):
                raise NotDerived(f"a value lies outside [0, 1] at n = {n}")
            checked = 0 if problem.values_mention_n else n
        if n == problem.lengths.first:
            problem.targets.at(n, 1)
        problem.scores.check_concave(n)
