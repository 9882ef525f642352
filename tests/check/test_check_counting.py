"""Certificates that count: what is true is accepted, and what is not is refused for the stated reason."""

from typing import Any

import pytest

from proofs.check import Malformed, Rejected, RequiredClaim, check_text
from proofs.check.checker.chapters.formula.records import Certificate
from tests.check import brute, handmade
from tests.check import handmade_counting as counting
from tests.check.handmade import dump, edit
from tests.check.test_check_robust import rationals, verdict
from tests.covered import fields

MODEL = ("transformer",)
DIRECTIONS = ("transformer", "directions")
MEAN = ("transformer", "layers", 0, "heads", 0)
PRODUCT = ("transformer", "layers", 0, "feedforward", "units")
LOOKUP = ("transformer", "layers", 1, "heads", 0)
UNITS = ("transformer", "layers", 1, "feedforward", "units")
TWO, ODD, BALANCED = counting.at_least_two(), counting.on_a_count(), counting.balanced()


def rejected(made: handmade.Json, reason: str) -> None:
    with pytest.raises(Rejected, match=reason):
        check_text(dump(made))


@pytest.mark.parametrize("name", counting.ALL)
@pytest.mark.parametrize("max_n", [1, 2, 5, 9])
def test_accepts_what_is_true(name: str, max_n: int) -> None:
    made = counting.ALL[name](max_n=max_n)
    given = check_text(dump(made))
    heads = sum(len(layer["heads"]) for layer in made["transformer"]["layers"])
    assert fields(given).head_rows == heads * max_n * (max_n + 1) // 2
    assert fields(given).subformulas == 2


@pytest.mark.parametrize("name", counting.ALL)
def test_the_handmade_certificates_are_true(name: str) -> None:
    assert brute.find_fault(counting.ALL[name](max_n=4)) is None


@pytest.mark.parametrize("max_n", [2, 3, 4])
def test_no_error_of_a_lookup_is_a_thousandth_however_short_the_words(max_n: int) -> None:
    made = edit(counting.at_least_two(max_n=max_n), "bounds", 0, "error_if_true", value="1/1000")
    rejected(edit(made, "bounds", 0, "error_if_false", value="1/1000"), "the error exceeds its bound")


def test_a_query_takes_nothing_for_the_truth_of_what_is_counted_but_that_truth() -> None:
    """`here zero` is 1/i where the symbol is 0, and stands where `here #<` should."""
    made = counting.at_least_two(max_n=3)
    zero = {"kind": "product", "value": "1/i", "formula": "Q_0"}
    directions = made["transformer"]["directions"]
    made["transformer"]["directions"] = {"here zero": zero, **directions}
    unit = {"reads": {"is": "-1", "share #<": "1"}, "bias": "0", "writes": {"here zero": "1"}}
    made["transformer"]["layers"][0]["feedforward"]["units"].append(unit)
    check_text(dump(made))
    query = made["transformer"]["layers"][1]["heads"][0]["queries"]
    query[0] = {"here zero": query[0]["here #<"], "mean #<": query[0]["mean #<"]}
    with pytest.raises(Rejected):
        check_text(dump(made))


