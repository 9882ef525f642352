"""Slack, by the two provers: written from an approximate number, read by what decides a comparison, and misused."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

from constructions.language.expressions import parse_expression
from constructions.language.parser import parse_formula
from constructions.language.semantics import RELATIONS
from constructions.network.json_form import transformer_from_json
from constructions.network.lengths import up_to
from constructions.network.meanings import Meaning, Near, Others, Position, Slack, Truth
from constructions.network.transformer import Coefficients, FeedForward, Layer, Transformer, Unit
from proofs.enclosures.intervals import AtLeast, Interval, point
from proofs.formula.common.word_independent import KnownValues
from proofs.formula.common.written_direction import WrittenDirection
from proofs.formula.composition import find_embedding_fault
from proofs.formula.discharge import discharge
from proofs.formula.failures import NotDerived
from proofs.formula.families import family_of
from proofs.formula.feed_forward.second import proves_feed_forward
from proofs.formula.feed_forward.worst_case import check_cases
from proofs.words.replay import WordMeanings
from tests.check import brute
from tests.check.test_check_slack import REFUSED

F = Fraction
QUARTER = F(1, 4)
Units = Sequence[tuple[Coefficients, Fraction, Fraction]]


def slack(text: str) -> Slack:
    return Slack(parse_formula(text))


DIRECTIONS: dict[str, Meaning] = {
    "h": Others(parse_formula("#<[Q_1] >= 2").left.coefficients[0][1]),  # type: ignore[attr-defined]
    "is": Truth(parse_formula("Q_1")), "a": slack("#<[Q_1] >= 2"), "b": slack("#<[Q_1] <= 2"),
    "one": Position(parse_expression("1"))}
ABOVE: Units = [({"h": F(-2), "is": F(-2)}, F(7, 2), F(1))]
"""ReLU(-2 H - 1/2), where H = h + is - 2."""
BELOW: Units = [({"h": F(2), "is": F(2)}, F(-9, 2), F(1))]
DECIDED = {">=": ["a"], "<=": ["b"], "==": ["a", "b"], "<": ["a"], ">": ["b"], "!=": ["a", "b"]}


def is_proved(meaning: Meaning, units: Units, bias: int = 0, error: Fraction = QUARTER, **changed: Meaning) -> bool:
    """Return whether the exact method proves it; then Z3 proves it, too."""
    directions = {**DIRECTIONS, **changed, "out": meaning}
    layer = Layer((), FeedForward(tuple(Unit(reads, offset, {"out": write}) for reads, offset, write in units),
                                  {"out": F(bias)} if bias else {}))
    transformer = Transformer(("0", "1"), directions, {"0": {}, "1": {}}, {}, (layer,), "out")
    try:
        written = WrittenDirection(transformer, KnownValues(directions), up_to(5), 1, 0, "out", None,
                                   {"h": Interval(-error, error)})
        task = family_of(written).oblige(written)
        proved = _holds(lambda: check_cases(task))
    except NotDerived:
        return False
    assert proves_feed_forward(task) or not proved
    return proved


def _holds(check: Any) -> bool:
    try:
        check()
    except NotDerived:
        return False
    return True


def test_slack_is_proved_of_a_number_within_a_quarter_and_not_beyond() -> None:
    for units, text in ((ABOVE, "#<[Q_1] >= 2"), (BELOW, "#<[Q_1] <= 2")):
        assert is_proved(slack(text), units)
        assert not is_proved(slack(text), units, error=QUARTER + F(1, 10**9))


@pytest.mark.parametrize("offset, slope, write, fits", [
    ("-1/2", 2, 1, True), ("-1/2", 2, 2, True), ("-1/2", 3, 1, False), ("-1/4", 2, 1, False), ("-3/4", 2, 1, False),
    ("-1/2", 1, 1, False), ("-1/2", 2, "1/2", False), ("-1/2", 2, -1, False), ("-3/4", 3, 1, True)])
def test_which_units_make_slack(offset: str, slope: int, write: Any, fits: bool) -> None:
    """ReLU(slope * -H + offset), where H is within 1/4 of the integer."""
    units = [({"h": F(-slope), "is": F(-slope)}, 2 * slope + F(offset), F(write))]
    assert is_proved(slack("#<[Q_1] >= 2"), units) == fits


@pytest.mark.parametrize("text", ["#<[Q_1] <= 2", "#<[Q_1] > 2", "#<[Q_1] >= 3", "#<[Q_0] >= 2", "Q_1",
                                  "!(#<[Q_1] < 2)", "1 <= 2", "ODD"])
def test_it_is_slack_of_its_comparison_alone(text: str) -> None:
    assert not is_proved(slack(text), ABOVE)


def test_slack_is_at_least_1_between_the_ends_too() -> None:
    """ReLU(x) - 3 ReLU(x - 3/2) + 6 ReLU(x - 5/2) is 1 at x = 1, -1/2 at 5/2, 11/2 at 4."""
    reads = {"h": F(-2), "is": F(-2)}
    assert not is_proved(slack("#<[Q_1] >= 2"), [(reads, F(7, 2), F(1)), (reads, F(2), F(-3)), (reads, F(1), F(6))])


def test_an_output_bias_is_no_slack() -> None:
    assert not is_proved(slack("#<[Q_1] >= 2"), ABOVE, bias=1)


@pytest.mark.parametrize("relation", DECIDED)
@pytest.mark.parametrize("other", list(RELATIONS))
def test_the_slacks_of_both_bounds_have_one_sign_and_decide_their_relation(relation: str, other: str) -> None:
    negated = relation in ("<", ">", "!=")
    units = [({name: F(-1) for name in DECIDED[relation]}, F(1), F(-1 if negated else 1))]
    assert is_proved(Truth(parse_formula(f"#<[Q_1] {other} 2")), units, bias=int(negated)) == (relation == other)


@pytest.mark.parametrize("reads, bias", [
    ({"a": 1, "b": -1}, 1), ({"a": 1, "b": 1}, 1), ({"a": -1}, 1), ({"a": -1, "b": "-1/2"}, 1),
    ({"a": -1, "b": -1}, 2)])
def test_what_reads_slack_otherwise_is_not_proved(reads: dict[str, Any], bias: int) -> None:
    units = [({name: F(weight) for name, weight in reads.items()}, F(bias), F(1))]
    assert not is_proved(Truth(parse_formula("#<[Q_1] == 2")), units)


def test_slacks_of_different_numbers_are_not_tied() -> None:
    units = [({"a": F(-1), "b": F(-1)}, F(1), F(1))]
    equal = Truth(parse_formula("#<[Q_1] == 2"))
    assert is_proved(equal, units)
    assert not is_proved(equal, units, b=slack("#<[Q_1] <= 3"))


def test_slack_of_what_is_no_comparison_is_not_read() -> None:
    units = [({"a": F(-1)}, F(1), F(1))]
    assert is_proved(Truth(parse_formula("#<[Q_1] >= 2")), units)
    assert not is_proved(Truth(parse_formula("Q_1")), units, a=slack("Q_1"))


def test_slopes_that_cancel_without_end_are_constant() -> None:
    zero = Position(parse_expression("0"))
    opposite: Units = [({"a": F(1)}, F(0), F(1)), ({"a": F(2)}, F(0), F(-1, 2))]
    assert is_proved(zero, opposite)
    assert not is_proved(zero, opposite[:1]) and not is_proved(zero, [({"a": F(1)}, F(0), F(1)), *opposite])


def test_slack_itself_is_no_truth() -> None:
    fewer = Truth(parse_formula("#<[Q_1] < 2"))
    assert is_proved(fewer, [({"a": F(-1)}, F(1), F(-1))], bias=1)
    assert not is_proved(fewer, [({"a": F(1)}, F(0), F(1))])
    assert not is_proved(fewer, [({"a": F(-1)}, F(1), F(-1)), ({"a": F(1)}, F(-3), F(1))], bias=1)


def test_a_difference_of_slacks_has_no_end_on_either_side() -> None:
    """The tent function ReLU(x + 1) - 2 ReLU(x) + ReLU(x - 1) of x = z - z' is the truth of T = 0; tails are not."""
    equal, reads, opposite = Truth(parse_formula("#<[Q_1] == 2")), {"a": F(1), "b": F(-1)}, {"a": F(-1), "b": F(1)}
    hat = [(reads, F(1), F(1)), (reads, F(0), F(-2)), (reads, F(-1), F(1))]
    assert is_proved(equal, hat)
    for tail in (reads, opposite):
        assert not is_proved(equal, [*hat, (tail, F(-3), F(1))])


