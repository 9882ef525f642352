"""The models of ``examples/models`` for every n: proved for just those lengths where they are right."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from certify import Network
from constructions.errors import InputError
from constructions.language.expressions import parse_expression
from constructions.language.syntax import Formula
from constructions.network.json_form import read_transformer
from constructions.network.meanings import Position, Truth
from constructions.network.transformer import Transformer
from proofs.every_n import EVERY_LENGTH, KernelAnswer, ProvedLengths
from tests.with_coq import ask_coq, places_of_kernel

MODELS = Path(__file__).parents[2] / "examples" / "models"
CLOSE = "the scores are too close together: 1000 times as large, they would be accepted"
UNDECIDED = ("tried: the scores of Theorems 15 and 16, those for low precision, any levels with a tie-breaking term, "
             "and the first or the last position alone")


def shipped(name: str) -> Transformer:
    return read_transformer((MODELS / f"{name}.json").read_text(encoding="utf-8"), name)


def formula_of(network: Transformer) -> Formula:
    meaning = network.directions[network.output]
    assert isinstance(meaning, Truth)
    return meaning.formula


def ask_of(network: Transformer, lengths: ProvedLengths = EVERY_LENGTH) -> KernelAnswer:
    return ask_coq(network, formula_of(network), lengths)


def places_of(*networks: Transformer) -> list[str]:
    """Return the location of the kernel's refusal of each, for every n; empty if it is accepted."""
    return places_of_kernel([(network, formula_of(network), EVERY_LENGTH) for network in networks])


def with_temperature(name: str, temperature: str) -> Transformer:
    """Return the model with another temperature in its one head."""
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
     "layer 1, head 1: the temperature may have no value, or not be positive"),  # 1/ln(1)
    ("first_by_marker", ProvedLengths(1, 136), f"layer 1, heads: bit at the first position (head 1): {CLOSE}"),
    ("recent_write", ProvedLengths(1, 9), f"layer 1, heads: last bit (head 1): {UNDECIDED}"),  # refuted at n = 9
], ids=str)
def test_no_model_is_proved_for_one_length_more(name: str, lengths: ProvedLengths, place: str) -> None:
    answer = ask_of(shipped(name), lengths)
    assert not answer.proved and answer.reason.endswith(f"make it wrong: {place}")


TEMPERATURES = (
    ("first_by_index", "1/1.3863", "1/1.3862"), ("flip_flop", "1/(1.3863*n)", "1/(1.3862*n)"),
    ("first_by_marker", "1/n", "1/sqrt(n)"), ("first_by_index", "1/sqrt(2*n+3)", "sqrt(n)"),
    ("first_by_index", "1/(1.3863*log2ceil(n+1))", "1/log2ceil(n+1)"),
)


def test_the_constants_are_ln_4_and_factors_may_be_roots_and_logarithms() -> None:
    """ln 4 is 1.386294...; sqrt(5) and log2ceil(2) are the least values."""
    right = [with_temperature(name, text.replace("1.3863", "(13863/10000)")) for name, text, _ in TEMPERATURES]
    wrong = [with_temperature(name, text.replace("1.3862", "(13862/10000)")) for name, _, text in TEMPERATURES]
    found = places_of(*right, *wrong)
    assert found[:5] == [""] * 5 and all(found[5:])


def with_query(query: Mapping[str, str], temperature: str = "1/2") -> Transformer:
    """`first_by_logarithm` with these position functions, and how often each is read, in the query of its one head."""
    network = with_temperature("first_by_logarithm", temperature)
    functions = {text: parse_expression(text) for text in query}
    (layer,) = network.layers
    head = replace(layer.heads[0], queries=({name: Fraction(weight) for name, weight in query.items()},))
    return replace(
        network, directions={**network.directions, **{name: Position(value) for name, value in functions.items()}},
        position_embedding={**network.position_embedding, **functions}, layers=(replace(layer, heads=(head,)),))


def test_a_factor_of_all_that_a_query_reads_counts_as_one_of_the_temperature() -> None:
    """At n = 1 the one position gets all the attention, whatever its score: so it is proved for every n."""
    assert places_of(with_query({"ln(n)": "1"}, "1/2"), with_query({"ln(n)/2": "4"}, "1"),
                     with_query({"2*ln(n)": "1", "-ln(n)": "1"}, "1/2"),
                     with_query({"n*log2ceil(n+1)": "1"}, "1/sqrt(n+3)")) == [""] * 4


def test_a_query_whose_directions_share_no_factor_is_refused_by_name() -> None:
    """The constant is too small: the critical one is ln 6/ln 3 = 1.6309...; Coq requires 2."""
    refused = ("the query reads ln(n), expected truths, counts, and powers of i and n; a factor such as ln(n) must be "
               "one of the temperature, or of all that the query reads")
    printed: Sequence[tuple[Mapping[str, str], str]] = (
        ({"ln(n)": "8/5"}, CLOSE), ({"ln(n)": "1", "1": "1"}, refused), ({"1": "1", "ln(n)": "1"}, refused),
        ({"ln(n)": "1", "sqrt(n)": "1"}, refused))
    assert places_of(*(with_query(query, "1") for query, _ in printed)) == [
        f"layer 1, heads: bit at the first position (head 1): {what}" for _, what in printed]


@pytest.mark.parametrize(("least", "greatest", "message"), [
    (0, None, "min_n: 0, expected 1 to 100000"), (3, 2, "max_n: 2, expected 3 to 100000"),
    (1, 100001, "max_n: 100001, expected 1 to 100000"),
])
def test_lengths_that_are_none_are_refused(least: int, greatest: int | None, message: str) -> None:
    with pytest.raises(InputError, match=message):
        ProvedLengths(least, greatest)


def flip_flop_by(key: Mapping[str, int | str], value: Mapping[str, int | str]) -> Transformer:
    """Return a flip-flop with another key and value."""
    net = Network("w0,w1,i", temperature="1/(2*n)")
    net.output(net.round(net.head("last bit", key=key, value=value, means="!Q_w0 S Q_w1")))
    return net.build()


def test_keys_and_values_may_be_any_combinations_with_the_same_truth() -> None:
    """There are two symbols other than i only if the alphabet is known, and a truth table does not contain it."""
    *proved, refused = places_of(
        flip_flop_by({"Q_w0": 1, "Q_w1": 1, "i/n": 1}, {"Q_w1": 1}),
        flip_flop_by({"Q_w0 | Q_w1": 1, "i/n": 1}, {"1": 1, "!Q_w1": -1}),
        flip_flop_by({"Q_w0": 2, "Q_w1": 1, "!Q_w1 & !Q_i": -1, "i/n": 1}, {"Q_w1 & !Q_w0": 1}),
        flip_flop_by({"Q_i": -1, "i/n": "4/5", "1": 3}, {"Q_w1": 1}))
    assert proved == ["", "", ""] and refused


def test_keys_and_values_with_another_truth_are_not_proved() -> None:
    assert places_of(flip_flop_by({"Q_w0": 1, "Q_w1": "9/10", "i/n": 1}, {"Q_w1": 1}),
                     flip_flop_by({"Q_w0 | Q_w1": 1, "i/n": "11/10"}, {"Q_w1": 1}),
                     flip_flop_by({"Q_w0 | Q_w1": 1, "i/n": 1}, {"Q_w1": "1/2"}),
                     flip_flop_by({"Q_w0 | Q_w1": 1, "i/n": 1}, {"!Q_w0": 1})) == [
        f"layer 1, heads: last bit (head 1): {UNDECIDED}"] * 4
