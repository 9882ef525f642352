from itertools import product

import pytest

from certify import certify
from constructions.compiler import compile_formula
from constructions.errors import Unsupported
from constructions.language.parser import parse_formula
from constructions.language.predicates import parse_predicate_definitions
from constructions.language.semantics import truth_values
from constructions.network.meanings import Average, Mean, Others, Slack, Total
from constructions.regimes import Regime, Sharpening
from constructions.statements.low_precision import GAMMA
from proofs.words.replay import REPLAY_BITS, find_miss, run_soft
from tests.statements.low_precision import is_certified, low_precision_network

ONE_SIDE = ["#<[Q_a] > #<[Q_b]", "2*#<[Q_a] - 3*#<[Q_b] >= 1", "#>[Q_a] == #>[Q_b]", "-2*#<[Q_a] <= -5", "#<[Q_a] != 3"]
BOTH_SIDES = ["3*#<[Q_a] - 2*#>[Q_b] >= 5", "#<[true] <= #>[true]", "#<[Q_a] != #>[Q_a]"]
PREDICATES = ["ODD(#<[Q_a])", "MOD(3,1)(#>[Q_b])", "SQUARE(#<[Q_a | Q_b])", "FIRST(#<[Q_a])"]


@pytest.mark.parametrize("text", [*ONE_SIDE, *BOTH_SIDES, *PREDICATES, "#<[#<[Q_a] <= #<[Q_b]] == 0"])
def test_it_is_certified_and_accepted(text: str) -> None:
    assert is_certified(text, 7, alphabet="ab")


@pytest.mark.parametrize("text", [*ONE_SIDE, *BOTH_SIDES, *PREDICATES])
def test_every_direction_holds_what_it_means_on_every_short_word(text: str) -> None:
    network, formula = low_precision_network(text, 5, alphabet="ab"), parse_formula(text, tuple("ab"))
    for length in range(1, 5):
        for word in product("ab", repeat=length):
            assert find_miss(network, word) is None
            held = [vector[network.output] for vector in run_soft(network, word, REPLAY_BITS)]
            assert all(value.is_point for value in held)
            assert [value.lower == 1 for value in held] == list(truth_values(formula, word))


def test_no_count_is_looked_up() -> None:
    for text in (*ONE_SIDE, *BOTH_SIDES, *PREDICATES):
        meanings = low_precision_network(text, 5, alphabet="ab").directions.values()
        assert not any(isinstance(meaning, Others) for meaning in meanings)


def test_counts_of_one_side_are_one_average_and_those_of_both_are_totals() -> None:
    kinds = [[type(meaning) for meaning in low_precision_network(text, 5, alphabet="ab").directions.values()]
             for text in ("2*#<[Q_a] - 4*#<[Q_b] >= 1", "#<[Q_a] >= #>[Q_b]")]
    assert kinds[0].count(Average) == 1
    assert kinds[0].count(Mean) == 0
    assert kinds[1].count(Mean) == kinds[1].count(Total) == 2
    assert kinds[1].count(Slack) == 2 * 5 + 1


def test_a_predicate_has_a_threshold_for_each_number_where_it_changes() -> None:
    meanings = low_precision_network("SQUARE(#<[Q_a])", 20, alphabet="ab").directions.values()
    slack = [meaning for meaning in meanings if isinstance(meaning, Slack)]
    assert len(slack) == 7  # 2, 4, 5, 9, 10, 16, 17; 0 and 1 are squares


def test_equal_thresholds_are_built_once() -> None:
    meanings = low_precision_network("ODD(#<[Q_a]) & EVEN(#<[Q_a]) & #<[Q_a] >= 3", 6, alphabet="ab").directions
    assert sum(isinstance(meaning, Slack) for meaning in meanings.values()) == 6


def test_counts_to_the_left_are_causal_without_a_temperature() -> None:
    assert is_certified("ODD(#<[Q_a]) & O (#<[Q_a] > #<[Q_b])", 6, alphabet="ab", causal=True)


def test_a_predicate_that_depends_on_n_is_unsupported() -> None:
    definitions = parse_predicate_definitions(["HALF(k,n) := 2*k == n"])
    formula = parse_formula("HALF(#<[Q_a])", ("a", "b"), definitions)
    with pytest.raises(Unsupported, match=r"^HALF\(#<\[Q_a\]\): HALF depends on the length n, expected the same"):
        compile_formula(formula, "ab", Regime(Sharpening.POSITION), GAMMA, low_precision_up_to=6)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("text", ["2*#<[Q_a]", "-2*#>[Q_a]", "3*#<[Q_a] - 6*#<[Q_b]"])
def test_a_common_divisor_changes_no_verdict(text: str) -> None:
    """Between two multiples of the divisor the sum is nowhere; `2*#<[Q_a] <= 0` was unknown for what is at 1."""
    verdicts = {certify(f"{text} {relation} {constant}", max_n=5, precision="bfloat16").verdict
                for relation in ("<=", "<", ">=", ">", "==", "!=") for constant in range(-3, 4)}
    assert verdicts == {"certified"}
