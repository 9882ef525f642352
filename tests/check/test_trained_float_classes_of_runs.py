"""Conditions on a float model for any bound, operations that have a rule, and executions under a model."""

from bisect import bisect
from dataclasses import replace
from fractions import Fraction
from math import ceil
from typing import Any

import pytest
from mpmath import mp, mpf

from constructions.trained.json_form import network_from_json
from proofs.check.checker.chapters.float_models.choices import ExecutionChoices
from proofs.check.checker.chapters.float_models.reading import FORMATS, FloatClaim, Format
from proofs.check.checker.chapters.float_models.roundoff import expect_sensible, gamma, tiny
from proofs.check.checker.chapters.trained.floats import scaled_rows
from proofs.check.checker.chapters.trained.floats.casting import Casting, balls_have_rules, cast_network
from proofs.check.checker.chapters.trained.floats.dyadics import root, value
from proofs.check.checker.chapters.trained.floats.exact_sums import is_whole
from proofs.check.checker.chapters.trained.floats.execution import NetworkExecution
from proofs.check.checker.chapters.trained.floats.form_stack import make_row_maps
from proofs.check.checker.chapters.trained.floats.functions import computed, log2_of_e, two_over_root_of_pi
from proofs.check.checker.chapters.trained.floats.inputs import InputsUnderModel
from proofs.check.checker.chapters.trained.floats.proof import (
    ModelProver,
)
from proofs.check.checker.chapters.trained.floats.rounding import expect_finite, roundings, up
from proofs.check.checker.chapters.trained.floats.score_caps import CapOnForms
from proofs.check.checker.chapters.trained.floats.wrong_execution import make_execution
from proofs.check.checker.chapters.trained.reading.dyadics import Matrix, Vector
from proofs.check.checker.chapters.trained.reading.network import (
    Affine,
    AttentionStep,
    Network,
    NetworkHead,
    Norm,
    NormStep,
    Rotary,
    Rounding,
    Scale,
    UnitsStep,
)
from proofs.check.checker.chapters.trained.zonotopes.affine import UNIT, AffineForm, apply, spread
from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.kernel.irrational.functions import enclose_ln
from proofs.check.checker.kernel.numbers import ends_of
from proofs.check.checker.kernel.verdicts import Rejected
from proofs.enclosures.float_models.model import read_float_model
from proofs.trained.float_executions import casting
from proofs.trained.float_executions.execution import Execution
from proofs.trained.float_executions.replay import Replay
from tests.check.test_trained_float_operations import operations
from tests.check.trained_corpus import BFLOAT16, BINARY32, float_executions
from tests.check.trained_networks import Weights, make_claim, make_network, parsed

FORM = Format(12, -30, 30)
ALIKE = dict.fromkeys(("storage", "inputs", "sums", "scores", "softmax", "weights"), FORM)


def is_rejected(make: Any, *given: Any) -> bool:
    try:
        make(*given)
    except Rejected:
        return True
    return False


def test_a_number_of_roundings_is_taken_that_makes_nothing_twice_as_great() -> None:
    assert gamma(8, Fraction(1, 16)) == 1 and is_rejected(gamma, 9, Fraction(1, 16))
    assert gamma(3, Fraction(1, 8)) == Fraction(3, 5)


def test_a_rounding_is_half_a_unit_in_the_last_place_or_the_least_normal_number() -> None:
    form = Format(9, -20, 5)
    for size, off in ((UNIT - 1, UNIT >> 10), (UNIT, UNIT >> 9), (0, UNIT >> 20), (1 << 26, 1 << 24),
                      ((1 << 34) - 1, 1 << 24), (1 << 34, 1 << 25)):
        assert roundings(form, [size]) == [off]
    assert roundings(Format(60, -200, 5), [1 << 61, 5]) == [2, 1]
    assert tiny(Format(9, -999, 5)) == Fraction(1, 1 << 512) and tiny(Format(9, -500, 5)) == Fraction(1, 1 << 500)
    assert up(Fraction(1, UNIT)) == 1 and up(Fraction(1, UNIT) + Fraction(1, 1 << 99)) == 2
    assert not is_rejected(expect_finite, form, [32 * UNIT - 1]) and is_rejected(expect_finite, form, [1, 32 * UNIT])


