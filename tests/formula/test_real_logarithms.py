"""Verdicts about networks with ln and sqrt hold of the real functions, not of ones that are rounded to 48 digits."""

import random
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path

import mpmath
import pytest
from mpmath import mpf

from certify import Network, certify
from certify.claims.formula.outcomes import Unknown
from constructions.compiler import compile_formula
from constructions.errors import InputError, Unsupported
from constructions.language.expressions import parse_expression
from constructions.language.parser import parse_formula
from constructions.network.json_form import read_transformer
from constructions.network.lengths import Lengths
from constructions.network.meanings import Position
from constructions.network.run import run_hard
from constructions.network.transformer import Transformer
from constructions.network.validation import check_defined
from constructions.network.weightings import Weighting
from constructions.regimes import Regime
from proofs.enclosures.by_mpmath import by_mpmath, run_by_mpmath
from proofs.formula.discharge import discharge
from proofs.words.replay import InexactHardAttention, find_miss, run_soft

MODELS = Path(__file__).parents[2] / "examples" / "models"
BITS = 512


# -- a word, run -------------------------------------------------------------------------------------------------------


def with_temperatures(transformer: Transformer, *temperatures: str) -> Transformer:
    """Return the same, with these temperatures for its heads in turn."""
    layers = tuple(replace(layer, heads=tuple(
        replace(head, temperature=parse_expression(temperatures[k % len(temperatures)]))
        for k, head in enumerate(layer.heads)))
        for layer in transformer.layers)
    return replace(transformer, layers=layers)


@pytest.mark.parametrize("seed", range(8))
def test_runs_enclose_the_numbers_of_the_real_functions(seed: int) -> None:
    draw = random.Random(seed)
    network = compile_formula(parse_formula("(Q_a since Q_b) & #<[Q_a] > #>[Q_b]"), "ab", Regime())
    temperatures = draw.sample(["1/(n*ln(n+1))", "sqrt(2)/i", "1/(2*sqrt(n)+ln(i))", "ln(i+n)/n^2"], 3)
    embedded = {name: parse_expression(draw.choice([f"({value})*sqrt(i)", f"({value})+ln(n)", str(value)]))
                if not str(value).startswith("[") else value for name, value in network.position_embedding.items()}
    flat = replace(with_temperatures(network, *temperatures), position_embedding=embedded)
    word = tuple(draw.choices("ab", k=4))
    with mpmath.workdps(200):
        for held, numbers in zip(run_soft(flat, word, BITS), run_by_mpmath(flat, word), strict=True):
            for name, x in held.items():
                low, high = (mpf(end.numerator) / end.denominator for end in (x.lower, x.upper))
                slack = mpf(10) ** -150 * (1 + abs(numbers[name]))
                assert low - slack <= numbers[name] <= high + slack, name
                assert high - low < mpf(10) ** -100, name


# -- verdicts that rounding would make wrong ---------------------------------------------------------------------------


def test_an_error_that_is_allowed_exactly_is_not_refuted() -> None:
    """At n = 2 the real error is 1/(1 + e^(2 ln 2)) = 1/5, and a little more once ln 2 is rounded down."""
    path = str(MODELS / "first_by_logarithm.json")
    found = {text: certify(path, min_n=2, max_n=2, delta=text) for text in
             ("1/5", "1/5-1/10^40", "1/5-1/10^25", "1/5+1/10^10")}
    assert [outcome.verdict for outcome in found.values()] == ["certified", "refuted", "refuted", "certified"]


def test_an_error_of_a_quarter_is_not_refuted() -> None:
    """Scores fall by ln 3 a step, so that the error at n = 2 is 1/4: by a power of 3, and unknown in another form."""
    path = str(MODELS / "first_by_index.json")
    assert certify(path, min_n=2, max_n=2, temperature="1/ln(n+1)").verdict == "certified"
    found = certify(path, min_n=2, max_n=2, temperature="1/(sqrt(2)*ln(3)/sqrt(n))")
    assert isinstance(found, Unknown)
    assert "the worst error is 1/4, as closely as 768 digits of ln and sqrt tell; no word found" in found.reason


