"""``find_extreme`` against trying every assignment of the atoms, for the constructions' heads and for random heads."""

import random
from collections.abc import Sequence
from fractions import Fraction

import pytest

from constructions.compiler import compile_formula
from constructions.language.expressions import parse_expression
from constructions.language.parser import parse_formula
from constructions.language.syntax import Formula, Symbol, is_positional, operands, subformulas
from constructions.network.lengths import up_to
from constructions.network.meanings import Meaning, Near, Position, Truth
from constructions.network.transformer import Head, Layer, Mask, Transformer
from constructions.network.weightings import Weighting
from constructions.regimes import ALL_REGIMES, Regime
from proofs.formula.attention.obligation import oblige_attention
from proofs.formula.attention.worst_case import weigh
from proofs.formula.common.word_independent import KnownValues
from proofs.formula.failures import NotDerived
from tests.formula.brute_worst_case import worst_errors
from tests.formula.largest_error import find_extreme
from tests.network.random_formulas import random_formula

GAMMAS = [Fraction(3), Fraction(2), Fraction(13, 10), Fraction(1), Fraction(1, 2)]
CASES = [
    (text, regime)
    for regime in ALL_REGIMES
    for text in ("(Q_a | Q_b) since Q_a", "(Q_a | Q_b) until Q_a", "prev Q_a", "next Q_a")
    if not (regime.causal and ("until" in text or "next" in text))
]
OWN_ERROR = Fraction(1, 10**50)


def check_head(
    transformer: Transformer, layer: int, place: int, head: Head, direction: str, atoms: Sequence[Formula], max_n: int
) -> None:
    known = KnownValues(transformer.directions)
    obligation = oblige_attention(transformer, known, up_to(max_n), layer, place, head, direction)
    brute = worst_errors(transformer, head, direction, atoms, max_n)
    weighed = [weigh(sweep, 128) for sweep in obligation.sweeps()]
    for truth in (False, True):
        extreme = find_extreme(weighed, truth)
        assert (extreme is None) == (truth not in brute)
        if extreme is not None:
            error = brute[truth]
            assert extreme.lower <= error * (1 + OWN_ERROR) + OWN_ERROR * Fraction(1, 10**40)
            assert error * (1 - OWN_ERROR) <= extreme.upper
            assert extreme.upper - extreme.lower <= extreme.upper / 10**9


@pytest.mark.one_in(16)
@pytest.mark.parametrize("text, regime", CASES, ids=str)
@pytest.mark.parametrize("gamma", GAMMAS, ids=str)
def test_heads_of_the_constructions(text: str, regime: Regime, gamma: Fraction) -> None:
    formula = parse_formula(text)
    max_n = 6
    checked = 0
    transformer = compile_formula(formula, "abc", regime, gamma)
    for layer, place, head in transformer.heads():
        for direction in head.values:
            if isinstance(transformer.directions[direction], Near):
                check_head(transformer, layer, place, head, direction, operands(formula), max_n)
                checked += 1
    assert checked == len([d for d in transformer.directions.values() if isinstance(d, Near)]) > 0


def random_head(rng: random.Random) -> tuple[Transformer, Head, list[Formula]]:
    """Return a head with random weights on what it may read; its target is a random temporal formula, often nested."""
    a, b = Symbol("a"), Symbol("b")
    both = parse_formula("!(Q_a <-> !Q_b)")
    extra_atoms = {part for part in subformulas(both) if part not in (a, b)}  # by the rule, free where they are read
    past = rng.random() < 0.5
    while True:
        target = random_formula(
            rng,
            3,
            temporal=("prev", "since") if past else ("next", "until"),
            atoms=[parse_formula("ODD"), parse_formula("LAST"), parse_formula("FIRST")],
        )
        if not is_positional(target) and target not in (a, b) and not extra_atoms & set(subformulas(target)):
            break
    when = (
        random_formula(rng, 1, alphabet="", temporal=(), atoms=[parse_formula(t) for t in ("ODD", "!LAST", "true")])
        if rng.random() < 0.5
        else parse_formula("true")
    )
    directions: dict[str, Meaning] = {
        "one": Position(parse_expression("1")),
        "i/n": Position(parse_expression("i/n")),
        "odd": Truth(parse_formula("ODD")),
        "a": Truth(a),
        "b": Truth(b),
        "both": Truth(both),
        "near": Near(target, when),
    }

    def weight() -> Fraction:
        return Fraction(rng.randint(-8, 8), rng.choice([1, 1, 2, 3]))

    names = ["one", "i/n", "odd", "a", "b", "both"]
    d_k = rng.choice([0, 1, 1, 2])
    queries = tuple({name: weight() for name in rng.sample(names[:3], 2)} for _ in range(d_k))
    keys = tuple({name: weight() for name in rng.sample(names, 3)} for _ in range(d_k))
    value = rng.choice(
        [
            {"a": Fraction(1)},
            {"a": Fraction(1, 2), "b": Fraction(1, 2)},
            {"one": Fraction(1), "b": Fraction(-1)},
            {"i/n": Fraction(1, 3), "both": Fraction(2, 3)},
            {"both": Fraction(1)},
            {"odd": Fraction(1)},
        ]
    )
    head = Head(
        "random",
        "none",
        Mask.FUTURE if past else Mask.PAST,
        Weighting.SOFTMAX,
        parse_expression(rng.choice(["1", "1/n", "1/i^2", "(i+n)/3", "n-i+1"])),
        tuple({k: w for k, w in row.items() if w} for row in queries),
        tuple({k: w for k, w in row.items() if w} for row in keys),
        {"near": value},
    )
    transformer = Transformer(("a", "b"), directions, {"a": {}, "b": {}}, {}, (Layer((head,)),), "near")
    return transformer, head, [a, b]


@pytest.mark.one_in(8)
@pytest.mark.parametrize("first", range(0, 150, 10))
def test_random_heads_with_nested_targets(first: int) -> None:
    checked = 0
    for seed in range(first, first + 10):
        transformer, head, atoms = random_head(random.Random(seed))
        try:
            check_head(transformer, 1, 1, head, "near", atoms, 5)
            checked += 1
        except NotDerived as reason:
            assert "temporal operators of one direction" in str(reason), reason
    assert checked >= 5


@pytest.mark.exhaustive
@pytest.mark.parametrize("first", range(1000, 1400, 20))
def test_many_random_heads(first: int) -> None:
    for seed in range(first, first + 20):
        transformer, head, atoms = random_head(random.Random(seed))
        try:
            check_head(transformer, 1, 1, head, "near", atoms, 5)
        except NotDerived as reason:
            assert "temporal operators of one direction" in str(reason), reason
