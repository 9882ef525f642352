"""Random formulas of some size, from a seed; hypothesis prefers small ones."""

import random
from collections.abc import Callable, Collection, Sequence

from constructions.language.syntax import (
    FALSE,
    TRUE,
    And,
    Comparison,
    Count,
    Formula,
    Iff,
    Implies,
    Next,
    Not,
    Or,
    Predicate,
    PredicateOnCount,
    Previous,
    Relation,
    Side,
    Since,
    Symbol,
    Term,
    Until,
    usual_since,
    usual_until,
)

RELATIONS: tuple[Relation, ...] = ("<=", "<", ">=", ">", "==", "!=")
PAST, FUTURE = ("prev", "since"), ("next", "until")
_TEMPORAL: dict[str, list[Callable[..., Formula]]] = {
    "prev": [Previous],
    "next": [Next],
    "since": [Since, Since, usual_since],
    "until": [Until, Until, usual_until],
}
_BOOLEAN: list[Callable[..., Formula]] = [Not, And, Or, Implies, Iff]


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
        operator = rng.choice(_BOOLEAN)
    count = 1 if operator in (Not, Previous, Next) else 2
    return operator(*(random_formula(rng, depth - 1, alphabet, temporal, atoms) for _ in range(count)))


_NAMES = ("ODD", "EVEN", "FIRST", "LAST", "SQUARE", "POW2", "PRIME", "MOD")
WITHOUT_LENGTH = tuple(name for name in _NAMES if name != "LAST")


def random_counting_formula(
    rng: random.Random,
    depth: int,
    alphabet: Sequence[str] = "ab",
    temporal: Collection[str] = PAST + FUTURE,
    sides: Sequence[Side] = ("left", "right"),
    names: Sequence[str] = _NAMES,
) -> Formula:
    """A formula of the full language, of at most ``depth`` operators on a path; coefficients are from -3 to 3."""

    def part() -> Formula:
        return random_counting_formula(rng, depth - 1, alphabet, temporal, sides, names)

    def count() -> Count:
        return Count(rng.choice(sides), part())

    def term() -> Term:
        return Term(tuple((rng.randint(-3, 3), count()) for _ in range(rng.choice([0, 1, 1, 2]))), rng.randint(-3, 3))

    if depth == 0 or rng.random() < 0.1:
        return rng.choice([*map(Symbol, alphabet), *map(Symbol, alphabet), TRUE, random_predicate(rng, names)])
    choice = rng.random()
    if choice < 0.3:
        return Comparison(rng.choice(RELATIONS), term(), term())
    if choice < 0.45:
        theta = random_predicate(rng, names)
        return PredicateOnCount(theta.name, theta.parameters, count())
    operator = rng.choice([_TEMPORAL[name][0] for name in sorted(temporal)] + _BOOLEAN)
    return operator(*(part() for _ in range(1 if operator in (Not, Previous, Next) else 2)))


def random_predicate(rng: random.Random, names: Sequence[str]) -> Predicate:
    name = rng.choice(names)
    return Predicate(name, (rng.randint(1, 4), rng.randint(0, 3)) if name == "MOD" else ())


def random_word(rng: random.Random, n: int, alphabet: Sequence[str] = "ab") -> tuple[str, ...]:
    """Runs of random length, so that ``since`` has something to look back over."""
    word: list[str] = []
    while len(word) < n:
        word += [rng.choice(alphabet)] * rng.choice([1, 1, 1, 2, 3, 8])
    return tuple(word[:n])