def test_slack_that_is_made_from_slack_is_constant_where_that_has_no_end() -> None:
    """1 - ReLU(1 - z) is slack, too; so is 2 - ReLU(2 - z), but the rule does not see it."""
    bound = slack("#<[Q_1] >= 2")
    assert is_proved(bound, [({"a": F(-1)}, F(1), F(-1))], bias=1)
    assert not is_proved(bound, [({"a": F(-1)}, F(2), F(-1))], bias=2)
    assert not is_proved(bound, [({"a": F(1)}, F(0), F(1))])


def test_a_truth_that_others_decide_is_not_free() -> None:
    """One of φ and !φ is 1, so two roundings that they switch off are never both active."""
    directions: dict[str, Any] = {
        "here": Near(parse_formula("ODD(#<[Q_1])"), parse_formula("Q_1")),
        "not": Near(parse_formula("ODD(#<[Q_1])"), parse_formula("!Q_1")), "no": Truth(parse_formula("!Q_1"))}
    units = [({near: F(1), gate: F(-1)}, bias, write) for near, gate in (("here", "no"), ("not", "is"))
             for bias, write in ((-QUARTER, F(2)), (F(-3, 4), F(-2)))]
    odd = Truth(parse_formula("ODD(#<[Q_1])"))
    assert is_proved(odd, units, **directions)
    assert not is_proved(odd, units, **{**directions, "no": Truth(parse_formula("!Q_0"))})
    assert not is_proved(odd, units, **{**directions, "no": Truth(parse_formula("!(Q_1 & prev Q_1)"))})


