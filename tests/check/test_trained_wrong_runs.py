"""Wrong float executions: the checker's one run is that of the producer bit by bit, and what it accepts is wrong."""

import itertools
import random
from bisect import bisect
from collections.abc import Callable
from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np
import pytest
from flint import fmpq
from mpmath import erf, exp, mp, mpf, tanh

from constructions.network.float_formats import FORMATS as OURS
from constructions.trained.claim import input_tokens, judged
from constructions.trained.claim_form import claim_from_json
from constructions.trained.json_form import network_from_json
from proofs.check import Refusal, Rejected, check_text
from proofs.check.checker.chapters.float_models.choices import ExecutionChoices
from proofs.check.checker.chapters.float_models.reading import FORMATS, Format
from proofs.check.checker.chapters.trained.floats.casting import cast_network
from proofs.check.checker.chapters.trained.floats.dyadics import nearest, quotient, root, rounded, value
from proofs.check.checker.chapters.trained.floats.execution import NetworkExecution
from proofs.check.checker.chapters.trained.floats.functions import computed, log2_of_e
from proofs.check.checker.kernel.budget import Budget
from proofs.enclosures.float_models.model import FloatModel, read_float_model
from proofs.trained.float_executions import casting
from proofs.trained.float_executions.execution import Execution, executions
from proofs.trained.float_executions.replay import Replay
from proofs.words.tracking import cases_at
from tests.check.test_trained_files import places, verdict
from tests.check.trained_corpus import BFLOAT16, BINARY32, FLUSHED, changed, float_executions, with_bit, wrong_run
from tests.check.trained_networks import dump, execution_of, make_claim, make_network, mean_network, parsed

Document = dict[str, Any]
SMALL = Format(3, -4, 3)


NUMBERS = sorted({m * Fraction(2) ** k for k in range(-6, 2) for m in range(-7, 8)})


def of_small(x: Fraction) -> Fraction:
    """Return the nearest number of SMALL; of two the one with an even place, as 0 has in the order of all."""
    place = bisect(NUMBERS, x)
    around = NUMBERS[max(place - 1, 0):place + 1]
    least = min(abs(x - y) for y in around)
    nearest_ones = [y for y in around if abs(x - y) == least]
    return min(nearest_ones, key=lambda y: (NUMBERS.index(y) - NUMBERS.index(Fraction(0))) % 2)


def test_results_are_the_nearest_numbers_and_the_even_ones_of_two() -> None:
    """A format of 3 bits: every number to beyond its greatest, quotients, and roots."""
    for numerator in range(-14 * 64, 14 * 64 + 1):
        assert value(rounded((numerator, -6), SMALL)) == of_small(Fraction(numerator, 64))
    for m, n in itertools.product(range(1, 28), (*range(1, 9), -3)):
        assert value(quotient((m, -2), (n, -1), SMALL)) == of_small(Fraction(m, 2 * n))
        assert value(nearest(Fraction(m, 2 * n), SMALL)) == of_small(Fraction(m, 2 * n))
    for m in range(1, 2000):
        assert value(root(Fraction(m, 64), SMALL)) == of_small(Fraction(isqrt(m << 200), 1 << 103))


@pytest.mark.parametrize("m", [15, -15])
def test_what_is_too_large_is_rejected(m: int) -> None:
    assert value(rounded((m * 8 - (m > 0) + (m < 0), -3), SMALL)) == of_small(Fraction(m * 8 - (m > 0) + (m < 0), 8))
    with pytest.raises(Rejected, match="too large for its format"):
        rounded((m, 0), SMALL)


TRUE: dict[str, Callable[[mpf], mpf]] = {"exp": exp, "exp2": lambda x: mpf(2) ** x, "tanh": tanh, "erf": erf}


