"""Heads of different temperatures: each has a critical temperature of its own, and a law of growth."""

from fractions import Fraction

import pytest
from flint import arb

from certify import Network, audit
from certify.auditing.critical import heads_by_temperature
from certify.auditing.results import ClaimResult, HeadTemperature
from proofs.enclosures.intervals import Interval

WARM, COLD = ((1, 1),), ((1, 2),)
LENGTHS = (2, 4, 8)
NEEDED = 3
"""The warm head's scores are so many times the marker of the first position."""


@pytest.fixture(scope="module")
def claim(tmp_path_factory: pytest.TempPathFactory) -> ClaimResult:
    """Two heads look at the first position: one at temperature 1, the other at 1/(20n), with much room."""
    net = Network("01", temperature="1")
    warm = net.head("warm", query={"1": NEEDED}, key="FIRST", value="Q_1", means="O (FIRST & Q_1)")
    cold = net.head("cold", key="FIRST", value="Q_0", means="O (FIRST & Q_0)", temperature="1/(20*n)")
    net.round(warm)
    net.output(net.round(cold))
    path = tmp_path_factory.mktemp("models") / "two_temperatures.json"
    net.save(str(path))
    return audit(model=str(path), lengths=8, critical=list(LENGTHS))


def test_the_constant_is_that_of_the_warm_head(claim: ClaimResult) -> None:
    """Its error is S/(1+S) with S = (n-1) e^(-3 gamma), so gamma is ln(3(n-1))/3."""
    for critical in claim.criticals:
        assert critical.gamma
        closed = arb(3 * (critical.n - 1)).log() / NEEDED
        assert arb(critical.gamma.lower.numerator) / critical.gamma.lower.denominator < closed
        assert closed < arb(critical.gamma.upper.numerator) / critical.gamma.upper.denominator


def test_every_head_has_its_own_critical_temperature(claim: ClaimResult) -> None:
    assert [critical.n for critical in claim.criticals] == list(LENGTHS)
    for critical in claim.criticals:
        assert critical.slack
        cold = Fraction(1, 20 * critical.n)
        assert critical.temperatures == (HeadTemperature(WARM, Fraction(1), critical.slack),
                                         HeadTemperature(COLD, cold, critical.slack.scaled(cold)))


def test_the_brackets_are_these(claim: ClaimResult) -> None:
    gammas = {critical.n: critical.gamma for critical in claim.criticals}
    assert gammas[4] == Interval(Fraction(1530, 2089), Fraction(739, 1009))
    assert gammas[8] == Interval(Fraction(2325, 2291), Fraction(1436, 1415))


def test_every_head_has_its_own_law_of_growth(claim: ClaimResult) -> None:
    assert [(fit.heads, fit.law) for fit in claim.fits] == [
        (WARM, "1/temperature = 0.0558475 + 0.467893 ln n"),
        (COLD, "temperature = 0.213806 n^-1.7353"),
    ]


@pytest.mark.parametrize(("lengths", "together"), [([1], [((1, 1), (1, 2))]), ([1, 2], [WARM, COLD])])
def test_heads_are_together_that_have_the_same_temperature_at_every_length_asked_for(
        lengths: list[int], together: list[tuple[tuple[int, int], ...]]) -> None:
    net = Network("01", temperature="1")
    for number, temperature in enumerate(("1", "1/n")):
        net.head(f"head {number}", key="FIRST", value="Q_1", means="O (FIRST & Q_1)", temperature=temperature)
    net.output("Q_1")
    assert list(heads_by_temperature(net.build(), lengths)) == together