def test_slack_is_neither_embedded_nor_written_by_a_head() -> None:
    transformer = Transformer(("0",), {"a": slack("#<[Q_0] >= 2")}, {"0": {"a": F(1)}}, {}, (), "a")
    assert find_embedding_fault(transformer, "a", up_to(3)) == (
        "a direction that is 0 where #<[Q_0] >= 2 holds, at least 1 elsewhere is written by a feed-forward part, "
        "not embedded")


def test_a_reading_allows_0_or_anything_from_1_on() -> None:
    reading = WordMeanings("0101")
    assert reading.allowed(slack("#<[Q_1] >= 1"), 2) == point(F(0))
    assert reading.allowed(slack("#<[Q_1] >= 1"), 1) == AtLeast(F(1))
    assert point(F(10)).within(F(1), None) and not point(F(10)).misses(F(1), None) and point(F(1, 2)).misses(F(1), None)


@pytest.mark.one_in(16)
@pytest.mark.parametrize("name", REFUSED)
def test_what_the_checker_refuses_is_proved_only_if_it_is_true(name: str) -> None:
    """The producer finds smaller errors than those that are stated there, so some margins suffice."""
    made = REFUSED[name][0]()
    lines = discharge(transformer_from_json(made["transformer"]), up_to(4))
    if all(line.proved for line in lines):
        made["claim"]["max_n"] = 4
        assert brute.find_fault(made) is None and "margin" in name