FALSE: list[tuple[handmade.Json, tuple[Any, ...], Any, str]] = [
    # the mean head
    (TWO, (*MEAN, "mask"), "past", "a past mask does not see what #< counts"),
    (TWO, (*MEAN, "mask"), "none", "a none mask does not see what #< counts"),
    (TWO, (*MEAN, "values", "mean #<"), {"is": "2"}, "the value is not 1 times the truth of the counted formula"),
    (TWO, (*MEAN, "values", "mean #<"), {"is": "1", "place": "1"}, "the value is not 1"),
    (TWO, (*MEAN, "values", "mean #<"), {"place": "1"}, "the value is not 1"),
    (TWO, (*DIRECTIONS, "mean #<", "count"), "#>[Q_1]", "a future mask does not see what #> counts"),
    (TWO, (*DIRECTIONS, "mean #<", "count"), "#<[Q_0]", "the value is not 1 times the truth of the counted formula"),
    (TWO, (*DIRECTIONS, "mean #<", "count"), "#<[prev Q_1]", "the value is not 1"),
    # the product
    (TWO, (*DIRECTIONS, "here #<", "value"), "1/n", "the output is 1, expected 1/2, at n = 2, i = 1"),
    (TWO, (*DIRECTIONS, "here #<", "formula"), "Q_0", "the output is 0, expected 1, at n = 1, i = 1"),
    (TWO, (*DIRECTIONS, "here #<", "formula"), "!Q_1", "direction 'here #<': the output is"),
    (TWO, (*PRODUCT, 1, "bias"), "1/100", "direction 'here #<': the output is"),
    (TWO, (*PRODUCT, 1, "reads", "is"), "-1/2", "direction 'here #<': the output is"),
    # the lookup head
    (TWO, (*LOOKUP, "queries", 1), {"share #<": "5"}, "direction 'others': the error exceeds its bound"),
    (TWO, (*LOOKUP, "queries", 0, "here #<"), "-6", "the error exceeds its bound"),
    (TWO, (*LOOKUP, "keys", 1, "square"), "1", "the error exceeds its bound"),
    (TWO, (*LOOKUP, "temperature"), "n", "the error exceeds its bound at n = 2, i = 2, count 0"),
    (TWO, (*LOOKUP, "temperature"), "0", "the temperature of head 'others': it is 0"),
    (TWO, (*LOOKUP, "mask"), "past", "the error exceeds its bound at n = 2, i = 2, count 0"),
    (TWO, (*LOOKUP, "weighting"), "average-hardmax", "expected softmax"),
    (TWO, (*LOOKUP, "values", "others"), {"place": "1"}, "the error exceeds its bound at n = 1, i = 1, count 0"),
    (TWO, (*LOOKUP, "values", "others"), {"before": "2"}, "the error exceeds its bound at n = 2"),
    (TWO, (*LOOKUP, "values", "others"), {"is": "1"}, "is not determined by the directions read"),
    (TWO, (*LOOKUP, "keys", 0), {"is": "1"}, "is not determined by the directions read"),
    (TWO, (*LOOKUP, "keys", 0), {"mean #<": "1"}, "'mean #<', of kind mean"),
    (TWO, (*DIRECTIONS, "others", "count"), "#>[Q_1]", "queries read the means of 2 counts"),
    (TWO, (*DIRECTIONS, "others", "count"), "#<[Q_0]", "queries read the means of 2 counts"),
    (TWO, ("bounds", 0, "error_if_false"), "0", "the error exceeds its bound"),
    (TWO, ("bounds", 0, "error_if_true"), "1/1000", "the error exceeds its bound"),
    (TWO, ("bounds", 0, "error_if_true"), "-1/100", "the errors are 1/100 and -1/100"),
    (ODD, (*LOOKUP, "values", "if here"), {"value before": "1"}, "'if here': the error exceeds its bound"),
    (ODD, (*LOOKUP, "values", "if here"), {"place": "1"}, "a value is not in 0..1 at n = 2"),
    (ODD, (*DIRECTIONS, "if here", "when"), "true", "'if here': the error exceeds its bound"),
    (ODD, (*DIRECTIONS, "if here", "when"), "!Q_1", "'if here': the error exceeds its bound"),
    (ODD, (*DIRECTIONS, "if here", "formula"), "EVEN(#<[Q_1])", "'if here': the error exceeds its bound"),
    (ODD, (*DIRECTIONS, "if here", "formula"), "ODD(#>[Q_1])", "is not determined by the directions read"),
    (ODD, (*DIRECTIONS, "if here", "formula"), "ODD(#<[Q_1]) & Q_0", "is not determined by the directions read"),
    (ODD, ("bounds", 0, "error_if_false"), "13/50", "the errors are 13/50 and 1/100"),
    (ODD, ("bounds", 1, "error_if_true"), "1/4000", "'if not': the error exceeds its bound"),
    # brackets
    (ODD, ("transformer", "position_embedding", "value"), "[EVEN]", "direction 'value': it is 0, expected 1"),
    (ODD, ("transformer", "position_embedding", "value before"), "[ODD]", "'value before': it is 1, expected 0"),
    (ODD, ("claim", "regime"), "position", "regime: it is not 1 everywhere"),
    # what reads the counts
    (TWO, (*UNITS, 0, "bias"), "-1/4", "the output"),
    (TWO, (*UNITS, 0, "bias"), "-1001/1000", "the output changes while"),
    (TWO, (*UNITS, 0, "reads"), {"others": "1"}, "not read the counts in the proportions"),
    (TWO, (*UNITS, 0, "reads"), {"is": "1"}, "not read the counts in the proportions"),
    (TWO, (*UNITS, 0, "writes", "out"), "1", "the output"),
    (TWO, (*DIRECTIONS, "out", "formula"), "#<[Q_1] >= 1", "does not mean the claimed formula"),
    (TWO, ("claim", "formula"), "#<[Q_1] > 2", "does not mean the claimed formula"),
    (BALANCED, (*UNITS, 0, "reads"), {"others #<": "2", "others #>": "-1"}, "not read the counts in the proportions"),
    (BALANCED, (*UNITS, 0, "reads"), {"others #<": "2"}, "not read the counts in the proportions"),
    (BALANCED, (*UNITS, 1, "bias"), "1/3", "the output"),
    (BALANCED, (*UNITS, 3, "bias"), "1/4", "the output"),
    (ODD, (*UNITS, 0, "reads"), {"if here": "1"}, "the output changes while"),
    (ODD, (*UNITS, 2, "reads"), {"is": "1", "if not": "1"}, "the output changes while|the output is"),
    (TWO, (*UNITS, 0, "reads"), {"mean #<": "1"}, "'is', of kind truth, is read beside counts"),
]


