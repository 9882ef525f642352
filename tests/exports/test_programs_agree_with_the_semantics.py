"""numpy, onnxruntime and torch compute the formula: in binary32 every truth of every subformula is exactly 1 or 0.

On all short words, on random ones of length 64; the shipped examples in every regime when everything is run.
"""

import numpy as np
import pytest

from certify.claims.formula.examples import Example, load_examples
from constructions.compiler import compile_formula
from constructions.errors import InputError, Unsupported
from constructions.language.parser import parse_formula
from constructions.regimes import ALL_REGIMES, Regime
from constructions.running.numpy_network import to_numpy
from constructions.running.to_torch import to_torch
from tests.exports.running import (
    FORMULAS,
    RUNS,
    assert_exact,
    networks,
    numpy_run,
    random_words,
    short_words,
    started,
    truths,
)
from tests.with_torch import torch_or_skip

PARITY = compile_formula(parse_formula("ODD(#<[Q_1])"), "01", Regime())


@pytest.mark.one_in(16)
@pytest.mark.parametrize("program", RUNS)
@pytest.mark.parametrize("formula", FORMULAS)
def test_every_truth_is_exact_on_all_short_words_and_on_long_ones(formula: str, program: str) -> None:
    for transformer in networks(formula, FORMULAS[formula]):
        run = started(program, transformer, 64)
        for words in short_words(transformer.alphabet, 4):
            assert_exact(run, transformer, words)
        assert_exact(run, transformer, random_words(transformer.alphabet, 64, 6))


@pytest.mark.exhaustive
@pytest.mark.parametrize("program", RUNS)
@pytest.mark.parametrize("example", load_examples(), ids=lambda example: example.name)
def test_every_shipped_example_is_exact_in_every_regime(example: Example, program: str) -> None:
    for regime in ALL_REGIMES:
        try:
            transformer = compile_formula(example.formula, example.alphabet, regime)
        except Unsupported:
            continue
        run = started(program, transformer, 64)
        for n in (1, 2, 3, 17, 64):
            assert_exact(run, transformer, random_words(transformer.alphabet, n, 6))


@pytest.mark.parametrize("program", ["onnxruntime", "torch"])
def test_programs_round_alike_in_bfloat16_even_where_they_are_wrong(program: str) -> None:
    """Weights in 16 bits, each operator in binary32, its result rounded: the scores of a count lose their last bits."""
    words = random_words("01", 64, 8)
    in_numpy = numpy_run(PARITY, 64, "bfloat16")(words).astype(np.float64)
    assert not np.array_equal(in_numpy, truths(PARITY, words))
    assert np.array_equal(np.asarray(started(program, PARITY, 64, "bfloat16")(words), dtype=np.float64), in_numpy)


@pytest.mark.parametrize(("precision", "accumulate", "right", "wrong"), [
    ("bfloat16", None, 4, 12), ("bfloat16", "binary32", 8, 20),
    ("binary16", None, 8, 32), ("binary16", "binary32", 24, 40)])
def test_parity_in_16_bits_is_right_on_short_words_and_wrong_on_some_longer_ones(
        precision: str, accumulate: str | None, right: int, wrong: int) -> None:
    network = to_numpy(PARITY, 64, precision, accumulate)
    for n, expected in ((right, True), (wrong, False)):
        words = ["1" * k + "0" * (n - k) for k in range(n + 1)] + random_words("01", n, 50)
        found = np.asarray(network.run(words), dtype=np.float64)
        assert np.array_equal(found, truths(PARITY, words)) == expected


def test_words_that_the_claim_does_not_cover_are_refused() -> None:
    network = to_numpy(PARITY, 4, min_n=2)
    assert network.names == ("Q_1", "ODD(#<[Q_1])")
    for words, complaint in ((["0"], "words of length 1: expected one length of 2..4"),
                             (["00000"], "words of length 5: expected one length of 2..4"),
                             (["00", "000"], "words of length 2, 3: expected one length of 2..4"),
                             ([], "words of length no words: expected one length of 2..4"),
                             (["0x"], "symbol 'x': expected one of 0, 1")):
        with pytest.raises(InputError, match=complaint):
            network.run(words)


def test_sums_accumulate_in_no_narrower_format() -> None:
    with pytest.raises(InputError, match="accumulate: found 'binary16', expected binary64 or binary32 or bfloat16"):
        to_numpy(PARITY, 4, "bfloat16", "binary16")
    assert to_numpy(PARITY, 4, "binary32", "binary64").run(["0110"])[0, :, -1].tolist() == [0, 1, 0, 0]


def test_torch_refuses_what_the_claim_does_not_cover() -> None:
    torch_or_skip()
    network = to_torch(PARITY, 4)
    with pytest.raises(ValueError, match="words of length 5: expected one of 1 to 4"):
        network.run(["00000"])
    with pytest.raises(ValueError, match="symbol 'x': expected one of 0, 1"):
        network.run(["0x"])
