"""Cross-entropies by classes of prefixes against all words, one by one, in plain floating point."""

import math
import random
from fractions import Fraction

import pytest

from certify.claims.numbers.cross_entropy.fitting import choose_output
from constructions.network.transformer import Transformer
from proofs.enclosures.intervals import Interval
from proofs.numbers.cross_entropy.languages import PrefixQuestions, bracket_language, parity_language
from proofs.numbers.cross_entropy.predictions import OutputMap, Predictions, TooManyPrefixes, change_by_bounds
from tests.numbers.cross_entropy.enumeration import (
    PROBABILITIES,
    bracket_prefixes,
    is_even,
    open_brackets,
    parity_prefixes,
    softplus,
    with_other_bit,
    with_other_bracket,
)
from tests.numbers.cross_entropy.networks import output_at_the_end, random_network

SEEDS = range(12)
ROUNDED = 1e-9


def output_map(alphabet: tuple[str, ...], seed: int) -> OutputMap:
    draw = random.Random(seed)
    slope = Fraction(draw.randint(-8, 8), 4)
    return OutputMap(slope, {symbol: Fraction(draw.randint(-4, 4), 2) for symbol in alphabet})


def log_odds(network: Transformer, output: OutputMap, words: list[str]) -> dict[str, float]:
    return {word: float(output.slope) * output_at_the_end(network, word) + float(output.offsets[word[-1]])
            for word in words}


@pytest.mark.one_in(6)
@pytest.mark.parametrize("p", PROBABILITIES)
@pytest.mark.parametrize("seed", SEEDS)
def test_parity_costs_what_all_words_cost(seed: int, p: Fraction) -> None:
    n, language, network = 1 + seed % 5, parity_language(p), random_network(("0", "1"), seed)
    masses = parity_prefixes(n, p)
    output = output_map(language.alphabet, seed)
    odds = log_odds(network, output, list(masses))
    expected = (1 - float(p) / 2) * math.log(2) + sum(
        float(mass / sum(masses.values())) * (softplus(odds[word]) - float(p) * is_even(word) * odds[word])
        for word, mass in masses.items())
    found = Predictions(network, n, language, "out")
    check(found.cross_entropy(output), expected)
    changes = [abs(odds[word] - odds[with_other_bit(word, n - 2)]) for word in masses] if n > 1 else [0.0]
    check_bound(found, output, max(changes), language)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("p", PROBABILITIES)
@pytest.mark.parametrize("seed", SEEDS[:8])
def test_brackets_cost_what_all_prefixes_cost(seed: int, p: Fraction) -> None:
    n, language, network = 1 + seed % 5, bracket_language(p), random_network(("(", ")", "[", "]"), seed)
    masses = bracket_prefixes(n, p)
    output = output_map(language.alphabet, seed)
    odds = log_odds(network, output, list(masses))
    everything = sum(masses.values())
    entropy = -float(p) * math.log(float(p) / 2) - float(1 - p) * math.log(float(1 - p))
    expected = entropy + sum(
        float(mass * (1 - p) / everything) * softplus(-odds[word] if stack[-1] == "(" else odds[word])
        for word, mass in masses.items() if (stack := open_brackets(word)))
    found = Predictions(network, n, language, "out")
    check(found.cross_entropy(output), expected)
    changes = [abs(odds[word] - odds[other]) for word in masses for place in range(n - 1)
               if (other := with_other_bracket(word, place)) in masses]
    check_bound(found, output, max(changes, default=0.0), language)


def check(found: Interval, expected: float) -> None:
    assert float(found.lower) - ROUNDED <= expected <= float(found.upper) + ROUNDED


def check_bound(found: Predictions, output: OutputMap, change: float, language: PrefixQuestions) -> None:
    """The change is bounded, and what it forces is below what the network costs, and above the optimum."""
    bound = abs(output.slope) * found.change
    assert change <= float(bound) + ROUNDED
    forced = language.forced(found.n, bound)
    assert forced.lower <= found.cross_entropy(output).upper
    assert forced.upper >= language.levels(found.n).optimal.lower


@pytest.mark.parametrize("seed", SEEDS[:6])
def test_the_map_that_is_chosen_is_no_worse_than_others(seed: int) -> None:
    language, network = parity_language(Fraction(1, 2)), random_network(("0", "1"), seed)
    found = Predictions(network, 4, language, "out")
    chosen = choose_output(found.groups, language.alphabet, Fraction(2))
    assert abs(chosen.slope) <= 2
    best = found.cross_entropy(chosen)
    for other in range(20):
        assert best.lower <= found.cross_entropy(output_map(language.alphabet, other)).upper + Fraction(1, 10**5)
    assert best.lower <= language.levels(4).last_symbol.upper + Fraction(1, 10**5)


@pytest.mark.parametrize("seed", SEEDS[:4])
def test_the_bound_layer_by_layer_is_above_the_change_by_classes(seed: int) -> None:
    language, network = parity_language(Fraction(1, 2)), random_network(("0", "1"), seed)
    assert change_by_bounds(network, 4, language, "out") >= Predictions(network, 4, language, "out").change


def test_levels_of_brackets_are_those_of_all_prefixes() -> None:
    """A predictor with the last symbol: a type costs ln 2 only where it closes."""
    p = Fraction(2, 5)
    for n in range(1, 8):
        masses = bracket_prefixes(n, p)
        everything, levels = sum(masses.values()), bracket_language(p).levels(n)
        unbalanced = {word: mass for word, mass in masses.items() if open_brackets(word)}
        closing = sum(mass for word, mass in unbalanced.items() if word[-1] in ")]")
        for level, share in ((levels.last_symbol, closing), (levels.chance, sum(unbalanced.values()))):
            excess = float(share * (1 - p) / everything) * math.log(2)
            assert float(level.lower - levels.optimal.lower) == pytest.approx(excess)


def test_too_many_prefixes_are_refused_before_they_are_run() -> None:
    with pytest.raises(TooManyPrefixes, match="there are 2048 states of the language"):
        Predictions(random_network(("(", ")", "[", "]"), 1), 10, bracket_language(Fraction(1, 2)), "out")
