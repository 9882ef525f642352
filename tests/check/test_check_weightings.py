"""Weightings other than softmax: what is accepted holds in every word, and no more is accepted than the rules prove."""

import random
from fractions import Fraction
from functools import partial
from typing import Any

import pytest
from mpmath import mp, mpf

from proofs.check import Malformed, Rejected, check_text
from proofs.check.checker.chapters.weightings.sigmoids import BITS, enclose_falling, enclose_in_units
from proofs.check.checker.chapters.weightings.sparse import enclose_sparse
from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.kernel.weights import Weigher
from tests.check import brute, handmade, handmade_counting
from tests.check import handmade_weightings as weightings
from tests.check.handmade import Json, dump, edit
from tests.check.handmade_weightings import ADDITIVE, other

HEADS = ("transformer", "layers", 0, "heads", 0)
SPARSE = ("sparsemax", "entmax-1.5")
STEPS = ("geometric", "stick-breaking")
BY_HAND: dict[str, Any] = {name: handmade.ALL[name] for name in ("since", "until", "prev", "next", "causal", "uniform")}
COUNTING: dict[str, Any] = handmade_counting.ALL


def accepted(made: Json) -> None:
    check_text(dump(made))


def rejected(made: Json, reason: str) -> None:
    with pytest.raises(Rejected) as caught:
        check_text(dump(made))
    assert reason in str(caught.value)


def is_accepted(made: Json) -> bool:
    try:
        check_text(dump(made))
    except Rejected:
        return False
    return True


@pytest.mark.one_in(6)
@pytest.mark.parametrize("weighting", ADDITIVE)
@pytest.mark.parametrize("make", [
    weightings.since_by_counts, partial(weightings.since_by_counts, mirrored=True), weightings.prev_by_counts,
    partial(weightings.prev_by_counts, mirrored=True), weightings.odd_by_counts,
    partial(weightings.odd_by_counts, side="#>")], ids=["since", "until", "prev", "next", "odd", "odd to the right"])
def test_sums_of_additive_heads_are_accepted_and_true(make: Any, weighting: str) -> None:
    accepted(make(weighting, max_n=7))
    assert brute.find_fault(make(weighting, max_n=3)) is None


@pytest.mark.parametrize("weighting", STEPS)
@pytest.mark.parametrize("mirrored", [False, True])
def test_attention_by_steps_is_accepted_and_true(weighting: str, mirrored: bool) -> None:
    for make in (weightings.since_by_steps, weightings.prev_by_steps):
        accepted(make(weighting, 7, mirrored))
        assert brute.find_fault(make(weighting, 3, mirrored)) is None


@pytest.mark.one_in(8)
@pytest.mark.parametrize("weighting", SPARSE)
@pytest.mark.parametrize("make", [*BY_HAND.values(), *COUNTING.values()], ids=[*BY_HAND, *COUNTING])
def test_sparse_heads_with_wide_gaps_are_accepted_without_error(make: Any, weighting: str) -> None:
    accepted(other(make(max_n=6), weighting, "0"))
    assert brute.find_fault(other(make(max_n=3), weighting, "0")) is None


@pytest.mark.parametrize("name", ["since", "until", "prev", "next"])
def test_softmax_plus_one_has_one_thing_more_that_errs_where_the_target_is_true(name: str) -> None:
    made = other(BY_HAND[name](max_n=4), "softmax-plus-one")
    accepted(made)
    assert brute.find_fault(other(BY_HAND[name](max_n=3), "softmax-plus-one")) is None
    if name == "since":  # the pivot of a word of one letter has the score 9
        cold = edit(made, "bounds", 0, "error_if_true", value="1/10000")
        rejected(cold, "the gaps of scores do not prove the errors at n = 4, i = 1")


def softer(name: str, gain: Fraction, weighting: str, max_n: int = 2) -> Json:
    """All scores of `since` or `prev`, where they matter, multiplied."""
    made = other(BY_HAND[name](max_n=max_n), weighting, "1/4")
    for head in made["transformer"]["layers"][0]["heads"]:
        head["queries"] = [{d: str(Fraction(x) * gain) for d, x in row.items()} for row in head["queries"]]
    return made


