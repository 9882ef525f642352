"""Heads of networks that are right up to a length only: each row is checked with the network's own numbers."""

import copy
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from constructions.compiler import compile_formula
from constructions.language.parser import parse_formula
from constructions.language.syntax import Formula
from constructions.network.json_form import transformer_from_json, transformer_to_json
from constructions.network.transformer import Transformer
from constructions.regimes import Regime, Sharpening
from proofs.every_n import EVERY_LENGTH, ProvedLengths
from tests.sabotage.ground_truth import find_wrong_output
from tests.with_coq import places_of_kernel

Model = dict[str, Any]
Claim = tuple[Transformer, Formula, ProvedLengths]
SINCE, UNTIL = "(Q_a | Q_b) since Q_b", "(Q_a | Q_b) until Q_b"
TEMPERATURE, POSITION = Regime(), Regime(Sharpening.POSITION)
CAUSAL, CAUSAL_POSITION = (Regime(sharpening, causal=True) for sharpening in Sharpening)


def up_to(n: int) -> ProvedLengths:
    return ProvedLengths(1, n)


def built(text: str, regime: Regime, gamma: str, precise_up_to: int | None = None, letters: str = "abc") -> Transformer:
    return compile_formula(parse_formula(text, letters), letters, regime, Fraction(gamma),
                           low_precision_up_to=precise_up_to)


def claim(text: str, regime: Regime, gamma: str, n: int, precise_up_to: int | None, letters: str) -> Claim:
    return built(text, regime, gamma, precise_up_to, letters), parse_formula(text, letters), up_to(n)


SHARP = [
    (SINCE, TEMPERATURE, "1.332", "1.333", 3, None, "abc"), (UNTIL, POSITION, "1.332", "1.333", 3, None, "abc"),
    (SINCE, CAUSAL, "0.754", "0.756", 3, None, "abc"), (SINCE, CAUSAL_POSITION, "0.754", "0.756", 3, None, "abc"),
    (SINCE, TEMPERATURE, "0.402", "0.403", 3, None, "ab"),
    ("prev Q_a", TEMPERATURE, "0.583", "0.584", 4, None, "ab"), ("next Q_a", POSITION, "0.583", "0.584", 4, None, "ab"),
    ("prev Q_a", CAUSAL, "0.548", "0.55", 4, None, "ab"), (SINCE, POSITION, "1.374", "1.375", 4, 4, "abc"),
    ("prev Q_a", POSITION, "1.374", "1.375", 4, 4, "ab"),
]
"""Formula, regime, a constant with which some word is wrong, one with which none is, length, precision, alphabet."""


def test_heads_are_accepted_from_the_constants_of_their_length_on() -> None:
    """For `since` e^-γ + e^-2γ <= 1/3 at n = 3: γ >= 1.33271...; below, a word of that length is wrong.

    Over a and b alone less is enough: the left side is true everywhere.
    """
    wrong = [claim(text, regime, low, n, precise, letters) for text, regime, low, _, n, precise, letters in SHARP]
    right = [claim(text, regime, high, n, precise, letters) for text, regime, _, high, n, precise, letters in SHARP]
    assert all(find_wrong_output(network, lengths.greatest or 0) for network, _, lengths in wrong)
    found = places_of_kernel([*wrong, *right])
    assert found[len(wrong):] == [""] * len(right)
    assert all(place.startswith("layer ") and ", heads: near" in place for place in found[:len(wrong)])


def test_a_constant_below_that_of_all_lengths_is_enough_for_some_and_no_longer() -> None:
    lengths = [up_to(3), up_to(5), ProvedLengths(3, 3), EVERY_LENGTH]
    network, formula = built(SINCE, TEMPERATURE, "1.34"), parse_formula(SINCE, "abc")
    found = places_of_kernel([(network, formula, which) for which in lengths])
    assert [bool(place) for place in found] == [False, True, False, True]


def changed(text: str, regime: Regime, gamma: str, n: int, change: Callable[[Model], None]) -> Claim:
    model = copy.deepcopy(transformer_to_json(built(text, regime, gamma)))
    change(model)
    return transformer_from_json(model), parse_formula(text, "abc"), up_to(n)


def with_position(text: str, temperature: str = "1/n") -> Callable[[Model], None]:
    """Return the tie-breaking term that `since` reads is another, and the temperature."""
    def change(model: Model) -> None:
        model["directions"]["i/n"]["value"] = model["position_embedding"]["i/n"] = text
        model["layers"][0]["heads"][0]["temperature"] = temperature
    return change


