"""A bracket is certified at one end and refuted at the other, as narrow as asked; where that fails it says so."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify.claims.critical.brackets import CriticalBracket, Refuted, find_bracket
from certify.claims.critical.threshold import NoChange, Probe, Probed, find_threshold, narrow, shortest_between

WIDTH = Fraction(1, 1000)
SHARES = (Fraction(1), Fraction(9, 10), Fraction(1, 2))


@dataclass(frozen=True)
class Square:
    """The claim that constant^2 >= bound; words are found from a share of the change on, downwards."""

    bound: Fraction
    found_below: Fraction = Fraction(1)
    certified_from: Fraction = Fraction(0)

    def probe(self, constant: Fraction) -> Probe:
        return Probe(constant**2 >= self.bound, float(self.bound - constant**2))

    def certifies(self, constant: Fraction) -> bool:
        return constant**2 >= self.bound and constant >= self.certified_from

    def refute(self, constant: Fraction, nearest: Fraction) -> Refuted[str] | None:
        assert constant <= nearest and nearest**2 < self.bound
        return Refuted(constant, "word") if constant**2 < self.bound * self.found_below**2 else None


def bracket(claim: Square, start: Fraction = Fraction(3)) -> CriticalBracket[str]:
    found = find_bracket(claim, start, WIDTH, SHARES)
    assert isinstance(found, CriticalBracket)
    return found


@given(st.fractions(Fraction(1, 1000), 1000, max_denominator=1000), st.fractions(1, 10, max_denominator=10))
def test_the_change_lies_between_the_ends_which_are_as_close_as_asked(bound: Fraction, start: Fraction) -> None:
    found = bracket(Square(bound), start)
    assert found.is_certified and found.refuted == Refuted(found.nearest, "word")
    assert found.nearest**2 < bound <= found.passes**2
    assert found.passes <= found.nearest * (1 + WIDTH)


def test_where_no_word_is_found_just_below_one_is_looked_for_further_down() -> None:
    found = bracket(Square(Fraction(2), found_below=Fraction(3, 4)))
    assert found.refuted == Refuted(found.nearest / 2, "word") and found.is_certified


def test_a_bracket_without_a_word_has_one_end() -> None:
    assert bracket(Square(Fraction(2), found_below=Fraction(1, 3))).refuted is None


def test_what_probes_pass_and_nobody_certifies_is_not_called_certified() -> None:
    found = bracket(Square(Fraction(2), certified_from=Fraction(2)))
    assert not found.is_certified and found.passes**2 >= 2


@pytest.mark.parametrize(("bound", "why"), [
    (Fraction(1, 2**300), NoChange.ALL_PASS), (Fraction(2**300), NoChange.NONE_PASSES)])
def test_a_change_beyond_what_is_tried_is_none(bound: Fraction, why: NoChange) -> None:
    assert find_bracket(Square(bound), Fraction(1), WIDTH, SHARES) is why


def test_all_passes_is_said_of_constants_that_all_pass() -> None:
    tried = []

    def probe(constant: Fraction) -> Probe:
        tried.append(constant)
        return Probe(constant >= Fraction(1, 2**129))

    assert find_threshold(probe, Fraction(1), WIDTH) is NoChange.ALL_PASS
    assert min(tried) == Fraction(1, 2**128)


def probe_at(change: Fraction, margin: Callable[[Fraction], float | None], x: Fraction) -> Probe:
    return Probe(x >= change, margin(x))


@given(st.fractions(1, 2, max_denominator=1000))
def test_margins_change_nothing_but_the_number_of_probes(change: Fraction) -> None:
    """A guess may be misled by margins; the change lies between the ends all the same."""
    for margin in (lambda x: None, lambda x: float(change - x), lambda x: float(change - x) ** 5, lambda x: 1.0):
        low, high = Fraction(1, 2), Fraction(4)
        found = narrow(partial(probe_at, change, margin),
                       Probed(low, Probe(False, margin(low))), Probed(high, Probe(True, margin(high))), WIDTH)
        assert found.fails < change <= found.passes <= found.fails * (1 + WIDTH)


@given(st.fractions(0, 100), st.fractions(Fraction(1, 1000), 1))
def test_the_shortest_fraction_lies_between_and_none_is_shorter(low: Fraction, width: Fraction) -> None:
    found = shortest_between(low, low + width)
    assert low <= found <= low + width
    assert all(ceil(low * q) > (low + width) * q for q in range(1, found.denominator))