@pytest.mark.parametrize(("name", "gain"), [("since", Fraction(1, 6)), ("prev", Fraction(1, 12))])
def test_critical_gains_of_sparsemax(name: str, gain: Fraction) -> None:
    """Ties of `since` are 3 gain apart, those of `prev` 6 gain: the error is 1/4 where that is 1/2."""
    accepted(softer(name, gain, "sparsemax", 8))
    less = softer(name, gain * Fraction(999, 1000), "sparsemax", 4)
    rejected(less, "the gaps of scores do not prove the errors")
    assert brute.find_fault(less) is not None


def test_what_is_accepted_at_random_gains_and_bounds_is_true() -> None:
    """Some of 60 certificates are accepted and some are not; no accepted one is wrong."""
    draw, found = random.Random(17), []
    for _ in range(60):
        weighting = draw.choice([*SPARSE, "softmax-plus-one"])
        made = softer(draw.choice(["since", "prev", "next", "causal"]), Fraction(draw.randint(1, 12), 24), weighting)
        for bound in made["bounds"]:
            bound["error_if_false"], bound["error_if_true"] = (str(Fraction(draw.randint(0, 8), 32)) for _ in "12")
        found.append(is_accepted(made))
        assert not found[-1] or brute.find_fault(made) is None
    assert {*found} == {True, False}


def test_what_is_accepted_of_lookups_at_random_is_true() -> None:
    draw, found = random.Random(5), []
    for _ in range(30):
        made = other(COUNTING[draw.choice(["at least two", "odd", "full"])](max_n=2), draw.choice(SPARSE))
        gain = Fraction(draw.randint(1, 16), 24)
        for head in made["transformer"]["layers"][1]["heads"]:
            head["queries"] = [{d: str(Fraction(x) * gain) for d, x in row.items()} for row in head["queries"]]
        for bound in made["bounds"]:
            bound["error_if_false"], bound["error_if_true"] = (str(Fraction(draw.randint(0, 8), 32)) for _ in "12")
        found.append(is_accepted(made))
        assert not found[-1] or brute.find_fault(made) is None
    assert {*found} == {True, False}


LAYER_2 = ("transformer", "layers", 1, "heads")


@pytest.mark.parametrize(("path", "value", "reason"), [
    ((*LAYER_2, 0, "queries", 0, "one"), "2", "the weight of what is looked for is 2, expected 1"),
    ((*LAYER_2, 0, "queries", 0, "stops"), "-1/2", "are not a (x - y) + b, for counts x and y, at n = 4"),
    ((*LAYER_2, 0, "values", "out"), {"is[left]": "1"}, "neither the value of the last position that is counted"),
    ((*LAYER_2, 0, "values", "out"), {"good": "2"}, "the weight of what is looked for is 2"),
    ((*LAYER_2, 0, "mask"), "none", "expected the mask of the count, future, of every head"),
    ((*LAYER_2, 0, "temperature"), "1/2", "the weight of what is looked for is 2"),
    ((*LAYER_2, 0, "weighting"), "softmax", "a head cannot write a direction of kind truth"),
    ((*LAYER_2, 0, "keys"), [{"one": "1"}, {"is[a]": "1"}], "a relu head whose keys read no total"),
    ((*HEADS, "values", "stops"), {"stop": "2"}, "what is counted counts 2, expected 1, at n = 1, i = 1"),
    ((*HEADS, "values", "stops"), {"good": "1"}, "not a multiple of the truth of the counted formula"),
    ((*HEADS, "mask"), "past", "a past mask does not see what #< counts"),
    ((*HEADS, "weighting"), "sparsemax", "a head cannot write a direction of kind total"),
])
def test_changed_relu_heads_are_rejected(path: tuple[Any, ...], value: Any, reason: str) -> None:
    rejected(edit(weightings.since_by_counts("relu", 4), *path, value=value), reason)