@pytest.mark.parametrize(("inner", "outer"), [("inputs", "storage"), ("storage", "sums"), ("scores", "sums"),
                                              ("scores", "softmax"), ("weights", "softmax"), ("storage", "softmax")])
@pytest.mark.parametrize("wider", [Format(13, -30, 30), Format(12, -31, 30), Format(12, -30, 31)])
def test_each_format_is_within_those_that_take_its_numbers_up(inner: str, outer: str, wider: Format) -> None:
    formats = ALIKE | dict.fromkeys(("sums", "softmax"), Format(13, -31, 31)) | {outer: FORM}
    assert not is_rejected(expect_sensible, operations(**formats).model)
    assert is_rejected(expect_sensible, operations(**formats | {inner: wider}).model)


def test_inputs_have_three_bits_and_functions_are_within_an_eighth() -> None:
    run = operations(**ALIKE | {"inputs": Format(3, -30, 30)}).model
    assert not is_rejected(expect_sensible, run)
    assert is_rejected(expect_sensible, replace(run, inputs=Format(2, -30, 30)))
    most = Fraction(1 << 9)
    for ulp, known in ((Fraction(0), True), (-Fraction(1, 9), False), (most, True), (most + Fraction(1, 9), False)):
        assert is_rejected(expect_sensible, replace(run, exp_ulp=ulp)) != known


def of_class(**fields: Any) -> tuple[Network, FloatClaim]:
    given = parsed(float_executions(make_network("post", 5), make_claim(), BINARY32 | fields), Budget())
    return given.network, given.floats[0]


@pytest.mark.parametrize(("fields", "way", "known"), [
    ({}, ("before", "e"), True), ({}, ("after", "2"), True), ({"normalised": "before"}, ("after", "e"), False),
    ({"normalised": "after"}, ("before", "e"), False), ({"normalised": "after"}, ("after", "e"), True),
    ({"exp_base": "e"}, ("before", "2"), False), ({"exp_base": "2"}, ("before", "e"), False),
    ({"exp_ulp": "1"}, ("before", "e"), True), ({"exp_ulp": "99/100"}, ("before", "e"), False),
    ({"storage": "binary64"}, ("before", "e"), False)])
def test_a_run_is_of_a_class_that_allows_what_it_does(fields: dict[str, Any], way: tuple[str, str], known: bool
                                                     ) -> None:
    text = float_executions(make_network("post", 5), make_claim(),
                      BINARY32 | {"normalised": "either", "exp_base": "either"} | fields)
    given, one = parsed(text, Budget()), ExecutionChoices("forwards", False, way[0] == "before", way[1])
    assert is_rejected(make_execution, given, one) != known


@pytest.mark.parametrize("causal", [True, False])
def test_in_a_run_of_two_layers_each_token_sees_those_before_it_or_all(causal: bool) -> None:
    """At each place, as in a run of the producer."""
    w, d = Weights(3), 4
    document = w.network(3, d, 6, [w.attention(d, 1, None, 6), w.attention(d, 1, None, 6)], causal, 2)
    given = parsed(float_executions(document, make_claim(), BFLOAT16), Budget())
    (fields,) = float_executions(document, make_claim(), BFLOAT16)["floats"]
    ours = read_float_model("class 1", {key: part for key, part in fields.items() if key not in ("name", "max_n")})
    tokens, execution = [2, 0, 1, 1], Execution("forwards", False, True, "e")
    replay = Replay(casting.cast_network(network_from_json(document, "test"), ours), ours, execution)
    run, found = NetworkExecution(Budget(), cast_network(given.network, given.floats[0]), given.floats[0],
                        ExecutionChoices("forwards", False, True, "e")), []
    for place in range(4):
        found.append(run.logits(tokens, 0, place))
        assert found[-1] == replay.logits(tokens[:place + 1] if causal else tokens, 0, place)
        assert (found[-1] == run.logits(tokens[:place + 1], 0, place)) == (causal or place == 3)


ONE = Matrix(((1,),), 1, 0)
AFFINE = Affine(ONE, None)


