"""``build`` of ``compile_formula.v`` and ``compile_formula`` give the same networks, number by number."""

import random
from fractions import Fraction
from pathlib import Path

import pytest

from certify.claims.formula.examples import load_examples
from certify.common.shipped import examples_folder
from constructions.language.parser import parse_formula
from constructions.language.predicates import parse_predicate_definitions
from constructions.language.syntax import Predicate, Side
from constructions.regimes import ALL_REGIMES, Regime, Sharpening
from tests.every_n.coq_builds import Question, differing, proved_by_theorem
from tests.network.random_formulas import FUTURE, PAST, WITHOUT_LENGTH, random_counting_formula, random_formula

BY_POSITION = Sharpening.POSITION
GAMMAS = tuple(map(Fraction, ("3", "3", "2", "7/3", "1/2")))
ATOMS = tuple(Predicate(name) for name in ("ODD", "FIRST", "PRIME", "EVEN"))
USERS = parse_predicate_definitions(["HALF(k,n) := 2*k == n or k == 0", "MANY(k) := k > 5"])
EDGES = [
    "#<[Q_a] - #>[Q_a] != 1", "0*#>[PRIME(#<[Q_a])] + 2 != -1", "LAST(#<[Q_a])", "MOD(3,5)(#>[ODD])",
    "2*#<[Q_a] + #<[Q_b] > 3 | #<[Q_b] + 2*#<[Q_a] > 3 | 2*#<[Q_a] + #<[Q_b] < 3 | 4*#<[Q_a] <= #<[Q_a] + 1",
    "1000000*#<[Q_a] >= 999999*#>[Q_b]", "#<[true] == #>[true]", "(prev Q_a -> prev Q_a) <-> (!prev Q_a <-> !prev Q_a)",
    "(!prev Q_a -> !prev Q_a) & (prev Q_a & prev Q_a) & (prev Q_a | prev Q_a)", "FIRST & prev FIRST & LAST & next LAST",
    "1 < 2 & PRIME & (3 < 2 since ODD)", "HALF(#<[Q_a]) | MANY & prev HALF", "MANY(#<[Q_a]) & EVEN(#<[MANY])",
]  # fmt: skip
REFUSED = [
    ("next Q_a", Regime(causal=True)), ("O (Q_a until Q_b)", Regime(causal=True)), ("#>[Q_a] > 1", Regime(causal=True)),
    ("prev LAST", Regime(causal=True)), ("LAST(#<[Q_a])", Regime(BY_POSITION, causal=True)),
    ("HALF(#<[Q_a])", Regime(causal=True)), ("ODD(#<[Q_a])", Regime(BY_POSITION, causal=True)),
    ("1000000001*#<[Q_a] > 1", Regime()), ("#<[Q_a] > 1000000000001", Regime()),
]  # fmt: skip


def question_number(seed: int) -> Question:
    """Return the four regimes in turn, depth 1 to 4, five values of gamma."""
    rng, regime = random.Random(f"built {seed}"), ALL_REGIMES[seed % 4]
    depth, gamma = 1 + seed // 4 % 4, rng.choice(GAMMAS)
    temporal = PAST if regime.causal else PAST + FUTURE
    if regime == Regime(BY_POSITION, causal=True) or rng.random() < 0.4:
        return Question(random_formula(rng, depth + 1, "ab", temporal, ATOMS), "ab", regime, gamma)
    names = WITHOUT_LENGTH if regime.causal else (*WITHOUT_LENGTH, "LAST")
    sides: tuple[Side, ...] = ("left",) if regime.causal else ("left", "right")
    return Question(random_counting_formula(rng, depth, "ab", temporal, sides, names), "ab", regime, gamma)


def test_random_formulas(tmp_path: Path) -> None:
    assert differing([question_number(seed) for seed in range(40)], tmp_path) == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("first", range(40, 1040, 50))
def test_a_thousand_random_formulas(first: int, tmp_path: Path) -> None:
    assert differing([question_number(seed) for seed in range(first, first + 50)], tmp_path) == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("regime", ALL_REGIMES, ids=str)
def test_all_examples(regime: Regime, tmp_path: Path) -> None:
    """In a regime that an example is not for, both refuse it."""
    questions = [Question(example.formula, example.alphabet, regime) for example in load_examples()]
    assert differing(questions, tmp_path) == []


@pytest.mark.parametrize("regime", ALL_REGIMES, ids=str)
def test_listed_formulas_and_edges(regime: Regime, tmp_path: Path) -> None:
    lines = (examples_folder() / "formulas.txt").read_text(encoding="utf-8").splitlines()
    texts = [line for line in lines if line and not line.startswith("#")] + EDGES
    questions = [Question(parse_formula(text, "ab", USERS), "ab", regime) for text in texts]
    assert differing(questions, tmp_path) == []


def test_both_refuse_the_same_formulas(tmp_path: Path) -> None:
    questions = [Question(parse_formula(text, "ab", USERS), "ab", regime) for text, regime in REFUSED]
    assert differing([*questions, Question(parse_formula("Q_a", "a"), "a", Regime(), Fraction(0))], tmp_path) == []


@pytest.mark.parametrize(("one", "another"), [
    ("(-1 # 4)", "(-2 # 8)"), ("[6 |-> 6]", "[6 |-> 5]"), ("2 |-> 1; 3 |-> 1", "3 |-> 1; 2 |-> 1"),
    ("IsTruth f3", "IsTruth f1"), ("] 8%nat", "] 7%nat"),
    ("build (Regime false", "build (Regime true"),
])
def test_one_difference_is_told(one: str, another: str, tmp_path: Path) -> None:
    def change(text: str) -> str:
        assert one in text, text
        return text.replace(one, another, 1)

    question = Question(parse_formula("Q_a since !Q_b", "ab"), "ab", Regime())
    assert differing([question], tmp_path, change) == [question]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("text", "regime", "gamma"), [
    ("Q_a since prev Q_b", Regime(), 3), ("next Q_a until (Q_b -> prev Q_a)", Regime(BY_POSITION), 2),
    ("prev (Q_a since ODD)", Regime(BY_POSITION, causal=True), 3),
    ("ODD(#<[Q_a]) & 2*#<[Q_a] > #<[prev Q_b] + 1", Regime(causal=True), 3),
    ("PRIME(#>[Q_a]) | #<[Q_a] != #>[Q_b]", Regime(), 2),
])
def test_its_theorem_is_an_instance_of_the_theorem_about_build(text: str, regime: Regime, gamma: int,
                                                               tmp_path: Path) -> None:
    question = Question(parse_formula(text, "ab"), "ab", regime, Fraction(gamma))
    answer = proved_by_theorem(question, tmp_path)
    assert answer.proved, answer.reason


@pytest.mark.exhaustive
def test_too_small_a_gamma_is_not_enough_for_the_theorem(tmp_path: Path) -> None:
    question = Question(parse_formula("Q_a since Q_b", "ab"), "ab", Regime(), Fraction(1))
    assert not proved_by_theorem(question, tmp_path).proved
