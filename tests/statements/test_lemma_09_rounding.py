from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constructions.network.run import feed_exactly
from constructions.network.transformer import FeedForward, Unit
from constructions.statements.lemma_09_rounding import rounding_units


def rounded(x: Fraction, gate: Fraction = Fraction(0)) -> Fraction:
    units = [Unit(reads, bias, {"out": write}) for reads, bias, write in rounding_units("x", ["gate"])]
    return feed_exactly(FeedForward(tuple(units)), {"x": x, "gate": gate}).get("out", Fraction(0))


@given(st.fractions())
def test_it_is_the_function_of_lemma_9_everywhere(x: Fraction) -> None:
    expected = 0 if x <= Fraction(1, 4) else 1 if x >= Fraction(3, 4) else 2 * x - Fraction(1, 2)
    assert rounded(x) == expected


@pytest.mark.parametrize(("x", "expected"),
                         [("1/4", 0), ("3/4", 1), ("1/2", Fraction(1, 2)), ("-1000", 0), ("1000", 1)])
def test_the_corners_are_exact(x: str, expected: Fraction) -> None:
    assert rounded(Fraction(x)) == expected


@given(st.fractions(0, 1), st.fractions(1, 5))
def test_a_gate_of_one_or_more_shuts_it_on_the_unit_interval(x: Fraction, gate: Fraction) -> None:
    assert rounded(x, gate) == 0


def test_gates_are_subtracted_and_nothing_else_is_added() -> None:
    assert rounding_units("x", ["g", "h"]) == [
        ({"x": 1, "g": -1, "h": -1}, Fraction(-1, 4), 2), ({"x": 1, "g": -1, "h": -1}, Fraction(-3, 4), -2)]
