"""Predicates of sums of counts: the formula that is built means what the sum's value decides, on every short word."""

import itertools
import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest

from constructions.errors import InputError, Unsupported
from constructions.language.parser import parse_formula
from constructions.language.predicates import definitions_of, parse_predicate_definition
from constructions.language.predicates_of_terms import predicate_of_term
from constructions.language.quotients import greatest_step, quotient
from constructions.language.semantics import truth_values
from constructions.language.syntax import Count, Formula, Side, Term, subformulas

Word = tuple[str, ...]
Rule = Callable[[int, int], bool]


class Summand(NamedTuple):
    """A multiple of a count, as numbers: what is counted is a function of the word and the position."""

    factor: int
    side: Side
    counted: str


COUNTED: dict[str, Callable[[Word, int], bool]] = {
    "Q_a": lambda word, j: word[j] == "a",
    "Q_b": lambda word, j: word[j] == "b",
    "true": lambda word, j: True,
    "prev Q_a": lambda word, j: j > 0 and word[j - 1] == "a",
    "Q_a | Q_b": lambda word, j: word[j] in "ab",
}
SQUARES, POWERS = {k * k for k in range(40)}, {2**k for k in range(12)}


def is_prime(k: int) -> bool:
    return k > 1 and not any(k % divisor == 0 for divisor in range(2, k))


BUILT_IN: dict[tuple[str, tuple[int, ...]], Rule] = {
    ("ODD", ()): lambda k, n: k % 2 == 1,
    ("EVEN", ()): lambda k, n: k % 2 == 0,
    ("MOD", (3, 1)): lambda k, n: k % 3 == 1,
    ("MOD", (4, 0)): lambda k, n: k % 4 == 0,
    ("FIRST", ()): lambda k, n: k == 1,
    ("LAST", ()): lambda k, n: k == n,
    ("SQUARE", ()): lambda k, n: k in SQUARES,
    ("POW2", ()): lambda k, n: k in POWERS,
    ("PRIME", ()): lambda k, n: is_prime(k),
}
DEFINED: dict[str, Rule] = {
    "THIRD(k) := k % 3 == 1": lambda k, n: k % 3 == 1,
    "HALF(k,n) := 2*k > n or k == -1": lambda k, n: 2 * k > n or k == -1,
    "FAR(k,n) := not (2 < (k + n) % 4 and k <= 3*n - 2)": lambda k, n: not ((k + n) % 4 > 2 and k <= 3 * n - 2),
    "BEND(k,n) := (k - n)//2 == k*k - 3": lambda k, n: (k - n) // 2 == k * k - 3,
    "TWIN(k) := PRIME(k) and PRIME(k + 2)": lambda k, n: is_prime(k) and is_prime(k + 2),
    "FULL(k,n) := PRIME(k + n) or SQUARE(n/4)": lambda k, n: is_prime(k + n) or n in (4, 16),
}
WORDS: list[Word] = [word for n in range(1, 6) for word in itertools.product("ab", repeat=n)]
WORDS += [tuple(word) for word in ("c", "ac", "cb", "abcab", "bacbaab", "aaaaaaa", "bbbbbbbb", "abbaabab")]


def value(summands: list[Summand], constant: int, word: Word, i: int) -> int:
    """Return the number at position i, counted from 0."""
    seen = {"left": range(i + 1), "right": range(i, len(word))}
    return constant + sum(each.factor * sum(COUNTED[each.counted](word, j) for j in seen[each.side])
                          for each in summands)


def build(predicate: tuple[str, tuple[int, ...]] | str, summands: list[Summand], constant: int) -> tuple[Formula, Rule]:
    term = Term(tuple((factor, Count(side, parse_formula(counted))) for factor, side, counted in summands), constant)
    if isinstance(predicate, str):
        definition = parse_predicate_definition(predicate)
        return predicate_of_term(definition.name, (), term, definition), DEFINED[predicate]
    return predicate_of_term(*predicate, term), BUILT_IN[predicate]


def check(predicate: tuple[str, tuple[int, ...]] | str, summands: list[Summand], constant: int,
          words: list[Word]) -> None:
    formula, rule = build(predicate, summands, constant)
    for word in words:
        expected = tuple(rule(value(summands, constant, word, i), len(word)) for i in range(len(word)))
        assert truth_values(formula, word) == expected, (predicate, summands, constant, word)
    definitions = {definition.name: definition for definition in definitions_of([formula])}
    assert parse_formula(str(formula), predicates=definitions) is formula


ALL: list[tuple[str, tuple[int, ...]] | str] = [*BUILT_IN, *DEFINED]

