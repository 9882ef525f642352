"""Does a transformer miss a meaning? Decided by the second forward pass and the definitions, not by ``proofs``."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction

from constructions.language.semantics import truth_values
from constructions.language.syntax import And, Constant, Formula, Iff, Implies, Not, Or, Predicate
from constructions.network.meanings import Position, Truth
from constructions.network.transformer import Transformer
from tests.network.second_forward import SecondForward, to_fraction
from tests.proofs.brute_worst_case import PREDICATES

Miss = tuple[str, int]
"""Direction and position (from 1)."""
TOLERANCE = Fraction(1, 10**30)
DIGITS = 60


def words(alphabet: Sequence[str], max_n: int, min_n: int = 1) -> Iterator[tuple[str, ...]]:
    for n in range(min_n, max_n + 1):
        yield from itertools.product(alphabet, repeat=n)


def guard_holds(formula: Formula, i: int, n: int) -> bool:
    match formula:
        case Constant(value):
            return value
        case Predicate("MOD", (m, r)):
            return i % m == r
        case Predicate(name, ()):
            return PREDICATES[name](i, n)
        case Not(a):
            return not guard_holds(a, i, n)
        case And(a, b):
            return guard_holds(a, i, n) and guard_holds(b, i, n)
        case Or(a, b):
            return guard_holds(a, i, n) or guard_holds(b, i, n)
        case Implies(a, b):
            return not guard_holds(a, i, n) or guard_holds(b, i, n)
        case Iff(a, b):
            return guard_holds(a, i, n) == guard_holds(b, i, n)
    raise AssertionError(formula)


def own_misses(transformer: Transformer, word: Sequence[str], forward: SecondForward | None = None) -> list[Miss]:
    """The directions that miss their meaning on this word by more than the error of 60 digits, with positions."""
    forward = forward or SecondForward(transformer, DIGITS)
    n, found = len(word), []
    rows = forward.run(word)
    for k, (name, meaning) in enumerate(transformer.directions.items()):
        truths = None if isinstance(meaning, Position) else truth_values(meaning.formula, word)
        for i in range(1, n + 1):
            value = to_fraction(rows[i - 1][k])
            if isinstance(meaning, Position):
                low = high = meaning.value.evaluate(i=i, n=n)
            else:
                assert truths is not None
                low, high = Fraction(truths[i - 1]), Fraction(truths[i - 1])
                if not isinstance(meaning, Truth):
                    if not guard_holds(meaning.when, i, n):
                        low, high = Fraction(0), Fraction(1)
                    elif truths[i - 1]:
                        low = Fraction(3, 4)
                    else:
                        high = Fraction(1, 4)
            if value < low - TOLERANCE or value > high + TOLERANCE:
                found.append((name, i))
    return found