@pytest.mark.parametrize(("made", "path", "value", "reason"), FALSE, ids=lambda value: str(value)[-60:])
def test_what_is_false_is_rejected_for_its_reason(
    made: handmade.Json, path: tuple[Any, ...], value: Any, reason: str
) -> None:
    rejected(edit(made, *path, value=value), reason)


def test_wide_bounds_are_true_but_leave_the_comparison_open() -> None:
    for side, room in (("error_if_false", "1/4"), ("error_if_true", "1/4")):
        check_text(dump(edit(TWO, "bounds", 0, side, value=room)))
        rejected(edit(TWO, "bounds", 0, side, value="2/5"), "direction 'out': the output changes while")


def test_two_directions_of_one_count_add_up() -> None:
    """Half the number from each of two heads; and not a half of it."""
    made = edit(TWO, *DIRECTIONS, "out", drop=True)
    model = made["transformer"]
    model["directions"] |= {"others 2": {"kind": "others", "count": "#<[Q_1]"}, "out": handmade.truth("#<[Q_1] >= 2")}
    model["layers"][1]["heads"].append(counting.lookup("others 2", "before"))
    made["bounds"].append(made["bounds"][0] | {"head": 2, "direction": "others 2"})
    for unit in model["layers"][1]["feedforward"]["units"]:
        unit["reads"] = {"is": "1", "others": "1/2", "others 2": "1/2"}
    check_text(dump(made))
    assert brute.find_fault(edit(made, "claim", "max_n", value=3)) is None
    rejected(edit(made, *UNITS, 0, "reads", "others", value="1/3"), "the output|proportions")


def test_a_form_with_a_negative_first_weight_is_the_same_form() -> None:
    made = edit(TWO, *UNITS, 0, value={"reads": {"is": "-1", "others": "-1"}, "bias": "7/4", "writes": {"out": "-2"}})
    made = edit(made, *UNITS, 1, value={"reads": {"is": "-1", "others": "-1"}, "bias": "5/4", "writes": {"out": "2"}})
    rejected(made, "the output")
    made = edit(made, "transformer", "layers", 1, "feedforward", "bias", value={"out": "1"})
    check_text(dump(made))
    assert brute.find_fault(edit(made, "claim", "max_n", value=3)) is None


def test_a_sign_that_a_comparison_cannot_have_needs_no_proof() -> None:
    """`#<[Q_1] >= 0` always holds, and units that are wrong only below 0 are right; `#<[Q_1] >= 1` does not."""
    reads = {"is": "1", "others": "1"}
    units = [{"reads": reads, "bias": b, "writes": {"out": w}} for b, w in (("3/4", "2"), ("1/4", "-2"))]
    for formula, always in (("#<[Q_1] >= 0", True), ("#<[Q_1] >= 1", False)):
        made = edit(edit(TWO, "claim", "formula", value=formula), *DIRECTIONS, "out", "formula", value=formula)
        made = edit(made, *UNITS, value=units)
        if always:
            check_text(dump(made))
        else:
            rejected(made, "the output")


def test_any_is_never_read_in_a_proof() -> None:
    for kind in ("others", "mean #<", "here #<"):
        made = edit(TWO, *DIRECTIONS, kind, value={"kind": "any"})
        rejected(made if kind != "others" else edit(made, "bounds", value=[]), "of kind any")
    extra = edit(TWO, *DIRECTIONS, value={**TWO["transformer"]["directions"], "free": {"kind": "any"}})
    check_text(dump(edit(extra, *PRODUCT, 0, "writes", "free", value="7")))
    rejected(edit(extra, *MEAN, "values", "mean #<", value={"is": "1", "free": "1"}), "the value is not 1")


