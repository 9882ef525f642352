"""Networks that round numbers of tokens: enclosures, floats and decisions agree, by words and by classes."""

import re
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from certify.claims.trained.decide import Settings, decide
from constructions.errors import InputError, Unsupported
from constructions.language.parser import parse_formula
from constructions.trained.claim import Case, Read, When, WordsClaim, input_tokens, is_by_place, judged
from constructions.trained.json_form import network_from_json, network_to_json
from constructions.trained.network import Rounding, TrainedNetwork, UnitsStep
from proofs.check import check_text
from proofs.enclosures.exponential import exact_ends
from proofs.trained.balls import BallNetwork, enclose_logits
from proofs.trained.classes.refine import ClassSearch
from proofs.trained.forward import FloatNetwork
from proofs.words.tracking import cases_at
from tests.trained.rounding_networks import WAYS, Way, with_roundings


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seed", range(4))
def test_enclosures_have_what_floats_compute(seed: int, way: Way) -> None:
    """The numbers are no ties; all tokens, and one of them alone."""
    network = with_roundings(seed, way)
    assert network_from_json(network_to_json(network), "x") == network
    balls, floats, inputs = BallNetwork(network), FloatNetwork(network), [(2, 0, 4, 1), (1, 1, 3)]
    for tokens in inputs:
        found = floats.logits(np.array([tokens]), 0)[0]
        last = enclose_logits(balls, tokens, 0, [len(tokens) - 1], 128)
        everywhere = enclose_logits(balls, tokens, 0, range(len(tokens)), 128)
        assert np.allclose(floats.logits(np.array([tokens]), 0, [-1])[0, 0], found[-1], 1e-12, 1e-12)
        for output in range(network.outputs):
            for place, value in [(len(tokens) - 1, last[0, output]),
                                 *((place, everywhere[place, output]) for place in range(len(tokens)))]:
                low, high = exact_ends(value)
                assert high - low < 1e-9 and low - Fraction(1e-9) < Fraction(found[place, output]) < high + Fraction(
                    1e-9)


SEEDS = (0, 2, 3, 5, 7)


def asked(read: Read) -> WordsClaim:
    """Return a claim about all words of 1 to 3 letters."""
    row = ((0, Fraction(1)), (1, Fraction(-1, 3)))
    return WordsClaim(("a", "b"), (3, 1), (2,), (), (0, 0), (1, 3), read, False, Fraction(0), None, (),
                      (Case(When(parse_formula("Q_a")), (row,)),))


def is_right(network: TrainedNetwork, claim: WordsClaim, n: int) -> bool:
    """Return whether the network is right, by running every word of the length."""
    floats = FloatNetwork(network)
    return all(logits[0] > logits[1] / 3 for word in product("ab", repeat=n)
               for run in [floats.logits(np.array([input_tokens(claim, word)]), 0)[0]]
               for place, token in judged(claim, n) if cases_at(claim, word, place) for logits in [run[token]])


@pytest.mark.parametrize("way", WAYS)
def test_decisions_are_what_running_every_word_says(way: Way) -> None:
    """Wrong words are proved by the trusted folder; networks that round by the range of all tokens look ahead."""
    verdicts, accepted = list[str](), 0
    for seed in SEEDS:
        network, claim = with_roundings(seed, way), asked("last" if seed % 2 else "each")
        assert is_by_place(network, claim) == (way != "input" and network.attention == "causal")
        decision = decide(network, claim)
        for row in decision.rows:
            right = is_right(network, claim, row.n)
            assert row.verdict in ("certified" if right else "refuted", "unknown"), (seed, row)
            verdicts.append(row.verdict)
        for text in (decision.certificate, decision.wrong_certificate):
            accepted += text is not None and check_text(text.encode()).coverage != {}
    assert min(verdicts.count("certified"), verdicts.count("refuted")) >= 2 and accepted >= 4


def test_classes_of_words_decide_networks_that_round_by_a_scale() -> None:
    """And say of those that round by a range that there is no rule."""
    covered = 0
    for seed in (0, 1, 2):
        network, claim = replace(with_roundings(seed, "scale", 0.3), attention="causal"), asked("each")
        decision = decide(network, claim, Settings(most_words=0))
        covered += decision.covered["by classes"]
        assert all(is_right(network, claim, row.n) == (row.verdict == "certified") for row in decision.rows
                   if row.verdict != "unknown")
    assert covered >= 2
    for way in ("input", "token"):
        with pytest.raises(Unsupported, match=r"^classes of words: no rule for roundings by a range"):
            ClassSearch(replace(with_roundings(0, way), attention="causal"), asked("last"))


BEYOND = "step 0: a scale that binary64 does not hold, expected 2^-1000 to 2^1000"


@pytest.mark.parametrize(("rounding", "printed"), [
    (Rounding(0, 15, Fraction(0)), "step 0: a scale of 0, expected more than 0"),
    (Rounding(0, 15, Fraction(10**400)), BEYOND),
    (Rounding(0, 15, Fraction(1, 10**400)), BEYOND),
    (Rounding(0, 15, Fraction(1), 16), "step 0: a zero point of 16, expected 0 to 15")])
def test_roundings_that_are_none_are_one_line(rounding: Rounding, printed: str) -> None:
    network = with_roundings(1, "scale")
    first = network.steps[0]
    assert isinstance(first, UnitsStep)
    with pytest.raises(InputError, match=f"^{re.escape(f'x, {printed}')}$"):
        network_from_json(network_to_json(replace(network, steps=(replace(first, activation=rounding),
                                                                  *network.steps[1:]))), "x")
