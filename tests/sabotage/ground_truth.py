"""Does a transformer miss a meaning? Decided by the second forward pass and the definitions, not by ``proofs``."""

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction

from constructions.language.semantics import truth_values
from constructions.language.syntax import Count, Formula
from constructions.network.meanings import (
    Anything,
    Average,
    Mean,
    Meaning,
    Near,
    Others,
    Position,
    Product,
    Slack,
    Total,
    Truth,
)
from constructions.network.transformer import Transformer
from tests.network.second_forward import SecondForward, to_fraction

Miss = tuple[str, int]
"""Direction and position (from 1)."""
TOLERANCE = Fraction(1, 10**45)
"""More than what 60 digits lose; mutants have missed by 10^-32."""
DIGITS = 60
BEYOND = Fraction(10**100)
"""No direction of a network in these tests holds so much."""


def words(alphabet: Sequence[str], max_n: int, min_n: int = 1) -> Iterator[tuple[str, ...]]:
    for n in range(min_n, max_n + 1):
        yield from itertools.product(alphabet, repeat=n)


class Claims:
    """The claims of meanings on one word, by the definitions of docs/reference/certificate.md, section 2."""

    def __init__(self, word: Sequence[str]):
        self.word = word
        self._truths: dict[Formula, tuple[bool, ...]] = {}

    def truth(self, formula: Formula, i: int) -> bool:
        if formula not in self._truths:
            self._truths[formula] = truth_values(formula, self.word)
        return self._truths[formula][i - 1]

    def total(self, count: Count, i: int) -> Fraction:
        looked_at = range(1, i + 1) if count.side == "left" else range(i, len(self.word) + 1)
        return Fraction(sum(self.truth(count.operand, j) for j in looked_at))

    def ends(self, meaning: Meaning, i: int) -> tuple[Fraction, Fraction] | None:
        """The least and the greatest number allowed; None if all are. Half a count is allowed where bounds are open."""
        n = len(self.word)
        match meaning:
            case Position(value):
                exact = value.evaluate(i=i, n=n)
            case Truth(formula):
                exact = Fraction(self.truth(formula, i))
            case Product(value, formula):
                exact = value.evaluate(i=i, n=n) * self.truth(formula, i)
            case Mean(count):
                exact = self.total(count, i) / (i if count.side == "left" else n + 1 - i)
            case Average(term):
                side = term.coefficients[0][1].side
                exact = sum((number * self.total(count, i) for number, count in term.coefficients), Fraction(0))
                exact /= i if side == "left" else n + 1 - i
            case Total(count):
                exact = self.total(count, i)
            case Others(count):
                others = self.total(count, i) - self.truth(count.operand, i)
                return others - Fraction(1, 2), others + Fraction(1, 2)
            case Near(formula, when):
                if not self.truth(when, i):
                    return Fraction(0), Fraction(1)
                return (Fraction(3, 4), Fraction(1)) if self.truth(formula, i) else (Fraction(0), Fraction(1, 4))
            case Slack(formula):
                return (Fraction(0), Fraction(0)) if self.truth(formula, i) else (Fraction(1), BEYOND)
            case Anything():
                return None
        return exact, exact


def own_misses(transformer: Transformer, word: Sequence[str], forward: SecondForward | None = None) -> list[Miss]:
    """The directions that miss their meaning on this word by more than the error of 60 digits, with positions."""
    forward = forward or SecondForward(transformer, DIGITS)
    claims, found = Claims(word), []
    rows = forward.run(word)
    for k, (name, meaning) in enumerate(transformer.directions.items()):
        for i in range(1, len(word) + 1):
            value, ends = to_fraction(rows[i - 1][k]), claims.ends(meaning, i)
            if ends and not ends[0] - TOLERANCE <= value <= ends[1] + TOLERANCE:
                found.append((name, i))
    return found


def find_wrong_output(transformer: Transformer, max_n: int, min_n: int = 1) -> tuple[str, ...] | None:
    """Return a word on which the output misses its meaning; what the other directions hold does not matter."""
    forward = SecondForward(transformer, DIGITS)
    for word in words(transformer.alphabet, max_n, min_n):
        if any(direction == transformer.output for direction, _ in own_misses(transformer, word, forward)):
            return word
    return None
