"""Counts up to a length, row by row: what the checker of the library accepts beyond its theorems for every n."""

from fractions import Fraction

import pytest

from constructions.compiler import compile_formula
from constructions.language.expressions import parse_expression
from constructions.language.parser import parse_formula
from constructions.network.json_form import read_transformer, transformer_to_json, write_canonical
from constructions.network.transformer import Transformer
from constructions.regimes import Regime
from proofs.every_n import ProvedLengths
from tests.statements.low_precision import low_precision_network
from tests.with_coq import places_of_kernel

Claim = tuple[str, Transformer, int]
"""A formula over {0, 1}, a network, and the greatest length."""


def low_precision(text: str, up_to: int, asked: int | None = None, causal: bool = False) -> Claim:
    return text, low_precision_network(text, up_to, "01", causal), asked or up_to


def looked_up(text: str, max_n: int, gamma: str = "3", temperature: str = "1/n") -> Claim:
    network = compile_formula(parse_formula(text, "01"), "01", Regime(), Fraction(gamma),
                              temperature=parse_expression(temperature))
    return text, network, max_n


def edited(claim: Claim, old: str, new: str) -> Claim:
    """Return the network with something else in one place of its file."""
    text, network, max_n = claim
    written = write_canonical(transformer_to_json(network))
    assert written.count(old) == 1, written.count(old)
    return text, read_transformer(written.replace(old, new)), max_n


def are_accepted(claims: list[Claim]) -> list[bool]:
    places = places_of_kernel([(network, parse_formula(text, "01"), ProvedLengths(1, greatest))
                               for text, network, greatest in claims])
    return [place == "" for place in places]


def test_counts_for_low_precision_are_accepted_up_to_the_length_that_they_are_built_for() -> None:
    texts = ["ODD(#<[Q_1])", "SQUARE(#>[Q_1])", "#<[Q_1] > #<[Q_0]", "3*#<[Q_1] - 2*#>[Q_0] >= 5",
             "#<[prev Q_1] + 2*#<[Q_0] != 3", "MOD(3,1)(#<[#<[Q_1] <= #<[Q_0]])"]
    assert all(are_accepted([low_precision(text, 6) for text in texts]))
    assert are_accepted([low_precision("PRIME(#<[Q_1]) & #<[Q_0] < 2", 6, causal=True)]) == [True]


def test_counts_for_low_precision_are_refused_at_lengths_for_which_they_are_not_sharp_enough() -> None:
    """Slack is at least 8/i where it is not 0, and no slack is of more than three."""
    average, odd = "#<[Q_1] > #<[Q_0]", "ODD(#<[Q_1])"
    assert are_accepted([low_precision(average, 3, 8), low_precision(average, 3, 9),
                         low_precision(odd, 3), low_precision(odd, 3, 4)]) == [True, False, True, False]


def test_one_wrong_number_in_counts_for_low_precision_is_refused() -> None:
    odd = low_precision("ODD(#<[Q_1])", 3)
    unit = '"is[ODD(#<[Q_1])]": "-1"'
    average = low_precision("#<[Q_1] > #<[Q_0]", 3)
    assert are_accepted([
        edited(odd, unit, unit.replace("-1", "1")), edited(odd, unit, unit.replace("-1", "-2")),
        edited(average, '"is[Q_1]": "1",\n       "is[Q_0]": "-1"', '"is[Q_1]": "1",\n       "is[Q_0]": "-2"'),
        edited(average, '"mask": "future"', '"mask": "past"'),
    ]) == [False, False, False, False]


def test_lookups_at_temperatures_of_any_form_are_accepted_and_wrong_ones_refused() -> None:
    odd = looked_up("ODD(#<[Q_1])", 6, temperature="1/(n+1)")
    assert are_accepted([odd, looked_up("2*#<[Q_1] >= #>[Q_0]", 6, "9", "1/(2*n+1)"),
                         looked_up("ODD(#<[Q_1])", 6, temperature="i/n"),
                         looked_up("ODD(#<[Q_1])", 6, "179/100", "1/n")]) == [True, True, False, False]


@pytest.mark.parametrize(("text", "max_n", "enough", "too_little"), [
    ("#<[Q_1] == 0", 2, "11/10", "109/100"),
    ("SQUARE(#<[Q_1])", 2, "11/10", "109/100"),
])
def test_constants_are_those_of_the_length(text: str, max_n: int, enough: str, too_little: str) -> None:
    """ln 3 is critical where two positions are looked at, for a comparison and for a predicate."""
    assert are_accepted([looked_up(text, max_n, enough), looked_up(text, max_n, too_little)]) == [True, False]


def test_embeddings_may_be_written_otherwise_than_what_they_mean() -> None:
    claim = low_precision("#<[Q_1] > #<[Q_0]", 4)
    entry = '"position_embedding": {\n  "1/i": "%s"'
    assert are_accepted([edited(claim, entry % "1/i", entry % text)
                         for text in ("2/(2*i)", "(n+1)/(i*n+i)", "1/(i+1)")]) == [True, True, False]
