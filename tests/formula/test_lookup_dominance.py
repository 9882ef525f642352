"""The undominated cases of a lookup head have its worst error: the same as all cases have, and as brute force finds."""

import random
from fractions import Fraction

import pytest

from constructions.compiler import compile_formula
from constructions.language.brackets import parse_position_function
from constructions.language.expressions import parse_expression
from constructions.language.parser import parse_formula
from constructions.language.syntax import Count, Symbol
from constructions.network.lengths import Lengths, up_to
from constructions.network.meanings import Mean, Meaning, Near, Others, Position, Product, Truth
from constructions.network.transformer import Head, Layer, Mask, Transformer
from constructions.network.weightings import Weighting
from constructions.regimes import Regime, Sharpening
from proofs.formula.common.extremes import Extreme
from proofs.formula.common.word_independent import KnownValues
from proofs.formula.lookup.dominance import find_profiles
from proofs.formula.lookup.obligation import LookupObligation, oblige_lookup
from proofs.formula.lookup.worst_case import SMALLEST_LOOKUP_BOUND, find_lookup_worst_case, profiles_of_every_case
from tests.formula.brute_lookup import worst_lookup_errors
from tests.formula.test_lookup_worst_case_against_brute_force import check
from tests.tiers import few_and_all

BITS = 128
POSITION = Regime(Sharpening.POSITION)
QUARTER = Fraction(1, 4)
TEMPERATURES = ["1/n", "1/n", "1/i", "1", "1/n^2", "1/(i*n)", "i/n", "(n-i+1)/n", "1/2^log2ceil(n)"]
BITS_OF_POSITIONS = ["[ODD]", "[ODD](i-1)", "[PRIME]", "[PRIME](i-1)", "[LAST](i-1)", "(1+(-1)^i)/2", "0^(i-1)", "i/n"]


def square_lookup(rng: random.Random) -> tuple[Transformer, Head]:
    """A head of the construction, more or less: scores are squares around the count, unless something is changed."""
    one = Symbol("1")
    left = rng.random() < 0.7
    count, length = (Count("left", one), "i") if left else (Count("right", one), "n-i+1")
    theta = rng.choice(["ODD", "PRIME", "LAST"])
    key = rng.choice(["", "*n", "*n", "/3", "*(n+1)"])
    middle = rng.choice([2, 2, 2, 2, 2, 2, 0, 4, 3])
    bit, when = rng.choice([(f"[{theta}]", "Q_1"), (f"[{theta}](i-1)", "!Q_1")])
    if rng.random() < 0.4:
        bit, when = rng.choice(BITS_OF_POSITIONS), rng.choice(["true", "Q_1", "!Q_1", "ODD"])
    directions: dict[str, Meaning] = {
        "r": Position(parse_expression(f"1/({length})")),
        "2i": Position(parse_expression(f"2*i{key}")),
        "bent": Position(parse_expression(f"({middle}*i-i^2){key}")),
        "number": Position(parse_expression(rng.choice(["i-1", "i-1", "i-1", "i-2", "i", "2*i", "(i-1)/2"]))),
        "bit": Position(parse_position_function(bit)),
        "mean": Mean(count),
        "here": Product(parse_expression(f"1/({length})"), one),
        "is": Truth(one),
        "others": Others(count),
        "near": Near(parse_formula(f"{theta}(#{'<' if left else '>'}[Q_1])"), parse_formula(when)),
    }
    sharpness = Fraction(rng.choice([6, 3, 3, 2, 1]), rng.choice([1, 1, 1, 1, 2, 9]))
    changed = rng.choice([*[Fraction(0)] * 5, Fraction(1, 10**9)])
    queries = ({"mean": sharpness, "here": changed - sharpness}, {"r": sharpness})
    mask = (Mask.FUTURE if left else Mask.NONE) if rng.random() < 0.8 else rng.choice(list(Mask))
    head = Head("square", "none", mask, Weighting.SOFTMAX, parse_expression(rng.choice(TEMPERATURES)), queries,
                ({"2i": Fraction(1)}, {"bent": Fraction(1)}),
                {"others": {"number": Fraction(1)}, "near": {"bit": Fraction(1)}})
    return Transformer(("0", "1"), directions, {"0": {}, "1": {}}, {}, (Layer((head,)),), "is"), head


def obligation_of(transformer: Transformer, head: Head, direction: str, lengths: Lengths) -> LookupObligation:
    return oblige_lookup(transformer, KnownValues(transformer.directions), lengths, 1, 1, head, direction, QUARTER)


def check_equal(found: Extreme | None, expected: Extreme | None) -> None:
    """Equal bounds to all digits; the cases are one, or tie. The least bound of all is claimed without a case, too."""
    claimed = [extreme.upper if extreme else SMALLEST_LOOKUP_BOUND for extreme in (found, expected)]
    assert claimed[0] == claimed[1]
    if found and expected:
        assert found.lower <= expected.upper and expected.lower <= found.upper


