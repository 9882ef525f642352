"""Writing networks by hand: what a text denotes, where parts go, what rounding states, and what is refused."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from certify import Network
from certify.claims.formula.outcomes import Certified, Refuted
from constructions.compiler import compile_formula
from constructions.errors import InputError
from constructions.language.expressions import parse_expression
from constructions.language.parser import parse_count, parse_formula
from constructions.network.json_form import read_transformer
from constructions.network.meanings import Anything, Mean, Near, Position, Product, Truth
from constructions.network.transformer import Mask
from constructions.network.weightings import Weighting
from constructions.regimes import Regime


def test_without_anything_by_hand_the_network_is_that_of_the_compiler() -> None:
    net = Network("ab")
    net.output("(prev Q_a since Q_b) & EVEN")
    compiled = compile_formula(parse_formula("(prev Q_a since Q_b) & EVEN"), "ab", Regime())
    built = net.build()
    assert (built.layers, built.output) == (compiled.layers, compiled.output)
    assert built.token_embedding == compiled.token_embedding
    assert {name: str(value) for name, value in built.position_embedding.items()} == {
        name: str(value) for name, value in compiled.position_embedding.items()}


def test_texts_that_denote_the_same_direction_share_it() -> None:
    net = Network("01")
    assert net.direction("i / n") == net.direction("(i)/n") == "i/n"
    assert net.direction("Q_1 & true") == net.direction("(Q_1) & true") == "is[Q_1 & true]"
    assert net.direction("[ODD]") == net.direction("ODD") == "is[ODD]"
    assert net.direction("is[ODD]") == "is[ODD]"


def test_coefficients_of_texts_that_denote_the_same_direction_add_up() -> None:
    net = Network("01")
    net.head("h", key={"i/n": "1/3", "i / n": Fraction(1, 6), "1": 1, "1/1*0+1": 2}, value="Q_1", means="O Q_1")
    net.output("Q_1")
    ((_, _, head),) = net.build().heads()
    assert head.keys[0] == {"i/n": Fraction(1, 2), "one": Fraction(1), "1/1*0+1": Fraction(2)}


def test_a_head_has_what_was_written_and_the_defaults_otherwise() -> None:
    net = Network("01", temperature="1/(7*n)")
    net.head("plain", key="Q_1", value="Q_0", means="O Q_1")
    net.head("special", query=["i", {"1": -2}], key=["Q_1", "EVEN"], value={"Q_0": "1/2"}, means="next Q_1", when="ODD",
             mask="past", weighting="leftmost-hardmax", temperature="2/3", source="a paper")
    net.output("Q_1")
    (_, _, plain), (_, _, special) = net.build().heads()
    assert (plain.mask, plain.weighting, str(plain.temperature)) == (Mask.FUTURE, Weighting.SOFTMAX, "1/(7*n)")
    assert plain.queries == ({"one": 1},) and plain.values == {"plain": {"is[Q_0]": 1}}
    assert (special.mask, special.weighting) == (Mask.PAST, Weighting.LEFTMOST_HARDMAX)
    assert (str(special.temperature), special.source) == ("2/3", "a paper")
    assert special.queries == ({"i": 1}, {"one": -2}) and special.keys == ({"is[Q_1]": 1}, {"is[EVEN]": 1})
    assert net.build().directions["special"] == Near(parse_formula("next Q_1"), parse_formula("ODD"))


def test_a_head_without_a_key_attends_uniformly_and_may_be_exact() -> None:
    """Uniform attention over the first marker is 1/i ([SHA] Proposition 11, remark)."""
    net = Network("01")
    assert net.head("reciprocal", value="FIRST", means="1/i") == "reciprocal"
    net.output("FIRST")
    assert net.build().directions["reciprocal"] == Position(parse_expression("1/i"))
    assert isinstance(net.certify(8), Certified)


def test_a_mean_is_stated_by_its_meaning() -> None:
    net = Network("01")
    net.head("mean", value="Q_1", means=Mean(parse_count("#<[Q_1]")))
    net.output("Q_1")
    assert isinstance(net.certify(8), Certified)


def test_parts_go_to_the_earliest_layer_that_can_read_what_they_need() -> None:
    net = Network("01", temperature="1/(2*n)")
    near = net.head("first", key={"Q_1": 1, "i/n": 1}, value="Q_1", means="O Q_1")
    seen = net.round(near)
    net.head("second", key={seen: 1, "i/n": 1}, value=seen, means="O O Q_1")
    net.output(net.round("second"))
    assert [[head.name for head in layer.heads] for layer in net.build().layers] == [["first"], ["second"]]


def by_distance(constant: str) -> Network:
    """``prev`` by the score -(j - (i-1))^2, less what is the same for all j."""
    net = Network("01", temperature=f"1/({constant})")
    net.head("left", query=[{"i": 2, "1": -2}, "1"], key=["i", {"i^2": -1}], value="Q_1", means="prev Q_1",
             when="!FIRST")
    return net


def test_rounding_a_guarded_direction_gives_the_truth_of_guard_and_formula() -> None:
    net = by_distance("2")
    assert net.output(net.round("left")) == "is[!FIRST & prev Q_1]"
    assert isinstance(net.certify(12), Certified)


def test_the_result_of_rounding_may_be_stated_in_other_words_and_is_proved_all_the_same() -> None:
    net = by_distance("2")
    assert net.output(net.round("left", "prev Q_1")) == "is[prev Q_1]"
    assert isinstance(net.certify(12), Certified)
    wrong = by_distance("2")
    wrong.output(wrong.round("left", "FIRST | prev Q_1"))
    outcome = wrong.certify(12)
    assert isinstance(outcome, Refuted) and len(outcome.counterexample.word) == 1


def test_prev_by_distance_needs_more_than_ln_6() -> None:
    """Two neighbours weigh x = e^-c each, and one more x^4 and x^9: 2x + x^4 + x^9 + ... = 1/3 at c = 1.793..."""
    for constant, certified in (("1793/1000", False), ("1795/1000", True)):
        net = by_distance(constant)
        net.output(net.round("left", "prev Q_1"))
        assert isinstance(net.certify(12), Certified if certified else Refuted)


def test_units_state_truths_position_functions_and_products() -> None:
    net = Network("01")
    assert net.units("Q_1 & EVEN", [({"Q_1": 1, "EVEN": 1}, -1, 1)]) == "is[Q_1 & EVEN]"
    assert net.units("1-i/n", [("i/n", 0, -1)], bias=1) == "1-i/n"
    here = Product(parse_expression("i/n"), parse_formula("Q_1"))
    assert net.units(here, [("i/n", 0, 1), ({"i/n": 1, "Q_1": -1}, 0, -1)], name="here") == "here"
    net.output("Q_1 & EVEN")
    assert net.build().directions["is[Q_1 & EVEN]"] == Truth(parse_formula("Q_1 & EVEN"))
    assert isinstance(net.certify(10), Certified)


def test_a_wrong_unit_is_refuted() -> None:
    net = Network("01")
    net.output(net.units("Q_1 & EVEN", [({"Q_1": 1, "EVEN": 1}, 0, 1)]))
    outcome = net.certify(10)
    assert isinstance(outcome, Refuted) and outcome.counterexample.direction == "is[Q_1 & EVEN]"


def test_the_users_predicates_are_known_everywhere() -> None:
    net = Network("01", temperature="1/(2*n)", predicates=["THIRD(k,n) := k % 3 == 1"])
    net.head("third", key={"THIRD": 1, "i/n": 1}, value="THIRD & Q_1", means="(THIRD -> Q_1) since THIRD")
    net.output(net.round("third"))
    assert isinstance(net.certify(10), Certified)


def test_a_saved_model_is_read_as_the_network_that_was_written(tmp_path: Path) -> None:
    net = by_distance("2")
    net.output(net.round("left"))
    net.save(str(tmp_path / "model.json"))
    assert read_transformer((tmp_path / "model.json").read_text(encoding="utf-8")) == net.build()


def test_a_transformer_that_was_built_does_not_change_with_the_network() -> None:
    net = Network("01")
    net.output("Q_1")
    built = net.build()
    before = list(built.directions), dict(built.token_embedding["1"]), dict(built.position_embedding)
    net.direction("Q_0 & EVEN")
    assert (list(built.directions), dict(built.token_embedding["1"]), dict(built.position_embedding)) == before
    assert len(net.build().directions) > len(built.directions)


HEAD: dict[str, Any] = {"means": "prev Q_1", "value": "Q_1"}
MISTAKES: list[tuple[Callable[[Network], object], str]] = [
    (lambda net: net.direction("foo"), "'foo' is not a direction, not a position function ("),
    (lambda net: net.direction("Q_2"), "symbol '2' is not in the alphabet 0, 1"),
    (lambda net: net.head("", **HEAD), "no name, expected one for the direction"),
    (lambda net: net.head("h", **HEAD) + net.head("h", **HEAD), "head h: a direction of the name 'h' exists already"),
    (lambda net: net.head("h", means="prev Q_1 &", value="Q_1"), "head h: 'prev Q_1 &' is not a direction"),
    (lambda net: net.head("h", **HEAD, when="Q_"), "head h: line 1, column 1"),
    (lambda net: net.head("h", **HEAD, mask="left"), "head h: mask 'left', expected one of none, future, past"),  # type: ignore[arg-type]
    (lambda net: net.head("h", **HEAD, weighting="max"), "head h: weighting 'max', expected one of softmax"),  # type: ignore[arg-type]
    (lambda net: net.head("h", **HEAD, temperature="1/k"), "head h: expression '1/k', column 3: found 'k'"),
    (lambda net: net.head("h", **HEAD, key=["i", "1"]), "head h: 1 queries and 2 keys, expected as many"),
    (lambda net: net.head("h", means="prev Q_1", value={"Q_1": 0.5}), "head h: 0.5, expected an exact number"),  # type: ignore[dict-item]
    (lambda net: net.head("h", means="prev Q_1", value={"Q_1": True}), "head h: True, expected an exact number"),
    (lambda net: net.head("h", means="prev Q_1", value={"Q_1": "1/0"}), "head h: 1/0 divides by zero"),
    (lambda net: net.round("nothing"), "round: 'nothing' is not a direction, expected one that is near a truth"),
    (lambda net: net.round(net.direction("Q_1")), "round: 'is[Q_1]' is truth of Q_1, expected one that is near"),
    (lambda net: net.units("Q_1", []) + net.units("Q_1", []), "units: is[Q_1] is written already"),
    (lambda net: net.units(Anything(), []), "units: no name, expected one"),
    (lambda net: net.head("is[Q_0]", **HEAD) + net.direction("Q_0"), "direction 'is[Q_0]' is near the truth"),
    (lambda net: net.head("i/n", **HEAD) + net.output("Q_0 since Q_1"), "expected exactly i/n under that name"),
    (lambda net: net.units(Anything(), [], name="one") + net.head("h", **HEAD, key="i"), "expected exactly 1 under"),
    (lambda net: net.output("i/n"), "output: 'i/n' is exactly i/n, expected the exact truth of a formula"),
    (lambda net: net.build(), "network: no output, expected net.output(formula)"),
]


@pytest.mark.parametrize("mistake, message", MISTAKES, ids=[message[:40] for _, message in MISTAKES])
def test_a_mistake_is_one_line_that_says_where_and_what_was_expected(
        mistake: Callable[[Network], object], message: str) -> None:
    with pytest.raises(InputError) as raised:
        mistake(Network("01"))
    assert message in str(raised.value) and "\n" not in str(raised.value)


@pytest.mark.parametrize("arguments, message", [
    ({"alphabet": "00"}, "alphabet '00': '0' occurs twice"),
    ({"alphabet": "01", "temperature": "1/"}, "temperature: expression '1/', column 3"),
    ({"alphabet": "01", "predicates": ["THIRD"]}, "predicate 'THIRD': expected a definition"),
])
def test_a_network_that_makes_no_sense_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as raised:
        Network(**arguments)
    assert message in str(raised.value)


def test_hard_attention_of_which_nothing_is_stated_can_be_the_output_and_be_softened() -> None:
    net = Network("0,1,-")
    last = net.head("last", key={"Q_0 | Q_1": 1, "i/n": 1}, value="Q_1", weighting="leftmost-hardmax")
    assert net.output(net.units(None, [(last, "-1/4", 2), (last, "-3/4", -2)], name="rounded")) == "rounded"
    found = net.soften(4)
    assert (found.verdict, found.lengths[3].error) == ("certified", found.lengths[3].errors[0]["last"])
    assert net.certify(2).verdict == "unknown"
    with pytest.raises(InputError, match=r"temperature: found 1/i, expected an expression in n only"):
        net.soften(4, "1/i")
