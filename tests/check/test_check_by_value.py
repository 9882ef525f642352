"""Averages, totals, and outputs that the value of a sum of counts decides: what is accepted, and what is refused."""

import json
from functools import cache
from typing import Any

import pytest

from certify.claims.formula.outcomes import Certified
from certify.claims.formula.pipeline import certify
from proofs.check import Malformed, Rejected, check_text
from tests.check import brute
from tests.check.handmade import Json, dump, edit

MODEL = ("transformer",)
DIRECTIONS = (*MODEL, "directions")
N = 4


@cache
def text_of(formula: str) -> str:
    outcome = certify(formula, "ab", N, precision="bfloat16")
    assert isinstance(outcome, Certified)
    return outcome.certificate


def made(formula: str) -> Json:
    return json.loads(text_of(formula))


def unit_that_writes(certificate: Json, direction: str) -> tuple[Any, ...]:
    """Return the path of the first unit that writes the direction."""
    for number, layer in enumerate(certificate["transformer"]["layers"]):
        for place, unit in enumerate(layer["feedforward"]["units"]):
            if direction in unit["writes"]:
                return (*MODEL, "layers", number, "feedforward", "units", place)
    raise AssertionError(direction)


AVERAGE, ODD, BOTH = "2*#<[Q_a] >= 3*#<[Q_b] + 1", "ODD(#<[Q_a])", "#<[Q_a] >= #>[Q_b]"
SLACK, THRESHOLD, TOTAL = f"slack[{AVERAGE}]", "slack[#<[Q_a] >= 2]", "total[#<[Q_a]]"
HELD = "average[2*#<[Q_a] - 3*#<[Q_b]]"
HEAD = (*MODEL, "layers", 0, "heads", 0)


@pytest.mark.parametrize("formula", [AVERAGE, ODD, BOTH])
def test_what_is_certified_is_true_on_every_short_word(formula: str) -> None:
    assert brute.find_fault(made(formula)) is None


def bias_of(formula: str, direction: str) -> tuple[Any, ...]:
    return (*unit_that_writes(made(formula), direction), "bias")


def reads_of(formula: str, direction: str, source: str) -> tuple[Any, ...]:
    return (*unit_that_writes(made(formula), direction), "reads", source)


FALSE: list[tuple[str, tuple[Any, ...], Any, str]] = [
    # the average head
    (AVERAGE, (*HEAD, "mask"), "past", "a past mask does not see what #< counts"),
    (AVERAGE, (*HEAD, "values", HELD, "is[Q_a]"), "1", "not as often as its count times the truth"),
    (AVERAGE, (*HEAD, "values", HELD), {"is[Q_a]": "2"}, "not as often as its count times the truth"),
    (AVERAGE, (*DIRECTIONS, HELD, "term"), "#<[Q_a] - #<[Q_b]", "not as often as its count times the truth"),
    (AVERAGE, (*DIRECTIONS, HELD, "term"), "2*#<[Q_a] - 3*#>[Q_b]", "a future mask does not see what #> counts"),
    # slack of a threshold
    (AVERAGE, reads_of(AVERAGE, SLACK, HELD), "-7", "the output changes while the counts sum to 1 to 2"),
    (AVERAGE, reads_of(AVERAGE, SLACK, HELD), "16", "the output is 0, expected 1, where the counts sum to -3 to 0"),
    (AVERAGE, reads_of(AVERAGE, SLACK, "1/i"), "24", "the output changes while the counts sum to"),
    (AVERAGE, bias_of(AVERAGE, SLACK), "3", "the output changes while the counts sum to"),
    (AVERAGE, bias_of(AVERAGE, SLACK), "-4", "the output is .*, expected 1, where the counts sum to"),
    (AVERAGE, (*DIRECTIONS, SLACK, "formula"), "2*#<[Q_a] >= 3*#<[Q_b] + 2", "the output is .*, expected 1"),
    (AVERAGE, (*DIRECTIONS, SLACK, "formula"), "#<[Q_a] >= #<[Q_b]", "two sums of counts are not in proportion"),
    (AVERAGE, (*DIRECTIONS, SLACK, "formula"), "2*#>[Q_a] >= 3*#>[Q_b]", "two sums of counts are not in proportion"),
    (AVERAGE, (*DIRECTIONS, SLACK, "formula"), "Q_a", "a slack direction is of no comparison of counts"),
    # a predicate on a count
    (ODD, (*DIRECTIONS, THRESHOLD, "formula"), "#<[Q_a] >= 3", "expected"),
    (ODD, (*DIRECTIONS, THRESHOLD, "formula"), "#<[Q_b] >= 2", "two sums of counts are not in proportion"),
    (ODD, (*unit_that_writes(json.loads(text_of(ODD)), f"is[{ODD}]"), "writes", f"is[{ODD}]"), "-1",
     "the output is -1, expected 1, where the counts sum to 1 to 1"),
    (ODD, (*unit_that_writes(json.loads(text_of(ODD)), f"is[{ODD}]"), "reads", THRESHOLD), "-1", "expected"),
    # a total
    (BOTH, bias_of(BOTH, TOTAL), "1/2", "the output (is|changes)"),
    (BOTH, (*DIRECTIONS, TOTAL, "count"), "#<[Q_b]", "two sums of counts are not in proportion"),
    (BOTH, (*DIRECTIONS, TOTAL), {"kind": "mean", "count": "#<[Q_a]"}, "a mean direction is written by a head"),
    (BOTH, reads_of(BOTH, f"slack[{BOTH}]", TOTAL), "-2", "does not read the counts in the proportions"),
    (BOTH, bias_of(BOTH, f"slack[{BOTH}]"), "1/2", "the output (is|changes)"),
]


@pytest.mark.parametrize(("formula", "path", "value", "reason"), FALSE,
                         ids=[f"{number} {path[-1]}" for number, (_, path, _, _) in enumerate(FALSE)])
def test_what_is_not_proved_is_rejected_for_its_reason(formula: str, path: tuple[Any, ...], value: Any,
                                                       reason: str) -> None:
    with pytest.raises(Rejected, match=reason):
        check_text(dump(edit(made(formula), *path, value=value)))


@pytest.mark.parametrize("term", ["#<[Q_a] + 1", "3", "#<[Q_a] - #<[Q_a]", "Q_a", "#<[Q_a] == 0", "i", "1/2*#<[Q_a]"])
def test_an_average_is_of_a_sum_of_counts_without_a_constant(term: str) -> None:
    with pytest.raises(Malformed):
        check_text(dump(edit(made(AVERAGE), *DIRECTIONS, HELD, "term", value=term)))


def test_a_number_beyond_the_greatest_count_needs_no_threshold() -> None:
    """The thresholds are those up to max_n: for longer words the sum is not proved."""
    longer = edit(made(ODD), "claim", "max_n", value=N + 1)
    with pytest.raises(Rejected, match="the output is 0, expected 1, where the counts sum to 5 to 5"):
        check_text(dump(longer))