@pytest.mark.parametrize("weighting", ADDITIVE)
def test_what_is_not_counted_may_not_decide(weighting: str) -> None:
    """A c after the last b makes the claim false, and only the b are counted."""
    made = weightings.since_by_counts(weighting, 4)
    made["transformer"]["directions"]["stops"]["count"] = "#<[Q_b]"
    rejected(edit(made, *HEADS, "values", "stops", value={"is[b]": "2" if weighting == "sigmoid" else "1"}),
             "the target is neither the value of the last position that is counted, nor that of the neighbour")


@pytest.mark.parametrize(("make", "path", "value", "reason"), [
    (weightings.since_by_counts, ("bounds", 0, "error_if_false"), "1/10", "is below the weights of other positions"),
    (weightings.since_by_counts, ("bounds", 0, "error_if_true"), "1/10", "is too small for the weight"),
    (weightings.odd_by_counts, (*LAYER_2, 0, "values", "if here"), {"value": "9/8"}, "is below the weights"),
    (weightings.odd_by_counts, (*LAYER_2, 1, "queries", 0), {"one": "2", "ones": "4"}, "look for different positions"),
    (weightings.odd_by_counts, ("transformer", "directions", "value before", "value"), "[EVEN](i-1)", "expected"),
    (weightings.prev_by_counts, (*LAYER_2, 1, "weighting"), "relu", "the heads have different weightings"),
])
def test_changed_sigmoid_heads_are_rejected(make: Any, path: tuple[Any, ...], value: Any, reason: str) -> None:
    rejected(edit(make("sigmoid", 4), *path, value=value), reason)


@pytest.mark.parametrize(("path", "value", "reason"), [
    (("bounds", 0, "error_if_true"), "1/100", "error_if_true 1/100 is not proved at n = 4, i = 2"),
    (("bounds", 0, "error_if_false"), "0", "error_if_false 0 is not proved at n = 4, i = 3"),
    ((*HEADS, "keys", 0, "one"), "-7", "error_if_true 1/4 is not proved"),
    ((*HEADS, "weighting"), "relu", "queries and keys read the totals of 0 counts"),
])
def test_changed_geometric_heads_are_rejected(path: tuple[Any, ...], value: Any, reason: str) -> None:
    made = edit(weightings.since_by_steps("geometric", 4), *path, value=value)
    with pytest.raises(Rejected):
        accepted(made)
    if reason.startswith("error"):
        rejected(made, reason)


@pytest.mark.parametrize("weighting", STEPS)
@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("more", ["8", "-8"])
def test_a_shorter_word_whose_keys_are_others_is_followed_for_itself(weighting: str, mirrored: bool, more: str) -> None:
    """Its query is that of the longest words, which are followed first, and where its keys are right."""
    made = weightings.since_by_steps(weighting, 4, mirrored)
    made["transformer"]["directions"]["shorter by"] = handmade.position("4-n")
    made["transformer"]["position_embedding"]["shorter by"] = "4-n"
    accepted(made)
    rejected(edit(made, *HEADS, "keys", 0, "shorter by", value=more), "error_if_true 1/4 is not proved at n = 3, i = ")


@pytest.mark.parametrize("part", ["queries", "keys"])
@pytest.mark.parametrize("make", [weightings.since_by_counts, weightings.prev_by_counts, weightings.odd_by_counts])
@pytest.mark.parametrize("weighting", weightings.ADDITIVE)
def test_scores_of_counts_that_depend_on_positions_besides_are_rejected(make: Any, part: str, weighting: str) -> None:
    made = make(weighting, 4)
    made["transformer"]["directions"]["even"] = handmade.position("[EVEN]")
    made["transformer"]["position_embedding"]["even"] = "[EVEN]"
    assert is_accepted(made)
    made["transformer"]["layers"][1]["heads"][0][part][0]["even"] = "1/8"
    rejected(made, "the scores of head 'head' are not a (")


