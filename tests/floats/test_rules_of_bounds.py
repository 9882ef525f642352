"""The rules of docs/background/floats_rules.md, section 4, where a weaker reading of them would claim too much."""

from dataclasses import replace
from fractions import Fraction

import pytest

from constructions.compiler import compile_formula
from constructions.errors import InputError
from constructions.language.parser import parse_formula
from constructions.network.float_formats import FORMATS, Format, parse_format
from constructions.network.lengths import Lengths, up_to
from constructions.network.meanings import Anything
from constructions.network.transformer import Transformer
from constructions.regimes import ALL_REGIMES
from proofs.enclosures.float_models.model import ExpBase, FloatModel, presets
from proofs.floats.approximate_truths import Deviation, RowScores, deviate, quotient_error
from proofs.floats.claims import read_float_claims
from proofs.floats.float_enclosure import TRUTH, FloatEnclosure
from proofs.floats.lookup import miss
from proofs.floats.numbers import EnclosedNumbers
from proofs.floats.scores import HeadScores, halves_of
from proofs.floats.uniform import UniformSum, enclose_mean
from proofs.floats.verdict import FloatProof
from proofs.formula.common.word_independent import KnownValues
from proofs.formula.failures import NotDerived

BINARY32 = presets()["binary32"]
TINY = Format(4, -6, 8)


def numbers_of(text: str, regime: int = 0) -> EnclosedNumbers:
    network = compile_formula(parse_formula(text, "ab"), ("a", "b"), ALL_REGIMES[regime])
    return EnclosedNumbers(network, KnownValues(network.directions), BINARY32)


def test_one_visible_value_passes_through_the_softmax_format() -> None:
    run = replace(BINARY32, softmax=TINY, scores=TINY, weights=TINY, exp_ulp=Fraction(1, 2))
    seventeen = UniformSum(1, 1, 17, 0, signed=False)
    assert enclose_mean(seventeen, 17, run).error == 1  # fl(17/1) has 4 bits: 16
    assert enclose_mean(seventeen._replace(size=16), 16, run) == FloatEnclosure(Fraction(16), Fraction(16), Fraction(0),
                                                                                4)


@pytest.mark.parametrize(("field", "value"), [("exp_base", ExpBase.TWO), ("block", 2)])
def test_theta_charges_flushed_differences(field: str, value: object) -> None:
    run: FloatModel = replace(BINARY32, exp_base=ExpBase.E, exp_ulp=Fraction(1, 2))
    coarse = replace(run, softmax=Format(24, -12, 127), scores=Format(11, -12, 15), weights=Format(11, -12, 15))
    scores = RowScores(4, TRUTH, Fraction(1))
    changes = {"exp_base": ExpBase.TWO} if field == "exp_base" else {"block": 2}
    assert value in changes.values()
    more = deviate(scores, None, replace(coarse, **changes)).theta - deviate(scores, None, coarse).theta
    assert more >= {"exp_base": 4, "block": 2}[field] * Fraction(1, 1 << 12)


def test_positions_are_far_only_beyond_twice_what_scores_are_off() -> None:
    scores = RowScores(4, FloatEnclosure(Fraction(0), Fraction(40), Fraction(3), 0), Fraction(40))
    assert deviate(scores, Fraction(8), BINARY32).theta > 3
    with pytest.raises(NotDerived, match="scores may err by 5"):
        wider = replace(scores.enclosure, error=Fraction(5))
        deviate(replace(scores, enclosure=wider), Fraction(8), BINARY32, Fraction(64))


def test_flushed_numbers_count_twice_where_there_are_many_for_the_format() -> None:
    run = replace(BINARY32, sums=FORMATS["bfloat16"], storage=FORMATS["bfloat16"], inputs=FORMATS["bfloat16"],
                  scores=FORMATS["bfloat16"])
    none = Deviation(Fraction(0), Fraction(0))
    assert [quotient_error(n, none, run, Fraction(64))[1] / n for n in (128, 129)] == [
        6 * Fraction(1, 1 << 126), 12 * Fraction(1, 1 << 126)]


def test_tails_need_gaps_of_one() -> None:
    none = Deviation(Fraction(0), Fraction(0))
    assert quotient_error(64, none, presets()["bfloat16"], Fraction(1))[0] > 0
    with pytest.raises(NotDerived, match="sums of 64 weights"):
        quotient_error(64, none, presets()["bfloat16"], Fraction(63, 64))


def test_a_parabola_is_at_least_as_sharp_as_one() -> None:
    assert miss(Fraction(1)) < Fraction(9, 20)
    with pytest.raises(NotDerived, match="too flat"):
        miss(Fraction(63, 64))


def test_means_of_what_follows_differ_by_length() -> None:
    """The embedded numbers i and (-1)^i, and means of what precedes, are computed alike in words of all lengths."""
    before, after = numbers_of("prev Q_a"), numbers_of("next Q_a")
    assert not before.differs_by_length(["(-1)^i", "alternating mean up to i"])
    assert before.differs_by_length(["(-1)^i", "i/n"])
    assert after.differs_by_length(["alternating mean from i"])


def test_bounds_of_parts_of_the_rows_are_within_that_of_all() -> None:
    numbers = numbers_of("ODD(#<[Q_a])")
    head = numbers.transformer.head(2, 1)
    scores = HeadScores(numbers, head)
    whole = scores.over(12, range(1, 13))
    rows = [scores.over(12, range(i, i + 1)) for i in range(1, 13)]
    halves = [scores.over(12, half) for half in halves_of(range(1, 13))]
    assert max(row.delta for row in rows) <= max(half.delta for half in halves) <= whole.delta
    around, inside = whole.enclosure, [row.enclosure for row in rows]
    assert all(around.lower <= row.lower and row.upper <= around.upper for row in inside)


def test_nothing_is_claimed_of_a_network_with_a_direction_of_any_kind() -> None:
    network = compile_formula(parse_formula("prev Q_a", "ab"), ("a", "b"), ALL_REGIMES[0])
    with_any = replace(network, directions={**network.directions, "what": Anything()}, position_embedding={
        **network.position_embedding, "what": network.position_embedding["i/n"]})
    assert isinstance(with_any, Transformer)
    fault = FloatProof(with_any, {}, BINARY32).verdict(Lengths(1, 4)).fault
    assert fault is not None
    assert "what: nothing is known of it" in fault.why


def test_formats_and_claims_have_the_limits_of_the_page() -> None:
    assert parse_format("float(2,-16384,16384)") == Format(2, -16384, 16384)
    for text in ("float(1,-6,8)", "float(65,-6,8)", "float(8,-1,8)", "float(8,-16385,8)", "float(8,-6,1)"):
        with pytest.raises(InputError, match="format"):
            parse_format(text)
    with pytest.raises(InputError, match="3 bits or more"):
        replace(BINARY32, inputs=Format(2, -6, 8))
    with pytest.raises(InputError, match="1 to 32 claims"):
        read_float_claims([{}] * 33, up_to(4))
