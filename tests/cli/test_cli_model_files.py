"""Hostile and damaged model files: refused in one line that says what is wrong, whatever they contain."""

import copy
import functools
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from certify.claims.formula.pipeline import certify_transformer
from certify.claims.formula.runs import run_to_json, run_transformer
from certify.claims.formula.show import outcome_to_json
from constructions.compiler import compile_formula
from constructions.errors import InputError
from constructions.language.parser import parse_formula
from constructions.network.json_form import read_transformer, transformer_to_json
from constructions.regimes import Regime
from tests.tiers import few_and_all

Spoil = Callable[[dict[str, Any]], None]


MODEL, RUN = ("model", "m.json", "--max-n", "6", "-o", "m.cert"), ("run", "m.json", "010101")


def refused(certify: Any, content: str | bytes, *parts: str,
            commands: tuple[tuple[str, ...], ...] = (MODEL, RUN)) -> None:
    """``model`` and ``run`` both refuse the file in one line that has the parts."""
    Path("m.json").write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    for command in commands:
        result = certify(*command)
        assert (result.code, result.out) == (2, ""), result
        assert result.err.startswith("certify: ") and len(result.err.splitlines()) == 1, result.err
        assert len(result.err) < 500
        for part in parts:
            assert part in result.err, result.err
    assert not Path("m.cert").exists()


# -- the text ----------------------------------------------------------------------------------------------------------


def test_a_file_that_is_not_json_is_refused_with_the_place(certify: Any, since_model: dict[str, Any]) -> None:
    text = json.dumps(since_model, indent=1)
    refused(certify, "", "m.json, line 1, column 1: not JSON")
    refused(certify, text[:400], "m.json, line", "not JSON")
    refused(certify, "Q_1 since Q_0", "line 1, column 1: not JSON")
    refused(certify, text + "{}", "not JSON: Extra data")
    refused(certify, b"\xff\xfe" + text.encode(), "m.json: found a file of unknown bytes, expected a ")
    refused(certify, text.encode("utf-16"), "found a file of unknown bytes")


@pytest.mark.parametrize(("old", "new", "message"), [
    ('"version": 1', '"version": 2', 'version 2, expected "certify-transformer" version 1'),
    ('"version": 1', '"version": true', 'version true, expected "certify-transformer" version 1'),
    ('"version": 1', '"version": 1, "version": 1', 'key "version" occurs twice in one object'),
    ("certify-transformer", "certify-transformer/2", 'expected "certify-transformer" version 1'),
    ('"6"', "NaN", "the constant NaN, expected an exact rational"),
    ('"6"', "-Infinity", "the constant -Infinity, expected an exact rational"),
    ('"6"', "1e400", "floating-point number 1e400, expected an exact rational"),
    ('"6"', "6.0", "floating-point number 6.0, expected an exact rational"),
    ('"6"', '"6.0"', '"6.0", expected a rational'),
    ('"6"', '"6/0"', '"6/0", expected a rational'),
    ('"6"', '"1e400"', '"1e400", expected a rational'),
    ('"6"', '" 6"', '" 6", expected a rational'),
    ('"6"', '"٦"', "expected a rational"),
    ('"6"', '"6/1/1"', "expected a rational"),
    ('"6"', "true", "true, expected a rational"),
    ('"6"', "null", "null, expected a rational"),
    ('"6"', "1" * 1001, "an integer of 1001 digits, expected at most 1000"),
    ('"rightmost deciding position"', '"\\ud800"', "a lone surrogate, expected Unicode text"),
])
def test_a_spoiled_literal_is_refused(
        certify: Any, since_model: dict[str, Any], old: str, new: str, message: str) -> None:
    text = json.dumps(since_model)
    assert old in text
    refused(certify, text.replace(old, new, 1), message)


def test_huge_integers_and_deep_nesting_are_refused_before_they_cost_anything(
        certify: Any, since_model: dict[str, Any]) -> None:
    text = json.dumps(since_model)
    refused(certify, text.replace('"6"', "1" * 10_000_000), "an integer of 10000000 digits, expected at most 1000")
    refused(certify, text.replace('"6"', f'"{"1" * 10_000_000}"'), "expected a rational", "at most 1000 digits")
    for opening, closing in (("[", "]"), ('{"a":', "}"), ('[{"":', "}]")):
        refused(certify, opening * 10_000 + closing * 10_000, "brackets nested deeper than 40")
        refused(certify, opening * 10_000, "brackets nested deeper than 40")


# -- the object --------------------------------------------------------------------------------------------------------