@pytest.mark.parametrize("name", TRUE)
@pytest.mark.parametrize("form", [FORMATS["bfloat16"], FORMATS["binary32"], Format(64, -16384, 9)], ids=str)
def test_functions_are_within_one_unit_in_the_last_place(name: str, form: Format) -> None:
    """Also where they underflow, and where they are nearly their argument, or 1."""
    rng, sign = random.Random(5), -1 if name.startswith("exp") else 1
    budget = Budget()
    with mp.workprec(300):
        for exponent in (*range(-60, 8, 4), 10, 14):
            m = sign * rng.randrange(1, 1 << 20)
            x = Fraction(m) * Fraction(2) ** (exponent - 20)
            found = value(computed(name, x, form, budget))
            true = TRUE[name](mpf(x.numerator) / x.denominator)
            unit = mpf(2) ** (max(int(mp.floor(mp.log(true, 2))), form.least) - form.precision + 1)
            assert abs(mpf(found.numerator) / found.denominator - true) <= unit * (mpf(1) / 2 + mpf(2) ** -7)
    assert value(computed(name, Fraction(0), form, budget)) == (1 if name.startswith("exp") else 0)


def test_the_constant_of_base_2_is_the_nearest() -> None:
    with mp.workprec(200):
        true = 1 / mp.log(2)
        for form in FORMATS.values():
            found = value(log2_of_e(form, Budget()))
            assert abs(mpf(found.numerator) / found.denominator - true) <= mpf(2) ** -form.precision


def way(execution: Execution) -> ExecutionChoices:
    return ExecutionChoices(execution.order, execution.fused, execution.before, execution.base)


BASE_2 = BINARY32 | {"exp_base": "2", "normalised": "after", "inputs": "tf32"}


@pytest.mark.parametrize(("kind", "run"), [
    ("post", BFLOAT16), ("rms", BASE_2), ("post", BASE_2 | {"inputs": "binary32"}), ("bidirectional", FLUSHED),
    ("rms", BFLOAT16 | {"softmax": "bfloat16"}), ("rotary", BFLOAT16), ("alibi", FLUSHED), ("gpt2", BASE_2),
    ("plain", BFLOAT16), ("images", BINARY32),
    *(pytest.param(kind, run, marks=pytest.mark.exhaustive) for kind in ("post", "bidirectional", "rms", "gelu")
      for run in (BINARY32, BFLOAT16, FLUSHED, BASE_2))])
def test_one_run_is_that_of_the_producer_bit_by_bit(kind: str, run: Document) -> None:
    document = make_network("rms" if kind == "gelu" else kind, 5)
    if kind == "gelu":
        document = changed(document, "steps", 1, "activation", value="gelu")
    text = float_executions(document, make_claim(), run)
    given, network = parsed(text, Budget()), network_from_json(document, "test")
    ours = class_of(text)
    cast, budget, tokens = cast_network(given.network, given.floats[0]), Budget(), [2, 0, 1]
    for execution in executions(ours):
        replay = Replay(casting.cast_network(network, ours), ours, execution)
        for place in (1, 2):
            found = NetworkExecution(budget, cast, given.floats[0], way(execution)).logits(tokens, 0, place)
            seen = tokens[:place + 1] if network.attention == "causal" else tokens
            assert found == replay.logits(seen, 0, place)


def test_the_base_of_exponentials_is_seen_in_binary32() -> None:
    given = parsed(float_executions(make_network("post", 5), make_claim(), BINARY32), Budget())
    cast = cast_network(given.network, given.floats[0])
    of_e, of_2 = (NetworkExecution(Budget(), cast, given.floats[0],
                         ExecutionChoices("forwards", False, True, base)).logits([2, 0, 1], 0, 2)
                  for base in ("e", "2"))
    assert of_e != of_2


def test_a_norm_that_divides_by_an_epsilon_that_is_0_in_the_format_is_rejected() -> None:
    document = mean_network()
    document["steps"].append({"step": "norm", "norm": {"kind": "rms", "epsilon": f"1/{2 ** 200}", "gain": None,
                                                      "bias": None}})
    given = parsed(float_executions(document, make_claim(), BINARY32), Budget())
    run = NetworkExecution(Budget(), cast_network(given.network, given.floats[0]), given.floats[0],
                 ExecutionChoices("forwards", False, True, "e"))
    with pytest.raises(Rejected, match="a norm divides by 0"):
        run.logits([2, 0, 1], 0, 2)