TERMS: list[tuple[list[Summand], int]] = [
    ([], 0), ([], 4), ([], -1),
    ([Summand(0, "left", "Q_a")], 1),
    ([Summand(1, "left", "Q_a")], -2),
    ([Summand(-1, "left", "Q_a")], 3),
    ([Summand(3, "right", "Q_a")], 1),
    ([Summand(1, "left", "Q_a"), Summand(-1, "left", "Q_b")], 0),
    ([Summand(2, "left", "Q_a"), Summand(1, "left", "Q_b")], -1),
    ([Summand(2, "left", "Q_a"), Summand(-3, "left", "prev Q_a")], 1),
    ([Summand(1, "left", "Q_a"), Summand(1, "right", "Q_b")], 0),
    ([Summand(1, "left", "Q_a"), Summand(1, "right", "Q_a"), Summand(-1, "right", "Q_b")], 0),
    ([Summand(1, "left", "true")], 0),
    ([Summand(1, "left", "true"), Summand(1, "right", "true")], -1),
    ([Summand(2, "left", "true"), Summand(1, "right", "true"), Summand(-1, "left", "Q_b")], 0),
]


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("summands", "constant"), TERMS, ids=lambda each: str(each)[:60])
def test_every_predicate_of_a_sum_means_what_the_number_decides(summands: list[Summand], constant: int) -> None:
    for predicate in ALL:
        check(predicate, summands, constant, WORDS)


def drawn() -> Iterator[tuple[tuple[str, tuple[int, ...]] | str, list[Summand], int, list[Word]]]:
    draw = random.Random(20)
    for _ in range(100):
        summands = [Summand(draw.choice((-5, -3, -2, -1, 1, 2, 3, 4)), draw.choice(("left", "left", "right")),
                            draw.choice([*COUNTED])) for _ in range(draw.randrange(1, 4))]
        yield (draw.choice(ALL), summands, draw.choice((0, 0, 1, -1, 5, 100)),
               draw.sample(WORDS, 12))


def test_so_does_every_predicate_of_sums_that_are_drawn() -> None:
    for predicate, summands, constant, words in drawn():
        check(predicate, summands, constant, words)


def test_sizes_stay_moderate() -> None:
    for factor, most in ((2, 20), (3, 35), (5, 80), (9, 260)):
        formula, _ = build(("SQUARE", ()), [Summand(factor, "left", "Q_a"), Summand(-1, "left", "Q_b")], 0)
        assert len(subformulas(formula)) <= most


@pytest.mark.parametrize(("text", "core"), [
    ("SQUARE(#<[Q_a] + #<[Q_b])", "SQUARE(#<[Q_a | Q_b])"),
    ("FIRST(#<[Q_a] - #>[Q_b])", "#<[Q_a] - #>[Q_b] == 1"),
    ("LAST(2*#<[Q_a])", "2*#<[Q_a] == #<[true] + #>[true] - 1"),
    ("PRIME(#<[true])", "PRIME(#<[true])"),
    ("MOD(3,0)(3*#<[Q_a] + 6)", "true"),
    ("PRIME(#<[Q_a] - #>[Q_b])", "PRIME(#<[Q_a] - #>[Q_b])"),
])
def test_what_needs_no_lookup_of_its_own_has_none(text: str, core: str) -> None:
    assert parse_formula(text) is parse_formula(core)


def test_a_predicate_of_a_multiple_has_a_name_and_a_condition() -> None:
    formula, _ = build(("PRIME", ()), [Summand(-2, "left", "Q_a")], 7)
    assert str(formula) == "PRIME_m2_7(#<[Q_a])"
    assert formula.definition.description == "PRIME_m2_7(k) := PRIME(-2*k+7)"  # type: ignore[attr-defined]


def test_too_many_parts_are_refused_by_name() -> None:
    with pytest.raises(Unsupported, match="PRIME of a sum to which one position may add 500"):
        parse_formula("PRIME(500*#<[Q_a] - 499*#<[Q_b])")


def test_a_condition_that_becomes_too_long_is_refused() -> None:
    definition = parse_predicate_definition("LONG(k) := " + " or ".join(f"SQUARE(k+{j})" for j in range(17)))
    with pytest.raises(InputError, match="when written out, expected at most 300"):
        predicate_of_term("LONG", (), Term(((2, Count("left", parse_formula("Q_a"))),), 12345), definition)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("factors", [(1,), (3,), (2, 1), (2, -3), (-4, 1, 1)])
def test_a_quotient_is_rounded_down_at_every_position(side: Side, factors: tuple[int, ...]) -> None:
    counted = ("Q_a", "prev Q_a", "Q_b")
    summands = [Summand(factor, side, each) for factor, each in zip(factors, counted, strict=False)]
    counts = [(factor, Count(side, parse_formula(each))) for factor, _, each in summands]
    for divisor in range(greatest_step(counts), greatest_step(counts) + 2):
        found = quotient(counts, divisor)
        for word in WORDS:
            up, down = truth_values(found.up, word), truth_values(found.down, word)
            for i in range(len(word)):
                seen = range(i + 1) if side == "left" else range(i, len(word))
                assert sum(up[j] - down[j] for j in seen) == value(summands, 0, word, i) // divisor
