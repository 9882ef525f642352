"""Critical constants of comparisons of counts: what the heads err together on one word, to the width that is asked."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from flint import arb, fmpq

from certify.auditing import critical as critical_constants
from certify.auditing.claims import AboutNetwork
from certify.auditing.claims_file import read_claim
from certify.auditing.critical import ALL_BY_MARGINS, BY_MARGINS, Bracketing, ComparisonsAtConstants, SharedResults
from certify.auditing.decide import AuditSearch, open_slacks
from certify.auditing.results import CriticalConstant
from certify.claims.formula.outcomes import Certified, Refuted
from certify.claims.formula.pipeline import certify_transformer, sketch
from certify.requests.request import Request
from constructions.compiler import compile_formula
from constructions.language.parser import parse_formula
from constructions.network.lengths import Lengths
from constructions.network.transformer import FeedForward, Transformer
from constructions.regimes import Regime
from proofs.formula.discharge import DischargedObligations
from proofs.formula.failures import NotDerived
from proofs.formula.feed_forward import every_word
from proofs.formula.feed_forward.every_word import slack_on_every_word

Excess = Callable[[arb], arb]
MAJORITY, MIXED = "#<[Q_1] > #<[Q_0]", "2*#<[Q_1] - #>[Q_0] >= 1"


def request_of(text: str, keys: dict[str, Any], n: int) -> tuple[Request, Fraction]:
    about = read_claim({"name": "x", "formula": text, "alphabet": "01", "lengths": n, **keys}).about
    assert isinstance(about, AboutNetwork)
    return about.request, about.demands.width


def critical(text: str, n: int, **keys: Any) -> CriticalConstant:
    request, width = request_of(text, keys, n)
    return Bracketing(request, width).critical(Lengths(n, n))


def network(text: str, gamma: Fraction) -> Transformer:
    return compile_formula(parse_formula(text), "01", Regime(), gamma)


def miss(x: arb, first: int, last: int) -> arb:
    """The mean distance from the right number, where positions at these distances are seen and d weighs x^(d^2)."""
    places = range(first, last + 1)
    return sum((d * x**(d * d) for d in places), arb(0)) / sum((x**(d * d) for d in places), arb(0))


# T = 0 on 01 at position 2 and T = 1 on 110, 1100 and 110000 at position 3: the others are all of the one symbol.
EXPECTED: list[tuple[str, dict[str, Any], int, Excess]] = [
    (MAJORITY, {}, 2, lambda x: 2 * miss(x**2, 0, 1) - fmpq(1, 4)),
    (MAJORITY, {}, 3, lambda x: 2 * miss(x**2, 0, 2) - fmpq(1, 4)),
    (MAJORITY, {}, 4, lambda x: 2 * miss(x**(2 * arb(4) / 3), 0, 2) - fmpq(1, 4)),
    (MAJORITY, {}, 6, lambda x: 2 * miss(x**4, 0, 2) - fmpq(1, 4)),
    (MAJORITY, {"causal": True}, 6, lambda x: 2 * miss(x**2, 0, 2) - fmpq(1, 4)),
    ("2*#<[Q_1] >= 3", {}, 4, lambda x: 2 * miss(x**2, 0, 3) - fmpq(1, 4)),
    (MIXED, {}, 2, lambda x: 2 * miss(x**3, 0, 1) + miss(x**6, 0, 1) - fmpq(1, 4)),
]


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("text", "keys", "n", "excess"), EXPECTED)
def test_the_errors_of_all_counts_together_are_a_quarter_between_the_two_ends(
        text: str, keys: dict[str, Any], n: int, excess: Excess) -> None:
    found = critical(text, n, **keys)
    assert found.gamma is not None and found.gamma.upper <= found.gamma.lower * (1 + Fraction(1, 10**6))
    at_lower, at_upper = (excess((-arb(fmpq(end.numerator, end.denominator))).exp())
                          for end in (found.gamma.lower, found.gamma.upper))
    assert at_lower > 0 > at_upper
    assert found.witness is not None and found.witness.word is not None and len(found.witness.word) == n


def test_the_main_path_says_of_both_ends_what_the_bracket_says() -> None:
    """110000 needs half of 0.976...; head by head the worst counts of one word of length 6 would need all of it."""
    found = critical(MAJORITY, 6)
    assert found.gamma is not None and found.note == BY_MARGINS
    certified = certify_transformer(network(MAJORITY, found.gamma.upper), 6, min_n=6)
    assert isinstance(certified, Certified) and any(line.on_every_word for line in certified.lines)
    assert isinstance(certify_transformer(network(MAJORITY, found.gamma.lower), 6, min_n=6), Refuted)
    head_by_head = certify_transformer(network(MAJORITY, Fraction(97602, 100000)), 6, min_n=6)
    assert isinstance(head_by_head, Certified) and not any(line.on_every_word for line in head_by_head.lines)


def test_the_constant_of_a_longer_word_is_that_of_the_shorter_ones_where_these_need_more() -> None:
    request, width = request_of(MAJORITY, {}, 5)
    found = Bracketing(request, width).critical(Lengths(1, 5))
    assert found.gamma is not None and found.up_to is not None
    assert found.up_to_n == 3 and found.up_to.lower * 3 <= found.gamma.upper * 5 <= found.up_to.upper * 5


def test_a_length_at_which_every_constant_will_do_says_so() -> None:
    """The sum is at most 2 on words of two letters, and wherever it is 2 the total error of the heads is negative."""
    found = critical("#<[Q_1] + #>[Q_0] >= 3", 2)
    assert found.gamma is None and found.note == ALL_BY_MARGINS


def test_a_comparison_that_holds_everywhere_is_certified_as_counts_are_not_negative() -> None:
    assert isinstance(certify_transformer(network("3*#<[Q_1] >= -2", Fraction(3, 4)), 2, min_n=2), Certified)


def test_a_comparison_that_no_constant_mends_says_so() -> None:
    found = critical("#<[Q_1] <= 0", 3, as_printed=True)
    assert found.gamma is None and found.note == "no constant that was tried certifies"


def test_longer_words_than_are_looked_at_are_refuted_by_words_like_the_shorter_ones(
        monkeypatch: pytest.MonkeyPatch) -> None:
    """The main path needs 0.976..., and 110000 half of it: 7/16 is the greatest sixteenth at which it is wrong."""
    monkeypatch.setattr(every_word, "MOST_WORK", 200)
    monkeypatch.setattr(critical_constants, "SHORT", 4)
    monkeypatch.setattr(critical_constants, "SHARES", (Fraction(1),))
    found = critical(MAJORITY, 6)
    assert found.gamma is not None and found.witness is not None and found.form is None
    assert found.note == f"no word found between the two ends; {critical_constants.NOT_FOLLOWED}"
    assert found.gamma.upper > Fraction(976, 1000) and found.witness.word == "110000"
    assert Fraction(426, 1000) < found.gamma.lower < Fraction(428, 1000)


def test_longer_words_than_are_looked_at_have_the_constant_of_the_main_path() -> None:
    claim = comparisons(MIXED, 13)
    constant = Fraction(6, 10)
    assert not claim.probe(constant).passes and not claim.certifies(constant)
    assert claim.shared.not_followed == {13} and claim.probe(Fraction(1)).passes


# -- what is certified by margins --------------------------------------------------------------------------------------


def comparisons(text: str, n: int) -> ComparisonsAtConstants:
    return ComparisonsAtConstants(request_of(text, {}, n)[0], Lengths(n, n), AuditSearch(), SharedResults())


@pytest.mark.parametrize(("constant", "holds"), [("48/100", False), ("49/100", True)])
def test_margins_certify_on_one_side_of_the_critical_constant_and_not_on_the_other(constant: str, holds: bool) -> None:
    assert comparisons(MAJORITY, 6).certifies(Fraction(constant)) == holds


def test_a_slack_that_a_unit_writes_together_with_something_else_has_no_number_behind_it() -> None:
    own = network(MAJORITY, Fraction(3, 4))
    slack = "slack[#<[Q_1] <= #<[Q_0]]"
    assert slack_on_every_word(own, slack, Lengths(4, 4)).is_small
    units = tuple(replace(unit, writes={**unit.writes, "one": Fraction(1)}) if slack in unit.writes else unit
                  for unit in own.layers[1].feedforward.units)
    shared = replace(own, layers=(own.layers[0], replace(own.layers[1], feedforward=FeedForward(units)), own.layers[2]))
    with pytest.raises(NotDerived):
        slack_on_every_word(shared, slack, Lengths(4, 4))


def test_heads_that_may_be_half_a_count_off_are_not_left_to_margins() -> None:
    def opened(gamma: str) -> list[str]:
        own = network(MAJORITY, Fraction(gamma))
        return open_slacks(sketch(own, Lengths(4, 4), None, DischargedObligations()), own)

    assert opened("3/4") == ["slack[#<[Q_1] <= #<[Q_0]]"]
    assert opened("1/10") == []
