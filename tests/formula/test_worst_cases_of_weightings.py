"""Kernels against brute force: every assignment of the atoms, weighed by the definition of the weighting.

The bound must be no smaller than the error of any assignment, and what is said to be attained must be an error.
"""

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import exp

import pytest

from constructions.compiler import compile_formula
from constructions.language.parser import parse_formula
from constructions.network.lengths import Lengths, up_to
from constructions.network.weightings import Weighting
from constructions.regimes import Regime, Sharpening
from proofs.formula.attention.around_pivots import find_worst_case_by_windows
from proofs.formula.attention.obligation import AttentionObligation
from proofs.formula.attention.windows import AllWindows
from proofs.formula.common.kernels import loss_above, share_of_others
from proofs.formula.common.sweeps import Option, Sweep
from proofs.formula.discharge import discharge
from proofs.formula.lookup.obligation import LookupObligation

KERNELS = [Weighting.SPARSEMAX, Weighting.ENTMAX, Weighting.SOFTMAX_PLUS_ONE]
TEMPERATURE, CAUSAL = Regime(), Regime(Sharpening.TEMPERATURE, causal=True)
HEADS = [
    ("(Q_a | Q_b) since Q_a", "abc", TEMPERATURE), ("(Q_a | Q_b) since Q_a", "abc", CAUSAL),
    ("(Q_a | Q_b) until Q_a", "abc", TEMPERATURE), ("prev Q_a", "ab", TEMPERATURE), ("prev Q_a", "ab", CAUSAL),
    ("next Q_a", "ab", TEMPERATURE),
]
TINY = 1e-9


def weights_of(weighting: Weighting, scores: list[float]) -> list[float]:
    """Return the weights in doubles, with thresholds by bisection."""
    if weighting is Weighting.SOFTMAX_PLUS_ONE:
        raised = [exp(score - max(scores)) for score in scores]
        return [weight / (sum(raised) + exp(-max(scores))) for weight in raised]
    power = 1 if weighting is Weighting.SPARSEMAX else 2
    heights = [score / power for score in scores]
    low, high = max(heights) - 1, max(heights)
    for _ in range(60):
        middle = (low + high) / 2
        if sum(max(height - middle, 0) ** power for height in heights) > 1:
            low = middle
        else:
            high = middle
    return [max(height - low, 0) ** power for height in heights]


def mean_of(weighting: Weighting, terms: list[tuple[Fraction, Fraction]]) -> float:
    weights = weights_of(weighting, [float(score) for score, _ in terms])
    return sum(w * float(value) for w, (_, value) in zip(weights, terms, strict=True))


def inputs(sweep: Sweep) -> Iterator[tuple[int, bool, tuple[Option, ...]]]:
    """Every input of a sweep, at each of its rows, with the truth of the target."""
    for place, step in enumerate(sweep.steps):
        if step.j in sweep.rows:
            for options in product(*(each.options for each in sweep.steps[:place + 1])):
                memory, truth = 0, 0
                for option in options:
                    memory, truth = divmod(option.effect[memory], 2)
                yield step.j, bool(truth), options


def obligations(text: str, alphabet: str, regime: Regime, weighting: Weighting, gamma: Fraction,
                lengths: Lengths) -> list[AttentionObligation]:
    network = compile_formula(parse_formula(text), tuple(alphabet), regime, gamma, weighting=weighting)
    return [line.obligation for line in discharge(network, lengths, twice=False)
            if isinstance(line.obligation, AttentionObligation)]


