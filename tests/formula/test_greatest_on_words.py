"""The greatest error on a word against all words, run by a forward pass of its own on the matrices of the npz file.

The pass is written here from docs/howto/exports.md, for all words of a length at once; it shares nothing with the
provers.
"""

import random
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from certify import certify
from certify.claims.formula.outcomes import Certified, Outcome
from certify.claims.formula.summary import describe_greatest
from certify.exports.npz import export_npz
from constructions.language.semantics import truth_values
from constructions.network.meanings import Near, Others
from proofs.formula.on_words import GreatestError, find_greatest_error
from proofs.words.replay import run_soft
from tests.tiers import few_and_all

LEAVES = ("Q_a", "Q_b", "Q_a", "Q_b", "Q_c", "FIRST", "LAST", "ODD", "prev Q_a", "next Q_b", "Q_a & Q_b")
OF_THE_PAST = tuple(leaf for leaf in LEAVES if leaf not in ("LAST", "next Q_b"))
REGIMES: tuple[dict[str, Any], ...] = ({}, {"regime": "position"}, {"causal": True})
TOLERANCE = 1e-9


class DenseNetwork:
    """The arrays of an npz file, run in doubles on all words of one length."""

    def __init__(self, path: Path):
        self.arrays = dict(np.load(path).items())
        self.names = [str(name) for name in self.arrays["directions"]]

    def run(self, words: list[tuple[str, ...]]) -> np.ndarray[Any, Any]:
        """Return the residual vectors at the end, [words, positions, directions]: each direction is written once."""
        n, alphabet = len(words[0]), [str(symbol) for symbol in self.arrays["alphabet"]]
        stream = self.arrays["token_embedding"][[[alphabet.index(symbol) for symbol in word] for word in words]]
        stream[:, :, self.arrays["position_directions"]] += self.arrays["position_embedding"][n - 1, :n]
        for layer, heads in enumerate(self.arrays["heads"], start=1):
            stream = stream + sum(self._attend(f"layer{layer}.head{head}", stream) for head in range(1, heads + 1))
            w1, b1, w2, b2 = (self.arrays[f"layer{layer}.{name}"] for name in ("w1", "b1", "w2", "b2"))
            stream = stream + np.maximum(stream @ w1.T + b1, 0) @ w2.T + b2
        return np.asarray(stream)

    def _attend(self, head: str, stream: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        n = stream.shape[1]
        queries, keys = (stream @ self.arrays[f"{head}.{name}"].T for name in ("queries", "keys"))
        scores = queries @ keys.transpose(0, 2, 1) / self.arrays[f"{head}.temperature"][n - 1, :n, None]
        seen = {"none": np.ones((n, n)), "future": np.tri(n), "past": np.tri(n).T}[str(self.arrays[f"{head}.mask"])]
        weights = np.exp(scores - scores.max(axis=2, keepdims=True, where=seen > 0, initial=-np.inf)) * seen
        return np.asarray(weights / weights.sum(axis=2, keepdims=True) @ stream @ self.arrays[f"{head}.values"].T)


def errors_on_words(outcome: Outcome, path: Path) -> dict[tuple[tuple[str, ...], int, str], float]:
    """Return the error of each approximate direction at each position of each word, where something is claimed."""
    assert isinstance(outcome, Certified) and outcome.transformer
    outcome.save(path / "a.cert")
    export_npz(str(path / "a.cert"), str(path / "a.npz"))
    network = DenseNetwork(path / "a.npz")
    found: dict[tuple[tuple[str, ...], int, str], float] = {}
    for n in outcome.lengths:
        words = list(product(outcome.alphabet, repeat=n))
        held = network.run(words)
        for name, meaning in outcome.transformer.directions.items():
            if isinstance(meaning, Near | Others):
                column = held[:, :, network.names.index(name)]
                found |= {(word, i, name): abs(column[place, i - 1] - target) for place, word in enumerate(words)
                          for i, target in enumerate(targets(meaning, word), start=1) if target is not None}
    return found


def targets(meaning: Near | Others, word: tuple[str, ...]) -> list[int | None]:
    """Return the value that the direction should hold at each position; None where nothing is claimed."""
    if isinstance(meaning, Near):
        claimed = zip(truth_values(meaning.formula, word), truth_values(meaning.when, word), strict=True)
        return [int(truth) if when else None for truth, when in claimed]
    counted, n = truth_values(meaning.count.operand, word), len(word)
    return [sum(counted[:i]) if meaning.count.side == "left" else sum(counted[i + 1:]) for i in range(n)]


def random_formula(draw: random.Random, depth: int, counting: bool, past: bool) -> str:
    if depth == 0 or draw.random() < 0.1:
        return draw.choice(OF_THE_PAST if past else LEAVES)
    one, other = (random_formula(draw, depth - 1, counting and draw.random() < 0.3, past) for _ in range(2))
    shapes = [f"!({one})", f"({one}) & ({other})", f"({one}) | ({other})", f"prev ({one})", f"({one}) since ({other})",
              f"({one}) S ({other})", f"O ({one})"]
    shapes += [f"next ({one})", f"({one}) until ({other})", f"F ({one})"] * (not past)
    counts = [f"#<[{one}] > #<[{other}]", f"ODD(#<[{one}])", f"#<[{one}] == 2"]
    counts += [f"ODD(#>[{one}]) | #>[{other}] >= 2"] * (not past)
    return draw.choice(shapes + counts * counting)


def random_outcome(number: int) -> Outcome:
    """Return a random formula over abc, certified, refuted, or what comes out, to n = 4 or 5."""
    draw = random.Random(number)
    regime, counting = REGIMES[number % 3], number % 4 == 0
    text = random_formula(draw, draw.choice((1, 2, 2, 3)), counting, "causal" in regime)
    gamma = None if counting else draw.choice(("9/5", "5/2", "3", "3"))
    return certify(text, alphabet="abc", max_n=5 if number % 5 == 0 else 4, gamma=gamma, **regime)


def is_exact(found: GreatestError) -> bool:
    return found.upper - found.lower <= found.upper / 10**9 + Fraction(1, 10**14)


def agree(outcome: Outcome, path: Path) -> GreatestError | None:
    """Hold the greatest error of a certified outcome against all words; return it."""
    found, errors = outcome.greatest_error, errors_on_words(outcome, path)
    greatest = max(errors.values(), default=0.0)
    if found is None:
        assert greatest < TOLERANCE
        return None
    assert float(found.lower) - TOLERANCE <= greatest <= float(found.upper) + TOLERANCE
    if found.word and found.line:
        own = errors[found.word, found.position, found.line.direction]
        assert float(found.lower) - TOLERANCE <= own <= float(found.upper) + TOLERANCE
    return found


@pytest.mark.parametrize("numbers", few_and_all(range(24), range(300)))
def test_the_greatest_error_of_random_formulas_is_that_of_all_words(numbers: range, tmp_path: Path) -> None:
    outcomes = [outcome for number in numbers if (outcome := random_outcome(number)).verdict == "certified"]
    compared = [(outcome, agree(outcome, tmp_path)) for outcome in outcomes]
    erring = [(outcome, found) for outcome, found in compared if found]
    assert len(outcomes) > 0.8 * len(numbers) and len(erring) > len(outcomes) / 2
    assert [str(outcome.formula) for outcome, found in erring if not is_exact(found)] == []
    assert any(outcome.worst_error and found.upper < outcome.worst_error.lower for outcome, found in erring)


@pytest.mark.parametrize(("gamma", "bound", "greatest"), [
    ("3", 0.0497867, 0.00247262), ("9/5", 0.165196, 0.0266003), ("11/10", 0.100158, 0.100158)])
def test_the_error_on_words_falls_with_the_constant_where_the_bound_does_not(
        gamma: str, bound: float, greatest: float, tmp_path: Path) -> None:
    outcome = certify("Q_b until (Q_c & prev Q_a)", alphabet="abc", max_n=5, gamma=gamma)
    found = agree(outcome, tmp_path)
    assert found and is_exact(found) and outcome.worst_error
    assert float(outcome.worst_error.upper) == pytest.approx(bound, rel=1e-5)
    assert float(found.lower) == pytest.approx(greatest, rel=1e-5)


@pytest.mark.parametrize("weighting", ["entmax-1.5", "softmax-plus-one", "geometric", "stick-breaking"])
def test_under_other_weightings_a_replay_of_the_word_has_the_error(weighting: str) -> None:
    outcome = certify("Q_b since (Q_c | prev Q_a)", alphabet="abc", max_n=5, weighting=weighting)
    found = outcome.greatest_error
    assert found and found.word and found.line and outcome.transformer
    meaning = outcome.transformer.directions[found.line.direction]
    assert isinstance(meaning, Near)
    value = run_soft(outcome.transformer, found.word, 128)[found.position - 1][found.line.direction]
    truth = truth_values(meaning.formula, found.word)[found.position - 1]
    errors = (1 - value.upper, 1 - value.lower) if truth else (value.lower, value.upper)
    assert found.lower <= errors[1] and errors[0] <= found.upper


def test_where_words_are_not_searched_the_bound_is_called_one() -> None:
    outcome = certify("prev Q_a", alphabet="ab", max_n=4, weighting="sigmoid")
    assert outcome.greatest_error and outcome.worst_error
    assert (outcome.greatest_error.lower, outcome.greatest_error.word) == (0, None)
    assert outcome.greatest_error.upper == outcome.worst_error.upper
    assert describe_greatest(outcome) == (
        "the errors of heads are at most 0.0948518, a bound (head 2.1: words are searched for heads that attend to "
        "truths or look up one count)")


def test_without_work_the_bound_is_all_that_is_said() -> None:
    outcome = certify("Q_b until (Q_c & prev Q_a)", alphabet="abc", max_n=4)
    assert outcome.transformer and outcome.worst_error
    found = find_greatest_error(outcome.transformer, outcome.lines, outcome.lengths, 0)
    assert found == GreatestError(
        Fraction(0), outcome.worst_error.upper, reason="head 5.1: the budget of work is spent")


def test_heads_behind_one_that_is_not_proved_are_left_out() -> None:
    outcome = certify("Q_a since prev Q_b", alphabet="ab", max_n=4, gamma="1/2")
    assert outcome.verdict != "certified" and outcome.transformer
    first = min(line.layer for line in outcome.lines if not line.proved)
    found = outcome.greatest_error
    assert found and found.line and found.line.layer == first == 1 and found.upper > Fraction(1, 4)
    assert found.reason == "of the heads up to layer 1: what others read is not proved"