def test_sums_are_those_of_the_producer() -> None:
    """Sums of up to seven terms of many more bits than the format has, in every order, fused or not."""
    rng, text = random.Random(9), float_executions(make_network("post", 5), make_claim(), BINARY32)
    given, ours = parsed(text, Budget()), class_of(text)
    network = casting.cast_network(network_from_json(text["network"], "test"), ours)
    differ = set[tuple[int, int]]()
    for _ in range(60):
        terms = [(rng.randrange(-1 << 20, 1 << 20), rng.randrange(-24, -8)) for _ in range(rng.randrange(1, 8))]
        found = []
        for execution in executions(ours):
            ways = NetworkExecution(Budget(), given.network, given.floats[0], way(execution))
            form = FORMATS["bfloat16"]
            found.append(value(ways._sum(list(terms), form)))
            ours_terms = np.array([[fmpq(top, 1 << -power)] for top, power in terms])
            total = Replay(network, ours, execution).total(ours_terms, OURS["bfloat16"])[0]
            assert found[-1] == Fraction(int(total.numerator), int(total.denominator))
        differ |= {(k, j) for k, j in itertools.combinations(range(len(found)), 2) if found[k] != found[j]}
    assert {(0, 2), (0, 4), (0, 6), (2, 6), (4, 6)} <= differ


def class_of(document: Document) -> FloatModel:
    """Return the class of a file, as the producer has it."""
    (fields,) = document["floats"]
    return read_float_model(fields["name"], {key: part for key, part in fields.items() if key not in ("name", "max_n")})


def is_wrong(document: Document) -> bool:
    """Return whether the run of an accepted file is wrong, by the producer."""
    network = network_from_json(document["network"], "test")
    claim, run = claim_from_json(document["claim"], "test"), class_of(document)
    execution = execution_of(document["evidence"]["run"])
    word, place = tuple(document["evidence"]["word"]), document["evidence"]["place"]
    if document["evidence"]["case"] not in cases_at(claim, word, place):
        return False
    at = dict(judged(claim, len(word)))[place]
    logits = Replay(casting.cast_network(network, run), run, execution).logits(
        input_tokens(claim, word)[:at + 1], document["evidence"]["offset"], at)
    row = claim.cases[document["evidence"]["case"]].above[document["evidence"]["row"]]
    return sum((c * logits[token] for token, c in row), Fraction(0)) <= claim.margin


@pytest.mark.one_in(8)
@pytest.mark.parametrize("value", [None, True, 1, -1, "x", "1/2", "binary32", [], {}, "e", "after"])
def test_whatever_is_changed_in_a_wrong_run_is_refused_or_still_wrong(value: object) -> None:
    for path in places(wrong_run()):
        made = changed(wrong_run(), *path, value=value)
        try:
            check_text(dump(made))
        except Refusal as refusal:
            assert "could not be completed" not in str(refusal), path
        else:
            assert is_wrong(made), path


def test_a_flipped_bit_of_a_weight_is_refused_or_still_wrong() -> None:
    rng, verdicts = random.Random(3), set[str]()
    names = sorted(wrong_run()["network"]["tensors"])
    for _ in range(40):
        name = rng.choice(names)
        size = len(wrong_run()["network"]["tensors"][name]["data"]) * 6
        made = with_bit(wrong_run(), name, 32 * rng.randrange(max(1, size // 32 - 1)) + rng.randrange(20, 32))
        verdicts.add(verdict(dump(made)))
        assert verdict(dump(made)) != "accepted" or is_wrong(made)
    assert {"accepted", "rejected"} <= verdicts


def test_what_it_says_is_that_the_claim_is_false() -> None:
    accepted = check_text(dump(wrong_run()))
    assert accepted.lines[0] == "the claim that follows is FALSE:"
    assert "execution    every sum in pairs, products rounded," in accepted.lines
    assert any("in every execution under each float model below" in line for line in accepted.lines)