@pytest.mark.one_in(6)
@pytest.mark.parametrize("weighting", KERNELS)
@pytest.mark.parametrize("text, alphabet, regime", HEADS)
def test_no_input_errs_by_more_than_the_bound(text: str, alphabet: str, regime: Regime, weighting: Weighting) -> None:
    rng = random.Random(f"{text}{regime}{weighting}")
    for gamma in (Fraction(3), Fraction(rng.randint(2, 8), 10)):
        for obligation in obligations(text, alphabet, regime, weighting, gamma, up_to(4)):
            worst = find_worst_case_by_windows(obligation, 128, AllWindows(obligation))
            greatest = {False: 0.0, True: 0.0}
            for sweep in obligation.sweeps():
                for _, truth, options in inputs(sweep):
                    value = mean_of(weighting, [(option.score, option.value) for option in options])
                    greatest[truth] = max(greatest[truth], 1 - value if truth else value)
            for truth, extreme in ((False, worst.if_false), (True, worst.if_true)):
                assert worst.bound(truth) + TINY >= greatest[truth], (gamma, truth)
                assert extreme is None or extreme.lower <= greatest[truth] + TINY


@pytest.mark.parametrize("weighting", KERNELS[:2])
@pytest.mark.parametrize("text, regime", [
    ("#<[Q_1] >= 1", TEMPERATURE), ("#<[Q_1] >= 1", CAUSAL), ("ODD(#<[Q_1])", TEMPERATURE),
    ("POW2(#>[Q_1])", TEMPERATURE),
])
def test_lookups_err_on_no_case_by_more_than_the_bound(text: str, regime: Regime, weighting: Weighting) -> None:
    """Each case is weighed by the definition, from the scores that the obligation gives."""
    for gamma in (Fraction(3), Fraction(2, 5)):
        network = compile_formula(parse_formula(text), ("0", "1"), regime, gamma, weighting=weighting)
        for line in discharge(network, up_to(5), twice=False):
            if not line.worst or not isinstance(line.obligation, LookupObligation):
                continue
            for row in line.obligation.by_query:
                for here, others in product((0, 1), range(len(row.targets[0]))):
                    if (target := row.targets[here][others]) is not None:
                        slope, bend = (Fraction(a + b * here + c * others, row.denominator)
                                       for a, b, c in (row.slope, row.second_difference))
                        terms = [(slope * (j - 1) + bend * (j - 1) * (j - 2) / 2, row.values[j - 1])
                                 for j in row.visible]
                        miss = mean_of(weighting, terms) - target
                        assert -line.worst.bound(True) - TINY <= miss <= line.worst.bound(False) + TINY


@pytest.mark.parametrize("weighting", KERNELS[:2])
def test_the_share_is_the_least_error_at_which_the_kernels_fit(weighting: Weighting) -> None:
    rng = random.Random(str(weighting))
    for _ in range(200):
        gaps = [Fraction(rng.randint(-12, 0), rng.choice([4, 5, 6])) for _ in range(rng.randint(1, 5))]
        share = share_of_others(weighting, [(1, gap) for gap in gaps], 128)
        for error, fits in ((share, True), (share - Fraction(1, 10**6), False)):
            if 0 <= error <= 1:
                losses = sum(loss_above(weighting, error, gap, 200) for gap in gaps)
                slack = len(gaps) + (error.denominator << 80)
                assert (losses <= (error.numerator << 200) + slack) == fits


def test_sparsemax_reaches_the_rational_critical_constants_exactly() -> None:
    for text, alphabet, regime, gamma, n in (
            ("(Q_a | Q_b) since Q_a", "abc", TEMPERATURE, Fraction(1, 2), 8),
            ("(Q_a | Q_b) since Q_a", "abc", CAUSAL, Fraction(7, 16), 8),
            ("prev Q_a", "ab", TEMPERATURE, Fraction(1, 4), 8),
            ("prev Q_a", "ab", TEMPERATURE, Fraction(5, 48), 3), ("prev Q_a", "ab", CAUSAL, Fraction(1, 4), 8)):
        errors = [extreme.upper for obligation in obligations(text, alphabet, regime, Weighting.SPARSEMAX, gamma,
                                                              Lengths(n, n))
                  for extreme in find_worst_case_by_windows(obligation, 128, AllWindows(obligation)).extremes]
        assert max(errors) == Fraction(1, 4), (text, gamma)