def head(model: dict[str, Any]) -> dict[str, Any]:
    first: dict[str, Any] = model["layers"][0]["heads"][0]
    return first


OBJECTS: dict[str, tuple[Spoil, str]] = {
    "fewer keys than queries": (lambda m: head(m)["queries"].append({}), "2 queries and 1 keys, expected as many"),
    "a symbol without a row": (lambda m: m["token_embedding"].pop("1"), 'rows for ["0"], expected one for each symbol'),
    "a row for no symbol": (lambda m: m["token_embedding"].update({"2": {}}), "expected one for each symbol"),
    "no symbols": (lambda m: m.update(alphabet=[], token_embedding={}), "expected distinct non-empty symbols"),
    "a symbol twice": (lambda m: m.update(alphabet=["0", "0"]), "expected distinct non-empty symbols"),
    "an empty symbol": (lambda m: m.update(alphabet=["0", ""]), "expected distinct non-empty symbols"),
    "a number as symbol": (lambda m: m.update(alphabet=["0", 1]), "1, expected a string"),
    "unknown direction in a key": (lambda m: head(m)["keys"][0].update(bogus="1"), '"bogus", expected one of the 8'),
    "unknown direction in a query": (lambda m: head(m)["queries"][0].update(bogus="1"), '"bogus", expected one of'),
    "unknown direction written": (lambda m: head(m)["values"].update(bogus={}), '"bogus", expected one of'),
    "unknown direction embedded": (lambda m: m["position_embedding"].update(bogus="i"), '"bogus", expected one of'),
    "unknown output": (lambda m: m.update(output="bogus"), '"bogus", expected the name of a direction'),
    "unknown mask": (lambda m: head(m).update(mask="sideways"), '"sideways", expected one of none, future, past'),
    "unknown weighting": (lambda m: head(m).update(weighting="sharpest"), '"sharpest", expected one of softmax'),
    "a list as mask": (lambda m: head(m).update(mask=["none"]), "expected one of none, future, past"),
    "unknown kind of meaning": (lambda m: m["directions"].update(one={"kind": "vague"}), "expected a meaning of kind"),
    "a meaning that is no formula": (
        lambda m: m["directions"].update(one={"kind": "truth", "formula": "Q_1 &"}), "line 1, column 6"),
    "a meaning over other symbols": (
        lambda m: m["directions"].update(one={"kind": "truth", "formula": "Q_2"}), "symbol '2' is not in the alphabet"),
    "a guard over other symbols": (
        lambda m: m["directions"].update(one={"kind": "near", "formula": "Q_1", "when": "Q_2"}),
        "symbol '2' is not in the alphabet"),
    "a formula as count": (
        lambda m: m["directions"].update(one={"kind": "mean", "count": "Q_1"}), "expected"),
    "two counts": (
        lambda m: m["directions"].update(one={"kind": "others", "count": "#<[Q_1] + #<[Q_0]"}),
        "found '#<[Q_1] + #<[Q_0]', expected a count such as #<[Q_a]"),
    "a bracket that depends on the word": (
        lambda m: m["position_embedding"].update(one="[Q_1]"), "expected a formula of predicates on the position"),
    "more than a bracket": (
        lambda m: m["position_embedding"].update(one="[ODD] + 1"), "expected [formula] or [formula](i-1)"),
    "a bracket as temperature": (lambda m: head(m).update(temperature="[ODD]"), "found '[', expected a number"),
    "a predicate that is not defined": (
        lambda m: m["position_embedding"].update(one="[THIRD]"), "found 'THIRD', expected a predicate such as"),
    "a predicate that is defined twice": (
        lambda m: m.update(predicates=["T(k) := k == 1"] * 2), "predicates[2]: T is defined twice, expected once"),
    "a predicate that is no definition": (
        lambda m: m.update(predicates=["T"]), "expected a definition such as THIRD(k,n) := k % 3 == 1"),
    "a lone surrogate as a name": (
        lambda m: m["directions"].update({"\ud800": {"kind": "any"}}), "a lone surrogate, expected Unicode text"),
    "a missing key": (lambda m: m.pop("layers"), 'no key "layers"'),
    "an unknown key": (lambda m: m.update(dropout="0"), 'unknown key "dropout"'),
    "a missing key of a head": (lambda m: head(m).pop("temperature"), 'no key "temperature"'),
    "an object as layers": (lambda m: m.update(layers={}), "expected a list"),
    "a list as directions": (lambda m: m.update(directions=[]), "expected an object"),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_a_model_of_the_wrong_shape_is_refused(certify: Any, since_model: dict[str, Any], name: str) -> None:
    spoil, message = OBJECTS[name]
    spoil(since_model)
    refused(certify, json.dumps(since_model), "m.json", message)


@pytest.mark.parametrize("value", [None, [], "certify-transformer", 1, True, {}])
def test_json_that_is_no_model_is_refused(certify: Any, value: object) -> None:
    refused(certify, json.dumps(value), "m.json: ")


@pytest.mark.parametrize("value", [[], {}])
def test_an_output_that_is_no_string_is_refused(certify: Any, since_model: dict[str, Any], value: object) -> None:
    since_model["output"] = value
    refused(certify, json.dumps(since_model), "output")


# -- expressions -------------------------------------------------------------------------------------------------------

TEMPERATURES = {
    "0": "the temperature 0 is 0 at i = 1, n = 1, expected a positive number",
    "-1": "the temperature -1 is -1 at i = 1, n = 1",
    "4-n": "the temperature 4-n is 0 at i = 1, n = 4",
    "1/n-1/7*i": "the temperature 1/n-1/7*i is",
    "1/(n-3)^2": "1/(n-3)^2 divides by zero at i = 1, n = 3",
    "1/(i-2)+3": "1/(i-2)+3 divides by zero at i = 2, n = 2",
    "0^(2-i)+1": "divides by zero at i = 3, n = 3",
    "9^9^9^9": "has an exponent outside -64..64",
    "n^n^n^n^n": "has an exponent outside -64..64",
    "2^(1/n)": "has an exponent that is not an integer",
    "((((9^64)^64)^64)^64)": "bits",
    "9" * 301: "expression of 301 characters: expected at most 300",
    "(" * 150 + "i" + ")" * 150: "expression of 301 characters: expected at most 300",
    "x": "expression 'x', column 1: found 'x', expected i or n",
    "": "expression '', column 1: found the end of the expression",
    "n!": "column 2: found '!'",
    "1e400": "column 2: found 'e400'",
    "__import__('os').system('true')": "column 1",
    "n//2": "which only the conditions of predicates may use",
}


@pytest.mark.parametrize("expression", TEMPERATURES)
def test_a_temperature_that_is_not_positive_everywhere_is_refused(
        certify: Any, since_model: dict[str, Any], expression: str) -> None:
    head(since_model)["temperature"] = expression
    refused(certify, json.dumps(since_model), TEMPERATURES[expression], commands=(MODEL,))


@pytest.mark.parametrize(("expression", "message"), [
    ("1/(n-i)", "1/(n-i) divides by zero at i = 1, n = 1"), ("9^9^9^9", "has an exponent outside -64..64"),
    ("(-1)^(i/n)", "has an exponent that is not an integer at i = 1, n = 2"), ("x", "found 'x', expected i or n"),
])
def test_a_position_embedding_that_is_not_defined_everywhere_is_refused(
        certify: Any, since_model: dict[str, Any], expression: str, message: str) -> None:
    since_model["position_embedding"]["one"] = expression
    refused(certify, json.dumps(since_model), message, commands=(MODEL,))


def test_run_needs_a_model_to_be_defined_at_the_length_of_the_word_only(
        certify: Any, since_model: dict[str, Any]) -> None:
    head(since_model)["temperature"] = "1/(n-3)^2"
    Path("m.json").write_text(json.dumps(since_model))
    assert certify("run", "m.json", "0101").code == 0
    refused(certify, json.dumps(since_model), "divides by zero at i = 1, n = 3", commands=(("run", "m.json", "010"),))


def test_an_embedding_that_is_undefined_only_beyond_the_word_or_max_n_is_accepted(
        certify: Any, since_model: dict[str, Any]) -> None:
    head(since_model)["temperature"] = "1/(n*(8-n))"
    Path("m.json").write_text(json.dumps(since_model))
    assert certify("run", "m.json", "0101010", "--json").code == 0
    assert certify("model", "m.json", "--max-n", "7", "--json").code in (0, 1, 3)
    assert certify("run", "m.json", "01010101").code == certify("model", "m.json", "--max-n", "8").code == 2


def test_a_negative_temperature_of_many_digits_is_refused(certify: Any, since_model: dict[str, Any]) -> None:
    head(since_model)["temperature"] = "-(9^64)^64*(9^64)^64"
    refused(certify, json.dumps(since_model), "expected a positive number")


def test_scores_that_lie_astronomically_far_apart_get_a_verdict(certify: Any, prev_model: dict[str, Any]) -> None:
    keys = prev_model["layers"][-1]["heads"][0]["keys"][0]
    keys.update({name: str(Fraction(weight) * 10**30) for name, weight in keys.items()})
    Path("m.json").write_text(json.dumps(prev_model))
    assert certify("model", "m.json", "--max-n", "4", "--json").json["verdict"] in ("certified", "refuted", "unknown")


def test_control_characters_in_a_model_do_not_reach_the_terminal(certify: Any, since_model: dict[str, Any]) -> None:
    head(since_model)["name"] = "red \x1b[31m\nand a line"
    head(since_model)["source"] = "\x9b2J"
    text = json.dumps(since_model).replace("near[Q_1 since Q_0]", "\\u0007\\u001b]0;title")
    Path("m.json").write_text(text)
    result = certify("model", "m.json", "--max-n", "3")
    assert result.code in (0, 1, 3)
    assert "\\x1b[31m\\nand a line" in result.out and "\\x9b2J" in result.out
    assert not set("\x1b\x9b\x07") & set(result.out + result.err)


# -- anything at all ---------------------------------------------------------------------------------------------------

TEXTS = ["", "0", "1", "-1/2", "i", "1/n", "1/(i-2)", "-n", "n^2", "true", "Q_1", "FIRST", "prev Q_1", "Q_1 since Q_0",
         "ODD(#<[Q_1])", "none", "past", "average-hardmax", "is[Q_0]", "one", "near[Q_1 since prev Q_0]", "\ud800",
         "\x1b["]
LEAVES = st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.floats(), st.sampled_from(TEXTS))
VALUES = st.one_of(LEAVES, st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(TEXTS), inner, max_size=3),
    max_leaves=4))
