"""Libraries at certified lengths: every truth is exactly 0.0 or 1.0, the right one, at every position.

numpy, onnxruntime, and torch with its plain and its own attention, on the worst words of the heads, on words of two
blocks, on random ones and on all that are short.
"""

from collections.abc import Sequence
from fractions import Fraction

import pytest

from constructions.running.numpy_network import to_numpy
from constructions.running.to_torch import to_torch
from proofs.enclosures.float_models.model import FloatModel, presets
from proofs.floats.execution.program import FloatProgram
from proofs.floats.execution.search import plain_executions
from proofs.floats.execution.words import two_blocks
from proofs.floats.execution.worst_words import find_worst_words
from proofs.formula.refutation.plain_words import Word
from tests.exports.running import RUNS, assert_exact, random_words, short_words, started
from tests.floats.certified import Case, certified
from tests.with_torch import torch_or_skip

LAST, SHORT = 24, 4
MOST_WORDS = 40
USUAL = [Case(name, None, "binary32", LAST) for name in ("since", "prev", "nested", "odd", "both sides")]
LOW = [Case(name, "bfloat16", run, LAST) for name in ("since", "until", "prev", "next", "odd", "majority")
       for run in ("bfloat16/binary32", "binary16/binary32")]
PURE = [Case(name, "bfloat16", run, LAST) for name in ("since", "until", "prev", "next") for run in (
    "bfloat16", "binary16")]
COMPILED = [Case(name, "bfloat16", "bfloat16/binary32", 8) for name in ("nested", "majority")]


def storage(case: Case) -> str:
    """Return the precision of the weights."""
    return str(presets()[case.run].storage)


def class_of(case: Case, program: str) -> FloatModel:
    """Return the class; with torch's own attention its exponential is within 20 units, as the presets say."""
    run_class = presets()[case.run]
    return run_class.with_exp_ulp(Fraction(20)) if "fused" in program else run_class


def words_of(case: Case, run_class: FloatModel, n: int) -> list[Word]:
    """Return the worst words of each head, two blocks, random words."""
    transformer = certified(case, run_class)
    worst = find_worst_words(FloatProgram(transformer, run_class), n, plain_executions(run_class)[0])
    words = [*[one.word for one in worst[:MOST_WORDS]], *list(two_blocks(transformer.alphabet, n))[:MOST_WORDS],
             *map(tuple, random_words(transformer.alphabet, n, 12))]
    return list(dict.fromkeys(words))


def all_words(case: Case, run_class: FloatModel) -> list[Sequence[Sequence[str]]]:
    """Words in batches of one length."""
    return [*short_words(certified(case, run_class).alphabet, SHORT),
            *(words_of(case, run_class, n) for n in (case.last // 2 + 1, case.last))]


@pytest.mark.one_in(16)
@pytest.mark.parametrize("program", RUNS)
@pytest.mark.parametrize("case", [*USUAL, *LOW], ids=str)
def test_all_truths_are_exactly_right(case: Case, program: str) -> None:
    run_class = class_of(case, program)
    transformer = certified(case, run_class)
    run = started(program, transformer, case.last, storage(case))
    for words in all_words(case, run_class):
        assert_exact(run, transformer, words)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("case", PURE, ids=str)
def test_all_truths_are_exactly_right_in_numpy_with_sums_in_16_bits(case: Case) -> None:
    transformer = certified(case)
    network = to_numpy(transformer, case.last, storage(case))
    for words in all_words(case, presets()[case.run]):
        assert_exact(network.run, transformer, words)


@pytest.mark.exhaustive
@pytest.mark.parametrize("case", COMPILED, ids=str)
def test_all_truths_are_exactly_right_where_torch_compiles(case: Case) -> None:
    """A minute or two for each length: every one is compiled anew."""
    torch = torch_or_skip()
    transformer = certified(case)
    network = to_torch(transformer, case.last, storage(case))
    network.forward = torch.compile(network.forward)  # type: ignore[method-assign]  # as torch's users do it
    for n in (2, case.last):
        assert_exact(lambda words: network.run(words).double().numpy(), transformer,
                     words_of(case, presets()[case.run], n))
