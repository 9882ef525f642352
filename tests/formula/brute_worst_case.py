"""The worst error of one head by trying every assignment, from the head's weights alone; shares nothing with proofs."""

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction

from mpmath import mp, mpf

from constructions.language.syntax import (
    And,
    Constant,
    Formula,
    Iff,
    Implies,
    Next,
    Not,
    Or,
    Predicate,
    Previous,
    Since,
    Symbol,
    Until,
    is_symbolic,
)
from constructions.network.meanings import Near, Position, Truth
from constructions.network.transformer import Coefficients, Head, Transformer

DIGITS = 60
Sequences = Sequence[dict[Formula, bool]]
PREDICATES: dict[str, Callable[[int, int], bool]] = {
    "ODD": lambda i, n: i % 2 == 1,
    "EVEN": lambda i, n: i % 2 == 0,
    "FIRST": lambda i, n: i == 1,
    "LAST": lambda i, n: i == n,
    "SQUARE": lambda i, n: i in (1, 4, 9, 16, 25, 36, 49),
    "POW2": lambda i, n: i in (1, 2, 4, 8, 16, 32, 64),
    "PRIME": lambda i, n: i in (2, 3, 5, 7, 11, 13),
}


def truths(formula: Formula, letters: Sequences, n: int, first: int) -> list[bool]:
    """The truth at every position that is given, by the definitions; ``first`` is the number of the first of them."""
    if letters and formula in letters[0]:
        return [letter[formula] for letter in letters]
    here = range(len(letters))
    match formula:
        case Constant(value):
            return [value for _ in here]
        case Predicate(name, ()):
            return [PREDICATES[name](first + k, n) for k in here]
        case Previous(a):
            return [False, *truths(a, letters, n, first)[:-1]]
        case Next(a):
            return [*truths(a, letters, n, first)[1:], False]
        case Since(a, b):
            left, right = truths(a, letters, n, first), truths(b, letters, n, first)
            return [any(right[j] and all(left[j : k + 1]) for j in range(k + 1)) for k in here]
        case Until(a, b):
            left, right = truths(a, letters, n, first), truths(b, letters, n, first)
            return [any(right[j] and all(left[k : j + 1]) for j in range(k, len(letters))) for k in here]
        case Not(a):
            return [not x for x in truths(a, letters, n, first)]
        case And(a, b):
            test: Callable[[bool, bool], bool] = lambda x, y: x and y  # noqa: E731
        case Or(a, b):
            test = lambda x, y: x or y  # noqa: E731
        case Implies(a, b):
            test = lambda x, y: y or not x  # noqa: E731
        case Iff(a, b):
            test = lambda x, y: x == y  # noqa: E731
        case _:
            raise AssertionError(formula)
    return [test(x, y) for x, y in zip(truths(a, letters, n, first), truths(b, letters, n, first), strict=True)]


def worst_errors(
    transformer: Transformer, head: Head, direction: str, atoms: Sequence[Formula], max_n: int
) -> dict[bool, Fraction]:
    """Return the largest error over all (n, i) by truth of the target; absent if no input has it."""
    meaning = transformer.directions[direction]
    assert isinstance(meaning, Near)
    worst: dict[bool, Fraction] = {}
    for n in range(1, max_n + 1):
        for i in range(1, n + 1):
            if not truths(meaning.when, [{}] * n, n, 1)[i - 1]:
                continue
            positions = range(1, i + 1) if head.mask.value == "future" else range(i, n + 1)
            for truth, error in _row_errors(transformer, head, direction, atoms, n, i, positions):
                worst[truth] = max(error, worst.get(truth, Fraction(0)))
    return worst


def _row_errors(
    transformer: Transformer, head: Head, direction: str, atoms: Sequence[Formula], n: int, i: int, positions: range
) -> list[tuple[bool, Fraction]]:
    meaning = transformer.directions[direction]
    assert isinstance(meaning, Near)
    every = [dict(zip(atoms, bits, strict=True)) for bits in itertools.product((False, True), repeat=len(atoms))]
    letters = [one for one in every if any(_gives(symbol, one, transformer) for symbol in transformer.alphabet)]
    temperature = head.temperature.evaluate(i=i, n=n)
    query = [known_form(transformer, row, n, i, {}) for row in head.queries]
    table: list[list[tuple[Fraction, Fraction]]] = []  # per position, per letter: weight in units, weight * value
    scores = [
        [
            sum(
                (q * known_form(transformer, key, n, j, letter) for q, key in zip(query, head.keys, strict=True)),
                Fraction(0),
            )
            / temperature
            for letter in letters
        ]
        for j in positions
    ]
    top = max(max(row) for row in scores)
    with mp.workdps(DIGITS + 20):
        for j, row in zip(positions, scores, strict=True):
            table.append([])
            for letter, score in zip(letters, row, strict=True):
                weight = Fraction(*mp_ratio(mp.exp(mpf((score - top).numerator) / (score - top).denominator)))
                table[-1].append((weight, known_form(transformer, head.values[direction], n, j, letter)))
    worst: dict[bool, Fraction] = {}
    scale = 1
    for _, value in (entry for row in table for entry in row):
        scale = scale * value.denominator
    unit = max(w.denominator for row in table for w, _ in row)  # weights are dyadic
    whole = [[(int(w * unit), int(v * scale)) for w, v in row] for row in table]
    places = range(len(letters))
    for chosen in itertools.product(places, repeat=len(positions)):
        truth = truths(meaning.formula, [letters[c] for c in chosen], n, positions[0])[
            -1 if head.mask.value == "future" else 0
        ]
        total = weighted = 0
        for entries, c in zip(whole, chosen, strict=True):
            w, v = entries[c]
            total, weighted = total + w, weighted + w * v
        error = Fraction(total * scale - weighted if truth else weighted, total * scale)
        if error > worst.get(truth, -1):
            worst[truth] = error
    return list(worst.items())


def _gives(symbol: str, letter: dict[Formula, bool], transformer: Transformer) -> bool:
    """Return whether a position with the symbol may have these truths: atoms over symbols follow from it."""
    here: dict[Formula, bool] = {Symbol(other): other == symbol for other in transformer.alphabet}
    return all(truths(atom, [here], 1, 1)[0] == truth for atom, truth in letter.items() if is_symbolic(atom))


def mp_ratio(x: mpf) -> tuple[int, int]:
    _, man, exponent, _ = x._mpf_
    return (int(man) << exponent, 1) if exponent >= 0 else (int(man), 1 << -exponent)


def known_form(transformer: Transformer, row: Coefficients, n: int, j: int, letter: dict[Formula, bool]) -> Fraction:
    total = Fraction(0)
    for name, weight in row.items():
        meaning = transformer.directions[name]
        match meaning:
            case Position(value):
                total += weight * value.evaluate(i=j, n=n)
            case Truth(formula):
                total += weight * truths(formula, [letter] * n, n, 1)[j - 1]
            case _:
                raise AssertionError(name)
    return total