def test_others_of_no_error_is_not_read_as_an_exact_number() -> None:
    """A bound of 0 does not make the direction known: its count is not."""
    made = edit(TWO, "bounds", 0, "error_if_false", value="0")
    third = counting.lookup("more", "before") | {"queries": [{"others": "1"}], "keys": [{"place": "1"}]}
    made["transformer"]["directions"]["more"] = {"kind": "others", "count": "#<[Q_1]"}
    made["transformer"]["layers"].append({"heads": [third], "feedforward": {"units": [], "bias": {}}})
    made["bounds"][0]["error_if_true"] = "0"
    made["bounds"].append({**made["bounds"][0], "layer": 3, "direction": "more"})
    one = edit(made, "claim", "max_n", value=1)
    rejected(one, "layer 3, head 1, direction 'more': exact directions are read, not 'others'")


def test_others_and_means_are_not_embedded_or_written_by_units() -> None:
    for kind in ({"kind": "others", "count": "#<[Q_1]"}, {"kind": "mean", "count": "#<[Q_1]"}):
        rejected(edit(TWO, *DIRECTIONS, "is", value=kind), "no direction means the truth of the subformula")
        rejected(edit(TWO, *DIRECTIONS, "before", value=kind), "a position embedding does not make it what it means")
        rejected(edit(TWO, *DIRECTIONS, "here #<", value=kind), f"a {kind['kind']} direction is written by a head")


def test_an_embedding_is_bounded_by_n_squared_if_the_formula_counts() -> None:
    big = edit(TWO, *DIRECTIONS, "square", "value", value="i^2+1")
    big = edit(big, "transformer", "position_embedding", "square", value="i^2+1")
    rejected(big, "position embedding 'square': regime: it is not in -1..1")


def test_causal_may_not_mention_the_length_in_a_bracket() -> None:
    def causal(made: handmade.Json) -> handmade.Json:
        made = edit(made, "claim", "causal", value=True)
        for layer in made["transformer"]["layers"]:
            for head in layer["heads"]:
                head["temperature"] = "1/i"
        return made

    check_text(dump(causal(ODD)))
    check_text(dump(causal(counting.ALL["third"](max_n=5))))
    rejected(causal(counting.ALL["last"](max_n=5)), "causal: an embedding or a temperature mentions n")
    made = counting.on_a_count("FULL", "#<", 5, counting.FULL)
    rejected(causal(made), "causal: an embedding or a temperature mentions n")
    rejected(causal(counting.ALL["prime to the right"](max_n=5)), "causal: a head is not future-masked")


def test_a_symbol_may_be_called_as_a_predicate() -> None:
    """`Q_LAST` is a symbol: it depends on the word."""
    made = handmade.certificate(
        "Q_LAST", "ab", 3, {"out": handmade.truth("Q_LAST")}, {"out": "a"}, {}, [], [], "out"
    )
    made["claim"]["alphabet"] = made["transformer"]["alphabet"] = ["LAST", "b"]
    made["transformer"]["token_embedding"] = {"LAST": {"out": "1"}, "b": {}}
    check_text(dump(made))
    placed = edit(made, "transformer", "token_embedding", "LAST", value={})
    placed = edit(placed, "transformer", "position_embedding", "out", value="[LAST]")
    rejected(placed, "a position embedding does not make it what it means")


@pytest.mark.parametrize("definition", ["THIRD(k) := k % 3 == 2", "THIRD(k) := k == 1 or k > 3", counting.THIRD])
def test_a_predicate_of_the_user_is_what_it_is_defined_to_be(definition: str) -> None:
    """Its definition is part of the claim: another one is another claim."""
    made = edit(counting.ALL["third"](max_n=5), "transformer", "predicates", value=[definition])
    given = check_text(dump(made))
    assert isinstance(given.given, Certificate)
    assert list(given.given.transformer.predicates) == ["THIRD"]
    asked = RequiredClaim(formula="THIRD(#<[Q_1])", predicates=(counting.THIRD,))
    if definition == counting.THIRD:
        check_text(dump(made), asked)
    else:
        with pytest.raises(Rejected, match="claim differs"):
            check_text(dump(made), asked)
    with pytest.raises(Malformed, match="--formula"):
        check_text(dump(made), RequiredClaim(formula="THIRD(#<[Q_1])"))