def test_the_scale_of_a_rounding_is_rounded_to_the_format_of_softmax_and_is_not_0() -> None:
    model, (third,) = operations().model, [Fraction(1, 3)]
    cast = Casting(model).activation(Rounding(third, 0, -8, 7, False))
    assert cast == Rounding(Fraction(round(third * 2**17), 2**17), 0, -8, 7, False)
    assert is_rejected(Casting(model).activation, Rounding(Fraction(1, 1 << 90), 0, -8, 7, False))


@pytest.mark.parametrize(("cap", "greatest", "allowed"), [
    (Fraction(2), 60, True), (Fraction(1, 1 << 59), 62, True), (Fraction(1, 1 << 60), 62, False),
    (Fraction(1 << 59), 62, True), (Fraction(1 << 60), 62, False), (Fraction(7), 4, True), (Fraction(8), 4, False)])
def test_a_cap_and_its_inverse_are_normal_numbers(cap: Fraction, greatest: int, allowed: bool) -> None:
    model = operations(scores=Format(12, -60, greatest)).model
    assert is_rejected(CapOnForms, Budget(1), model, cap) != allowed


@pytest.mark.parametrize("step", [
    NormStep(Norm("layer", Fraction(1), None, None, AFFINE)),
    UnitsStep(Norm("rms", Fraction(1), None, None, AFFINE), AFFINE, None, "gelu", AFFINE),
    AttentionStep(None, (NetworkHead(AFFINE, AFFINE, AFFINE, ONE, Fraction(1, 2)),), None, Scale(Fraction(1), None),
                  None),
    AttentionStep(None, (NetworkHead(AFFINE, AFFINE, AFFINE, ONE, None),), None, Scale(Fraction(1), None),
                  Rotary(ONE, ONE, True)),
    UnitsStep(None, AFFINE, AFFINE, "gelu", AFFINE), *(
        UnitsStep(None, AFFINE, None, name, AFFINE) for name in ("gelu-tanh", "silu", "sigmoid", "identity"))])
def test_steps_that_only_forms_have_a_rule_for_are_not_tried_on_balls(step: Any) -> None:
    network = Network((), None, True, "each", ONE, None, (step,), AFFINE)
    assert not balls_have_rules(cast_network(network, operations().model))
    plain = UnitsStep(None, AFFINE, None, "gelu", AFFINE)
    assert balls_have_rules(cast_network(replace(network, steps=(plain,)), operations().model))


def test_what_a_run_makes_of_numbers_of_either_sign_and_of_far_ones() -> None:
    network, run = of_class()
    one = NetworkExecution(Budget(100), network, run, ExecutionChoices("forwards", False, True, "e"))
    for name, least in (("tanh", Fraction(3, 4)), ("gelu", Fraction(4, 5)), ("relu", Fraction(1))):
        above, below = (value(one._activation(name, x)) for x in ((1, 0), (-1, 0)))
        less = {"tanh": 2 * above, "gelu": Fraction(1), "relu": above}[name]
        assert least <= above <= 1 and abs(above - less - below) < Fraction(1, 1 << 20)
    assert value(computed("exp2", Fraction(-110), FORMATS["binary32"], Budget(100))) == Fraction(1, 1 << 110)
    assert value(computed("exp2", Fraction(-149), FORMATS["binary32"], Budget(100))) == Fraction(1, 1 << 149)
    assert value(computed("exp2", Fraction(-300), FORMATS["binary32"], Budget(100))) == 0


def test_constants_of_functions_are_enclosed() -> None:
    low, high = two_over_root_of_pi()
    ln = ends_of(enclose_ln(Fraction(2), Budget(10)))
    with mp.workprec(400):
        assert mpf(low.numerator) / low.denominator < 2 / mp.sqrt(mp.pi) < mpf(high.numerator) / high.denominator
        for bits in range(2, 65):
            found = log2_of_e(Format(bits, -99, 99), Budget(10))
            assert abs(value(found) * ln.lower - 1) < Fraction(1, 1 << bits)


