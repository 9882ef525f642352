"""mpmath beside every number of instances, sensitivity and cross-entropy: a planted disagreement is an error."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import pytest

import certify
from constructions.errors import InternalError
from proofs.enclosures import by_mpmath
from proofs.enclosures.exponential import FINEST, ball
from proofs.enclosures.intervals import Interval
from proofs.numbers.cross_entropy.entropies import binary_entropy, cost, logistic, softplus
from proofs.numbers.instances.comparing import power_of_e
from proofs.numbers.instances.registry import EXAMINATIONS
from tests.numbers.instances.helpers import examined

NUMBERS = Path(by_mpmath.__file__).resolve().parents[1] / "numbers"
OFF = Fraction(1, 10**12)
LENGTHS = (2, 3, 20)
HALF, ONE = Fraction(1, 2), Fraction(1)
DISAGREES = "where mpmath does not find it"


@pytest.fixture
def arb_is_off(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Every number that Arb begins with is beside the true one."""
    power_of_e.cache_clear()
    monkeypatch.setattr(by_mpmath, "ball", lambda x: ball(x + OFF))
    yield
    power_of_e.cache_clear()


@pytest.fixture
def mpmath_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs of words by mpmath have another exponential."""
    exp = mpmath.exp
    monkeypatch.setattr(mpmath, "exp", lambda x: exp(x * (1 + mpmath.mpf(10) ** -12)))


def is_enclosed(name: str, n: int) -> bool:
    """Return some number is; where it is too near 0 to be told from it, mpmath can say nothing."""
    least = Fraction(1, 1 << FINEST)
    return any(not side.is_point and side.upper > least for one in examined(name, n) for side in (one.value, one.bound))


ENCLOSED = [(name, n) for name in EXAMINATIONS for n in LENGTHS if n < 20 or name.startswith("machine")
            if is_enclosed(name, n)]


def test_a_third_of_all_examinations_have_numbers_that_are_enclosed() -> None:
    assert 3 * len({name for name, _ in ENCLOSED}) > len(EXAMINATIONS)


@pytest.mark.parametrize(("name", "n"), ENCLOSED)
def test_no_number_of_an_instance_is_enclosed_without_mpmath(arb_is_off: None, name: str, n: int) -> None:
    with pytest.raises(InternalError, match=DISAGREES):
        list(examined(name, n))


@pytest.mark.parametrize("find", [
    lambda: binary_entropy(Fraction(1, 3)), lambda: softplus(Interval(HALF, ONE)), lambda: logistic(HALF),
    lambda: cost(HALF, Interval(-ONE, ONE))])
def test_no_entropy_is_enclosed_without_mpmath(arb_is_off: None, find: Callable[[], Interval]) -> None:
    with pytest.raises(InternalError, match=DISAGREES):
        find()


PREDICTED: dict[str, Any] = {"alphabet": "01", "temperature": "1", "lengths": [6], "max_n": 6}
CHANGES: dict[str, dict[str, Any]] = {
    "classes": {"subject": "ODD(#<[Q_1])", "alphabet": "01", "temperature": "1", "lengths": [6], "max_n": 6},
    "bracket": {"subject": "prev Q_1", "alphabet": "01", "temperature": 20, "lengths": [16], "max_n": 16},
}


@pytest.mark.parametrize("method", CHANGES)
def test_changes_are_measured_by_each_method(method: str) -> None:
    assert [str(row.method) for row in certify.sensitivity(**CHANGES[method]).rows] == [method]


@pytest.mark.parametrize("method", CHANGES)
def test_a_change_beside_the_true_one_is_an_error(mpmath_is_off: None, method: str) -> None:
    with pytest.raises(InternalError, match=DISAGREES):
        certify.sensitivity(**CHANGES[method])


def test_the_cross_entropy_is_that_of_mpmath() -> None:
    assert certify.cross_entropy("ODD(#<[Q_1])", **PREDICTED).rows[0].found


def test_a_cross_entropy_of_values_beside_the_true_ones_is_an_error(mpmath_is_off: None) -> None:
    with pytest.raises(InternalError, match=DISAGREES):
        certify.cross_entropy("ODD(#<[Q_1])", **PREDICTED)


def test_a_cross_entropy_beside_the_true_one_is_an_error(arb_is_off: None) -> None:
    with pytest.raises(InternalError, match=DISAGREES):
        certify.cross_entropy("ODD(#<[Q_1])", **PREDICTED)


def test_numbers_leave_arb_only_with_a_second_opinion() -> None:
    """Logits of trained networks are the exception: no mpmath runs them (docs/background/sensitivity.md)."""
    direct = {file.name for file in NUMBERS.rglob("*.py") if "exact_ends" in file.read_text(encoding="utf-8")}
    assert direct == {"trained.py"}
