"""Answers that are functions of the Parikh vector, as comparisons of counts.

The results hold on all words of at most N letters of the automaton: all pairs of a state and a Parikh vector that such
a word reaches are enumerated.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, product
from math import gcd

from certify.learning.question import OUT, LearningQuestion
from constructions.errors import Unsupported
from constructions.language.syntax import Symbol
from constructions.regular.cover_automata import Marked, Word

MOST_COEFFICIENT = 3
MOST_VECTORS = 100_000
MOST_LETTERS = 4
"""Larger alphabets are not searched."""
Vector = tuple[int, ...]


@dataclass(frozen=True)
class Test:
    """A linear combination of counts compared with a number; ``relation`` is one of >= = !=."""

    coefficients: Vector
    relation: str
    bound: int

    def text(self, alphabet: Sequence[str]) -> str:
        """Format as a formula.

        >>> Test((1, -1), ">=", 1).text("01"), Test((2, 0), "=", 3).text("01"), Test((0, -1), ">=", -2).text("01")
        ('#<[Q_0] > #<[Q_1]', '2*#<[Q_0] = 3', '2 >= #<[Q_1]')
        """
        left = _sum(alphabet, self.coefficients)
        right = _sum(alphabet, [-number for number in self.coefficients])
        relation, bound = self.relation, self.bound
        if relation == ">=" and bound == 1 and right:
            relation, bound = ">", 0
        right += [str(bound)] if bound > 0 or not right else []
        left += [str(-bound)] if bound < 0 or not left else []
        return f"{' + '.join(left)} {relation} {' + '.join(right)}"


@dataclass(frozen=True)
class CountTests:
    """The test for each part (of two alternatives) under which the first holds; a truth if it is constant.

    None if the part has more alternatives or no test fits; ``anagrams`` are then two words with the same counts and
    different answers, if there are any.
    """

    tests: tuple[Test | bool | None, ...]
    anagrams: Mapping[int, tuple[Word, Word]]


def comparisons(question: LearningQuestion, found: Marked, longest: int) -> CountTests:
    """Return the comparisons that decide the parts of the answer on all words of at most ``longest`` letters.

    Raises:
        Unsupported: if there are too many letters or Parikh vectors.
    """
    if len(question.claim.alphabet) > MOST_LETTERS:
        raise Unsupported(f"counts: {len(question.claim.alphabet)} letters, expected at most {MOST_LETTERS}")
    return compared(question, _answers(question, found, longest))


def compared(question: LearningQuestion, answers: Mapping[Vector, Mapping[int, Word]]) -> CountTests:
    """Return the tests from a word for each Parikh vector and each answer on words with it."""
    tests: list[Test | bool | None] = []
    anagrams: dict[int, tuple[Word, Word]] = {}
    for place, part in enumerate(question.parts):
        chosen = {vector: {question.choices(code)[place]: word for code, word in by_code.items()}
                  for vector, by_code in answers.items()}
        clash = min((by_choice for by_choice in chosen.values() if len(by_choice) > 1),
                    key=lambda by_choice: len(next(iter(by_choice.values()))), default=None)
        if clash is not None:
            words = list(clash.values())
            anagrams[place] = words[0], words[1]
        truths = {vector: 0 in by_choice for vector, by_choice in chosen.items()}
        tests.append(find_test(truths) if clash is None and len(part) == 2 else None)
    return CountTests(tuple(tests), anagrams)


def _answers(question: LearningQuestion, found: Marked, longest: int) -> dict[Vector, dict[int, Word]]:
    """Return, for each Parikh vector, the answers on words with it, each with a word."""
    letters = range(len(question.claim.alphabet))
    answers: dict[Vector, dict[int, Word]] = {}
    level: dict[tuple[int, Vector], Word] = {(found.automaton.start, (0,) * len(letters)): ()}
    seen = 0
    for n in range(longest + 1):
        following: dict[tuple[int, Vector], Word] = {}
        for (state, vector), word in level.items():
            if n >= question.first and found.marks[state] != OUT:
                answers.setdefault(vector, {}).setdefault(found.marks[state], word)
            for letter in letters:
                counted = (*vector[:letter], vector[letter] + 1, *vector[letter + 1 :])
                following.setdefault((found.automaton.steps[state][letter], counted), (*word, letter))
        seen += len(level)
        if seen > MOST_VECTORS:
            raise Unsupported(f"counts: more than {MOST_VECTORS} of them")
        level = following
    return answers


def find_test(truths: Mapping[Vector, bool]) -> Test | bool | None:
    """Return the simplest test with these values; True or False if all are equal.

    >>> find_test({(a, b): a > b for a in range(3) for b in range(3)})
    Test(coefficients=(1, -1), relation='>=', bound=1)
    """
    if len(set(truths.values())) < 2:
        return next(iter(truths.values()), True)
    length = len(next(iter(truths)))
    for _, alike in groupby(combinations(length), key=_size):
        tests = [test for combination in alike if (test := _test(combination, truths)) is not None]
        if tests:
            return min(tests, key=lambda test: ("=", ">=", "!=").index(test.relation))
    return None


def combinations(length: int) -> list[Vector]:
    """Return small coefficients without a common divisor, the simplest first."""
    numbers = range(MOST_COEFFICIENT, -MOST_COEFFICIENT - 1, -1)
    found = [one for one in product(numbers, repeat=length) if gcd(*one) == 1]
    return sorted(found, key=lambda one: (_size(one), sum(number < 0 for number in one)))


def _size(combination: Vector) -> int:
    return sum(map(abs, combination))


def _test(combination: Vector, truths: Mapping[Vector, bool]) -> Test | None:
    values: dict[bool, set[int]] = {True: set(), False: set()}
    for vector, truth in truths.items():
        values[truth].add(sum(number * count for number, count in zip(combination, vector, strict=True)))
    if values[True] & values[False]:
        return None
    if len(values[True]) == 1:
        return Test(combination, "=", next(iter(values[True])))
    if min(values[True]) > max(values[False]):
        least, most = max(values[False]) + 1, min(values[True])
        bounds = [one for one in (1, 0, least, most) if least <= one <= most]
        return Test(combination, ">=", min(bounds[:1] if bounds[0] in (0, 1) else bounds, key=abs))
    return Test(combination, "!=", next(iter(values[False]))) if len(values[False]) == 1 else None


def _sum(alphabet: Sequence[str], coefficients: Sequence[int]) -> list[str]:
    return list(_terms(alphabet, coefficients))


def _terms(alphabet: Sequence[str], coefficients: Sequence[int]) -> Iterator[str]:
    for symbol, number in zip(alphabet, coefficients, strict=True):
        if number > 0:
            yield f"{'' if number == 1 else f'{number}*'}#<[{Symbol(symbol)}]"
