"""Random formulas of some size, from a seed; hypothesis prefers small ones."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence

from constructions.language.syntax import (
    FALSE,
    TRUE,
    And,
    Formula,
    Iff,
    Implies,
    Next,
    Not,
    Or,
    Previous,
    Since,
    Symbol,
    Until,
    usual_since,
    usual_until,
)

PAST, FUTURE = ("prev", "since"), ("next", "until")
_TEMPORAL = {
    "prev": [Previous],
    "next": [Next],
    "since": [Since, Since, usual_since],
    "until": [Until, Until, usual_until],
}


def random_formula(
    rng: random.Random,
    depth: int,
    alphabet: Sequence[str] = "ab",
    temporal: Collection[str] = PAST + FUTURE,
    atoms: Sequence[Formula] = (),
) -> Formula:
    """A formula of at most ``depth`` operators on a path, half of them temporal; ``atoms`` are further leaves."""
    if depth == 0 or rng.random() < 0.15:
        return rng.choice([*map(Symbol, alphabet), *map(Symbol, alphabet), TRUE, FALSE, *atoms])
    if temporal and rng.random() < 0.55:
        operator = rng.choice(_TEMPORAL[rng.choice(sorted(temporal))])
    else:
        operator = rng.choice([Not, And, Or, Implies, Iff])
    count = 1 if operator in (Not, Previous, Next) else 2
    return operator(*(random_formula(rng, depth - 1, alphabet, temporal, atoms) for _ in range(count)))


def random_word(rng: random.Random, n: int, alphabet: Sequence[str] = "ab") -> tuple[str, ...]:
    """Runs of random length, so that ``since`` has something to look back over."""
    word: list[str] = []
    while len(word) < n:
        word += [rng.choice(alphabet)] * rng.choice([1, 1, 1, 2, 3, 8])
    return tuple(word[:n])
