"""Constants in front of the scores that are not rational: ln(4)/2, sqrt(2), products and sums, as exact numbers."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from certify import audit, certify
from certify.claims.formula.outcomes import Certified
from certify.common.json_form import from_json, to_json
from constructions.compiler import compile_formula
from constructions.errors import InputError, Unsupported
from constructions.language.expressions import Constant, divide, parse_constant, parse_expression
from constructions.language.parser import parse_formula
from constructions.network.sharpening import at_constant
from constructions.network.weightings import Weighting
from constructions.regimes import Regime, Sharpening
from proofs.words.replay import run_soft

SINCE = "(Q_a | Q_b) since Q_a"


def test_a_constant_is_rational_only_if_it_is_known_to_be() -> None:
    assert [str(parse_constant(text)) for text in ("3/2", "sqrt(4)*3", "2*ln(4)", "ln(2)/ln(4)")] == [
        "3/2", "6", "2*ln(4)", "ln(2)/ln(4)"]


@pytest.mark.parametrize(("dividend", "quotient"), [
    ("1", "1/ln(4)"), ("1/n", "1/(n*ln(4))"), ("1/n^2", "1/(n^2*ln(4))"), ("1/n/2", "1/n/2/ln(4)"),
    ("n/2", "n/2/ln(4)"), ("1+1/n", "(1+1/n)/ln(4)"), ("1/(3*log2ceil(n))", "1/(3*log2ceil(n)*ln(4))")])
def test_a_temperature_over_a_constant(dividend: str, quotient: str) -> None:
    assert str(divide(parse_expression(dividend), parse_expression("ln(4)"))) == quotient


@pytest.mark.parametrize("weighting", Weighting)
@pytest.mark.parametrize("regime", [Regime(), Regime(Sharpening.POSITION)])
def test_scores_are_linear_in_the_constant(weighting: Weighting, regime: Regime) -> None:
    """A constant in front of the scores, and the same one in temperatures, make networks that compute the same."""
    for text in ("Q_a since Q_b", "prev Q_a", "#<[Q_a] > #<[Q_b]"):
        try:
            one, two, five = (compile_formula(parse_formula(text), "abc", regime, Fraction(k), weighting=weighting)
                              for k in (1, 2, 5))
        except (InputError, Unsupported):
            continue
        heated = at_constant(one, two, parse_expression("5"))
        streams = [run_soft(network, tuple("abacb"), 256) for network in (five, heated)]
        assert all(abs(vector[name].lower - same[name].lower) < Fraction(1, 2**100)
                   for vector, same in zip(*streams, strict=True) for name in vector)


def test_a_certificate_names_the_constant(tmp_path: Path) -> None:
    found = certify(SINCE, alphabet="abc", gamma="ln(4)", max_n=6)
    assert isinstance(found, Certified) and "1/(n*ln(4))" in found.certificate
    assert certify(SINCE, alphabet="abc", gamma="ln(3)/2", max_n=4).verdict == "refuted"
    found.save(tmp_path / "since.cert")
    assert certify(str(tmp_path / "since.cert"), max_n=6).verdict == "certified"


@pytest.mark.parametrize(("gamma", "says"), [
    ("ln(1/2)", "expected a positive number"), ("ln(n)", "expected no variables"), ("ln(0)", "is not defined")])
def test_what_is_not_a_positive_number_is_refused(gamma: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        certify("Q_a", gamma=gamma)


def test_an_audit_brackets_the_rational_constants_around_an_irrational_one() -> None:
    claim = audit(SINCE, alphabet="abc", gamma="ln(3)", lengths=2, critical=[2])
    (critical,) = claim.criticals
    assert str(claim.gamma) == "ln(3)" and critical.form is not None and critical.form.gamma == "ln 3"
    assert critical.slack is not None and critical.slack.lower < 1 < critical.slack.upper
    assert from_json(type(claim), to_json(claim), "claim") == claim


@pytest.mark.parametrize("constant", [Fraction(-1, 3), Fraction(2**4000), parse_constant("sqrt(2)+ln(3)")])
def test_constants_are_read_as_they_were_written(constant: Constant) -> None:
    claim = replace(audit("Q_a", lengths=1, critical=[]), gamma=constant)
    assert from_json(type(claim), to_json(claim), "claim").gamma == constant
