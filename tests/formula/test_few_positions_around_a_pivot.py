"""At short lengths a pivot has few positions around it: Theorem 16 under sparse weightings, critical to six digits."""

from fractions import Fraction

import pytest

from certify import certify

SINCE = "(Q_a | Q_b) since Q_a"
LITTLE = Fraction(1, 10**6)


@pytest.mark.parametrize(("weighting", "n", "critical"), [
    ("sparsemax", 2, Fraction(1, 4)), ("sparsemax", 3, Fraction(1, 3)), ("sparsemax", 4, Fraction(3, 8)),
    ("entmax-1.5", 2, Fraction(366026, 10**6))])
def test_since_is_certified_at_the_critical_constant_and_refuted_just_below(weighting: str, n: int,
                                                                            critical: Fraction) -> None:
    verdicts = [certify(SINCE, alphabet="abc", causal=True, weighting=weighting, gamma=str(gamma), max_n=n).verdict
                for gamma in (critical, critical - 2 * LITTLE)]
    assert verdicts == ["certified", "refuted"]