MODELS = [transformer_to_json(compile_formula(parse_formula(text), "01", Regime()))
          for text in ("Q_1 since prev Q_0", "next Q_0 | Q_1 U Q_0")]


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(node, dict | list):
        for key, child in node.items() if isinstance(node, dict) else enumerate(node):
            yield from places(child, (*path, key))


def replaced(model: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    result = copy.deepcopy(model)
    node = result
    for key in path[:-1]:
        node = node[key]
    node[path[-1]] = value
    return result


def leaves(model: Any) -> list[tuple[Any, ...]]:
    def at(path: tuple[Any, ...]) -> Any:
        return functools.reduce(lambda node, key: node[key], path, model)
    return [path for path in places(model) if isinstance(at(path), str)]


def verdict_of(model: Any) -> str:
    """Return the results of `certify model` and `certify run`; any exception except InputError is an error."""
    try:
        transformer = read_transformer(json.dumps(model))
        outcome = certify_transformer(transformer, 3)
        json.dumps(outcome_to_json(outcome))
        json.dumps(run_to_json(run_transformer(transformer, (transformer.alphabet[0],) * 2)))
    except InputError as error:
        assert len(str(error).splitlines()) == 1
        return "refused"
    return outcome.verdict


PLAUSIBLE = ["0", "1", "-1", "2", "1/2", "-5", "100", "i", "n", "1/n", "1/i", "n^2", "(-1)^i", "true", "FIRST",
             "Q_0", "Q_1", "prev Q_0", "next Q_0", "Q_1 since prev Q_0", "future", "past", "none", "softmax",
             "leftmost-hardmax"]


@pytest.mark.parametrize("count", few_and_all(40, 160))
def test_a_model_with_a_leaf_replaced_by_a_plausible_one_is_refused_or_gets_a_verdict(count: int) -> None:
    rng, verdicts = random.Random(0), Counter[str]()
    for _ in range(count):
        model = rng.choice(MODELS)
        verdicts[verdict_of(replaced(model, rng.choice(leaves(model)), rng.choice(PLAUSIBLE)))] += 1
    assert verdicts.keys() <= {"refused", "certified", "refuted", "unknown"}
    assert verdicts["refused"] > count // 14 and verdicts["refuted"] + verdicts["unknown"] > count // 8


@settings(max_examples=50,
          suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(st.data())
def test_a_model_with_any_part_replaced_by_any_value_is_refused_or_gets_a_verdict(data: st.DataObject) -> None:
    model: Any = data.draw(st.sampled_from(MODELS))
    for _ in range(data.draw(st.integers(1, 2))):
        path = data.draw(st.sampled_from(list(places(model))))
        value = data.draw(VALUES)
        model = replaced(model, path, value)
    assert verdict_of(model) in ("refused", "certified", "refuted", "unknown")
