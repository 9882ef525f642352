"""Slack: 0 where a comparison holds, at least 1 elsewhere; what of it is accepted, and what is refused and why.

The stated errors of the lookup are 1/4 here, so that every margin is needed.
"""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from proofs.check import Rejected, check_text
from tests.check import brute
from tests.check.handmade import Json, dump, edit, head, near, position, truth
from tests.check.handmade_counting import exactly_two, gated

MODEL = ("transformer",)
DIRECTIONS = (*MODEL, "directions")
SLACKS = (*MODEL, "layers", 1, "feedforward", "units")
DECIDING = (*MODEL, "layers", 2, "feedforward", "units", 0)
AT_LEAST, AT_MOST = "slack >=", "slack <="


def base(error: str = "1/4") -> Json:
    made = exactly_two()
    made["bounds"][0] |= {"error_if_false": error, "error_if_true": error}
    return made


def changed(*path: Any, value: Any) -> Json:
    return edit(base(), *path, value=value)


def with_head(direction: str, meaning: Json, one: Json, bounded: bool = False) -> Json:
    """Return a head more in the last layer, which writes this direction."""
    made = base()
    made["transformer"]["directions"][direction] = meaning
    made["transformer"]["layers"][2]["heads"] = [one]
    made["bounds"] += [made["bounds"][0] | {"layer": 3, "direction": direction, "error_if_false": "0",
                                            "error_if_true": "0"}] if bounded else []
    return made


def with_output(name: str) -> Json:
    return changed(*MODEL, "output", value=name)


def with_bias(layer: int, row: Json) -> Json:
    return changed(*MODEL, "layers", layer, "feedforward", "bias", value=row)


def slack_by_head() -> Json:
    """Return the slack of the lower bound is written by a head that reads a truth."""
    made = changed(*SLACKS, value=base()["transformer"]["layers"][1]["feedforward"]["units"][1:])
    made["transformer"]["layers"][1]["heads"].append(
        head([], [], {AT_LEAST: {"is": "1"}}))
    return made


def coefficient(k: int, sign: int) -> Json:
    """Half the slope: the slack is ReLU(H - 1/2) in place of ReLU(2H - 1/2), or ReLU(-H - 1/2)."""
    made = changed(*SLACKS, k, "reads", value={"is": str(sign), "others": str(sign)})
    return edit(made, *SLACKS, k, "bias", value=f"{-4 * sign - 1}/2")


UNIFORM = head([], [], {"late": {AT_LEAST: "1"}})
DIP = [("7/2", "1"), ("2", "-3"), ("1", "6")]
"""Of x = -2H - 1/2 the sum ReLU(x) - 3 ReLU(x - 3/2) + 6 ReLU(x - 5/2): 1 at x = 1, -1/2 at 5/2, 11/2 at 4."""


def with_a_dip() -> Json:
    """Slack that is at least 1 at both ends of where it must be, and not between them."""
    units = [{"reads": {"is": "-2", "others": "-2"}, "bias": bias, "writes": {AT_LEAST: write}} for bias, write in DIP]
    return changed(*SLACKS, value=[*units, base()["transformer"]["layers"][1]["feedforward"]["units"][1]])


