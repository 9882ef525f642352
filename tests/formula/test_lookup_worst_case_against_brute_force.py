"""The enclosed worst case of a lookup head against all its cases at 60 digits, for compiled and for random heads."""

import random
from fractions import Fraction

import pytest

from constructions.compiler import compile_formula
from constructions.language.expressions import parse_expression
from constructions.language.parser import parse_formula
from constructions.language.syntax import Count, Symbol
from constructions.network.lengths import up_to
from constructions.network.meanings import Mean, Meaning, Near, Others, Position, Product, Truth
from constructions.network.transformer import Head, Layer, Mask, Transformer
from constructions.network.weightings import Weighting
from constructions.regimes import ALL_REGIMES, Regime
from proofs.formula.common.extremes import Extreme
from proofs.formula.common.word_independent import KnownValues
from proofs.formula.failures import NotDerived
from proofs.formula.lookup.dominance import find_profiles
from proofs.formula.lookup.family import prove
from proofs.formula.lookup.obligation import oblige_lookup
from proofs.formula.lookup.worst_case import SMALLEST_LOOKUP_BOUND, find_lookup_worst_case
from proofs.formula.transcript import ignore
from tests.formula.brute_lookup import worst_lookup_errors

QUARTER = Fraction(1, 4)
OWN_ERROR = Fraction(1, 10**50)
COUNTING = [regime for regime in ALL_REGIMES if str(regime) != "position, causal"]
CASES = [(text, regime) for regime in COUNTING
         for text in ("ODD(#<[Q_1])", "PRIME(#<[Q_1])", "2*#<[Q_1] >= #<[Q_0]", "MOD(3,0)(#>[Q_1])", "#>[Q_1] == 2")
         if not (regime.causal and "#>" in text)]


def check(extreme: Extreme | None, error: Fraction | None) -> None:
    if error is None or error < OWN_ERROR:
        assert extreme is None or extreme.lower <= OWN_ERROR
        return
    assert extreme is not None
    assert extreme.lower <= error * (1 + OWN_ERROR) + OWN_ERROR
    assert error * (1 - OWN_ERROR) - OWN_ERROR <= extreme.upper
    width = extreme.upper - extreme.lower
    assert width <= extreme.upper * Fraction(101, 10**8) or extreme.upper == SMALLEST_LOOKUP_BOUND


def check_direction(transformer: Transformer, head: Head, direction: str, max_n: int) -> None:
    known = KnownValues(transformer.directions)
    task = oblige_lookup(transformer, known, up_to(max_n), 1, 1, head, direction, QUARTER)
    brute = worst_lookup_errors(transformer, head, direction, task.count, max_n)
    worst = find_lookup_worst_case(find_profiles(task, 128))
    check(worst.if_false, brute.get(False))
    check(worst.if_true, brute.get(True))
    proved = prove(task, True, ignore).worst
    assert proved and proved.worst == worst.worst, "the two provers agree, or they would raise"


@pytest.mark.one_in(16)
@pytest.mark.parametrize("gamma", ["3", "1", "1/3", "1/50"])
@pytest.mark.parametrize("text, regime", CASES, ids=str)
def test_heads_of_the_construction(text: str, regime: Regime, gamma: str) -> None:
    transformer = compile_formula(parse_formula(text, "01"), "01", regime, Fraction(gamma))
    checked = 0
    for _, _, head in transformer.heads():
        for direction in head.values:
            if isinstance(transformer.directions[direction], Near | Others):
                check_direction(transformer, head, direction, 6)
                checked += 1
    assert checked == 2 if text.startswith(("ODD", "PRIME", "MOD", "2*")) else 1