def test_heads_that_are_not_additive_never_share_a_direction() -> None:
    made = handmade.since_certificate(3)
    heads = made["transformer"]["layers"][0]["heads"]
    heads.append(dict(heads[0]))
    rejected(made, "direction 'near' is written twice, in layer 1")
    heads[1]["weighting"] = "relu"
    rejected(made, "direction 'near' is written twice, in layer 1")
    made = weightings.prev_by_counts("relu", 3)
    made["transformer"]["layers"][1]["feedforward"]["bias"] = {"out": "1"}
    rejected(made, "direction 'out' is written twice, in layer 2")


def test_a_message_names_a_few_of_the_heads_that_write_a_direction() -> None:
    made = weightings.since_by_counts("relu", 3)
    heads = made["transformer"]["layers"][1]["heads"]
    heads.extend(dict(heads[0]) for _ in range(7))
    rejected(made, "layer 2, heads 1, 2, 3, 4, 5 and 3 more, direction 'out'")


@pytest.mark.parametrize("weighting", ["softmax-plus-one", *ADDITIVE, *STEPS])
@pytest.mark.parametrize("make", [handmade.uniform_certificate, COUNTING["at least two"], COUNTING["odd"]])
def test_rules_of_softmax_are_not_for_other_weightings(make: Any, weighting: str) -> None:
    made = make(max_n=3)
    for layer in made["transformer"]["layers"]:
        layer["heads"] = [head for head in layer["heads"] if head["mask"] != "none" or weighting not in STEPS]
    kept = {d for layer in made["transformer"]["layers"] for head in layer["heads"] for d in head["values"]}
    made["bounds"] = [bound for bound in made["bounds"] if bound["direction"] in kept]
    with pytest.raises(Rejected):
        accepted(other(made, weighting))


def test_causal_relu_over_n_and_unmasked_steps_are_refused() -> None:
    made = edit(weightings.since_by_counts("relu", 3), "claim", "causal", value=True)
    accepted(made)
    rejected(other(made, "relu-over-n"), "causal: the weights of relu-over-n mention n")
    with pytest.raises(Malformed, match="a weighting that scans to the row needs a mask"):
        accepted(edit(weightings.since_by_steps(max_n=3), *HEADS, "mask", value="none"))


def test_weightings_are_printed() -> None:
    lines = check_text(dump(weightings.since_by_counts("relu", 3))).lines
    assert any("exact reals, weightings: relu" in line for line in lines)
    lines = check_text(dump(handmade.since_certificate(3))).lines
    assert any("exact reals, real softmax" in line for line in lines)


def test_sparse_weights_are_enclosed() -> None:
    draw = random.Random(3)
    with mp.workdps(60):
        for _ in range(80):
            scale, count = draw.randint(1, 9), draw.randint(1, 6)
            falls = [0, *(-draw.randint(0, 2 * scale) for _ in range(count))]
            for power, weighting in enumerate(SPARSE, 1):
                lows, highs = enclose_sparse(Budget(), weighting, falls, scale)
                scores = {k: mpf(fall) / scale for k, fall in enumerate(falls)}
                wanted = brute.weigh_sparsely(power, scores)
                total = sum(lows) if power == 1 else (scale << 97) ** 2
                for k, weight in wanted.items():
                    assert mpf(lows[k]) / total - mpf(10) ** -50 <= weight <= mpf(highs[k]) / total + mpf(10) ** -50
                    assert abs(mpf(highs[k] - lows[k]) / total) < mpf(10) ** -27


def test_the_logistic_function_is_enclosed() -> None:
    draw, weigher = random.Random(4), Weigher(Budget(100))
    with mp.workprec(2000):
        for _ in range(60):
            z = Fraction(draw.randint(-800, 800), draw.randint(1, 40))
            exact = 1 / (1 + mp.exp(-brute.number(z)))
            low, high = enclose_in_units(weigher, z)
            assert low <= exact * 2**BITS <= high and high - low < 2**60
            lower, upper, e = enclose_falling(weigher, -abs(z))
            small = 1 / (1 + mp.exp(brute.number(abs(z))))
            assert lower <= small / mpf(2) ** e <= upper and upper - lower < lower / mpf(2) ** 100