def check_head(transformer: Transformer, head: Head, direction: str, lengths: Lengths) -> bool:
    """Return whether the rules left out some cases."""
    task = obligation_of(transformer, head, direction, lengths)
    undominated, all_cases = find_profiles(task, BITS), profiles_of_every_case(task, BITS)
    found, expected = find_lookup_worst_case(undominated), find_lookup_worst_case(all_cases)
    check_equal(found.if_false, expected.if_false)
    check_equal(found.if_true, expected.if_true)
    return len(undominated.cases) < len(all_cases.cases)


def lengths_of(rng: random.Random, most: int) -> Lengths:
    last = rng.randint(1, most)
    return Lengths(rng.choice([1, 1, rng.randint(1, last)]), last)


def compare_seeds(seeds: range, most: int) -> int:
    """Compare heads of random seeds; return the number of heads with dominated cases."""
    left_out = 0
    for seed in seeds:
        rng = random.Random(seed)
        transformer, head = square_lookup(rng)
        lengths = lengths_of(rng, most)
        left_out += sum([check_head(transformer, head, direction, lengths) for direction in ("others", "near")])
    return left_out


@pytest.mark.parametrize("count", few_and_all(30, 100))
def test_random_and_changed_heads_have_the_same_worst_error_by_the_rules_and_by_all_cases(count: int) -> None:
    assert compare_seeds(range(count), 12) > count * 2 // 5, "the rules apply to many of the heads"


@pytest.mark.exhaustive
@pytest.mark.parametrize("first", range(1000, 6000, 250))
def test_many_random_and_changed_heads(first: int) -> None:
    assert compare_seeds(range(first, first + 250), 16) > 80


@pytest.mark.parametrize("seed", range(12))
def test_brute_force_finds_the_same(seed: int) -> None:
    transformer, head = square_lookup(random.Random(seed))
    for direction in ("others", "near"):
        task = obligation_of(transformer, head, direction, up_to(5))
        if task.problem.targets.mention_i:
            continue  # brute force knows no guards on the position
        brute = worst_lookup_errors(transformer, head, direction, task.count, 5)
        worst = find_lookup_worst_case(find_profiles(task, BITS))
        check(worst.if_false, brute.get(False))
        check(worst.if_true, brute.get(True))


def tasks_of(text: str, regime: Regime, max_n: int, gamma: str = "3") -> list[LookupObligation]:
    transformer = compile_formula(parse_formula(text, "01"), "01", regime, Fraction(gamma))
    known = KnownValues(transformer.directions)
    return [oblige_lookup(transformer, known, up_to(max_n), layer, place, head, direction, QUARTER)
            for layer, place, head in transformer.heads() for direction in head.values
            if isinstance(transformer.directions[direction], Near | Others)]


@pytest.mark.parametrize("text, regime, profiles", [
    ("ODD(#<[Q_1])", Regime(), [114, 114]),
    ("ODD(#<[Q_1])", POSITION, [114, 114]),
    ("ODD(#<[Q_1])", Regime(causal=True), [114, 114]),
    ("#<[Q_1] >= 2", Regime(), [6]),
    ("#<[Q_1] >= 2", POSITION, [6]),
    ("#<[Q_1] >= 2", Regime(causal=True), [6]),
    ("#>[Q_1] >= 2", Regime(), [6]),
])  # fmt: skip
def test_the_number_of_undominated_profiles_does_not_grow(text: str, regime: Regime, profiles: list[int]) -> None:
    for max_n in (32, 64):
        assert [len(find_profiles(task, BITS).cases) for task in tasks_of(text, regime, max_n)] == profiles


def test_scores_that_fall_too_slowly_are_looked_at_case_by_case() -> None:
    for text in ("ODD(#<[Q_1])", "#<[Q_1] >= 2"):
        for task in tasks_of(text, Regime(), 9, gamma="1/50"):
            assert len(find_profiles(task, BITS).cases) == len(profiles_of_every_case(task, BITS).cases)


def test_equal_heads_of_different_counts_have_equal_keys_and_others_have_not() -> None:
    keys = [task.key() for task in tasks_of("#<[Q_1] + #<[Q_0] + #<[!Q_1 & !Q_0] >= 2", Regime(), 6)]
    assert len(keys) == 3
    assert len(set(keys)) == 1
    variants = [tasks_of("#<[Q_1] >= 2", Regime(), 6), tasks_of("#<[Q_1] >= 2", Regime(), 7),
                tasks_of("#<[Q_1] >= 2", POSITION, 6), tasks_of("#>[Q_1] >= 2", Regime(), 6),
                tasks_of("#<[Q_1] >= 2", Regime(), 6, gamma="4"), tasks_of("ODD(#<[Q_1])", Regime(), 6),
                tasks_of("EVEN(#<[Q_1])", Regime(), 6)]
    distinct = [task.key() for tasks in variants for task in tasks]
    assert len(set(distinct)) == len(distinct) == 9


def test_keys_of_truths_of_counts_do_not_depend_on_what_is_counted() -> None:
    first, second = ([task.key() for task in tasks_of(f"ODD(#<[{part}])", Regime(), 6)] for part in ("Q_1", "Q_0"))
    assert first == second