def random_lookup(rng: random.Random) -> tuple[Transformer, Head]:
    """Random concave scores; the values of *others* are random numbers, those of *near* random bits."""
    one = Symbol("1")
    count = Count(rng.choice(["left", "right"]), one)
    length = "i" if count.side == "left" else "n-i+1"
    theta = rng.choice(["ODD", "PRIME", "POW2"])
    formula = parse_formula(f"{theta}(#{'<' if count.side == 'left' else '>'}[Q_1])")
    when = parse_formula(rng.choice(["true", "Q_1", "!Q_1"]))
    bend, tilt, shift = rng.randint(0, 4), rng.randint(-3, 3), rng.randint(-2, 2)
    directions: dict[str, Meaning] = {
        "one": Position(parse_expression("1")),
        "r": Position(parse_expression(f"1/({length})")),
        "2i": Position(parse_expression("2*i")),
        "bent": Position(parse_expression(f"{tilt}*i-{bend}*i^2+{shift}*n")),
        "number": Position(parse_expression(rng.choice(["i-1", "i", "(i-2)/3", "i^2/7", "n-i"]))),
        "bit": Position(parse_expression(rng.choice(["(1+(-1)^i)/2", "0^(i-1)", "i/n", "1/i", "1"]))),
        "mean": Mean(count),
        "here": Product(parse_expression(f"1/({length})"), one),
        "is": Truth(one),
        "others": Others(count),
        "near": Near(formula, when),
    }

    def weight() -> Fraction:
        return Fraction(rng.randint(-6, 6), rng.choice([1, 2, 3]))

    factor = abs(weight()) + Fraction(rng.choice([0, 1, 40]))
    queries = ({"mean": factor, "here": rng.choice([-factor, weight()]), "is": weight()}, {"r": abs(weight())})
    head = Head("random", "none", rng.choice(list(Mask)), Weighting.SOFTMAX,
                parse_expression(rng.choice(["1", "1/n", "1/i", "1/i^2", "n", "(i+n)/5"])), queries,
                ({"2i": Fraction(1)}, {"bent": Fraction(1)}),
                {"others": {"number": Fraction(1)}, "near": {"bit": Fraction(1)}})
    return Transformer(("0", "1"), directions, {"0": {}, "1": {}}, {}, (Layer((head,)),), "is"), head


@pytest.mark.one_in(6)
@pytest.mark.parametrize("first", range(0, 60, 10))
def test_random_heads(first: int) -> None:
    for seed in range(first, first + 10):
        transformer, head = random_lookup(random.Random(seed))
        check_direction(transformer, head, "others", 5)
        check_direction(transformer, head, "near", 5)


@pytest.mark.exhaustive
@pytest.mark.parametrize("first", range(1000, 1400, 20))
def test_many_random_heads(first: int) -> None:
    for seed in range(first, first + 20):
        transformer, head = random_lookup(random.Random(seed))
        check_direction(transformer, head, "others", 7)
        check_direction(transformer, head, "near", 7)


def changed(transformer: Transformer, **meanings: object) -> Transformer:
    return Transformer(transformer.alphabet, {**transformer.directions, **meanings}, transformer.token_embedding,  # type: ignore[dict-item]
                       transformer.position_embedding, transformer.layers, transformer.output)


def is_to_the_left(transformer: Transformer) -> bool:
    mean = transformer.directions["mean"]
    return isinstance(mean, Mean) and mean.count.side == "left"


@pytest.mark.parametrize(
    "meanings, reason",
    [
        ({"bent": Position(parse_expression("i^2"))}, "not concave"),
        ({"bent": Position(parse_expression("-i^3"))}, "not quadratic"),
        ({"bent": Truth(Symbol("1"))}, "looks up known directions only"),
        ({"mean": Mean(Count("left", Symbol("0")))}, "one count"),
        ({"here": Product(parse_expression("1/i"), Symbol("0"))}, "do not decide"),
        ({"here": Near(Symbol("1"))}, "do not decide"),
        ({"near": Near(parse_formula("ODD(#<[Q_0])"))}, "is not decided by"),
        ({"near": Near(parse_formula("prev ODD(#<[Q_1])"))}, "is not decided by"),
        ({"near": Near(parse_formula("ODD(#<[Q_1])"), Symbol("0"))}, "is not decided by"),
    ],
    ids=str,
)
def test_what_the_rules_do_not_cover_is_not_derived(meanings: dict[str, object], reason: str) -> None:
    transformer, head = next(random_lookup(random.Random(seed)) for seed in range(100)
                             if is_to_the_left(random_lookup(random.Random(seed))[0]))
    transformer = changed(transformer, **meanings)
    direction = "others" if "mean" in meanings else "near"
    with pytest.raises(NotDerived, match=reason):
        oblige_lookup(transformer, KnownValues(transformer.directions), up_to(4), 1, 1, head, direction, QUARTER)