def test_scores_that_no_theorem_has_are_accepted_up_to_a_length() -> None:
    accepted = [
        changed(SINCE, TEMPERATURE, "6", 5, with_position("i^2/(n^2+1)", "1/n^2")),
        changed(SINCE, TEMPERATURE, "14", 4, with_position("sqrt(i)/n")),
        changed(SINCE, TEMPERATURE, "7", 4, with_position("ln(i+1)/n")),
        changed(SINCE, TEMPERATURE, "2", 5, with_position("(i+log2floor(i))/n", "1/(2*n*ln(n+1))")),
    ]
    too_warm = [
        changed(SINCE, TEMPERATURE, "2", 4, with_position("sqrt(i)/n")),
        changed(SINCE, TEMPERATURE, "3", 4, with_position("ln(i+1)/n")),
    ]
    assert all(find_wrong_output(network, lengths.greatest or 0) for network, _, lengths in too_warm)
    of_all = [(network, formula, EVERY_LENGTH) for network, formula, _ in accepted]
    found = places_of_kernel([*accepted, *too_warm, *of_all])
    assert found[:len(accepted)] == [""] * len(accepted)
    assert all(found[len(accepted):])


def test_the_users_predicates_are_known_up_to_a_length() -> None:
    """A square of either sign is looked up by SQUARE and by a predicate that is made for the network."""
    network = built("SQUARE(#<[Q_a] - #<[Q_b])", TEMPERATURE, "3", letters="ab")
    assert [definition.name for definition in network.predicates()] == ["SQUARE_m1_0"]
    claims = [(network, parse_formula(text, "ab"), up_to(3))
              for text in ("SQUARE(#<[Q_a] - #<[Q_b])", "SQUARE(#<[Q_b] - #<[Q_a])")]
    assert places_of_kernel(claims) == ["", "the output does not mean the truth of the formula"]


def test_whether_all_has_a_value_is_decided_up_to_a_length() -> None:
    """The temperature (5 - n)/(4n) is positive for n < 5."""
    network, formula, _ = changed(SINCE, TEMPERATURE, "3", 4, with_position("i/n", "(5-n)/(4*n)"))
    found = places_of_kernel([(network, formula, up_to(4)), (network, formula, up_to(5))])
    assert found == ["", "layer 1, head 1: the temperature may have no value, or not be positive"]


def first_head(change: Callable[[Model], None]) -> Callable[[Model], None]:
    return lambda model: change(model["layers"][0]["heads"][0])


def with_mask(mask: str) -> Callable[[Model], None]:
    return first_head(lambda head: head.update(mask=mask))


def values_of(text: str) -> Callable[[Model], None]:
    """Return a change by which the values of the first head are the truth of another formula, which is embedded."""
    def change(head: Model) -> None:
        head["values"] = {written: {text: "1"} for written in head["values"]}
    return first_head(change)


def keys_negated(head: Model) -> None:
    head["keys"] = [{name: str(-Fraction(x)) for name, x in row.items()} for row in head["keys"]]


def guarded_always(model: Model) -> None:
    for meaning in model["directions"].values():
        if meaning["kind"] == "near":
            meaning["when"] = "true"


WRONG = {
    "since, unmasked": (SINCE, TEMPERATURE, with_mask("none")), "since, past": (SINCE, TEMPERATURE, with_mask("past")),
    "until, unmasked": (UNTIL, TEMPERATURE, with_mask("none")),
    "since of the wrong truth": (SINCE, CAUSAL, values_of("is[Q_a]")),
    "since of a part": (SINCE, POSITION, values_of("is[Q_a | Q_b -> Q_b]")),
    "since, keys negated": (SINCE, CAUSAL_POSITION, first_head(keys_negated)),
    "prev, at each parity": ("prev Q_a", TEMPERATURE, guarded_always),
}


@pytest.mark.parametrize("gamma", ["2"])
def test_a_head_that_is_wrong_is_refused(gamma: str) -> None:
    """Wrong on a word, or, of `prev` without guards, in what its direction is said to hold."""
    claims = [changed(text, regime, gamma, 3, change) for text, regime, change in WRONG.values()]
    found = places_of_kernel(claims)
    assert [name for name, place in zip(WRONG, found, strict=True) if ", heads: near" not in place] == []
    assert all(find_wrong_output(network, 3) for network, *_ in claims[:-1])