def test_a_network_is_whole_if_each_table_matrix_and_bias_is() -> None:
    """A 45th bit behind the point in one of them is enough that it is not."""
    whole, half = Matrix(((3 << 1,),), 1, -45), Matrix(((3,),), 1, -45)
    bias, odd = Vector((2,), -45), Vector((1,), -45)

    def made(**parts: Any) -> Network:
        def map_of(name: str) -> Affine:
            return Affine(parts.get(name, whole), parts.get(f"{name} bias", bias))

        head = NetworkHead(map_of("query"), map_of("key"), map_of("value"), parts.get("out", whole), None)
        attention = AttentionStep(None, (head,), parts.get("attention bias", bias), Scale(Fraction(1), None), None)
        units = UnitsStep(None, map_of("inward"), None, "relu", map_of("outward"))
        return Network((), None, True, "each", parts.get("tokens", whole), parts.get("positions", whole),
                       (attention, units), map_of("unembedding"))

    assert is_whole(made())
    for name in ("query", "key", "value", "inward", "outward", "unembedding"):
        assert not is_whole(made(**{name: half})) and not is_whole(made(**{f"{name} bias": odd}))
    assert not any(is_whole(made(**part)) for part in (
        {"out": half}, {"attention bias": odd}, {"tokens": half}, {"positions": half}))


@pytest.mark.parametrize("bits", [3, 8, 11, 24])
def test_a_root_just_below_the_middle_of_two_numbers_is_the_lesser_one(bits: int) -> None:
    form, step = Format(bits, -99, 99), Fraction(2, 1 << bits)
    for k in (0, 1, 2):
        lesser = 1 + k * step
        middle = (lesser + step / 2) ** 2
        found = [value(root(middle + more, form)) for more in (-Fraction(1, 1 << 300), 0, Fraction(1, 1 << 300))]
        assert found == [lesser, lesser if k % 2 == 0 else lesser + step, lesser + step]


@pytest.mark.parametrize("margin", ["0", "1/3", "5"])
def test_a_row_of_forms_must_be_above_the_margin_by_a_unit(margin: str) -> None:
    cases = [{"when": {"formula": "true"}, "above": [[[0, "1"], [1, "-1"]]]}]
    claim = make_claim(margin=margin, cases=cases)
    given = parsed(float_executions(make_network("post", 5), claim, BINARY32), Budget())
    prover = ModelProver(given, given.floats[0])
    known, least = prover._rows, ceil(Fraction(margin) * UNIT)

    def logits(x: int) -> AffineForm:
        return AffineForm([x, -UNIT], 2, [7, 0], [abs(x) + 7, UNIT])

    edge = bisect(range(16 * UNIT), False, key=lambda x: not is_rejected(known.prove_row, 0, logits(x - 4 * UNIT)))
    edge -= 4 * UNIT
    (centre,), (reach,) = spread(Budget(1), apply(Budget(1), make_row_maps(Budget(1), known.rows, 2), logits(edge)))
    assert centre == edge + UNIT and reach >= 7 and centre - reach == least + 1


def test_each_place_of_a_word_and_each_row_is_proved_by_forms_where_balls_prove_none(
        monkeypatch: pytest.MonkeyPatch) -> None:
    """One of two places is not, or one of two rows."""
    monkeypatch.setattr(scaled_rows, "is_above", lambda *_: False)
    cases = [{"when": {"formula": "true"}, "above": [[[0, "1"]], [[1, "1"]]]}]
    given = parsed(float_executions(make_network("post", 5), make_claim(cases=cases), BINARY32), Budget())
    prover = ModelProver(given, given.floats[0])
    asked, high, low = list[int](), UNIT, -UNIT

    class Walk:
        stack = prover._rows.network.forms

        def attended(self, tokens: object, places: Any) -> Any:
            return ((place, place) for place in places)

    def finish(place: int) -> AffineForm:
        asked.append(place)
        return AffineForm([high if place else low, low if place == 2 else high], 2, [0, 0], [UNIT, UNIT])

    rows = prover._rows
    inputs = InputsUnderModel(rows, 0, [])
    inputs.__dict__ |= {"_caches": [Walk()]}
    rows.try_balls = False
    rows.network.forms.__dict__["finish"] = finish
    for needed, known in (({1: [0, 1]}, True), ({1: [0], 2: [1]}, False), ({2: [0], 1: [1]}, True),
                          ({0: [1], 1: [0]}, True), ({1: [1], 0: [0]}, False)):
        assert is_rejected(inputs.prove, (0,), needed) != known