def test_a_predicate_must_be_defined_once_and_first() -> None:
    made = counting.ALL["third"](max_n=3)
    for predicates in ([], [counting.THIRD] * 2, ["THIRD(k)"], [3], "THIRD"):
        with pytest.raises(Malformed):
            check_text(dump(edit(made, "transformer", "predicates", value=predicates)))
    partial = edit(made, "transformer", "predicates", value=["THIRD(k) := 6 // k % 3 == 1"])
    rejected(partial, "has no value at n = 1, i = 0")


@pytest.mark.one_in(12)
@pytest.mark.parametrize("name", counting.ALL)
def test_changed_weights(name: str) -> None:
    """Every rational changed in several ways: what is still accepted is still true."""
    original = counting.ALL[name](max_n=3)
    results = []
    places = [("transformer", *place) for place in rationals(original["transformer"]) if place[0] != "predicates"]
    sides = ("error_if_false", "error_if_true")
    places += [("bounds", k, side) for k in range(len(original["bounds"])) for side in sides]
    for place in places:
        for change in ("-1", "1/3", "2", "0", "100"):
            made = edit(original, *place, value=change)
            results.append(verdict(dump(made)))
            if results[-1] == "accepted" and made != original:
                assert brute.find_fault(made) is None, (place, change)
    assert results.count("rejected") > len(results) / 3


@pytest.mark.one_in(8)
@pytest.mark.parametrize("name", counting.ALL)
def test_changed_meanings_masks_and_temperatures(name: str) -> None:
    original = counting.ALL[name](max_n=3)
    model = original["transformer"]
    edits: list[tuple[tuple[Any, ...], str]] = []
    for d, meaning in model["directions"].items():
        edits += [((*DIRECTIONS, d, "count"), k) for k in ("#<[Q_0]", "#>[Q_1]", "#<[true]") if "count" in meaning]
        edits += [((*DIRECTIONS, d, "value"), e) for e in ("0", "i", "1/n", "[EVEN]", "i-1") if "value" in meaning]
        formulas = ("true", "Q_0", "!Q_1", "#<[Q_1] >= 1", "EVEN(#<[Q_1])", "ODD(#>[Q_1])", "ODD", "prev Q_1")
        edits += [((*DIRECTIONS, d, "formula"), f) for f in formulas if "formula" in meaning]
        edits += [((*DIRECTIONS, d, "when"), f) for f in ("true", "Q_0", "ODD", "#<[Q_1] > 0") if "when" in meaning]
    for k, layer in enumerate(model["layers"]):
        for j in range(len(layer["heads"])):
            head = ("transformer", "layers", k, "heads", j)
            edits += [((*head, "temperature"), e) for e in ("1", "n", "1/i", "1/n^2", "i-1")]
            edits += [((*head, "mask"), mask) for mask in ("none", "future", "past")]
    results = []
    for path, value in edits:
        made = edit(original, *path, value=value)
        results.append(verdict(dump(made)))
        assert results[-1] != "accepted" or brute.find_fault(made) is None, (path, value)
    assert results.count("rejected") > len(results) / 2


def test_a_bound_of_0_is_proved_where_every_value_is_right() -> None:
    """`LAST` never holds of the number of others: all values are 0, also those whose weights are negligible."""
    made = edit(counting.ALL["last"](max_n=9), "bounds", 1, "error_if_false", value="0")
    check_text(dump(edit(made, "bounds", 1, "error_if_true", value="0")))
    rejected(edit(made, "bounds", 0, "error_if_false", value="0"), "'if here': the error exceeds its bound")


@pytest.mark.parametrize("far", ["1", "1" + "0" * 200, "-1" + "0" * 200])
def test_a_value_that_is_never_looked_for_is_no_truth_of_any_size(far: str) -> None:
    """From position 9 on, while the guard looks for 3 at most: a weight of e^-216 times 10^200 is not a small error."""
    made = counting.on_a_count(max_n=12)
    model = made["transformer"]
    model["predicates"] = ["LATE(k) := k > 8"]
    model["directions"] |= {"late": handmade.position("[LATE]"),
                            "few": handmade.near("ODD(#<[Q_1])", "!Q_1 & #<[Q_1] <= 2")}
    model["position_embedding"]["late"] = "[LATE]"
    heads = model["layers"][1]["heads"]
    heads.append({**heads[1], "values": {"few": {"value before": "1"}}})
    made["bounds"].append({**made["bounds"][-1], "head": 3, "direction": "few"})
    check_text(handmade.dump(made))
    rejected(handmade.edit(made, "transformer", "layers", 1, "heads", 2, "values", "few", "late", value=far),
             r"a value is not in 0\.\.1 at n = ")