ATTENDING = head([{"place": "20"}], [{"place": "1", AT_LEAST: "1"}], {"late": {"is": "1"}})
REFUSED: dict[str, tuple[Callable[[], Json], str]] = {
    "a margin of 1/8 for 1/4 above": (
        lambda: changed(*SLACKS, 0, "bias", value="15/4"), "'slack >=': the output changes while 1 'is'"),
    "a margin of 1/8 for 1/4 below": (
        lambda: changed(*SLACKS, 1, "bias", value="-17/4"), "'slack <=': the output changes while 1 'is'"),
    "a margin that is too wide": (
        lambda: changed(*SLACKS, 0, "bias", value="13/4"), "'slack >=': the output is 3/4, expected at least 1"),
    "half the slope below": (lambda: coefficient(0, -1), "'slack >=': the output is 1/4, expected at least 1"),
    "half the slope above": (lambda: coefficient(1, 1), "'slack <=': the output is 1/4, expected at least 1"),
    "half the slack": (
        lambda: changed(*SLACKS, 0, "writes", AT_LEAST, value="1/2"),
        "'slack >=': the output is 1/2, expected at least 1"),
    "slack that falls below 1 between the ends": (
        with_a_dip, "'slack >=': the output is -1/2, expected at least 1"),
    "negative slack": (
        lambda: changed(*SLACKS, 0, "writes", AT_LEAST, value="-1"), "'slack >=': the output is -"),
    "slack that is never 0": (
        lambda: with_bias(1, {AT_LEAST: "1"}), "'slack >=': the output is 1, expected 0"),
    "slack of the other bound": (
        lambda: changed(*DIRECTIONS, AT_LEAST, "formula", value="#<[Q_1] <= 2"), "'slack >=': the output"),
    "slack of a strict bound": (
        lambda: changed(*DIRECTIONS, AT_LEAST, "formula", value="#<[Q_1] > 2"),
        "'slack >=': the output is 0, expected at least 1"),
    "slack of another number": (
        lambda: changed(*DIRECTIONS, AT_LEAST, "formula", value="#<[Q_1] >= 3"), "'slack >=': the output"),
    "slack of a symbol": (
        lambda: changed(*DIRECTIONS, AT_LEAST, "formula", value="Q_1"), "slack is not of a comparison of counts"),
    "slack of a connective": (
        lambda: changed(*DIRECTIONS, AT_LEAST, "formula", value="!(#<[Q_1] < 2)"),
        "slack is not of a comparison of counts"),
    "slack of a comparison of numbers": (
        lambda: changed(*DIRECTIONS, AT_LEAST, "formula", value="1 <= 2"), "slack is not of a comparison of counts"),
    "slack of what is a truth": (
        lambda: changed(*DIRECTIONS, AT_LEAST, value=truth("#<[Q_1] < 2")), "'slack >=': the output"),
    "one slack is read with a positive weight": (
        lambda: changed(*DECIDING, "reads", AT_LEAST, value="1"), "'out': the output changes while"),
    "both are": (
        lambda: changed(*DECIDING, "reads", value={AT_LEAST: "1", AT_MOST: "1"}), "'out': the output changes while"),
    "one is not read": (
        lambda: changed(*DECIDING, "reads", value={AT_LEAST: "-1"}), "'out': the output is 1, expected 0"),
    "half of it is read": (
        lambda: changed(*DECIDING, "reads", value={AT_LEAST: "-1/2", AT_MOST: "-1"}),
        "'out': the output changes while .* goes from 1 to None"),
    "the truth falls later": (
        lambda: changed(*DECIDING, "bias", value="1001/1000"), "'out': the output"),
    "the truth is halved": (
        lambda: changed(*DECIDING, "writes", "out", value="1/2"), "'out': the output is 1/2, expected 1"),
    "the truth is negated": (
        lambda: changed(*DECIDING, "writes", "out", value="-1"), "'out': the output is -1, expected 1"),
    "slack is the output": (lambda: with_output(AT_LEAST), "the output does not mean the claimed formula"),
    "slack is embedded": (
        lambda: changed(*SLACKS, value=base()["transformer"]["layers"][1]["feedforward"]["units"][1:]),
        "embedding, direction 'slack >=': token embeddings do not make it what it means"),
    "slack is embedded by position": (
        lambda: edit(changed(*SLACKS, value=base()["transformer"]["layers"][1]["feedforward"]["units"][1:]),
                     *MODEL, "position_embedding", AT_LEAST, value="1"),
        "a position embedding does not make it what it means"),
    "slack is written by a head": (slack_by_head, "a head cannot write a direction of kind slack"),
    "a uniform head reads slack": (
        lambda: with_head("late", position("0"), UNIFORM), "'slack >=', of kind slack"),
    "a head takes the mean of slack": (
        lambda: with_head("late", {"kind": "mean", "count": "#<[Q_1]"}, UNIFORM), "the value is not 1 times the truth"),
    "keys read slack": (
        lambda: with_head("late", near("true since Q_1"), ATTENDING, bounded=True),
        "known and truth directions only, not 'slack >='"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_slack_or_misuses_it_is_refused_for_its_reason(name: str) -> None:
    make, reason = REFUSED[name]
    with pytest.raises(Rejected, match=reason):
        check_text(dump(make()))


@pytest.mark.parametrize("error", ["1/100", "1/4"])
def test_the_margins_suffice_for_errors_up_to_a_quarter(error: str) -> None:
    check_text(dump(base(error)))


def test_an_error_beyond_a_quarter_leaves_the_slack_open() -> None:
    with pytest.raises(Rejected, match="'slack >=': the output is 49/50, expected at least 1"):
        check_text(dump(base("13/50")))


@pytest.mark.parametrize("write", ["1", "2", "1000000"])
def test_slack_has_no_upper_bound(write: str) -> None:
    made = base()
    for k, name in enumerate((AT_LEAST, AT_MOST)):
        made = edit(made, *SLACKS, k, "writes", name, value=write)
    check_text(dump(made))
    assert brute.find_fault(edit(made, "claim", "max_n", value=3)) is None


def deciding(formula: str, reads: list[str], bias: str, write: str, unit_bias: str = "1") -> Json:
    """Return the comparison of this formula by the slacks of `#<[Q_1] == 2`."""
    made = base()
    model = made["transformer"]
    made["claim"]["formula"] = model["directions"]["out"]["formula"] = formula
    unit = {"reads": dict.fromkeys(reads, "-1"), "bias": unit_bias, "writes": {"out": write}}
    model["layers"][2]["feedforward"] = {"units": [unit], "bias": {"out": bias} if bias != "0" else {}}
    return made


RELATIONS = {
    ">=": ([AT_LEAST], "0", "1"), "<=": ([AT_MOST], "0", "1"), "==": ([AT_LEAST, AT_MOST], "0", "1"),
    "<": ([AT_LEAST], "1", "-1"), ">": ([AT_MOST], "1", "-1"), "!=": ([AT_LEAST, AT_MOST], "1", "-1")}


@pytest.mark.one_in(8)
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("other", RELATIONS)
def test_the_slacks_decide_their_relation_and_no_other(relation: str, other: str) -> None:
    """One sign is free for all comparisons of one T, so the slacks of both bounds are never positive together."""
    made = deciding(f"#<[Q_1] {other} 2", *RELATIONS[relation])
    if other == relation:
        check_text(dump(made))
        assert brute.find_fault(edit(made, "claim", "max_n", value=3)) is None
    else:
        with pytest.raises(Rejected, match="'out': the output is"):
            check_text(dump(made))


def test_the_same_t_in_another_spelling_has_the_same_sign() -> None:
    made = deciding("#<[Q_1] - 2 == 0", *RELATIONS["=="])
    check_text(dump(edit(made, *DIRECTIONS, AT_MOST, "formula", value="#<[Q_1] + 1 <= 3")))


def test_slacks_of_different_numbers_are_not_tied() -> None:
    """`#<[Q_1] <= 3` and `>= 2` leave two numbers."""
    made = edit(base(), *DIRECTIONS, AT_MOST, "formula", value="#<[Q_1] <= 3")
    made = edit(made, *SLACKS, 1, "bias", value="-13/2")
    with pytest.raises(Rejected, match="'out': the output is"):
        check_text(dump(made))


def test_slopes_that_cancel_without_end_are_constant() -> None:
    made = base()
    more = [{"reads": {AT_LEAST: "1"}, "bias": "0", "writes": {"out": w}} for w in ("1", "-1")]
    made["transformer"]["layers"][2]["feedforward"]["units"] += more
    check_text(dump(made))
    made["transformer"]["layers"][2]["feedforward"]["units"].pop()
    with pytest.raises(Rejected, match="the output changes while 1 'slack >=' goes from 1 to None"):
        check_text(dump(made))


def test_slack_itself_is_no_truth() -> None:
    made = deciding("#<[Q_1] < 2", [AT_LEAST], "0", "1")
    for bias in ("0", "-3"):
        more = [{"reads": {AT_LEAST: "1"}, "bias": bias, "writes": {"out": "1"}}]
        with pytest.raises(Rejected, match="the output changes while 1 'slack >=' goes from 1 to None"):
            check_text(dump(edit(made, *MODEL, "layers", 2, "feedforward", "units", value=more)))


def test_a_difference_of_slacks_has_no_end_on_either_side() -> None:
    """The tent function ReLU(x + 1) - 2 ReLU(x) + ReLU(x - 1) of x = z - z' is the truth of T = 0; tails are
    refused."""
    made, units = base(), (*MODEL, "layers", 2, "feedforward", "units")
    hat = [{"reads": {AT_LEAST: "1", AT_MOST: "-1"}, "bias": b, "writes": {"out": w}}
           for b, w in (("1", "1"), ("0", "-2"), ("-1", "1"))]
    check_text(dump(edit(made, *units, value=hat)))
    for sign, goes in (("1", "from 1 to None"), ("-1", "from None to -1")):
        other = {"1": "-1", "-1": "1"}[sign]
        tail = {"reads": {AT_LEAST: sign, AT_MOST: other}, "bias": "-3", "writes": {"out": "1"}}
        with pytest.raises(Rejected, match=f"the output changes while .* goes {goes}"):
            check_text(dump(edit(made, *units, value=[*hat, tail])))


def test_slack_may_be_made_from_slack_where_the_form_no_longer_matters() -> None:
    """ReLU(1 - ReLU(1 - z)) is 0 where z is 0, and 1 from 1 on."""
    made = base()
    model = made["transformer"]
    model["directions"] = {name: model["directions"][name] for name in model["directions"] if name != "out"} | {
        "again": {"kind": "slack", "formula": "#<[Q_1] >= 2"}, "out": model["directions"]["out"]}
    model["layers"][2]["feedforward"] = {"units": [{"reads": {AT_LEAST: "-1"}, "bias": "1", "writes": {"again": "-1"}}],
                                         "bias": {"again": "1"}}
    model["layers"].append({"heads": [], "feedforward": {"units": [
        {"reads": {AT_MOST: "-1", "again": "-1"}, "bias": "1", "writes": {"out": "1"}}], "bias": {}}})
    check_text(dump(made))
    copied = copy.deepcopy(made)
    copied["transformer"]["layers"][2]["feedforward"] = {
        "units": [{"reads": {AT_LEAST: "1"}, "bias": "0", "writes": {"again": "1"}}], "bias": {}}
    with pytest.raises(Rejected, match="'again': the output changes while"):
        check_text(dump(copied))


def test_of_a_formula_and_its_negation_one_truth_is_free() -> None:
    check_text(dump(gated()))
    units = (*MODEL, "layers", 1, "feedforward", "units")
    for k, gate in ((0, "is"), (2, "is not")):
        with pytest.raises(Rejected, match="'out': the output"):
            check_text(dump(edit(gated(), *units, k, "reads", value={gate: "-1", ("if here", "if not")[k // 2]: "1"})))
