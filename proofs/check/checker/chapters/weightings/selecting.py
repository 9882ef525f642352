"""Selecting heads; docs/background/obligations.md: queries and keys both read the count at their own position.

Let x be the count of the row and y the count of a position it sees. All heads score multiples of x - y and constants,
so together they weigh a position by W(x - y) (response_functions.py).

*The last counted*: only counted positions have a value, and x - y is 0 for the last of them, 1 for the one before it,
and so on: different numbers. The target is the value of the last one, and false if no position is counted. *The
neighbour*: all positions are counted, x - y is the distance, and the target is the value at the distance 1.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from ...kernel.language import Place
from ...kernel.numbers import ONE, ZERO, Numbers, add, divide, multiply, total
from ...kernel.reading.records import ApproximateTruth, ExactCount, Head, LinearForm, Truth
from ...kernel.verdicts import Rejected, quote, require
from ..formula.attention.automaton import LetterEffect, TargetAutomaton, read_letters
from ..formula.attention.gaps import keeps, overwrites_with, resets_to
from ..formula.composition import names_in
from ..formula.proof import ProofContext
from .additive import AdditiveKeys, columns_of, common_score, divide_all, find_extreme, lengths_of, read_keys, share_row
from .response_functions import ResponseFunction, ResponseTerm, check_exact, check_near


class ScoreSide(NamedTuple):
    """A query or a key: the known part of each of its numbers, and the coefficient of the count in it."""

    known: Sequence[LinearForm]
    times: Numbers


def split_rows(proof: ProofContext, rows: Sequence[LinearForm], count: Place) -> ScoreSide:
    """Split queries or keys that read known directions and totals of one count."""
    known, times = [], []
    for row in rows:
        proof.budget.spend(1 + len(row))
        totals = {name: c for name, c in row.items() if proof.directions[name] == ExactCount(count)}
        rest = {name: c for name, c in row.items() if name not in totals}
        foreign = [name for name in rest if not proof.is_known(proof.directions[name])]
        require(not foreign, "queries and keys read known directions and totals of one count, not {}",
                quote("".join(foreign[:1])))
        known.append(rest)
        times.append(total(proof.budget, totals.values()))
    return ScoreSide(known, tuple(times))


def find_count(proof: ProofContext, heads: Sequence[Head]) -> Place:
    """Return the one count whose totals queries and keys read."""
    read = [proof.directions[name] for head in heads for name in names_in([*head.queries, *head.keys])]
    counts = {meaning.count for meaning in read if isinstance(meaning, ExactCount)}
    require(len(counts) == 1, "queries and keys read the totals of {} counts, expected 1", len(counts))
    return counts.pop()


class MarkedAutomaton(TargetAutomaton):
    """The automaton of a target over the letters of what a form reads; its letters mark the truth of one formula.

    The mark is the contribution of a letter to a form that reads nothing, before the other one.
    """

    def __init__(self, proof: ProofContext, target: Place, form: LinearForm, mask: str, marked: Place,
                 apart: bool) -> None:
        self._marked = marked
        super().__init__(proof, target, [{}, form], mask, apart)

    def _find_adds(self, forms: Sequence[LinearForm]) -> dict[Place, Numbers]:
        adds = super()._find_adds(forms)
        return adds | {self._marked: (ONE, adds.get(self._marked, (ZERO, ZERO))[1])}


class Selecting:
    """One direction that heads of one layer write together."""

    def __init__(self, proof: ProofContext, heads: Sequence[Head], name: str, meaning: Truth | ApproximateTruth,
                 apart: bool = False) -> None:
        self._proof, self._heads, self._name, self._meaning = proof, heads, name, meaning
        self._count = find_count(proof, heads)
        self._mask = "future" if proof.language.nodes[self._count].operator == "#<" else "past"
        require(all(head.mask == self._mask for head in heads), "expected the mask of the count, {}, of every head",
                self._mask)
        guarded = isinstance(meaning, ApproximateTruth) and not proof.language.is_positional(meaning.when)
        require(not guarded, "expected a `when` that depends on the position only")
        self._row, self._factors = share_row(proof, heads, name)
        counted = proof.language.counted(self._count)
        self._counts_all = counted == proof.language.formula("true")
        self.automaton = MarkedAutomaton(proof, meaning.formula, self._row, self._mask, counted, apart)
        self._sides = [(split_rows(proof, head.queries, self._count), split_rows(proof, head.keys, self._count))
                       for head in heads]

    def check(self) -> None:
        """Check that the direction holds its meaning in every word."""
        rows = [row for sides in self._sides for side in sides for row in side.known]
        names = names_in([*rows, *self.automaton.known])
        lengths = [n for n, _ in lengths_of(self._proof, self._heads, names, self.automaton.positional)]
        letters = {n: self._letters(n) for n in lengths}
        scale = find_extreme(value for some in letters.values() for value, _ in some)
        greatest: dict[tuple[bool, tuple[ResponseTerm, ...]], int] = {}
        for n in lengths:
            looks_back = self._check_letters(n, letters[n], scale)
            terms = tuple(self._term(n, number, scale) for number in range(len(self._heads)))
            greatest[looks_back, terms] = max(n, greatest.get((looks_back, terms), 0))
        for (looks_back, terms), n in greatest.items():  # distances of shorter words are some of the longest
            response = ResponseFunction(self._proof, self._heads[0].weighting == "sigmoid", terms)
            if isinstance(self._meaning, ApproximateTruth):
                check_near(response, range(n), int(looks_back), self._proof.errors[self._name])
            else:
                check_exact(response, range(n), int(looks_back))

    def _letters(self, n: int) -> list[tuple[Fraction, LetterEffect]]:
        """Return all values and letters of a length."""
        found, _ = read_letters(self._proof, self.automaton, n)
        return [(add(self._proof.budget, known, letter.adds[-1]), letter) for known, some in found for letter in some]

    def _check_letters(self, n: int, letters: Sequence[tuple[Fraction, LetterEffect]], scale: Fraction) -> bool:
        """Return whether the target is the neighbour; check that all values are 0 or ``scale``."""
        self._proof.budget.spend(4 * len(letters))
        require(all(value in (ZERO, scale) for value, _ in letters), "a value is neither 0 nor {} at n = {}", scale, n)
        require(all(len(letter.moves) == 2 for _, letter in letters), "the target remembers more than one truth")
        looks_back = self._counts_all and all(overwrites_with(letter) == int(value != 0) for value, letter in letters)
        fits = looks_back or all(is_last_counted(letter, value != 0) for value, letter in letters)
        require(fits, "the target is neither the value of the last position that is counted, nor that of the neighbour")
        return looks_back

    def _term(self, n: int, number: int, scale: Fraction) -> ResponseTerm:
        """Return the term of W of one head at one length: a and b, with the factor of its values.

        With queries q + x p and keys k + y r the score is q k + x p k + y q r + x y p r, divided by the temperature.
        """
        proof, head, (query, key) = self._proof, self._heads[number], self._sides[number]
        budget = proof.budget
        square = total(budget, (multiply(budget, p, r) for p, r in zip(query.times, key.times, strict=True)))
        keys: list[Numbers] = list(zip(*proof.known_forms(key.known, n), strict=True))
        rows, seen = columns_of(proof, head, query.known, n), read_keys(proof, self._mask, keys)

        def scaled(row: Numbers) -> Numbers:
            return divide_all(proof, row[1:], row[0])

        slope = common_score(proof, [row[:1] for row in rows], seen, lambda row: divide_all(proof, query.times, row[0]))
        back = common_score(proof, rows, AdditiveKeys(self._mask, n, key.times, []), scaled)
        start = common_score(proof, rows, seen, scaled)
        if slope is None or back is None or start is None or square or slope != -back:
            shown = quote(head.name)
            raise Rejected(f"the scores of head {shown} are not a (x - y) + b, for counts x and y, at n = {n}")
        over = Fraction(n if head.weighting == "relu-over-n" else 1)
        factor = multiply(budget, self._factors[number], scale)
        return ResponseTerm(factor, divide(budget, slope, over), divide(budget, start, over))


def is_last_counted(letter: LetterEffect, value: bool) -> bool:
    """Return whether a letter, if counted, resets to the truth of its value, and otherwise keeps and has no value."""
    is_counted = letter.adds[0] == ONE
    return resets_to(letter) == int(value) if is_counted else (keeps(letter) and not value)
