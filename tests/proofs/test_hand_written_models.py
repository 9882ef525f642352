"""The models of ``examples/models`` for every n: proved for just those lengths where they are right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from certify import Network
from constructions.errors import InputError
from constructions.language.expressions import parse_expression
from constructions.language.syntax import Formula
from constructions.network.json_form import read_transformer
from constructions.network.meanings import Truth
from constructions.network.transformer import Transformer
from proofs.by_coq import EVERY_LENGTH, Answer, ProvedLengths
from tests.with_coq import ask_coq

MODELS = Path(__file__).parents[2] / "examples" / "models"


def shipped(name: str) -> Transformer:
    return read_transformer((MODELS / f"{name}.json").read_text(encoding="utf-8"), name)


def formula_of(network: Transformer) -> Formula:
    meaning = network.directions[network.output]
    assert isinstance(meaning, Truth)
    return meaning.formula


def ask_of(network: Transformer, lengths: ProvedLengths = EVERY_LENGTH) -> Answer:
    return ask_coq(network, formula_of(network), lengths)


def with_temperature(name: str, temperature: str) -> Transformer:
    """The model with another temperature in its one head."""
    network = shipped(name)
    (layer,) = network.layers
    head = replace(layer.heads[0], temperature=parse_expression(temperature))
    return replace(network, layers=(replace(layer, heads=(head,)),))


@pytest.mark.parametrize(("name", "lengths"), [
    ("first_by_index", EVERY_LENGTH), ("flip_flop", EVERY_LENGTH), ("matching_bracket", EVERY_LENGTH),
    ("first_by_logarithm", ProvedLengths(2)), ("first_by_marker", ProvedLengths(1, 135)),
    ("recent_write", ProvedLengths(1, 8)),
], ids=str)
def test_every_model_is_proved_for_the_lengths_where_it_is_right(name: str, lengths: ProvedLengths) -> None:
    assert ask_of(shipped(name), lengths).proved


@pytest.mark.parametrize(("name", "lengths", "place"), [
    ("first_by_logarithm", EVERY_LENGTH,
     "an embedding or temperature may have no value, or a temperature not be positive"),  # 1/ln(1)
    ("first_by_marker", ProvedLengths(1, 136), "layer 1, heads: bit at the first position"),
    ("recent_write", ProvedLengths(1, 9), "layer 1, heads: last bit"),  # refuted at n = 9
], ids=str)
def test_no_model_is_proved_for_one_length_more(name: str, lengths: ProvedLengths, place: str) -> None:
    answer = ask_of(shipped(name), lengths)
    assert not answer.proved and answer.reason.endswith(f"make it wrong: {place}")


@pytest.mark.parametrize(("name", "right", "wrong"), [
    ("first_by_index", "1/1.3863", "1/1.3862"), ("flip_flop", "1/(1.3863*n)", "1/(1.3862*n)"),
    ("first_by_marker", "1/n", "1/sqrt(n)"), ("first_by_index", "1/sqrt(2*n+3)", "sqrt(n)"),
    ("first_by_index", "1/(1.3863*log2ceil(n+1))", "1/log2ceil(n+1)"),
], ids=str)
def test_the_constants_are_ln_4_and_factors_may_be_roots_and_logarithms(name: str, right: str, wrong: str) -> None:
    """ln 4 is 1.386294...; sqrt(5) and log2ceil(2) are the least values."""
    assert ask_of(with_temperature(name, right.replace("1.3863", "(13863/10000)"))).proved
    assert not ask_of(with_temperature(name, wrong.replace("1.3862", "(13862/10000)"))).proved


@pytest.mark.parametrize(("least", "greatest", "message"), [
    (0, None, "min_n: 0, expected 1 to 100000"), (3, 2, "max_n: 2, expected 3 to 100000"),
    (1, 100001, "max_n: 100001, expected 1 to 100000"),
])
def test_lengths_that_are_none_are_refused(least: int, greatest: int | None, message: str) -> None:
    with pytest.raises(InputError, match=message):
        ProvedLengths(least, greatest)


def flip_flop_by(key: Mapping[str, int | str], value: Mapping[str, int | str]) -> Transformer:
    """A flip-flop with another key and value."""
    net = Network("w0,w1,i", temperature="1/(2*n)")
    net.output(net.round(net.head("last bit", key=key, value=value, means="!Q_w0 S Q_w1")))
    return net.build()


@pytest.mark.parametrize(("key", "value"), [
    ({"Q_w0": 1, "Q_w1": 1, "i/n": 1}, {"Q_w1": 1}),
    ({"Q_i": -1, "i/n": "4/5", "1": 3}, {"Q_w1": 1}),
    ({"Q_w0 | Q_w1": 1, "i/n": 1}, {"1": 1, "!Q_w1": -1}),
    ({"Q_w0": 2, "Q_w1": 1, "!Q_w1 & !Q_i": -1, "i/n": 1}, {"Q_w1 & !Q_w0": 1}),
], ids=str)
def test_keys_and_values_may_be_any_combinations_with_the_same_truth(
        key: Mapping[str, int | str], value: Mapping[str, int | str]) -> None:
    network = flip_flop_by(key, value)
    # of symbols that are not i there are two only if the alphabet is known, which a truth table does not know
    assert ask_of(network).proved == ("Q_i" not in key)


@pytest.mark.parametrize(("key", "value"), [
    ({"Q_w0": 1, "Q_w1": "9/10", "i/n": 1}, {"Q_w1": 1}),
    ({"Q_w0 | Q_w1": 1, "i/n": "11/10"}, {"Q_w1": 1}),
    ({"Q_w0 | Q_w1": 1, "i/n": 1}, {"Q_w1": "1/2"}),
    ({"Q_w0 | Q_w1": 1, "i/n": 1}, {"!Q_w0": 1}),
], ids=str)
def test_keys_and_values_with_another_truth_are_not_proved(
        key: Mapping[str, int | str], value: Mapping[str, int | str]) -> None:
    answer = ask_of(flip_flop_by(key, value))
    assert not answer.proved and answer.reason.endswith("layer 1, heads: last bit")