def network_that_holds(value: str, stated: str) -> Transformer:
    """Its embedding is one expression, and what it should hold another."""
    net = Network("01", temperature="1")
    net.output("Q_1")
    built = net.build()
    numbers = {"x": parse_expression(value)}
    return replace(built, directions={**built.directions, "x": Position(parse_expression(stated))},
                   position_embedding={**built.position_embedding, **numbers})


@pytest.mark.parametrize(("value", "stated", "misses"), [
    ("ln(9)", "2*ln(3)", False), ("sqrt(8)", "2*sqrt(2)", False), ("sqrt(2)*sqrt(2)", "2", False),
    ("ln(9)", "2*ln(3)+1/10^60", True), ("ln(i)", "ln(n)", True), ("sqrt(n^2)", "n", False),
])  # fmt: skip
def test_a_direction_misses_a_number_only_if_the_real_ones_differ(value: str, stated: str, misses: bool) -> None:
    found = find_miss(network_that_holds(value, stated), ("1", "0", "0"))
    assert (found is not None) is misses
    if found is not None:
        assert found.direction == "x"


def test_the_checker_and_the_replay_leave_equal_numbers_undecided() -> None:
    assert certify(network_that_holds("ln(9)", "2*ln(3)"), max_n=2).verdict == "unknown"


def test_an_error_just_below_a_quarter_is_told_from_it() -> None:
    """At 1/(n ln 4) the error is 1/4 less 3/16 · 4^-n, about; the next constant below is refuted."""
    found = certify("(Q_a | Q_b) since Q_a", "abc", 40, gamma=1, temperature="1/(n*ln(4))")
    assert found.verdict == "certified" and found.worst_error is not None
    assert 0 < Fraction(1, 4) - found.worst_error.upper < Fraction(1, 4**39)
    below = certify("(Q_a | Q_b) since Q_a", "abc", 40, gamma="999999999999/1000000000000", temperature="1/(n*ln(4))")
    assert below.verdict == "refuted"


@pytest.mark.parametrize(("condition", "verdict"), [
    ("ln(9) > 2*ln(3) - 1/10^20", "certified"), ("ln(9) > 2*ln(3) - 1/10^60", "unknown"),
    ("ln(9) > 2*ln(3)", "InputError"),
])  # fmt: skip
def test_a_predicate_is_never_decided_by_rounding(condition: str, verdict: str) -> None:
    def decided() -> str:
        try:
            return certify("P & Q_1", "01", 3, predicates=[f"P(k) := {condition}"]).verdict
        except InputError as error:
            assert str(error) == ("ln(9) > 2*ln(3) compares numbers that enclosures of ln and sqrt do not separate "
                                  "at k = 1, n = 1")
            return "InputError"

    assert decided() == verdict


@pytest.mark.parametrize(("keys", "sees"), [
    (("ln(9)", "2*ln(3)"), None), (("ln(9)", "2*ln(3)+1/10^60"), 2), (("ln(9)+1/10^60", "2*ln(3)"), 1),
    (("sqrt(9)", "3"), 0),
])  # fmt: skip
def test_a_hard_head_takes_the_greatest_real_score(keys: tuple[str, str], sees: int | None) -> None:
    """The keys are those of positions 1 and 2; at a tie, that of both is seen by halves."""
    net = Network("01", temperature="1")
    net.head("hard", key="FIRST", value="Q_1", means="O (FIRST & Q_1)")
    net.output("Q_1")
    built = net.build()
    ((layer, _, head),) = built.heads()
    (key,) = head.keys[0]
    first, second = keys
    hard = replace(head, weighting=Weighting.AVERAGE_HARDMAX)
    layers = (replace(built.layers[layer - 1], heads=(hard,)), *built.layers[1:])
    score = parse_expression(f"(2-i)*({first})+(i-1)*({second})")
    network = replace(built, layers=layers, position_embedding={**built.position_embedding, key: score})
    (written,) = hard.values
    if sees is None:
        with pytest.raises(InexactHardAttention):
            run_soft(network, "10", BITS)
    else:
        assert run_soft(network, "10", BITS)[1][written].lower == {0: Fraction(1, 2), 1: 1, 2: 0}[sees]
    if sees != 0:
        with pytest.raises(Unsupported, match=r"is irrational at i = 1, n = 2, expected an exact number"):
            run_hard(network, "10")


