"""Constants of any size: where exponentials are tiny, or scores huge, verdicts are what they are at smaller ones."""

from fractions import Fraction
from itertools import pairwise

import pytest

from certify import Network, audit, certify
from certify.claims.formula.outcomes import Refuted
from proofs.enclosures.softmax import places_without_gaps

SIZES = [10**3, 10**6, 10**7, 10**12, 10**30]


def looked_up(query: object, key: object, means: str, **options: str) -> Network:
    """Return a network of one head over a and b, which returns whether it finds an a."""
    network = Network("a,b", temperature=options.pop("temperature", "1"))
    found = network.head("found", query=query, key=key, value="Q_a", means=means, **options)  # type: ignore[arg-type]
    network.output(network.round(found))
    return network


@pytest.mark.parametrize("size", SIZES)
def test_a_head_with_a_huge_constant_is_certified(size: int) -> None:
    """A word without an a has scores of which the greatest is far below that of an a; two scales in one head."""
    once = {"Q_a": 1}
    for network in (looked_up("1", once, "O Q_a", temperature=f"1/{size}"), looked_up("1", {"Q_a": size}, "O Q_a"),
                    looked_up("1", once, "O Q_a", temperature=f"1/({size}*ln(n+1))"),
                    looked_up("1", {"Q_a": size, "i": f"1/{size}"}, "O Q_a"),
                    looked_up("1", {"Q_a": size, "i": f"1/{size}"}, "O Q_a", weighting="softmax-plus-one"),
                    looked_up([{"i": 2 * size, "1": -2 * size}, "1"], ["i", {"i^2": -size}], "prev Q_a",
                              when="!FIRST")):
        assert network.certify(max_n=3).verdict == "certified"


@pytest.mark.parametrize("size", SIZES)
def test_an_error_that_no_constant_mends_is_refuted(size: int) -> None:
    wrong = looked_up("1", {"Q_b": 1}, "O Q_a", temperature=f"1/{size}").certify(max_n=3)
    assert isinstance(wrong, Refuted) and "".join(wrong.counterexample.word) in ("ab", "ba")


@pytest.mark.parametrize("formula", ["O Q_a", "Q_a since prev Q_b", "#<[Q_a] > #<[Q_b]", "ODD(#<[Q_a])"])
@pytest.mark.parametrize("size", [10, 10**7, 10**30])
def test_formulas_are_certified_at_every_temperature(formula: str, size: int) -> None:
    assert certify(formula, "ab", max_n=5, temperature=f"1/{size}").verdict == "certified"
    assert certify(formula, "ab", max_n=5, gamma=str(size)).verdict == "certified"


@pytest.mark.parametrize("size", [10, 10**12, 10**30])
def test_the_critical_constant_scales_with_the_temperature(size: int) -> None:
    """At n = 4 the error is 1/4 where x^25 + x^30 + x^35 = 1/3, x = e^(-γ size / 20): γ size = 1.49553..."""
    (found,) = audit(formula="O Q_a", alphabet="ab", temperature=f"1/{size}", max_n=4, critical=[4]).criticals
    assert found.gamma is not None
    assert Fraction(149, 100) < found.gamma.lower * size < found.gamma.upper * size < Fraction(150, 100)


def test_only_what_no_sum_reaches_is_cut_out() -> None:
    exponents = [-(10**30), -7, 0, 90, 101, 10**9]
    places = places_without_gaps(exponents, 100)
    assert [after - before for before, after in pairwise(places[e] for e in exponents)] == [100, 7, 90, 11, 100]
