"""At which gamma ``since`` stops being certified for n <= 8: the exact worst case and Z3 flip at the same place."""

from fractions import Fraction

import pytest

from certify.claims.formula.outcomes import Certified
from certify.claims.formula.pipeline import certify
from constructions.compiler import compile_formula
from constructions.language.parser import parse_formula
from constructions.network.lengths import up_to
from constructions.network.meanings import Near
from constructions.regimes import ALL_REGIMES, Regime
from proofs.formula.attention.obligation import AttentionObligation, oblige_attention
from proofs.formula.attention.second import proves_attention
from proofs.formula.attention.worst_case import weigh
from proofs.formula.common.word_independent import KnownValues
from tests.formula.largest_error import find_extreme

QUARTER = Fraction(1, 4)
APART = Fraction(1, 10**4)


def obligations(text: str, regime: Regime, gamma: Fraction, max_n: int) -> list[AttentionObligation]:
    transformer = compile_formula(parse_formula(text), "012", regime, gamma)
    known = KnownValues(transformer.directions)
    return [
        oblige_attention(transformer, known, up_to(max_n), layer, place, head, direction)
        for layer, place, head in transformer.heads()
        for direction in head.values
        if isinstance(transformer.directions[direction], Near)
    ]


def exact(tasks: list[AttentionObligation]) -> bool:
    return all(
        extreme is None or extreme.upper <= QUARTER
        for task in tasks
        for truth in (False, True)
        for extreme in [find_extreme([weigh(sweep, 128) for sweep in task.sweeps()], truth)]
    )


def bracket(text: str, regime: Regime, max_n: int, apart: Fraction) -> tuple[Fraction, Fraction]:
    """Return a gamma that fails and one that is enough, ``apart`` or less."""
    low, high = Fraction(1, 4), Fraction(8)
    assert not exact(obligations(text, regime, low, max_n)) and exact(obligations(text, regime, high, max_n))
    while high - low > apart:
        middle = ((low + high) / 2).limit_denominator(10**12)
        low, high = (low, middle) if exact(obligations(text, regime, middle, max_n)) else (middle, high)
    return low, high


def check_flip(text: str, regime: Regime, max_n: int, apart: Fraction) -> tuple[Fraction, Fraction]:
    low, high = bracket(text, regime, max_n, apart)
    assert all(proves_attention(task, QUARTER) for task in obligations(text, regime, high, max_n))
    assert not all(proves_attention(task, QUARTER) for task in obligations(text, regime, low, max_n))
    return low, high


def test_both_provers_flip_for_since_between_two_gammas_that_are_close() -> None:
    low, high = check_flip("(Q_0 | Q_1) since Q_0", Regime(), 8, APART)
    below = certify("(Q_0 | Q_1) since Q_0", "012", 8, Regime(), low)
    above = certify("(Q_0 | Q_1) since Q_0", "012", 8, Regime(), high)
    assert not isinstance(below, Certified)
    assert above.verdict == "certified" or "checker" in above.reason  # type: ignore[attr-defined]


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    "text, regime",
    [
        (text, regime)
        for regime in ALL_REGIMES
        for text in ("(Q_0 | Q_1) since Q_0", "prev Q_1", "(Q_0 | Q_1) until Q_0", "next Q_1")
        if not (regime.causal and ("until" in text or "next" in text))
    ],
    ids=str,
)
def test_both_provers_flip_together_in_every_regime(text: str, regime: Regime) -> None:
    check_flip(text, regime, 6, Fraction(1, 10**8))


def test_position_and_temperature_regimes_are_the_same_problem() -> None:
    """tau = 1/n and a query scaled by n give the same scaled scores, so the critical gamma is the same rational."""
    for text in ("(Q_0 | Q_1) since Q_0", "prev Q_1"):
        pairs = [bracket(text, regime, 6, Fraction(1, 10**6)) for regime in ALL_REGIMES if not regime.causal]
        assert pairs[0] == pairs[1]


def test_a_bound_that_holds_by_less_than_96_bits_is_no_disagreement() -> None:
    """ln 3 from above to 36 digits: the worst error is 1/4 - 10^-36. Not proved is fine; an exception is not."""
    from certify.claims.formula.pipeline import certify_transformer
    from tests.formula.tiny_models import previous_by_first_position

    ln3 = Fraction(1098612288668109691395245236922525705, 10**36)
    for digits in (20, 28, 34, 36):
        above = Fraction(int(ln3 * 10**digits) + 1, 10**digits)
        outcome = certify_transformer(previous_by_first_position(above), 2)
        assert outcome.verdict in ("certified", "unknown")