@pytest.mark.parametrize(("temperature", "complaint"), [
    ("ln(9)-2*ln(3)+1/10^40", None),
    ("ln(9)-2*ln(3)", "may not be positive (the enclosures of ln and sqrt are too wide to tell) at i = 1, n = 1"),
    ("2*ln(3)-ln(9)-1/10^40", "is negative at i = 1, n = 1"),
])  # fmt: skip
def test_temperatures_are_positive_if_the_real_ones_are(temperature: str, complaint: str | None) -> None:
    net = Network("01", temperature="1")
    net.output(net.round(net.head("bit", key="FIRST", value="Q_1", means="O (FIRST & Q_1)")))
    network = with_temperatures(net.build(), temperature)
    if complaint is None:
        check_defined(network, Lengths(1, 3))
    else:
        with pytest.raises(InputError) as caught:
            check_defined(network, Lengths(1, 3))
        assert complaint in str(caught.value)


# -- stated errors -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("temperature", ["1/(2*ln(n+1))", "1/(3*sqrt(n))", "1/(ln(n+2)*sqrt(2)+i)", "sqrt(2)/ln(i+9)"])
def test_worst_errors_enclose_those_of_the_real_functions(temperature: str) -> None:
    """Every word, by mpmath; the ends are those of rounded functions, widened."""
    model = with_temperatures(read_transformer((MODELS / "first_by_index.json").read_text()), temperature)
    for n in (1, 2, 3, 4):
        lines = discharge(model, Lengths(n, n), twice=False)
        (line,) = [line for line in lines if line.worst]
        assert line.worst is not None
        worst = {False: mpf(0), True: mpf(0)}
        with mpmath.workdps(100):
            for word in product("01", repeat=n):
                held = [vector[line.direction] for vector in run_by_mpmath(model, word)]
                truth = word[0] == "1"
                worst[truth] = max(worst[truth], *(abs(x - truth) for x in held))
            for truth, extreme in ((False, line.worst.if_false), (True, line.worst.if_true)):
                assert extreme is not None
                low, high = (mpf(end.numerator) / end.denominator for end in (extreme.lower, extreme.upper))
                assert low - mpf(10) ** -90 <= worst[truth] <= high + mpf(10) ** -90
                assert worst[truth] - low < mpf(10) ** -25
                assert high - low < mpf(10) ** -10


@pytest.mark.one_in(6)
@pytest.mark.parametrize("temperature", ["1/ln(2*n+sqrt(2))", "2/(3*sqrt(n))", "1/(ln(n+2)*sqrt(2))"])
@pytest.mark.parametrize("n", [2, 3])
def test_verdicts_about_errors_next_to_the_real_one_are_true(temperature: str, n: int) -> None:
    """The worst error of scores -j is that of 0 1 ... 1; allowed is this number, cut after some digits, or more."""
    verdicts = set()
    with mpmath.workdps(80):
        cold = 1 / by_mpmath(parse_expression(temperature), 1, n)
        others = mpmath.fsum(mpmath.exp(-k * cold) for k in range(1, n))
        error = others / (1 + others)
        for digits in (9, 20, 29, 30, 31, 50):
            below = Fraction(int(mpmath.floor(error * mpf(10) ** digits)), 10**digits)
            for allowed, is_enough in ((below, False), (below + Fraction(1, 10**digits), True)):
                found = certify(str(MODELS / "first_by_index.json"), min_n=n, max_n=n, temperature=temperature,
                                delta=min(allowed, Fraction(1, 4)))
                verdicts.add((digits, found.verdict))
                assert found.verdict in ("unknown", "certified" if is_enough else "refuted"), (digits, is_enough)
    assert {(9, "refuted"), (9, "certified"), (50, "refuted")} <= verdicts
