"""numpy computes what the replay computes, bit for bit, and is wrong where a refutation says so, just as it says."""

import math
import random
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from constructions.network.lengths import Lengths
from constructions.network.transformer import Head, Transformer
from proofs.enclosures.float_models.model import FloatModel
from proofs.floats.execution.execution import Execution
from proofs.floats.execution.program import FloatProgram
from proofs.floats.execution.replay import Refutation
from proofs.floats.execution.run import FloatRun
from proofs.floats.execution.search import find_first_wrong
from proofs.words.replay import WordMeanings
from tests.floats.helpers import MAJORITY, ODD, PREVIOUS, SINCE, network, pure
from tests.floats.numpy_program import NumpyProgram, plain_exponential


def type_of(name: str) -> Any:
    """Return the numpy type of a format."""
    return {"binary16": np.float16, "bfloat16": ml_dtypes.bfloat16, "binary32": np.float32}[name]


def nearest_exponential(differences: Any, _head: Head, _i: int) -> Any:
    """Return exp by double rounding: numpy's binary32 exp errs by up to two units, that of doubles hardly ever."""
    return np.exp(differences.astype(np.float64)).astype(differences.dtype)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("case", [ODD, SINCE, PREVIOUS, MAJORITY], ids=lambda case: case[0])
@pytest.mark.parametrize("name", ["binary16", "bfloat16", "binary32"])
@pytest.mark.parametrize("normalised", ["before", "after"])
def test_numpy_holds_the_same_numbers_bit_for_bit(case: tuple[str, str], name: str, normalised: str) -> None:
    transformer = network(*case)
    draw = random.Random(1)
    program = FloatProgram(transformer, pure(name))
    exponential = nearest_exponential if name == "binary32" else plain_exponential
    for n in (1, 2, 5, 14, 33):
        word = tuple(draw.choice(transformer.alphabet) for _ in range(n))
        replayed = FloatRun(program, word, Execution(normalised=normalised)).numbers()
        numpy = NumpyProgram(transformer, type_of(name), normalised, exponential).run(word)
        for direction, numbers in replayed.items():
            assert numbers == [Fraction(np.float64(x).item()) for x in numpy[direction]], (n, direction)


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("case", "name", "first", "last"), [
    (ODD, "bfloat16", 9, 12), (ODD, "binary16", 28, 28), (MAJORITY, "bfloat16", 13, 13), (SINCE, "bfloat16", 61, 64),
    (PREVIOUS, "bfloat16", 192, 192)])
def test_numpy_is_wrong_in_the_execution_that_refutes(case: tuple[str, str], name: str, first: int, last: int) -> None:
    """In the order of sums that was found, with the exponentials that were found, it holds the very number."""
    transformer, run_class = network(*case), pure(name, exp_base="e")
    found = find_first_wrong(transformer, run_class, Lengths(first, last))
    assert found is not None
    execution = found.execution
    assert not execution.fused and not execution.flush
    orders = {which.value: str(order) for which, order in execution.orders.items()}
    program = NumpyProgram(transformer, type_of(name), execution.normalised, _pushed(transformer, found, run_class),
                           str(execution.order), orders)
    held = np.float64(program.run(found.word)[found.direction][found.position - 1]).item()
    assert held != int(found.expected)
    assert held == found.value


def _pushed(transformer: Transformer, found: Refutation, run_class: FloatModel) -> Any:
    """The exponentials nearest to the true ones; those that the execution pushes, at the end of what is allowed."""
    def exponential(differences: Any, head: Head, i: int) -> Any:
        signs: dict[int, str] = {}
        for row in found.execution.pushed:
            if transformer.head(row.layer, row.head) is head and row.position == i:
                signs |= dict(enumerate(row.signs))
        return np.array([_exponential(float(d), signs.get(j, "0"), run_class) for j, d in enumerate(differences)],
                        dtype=differences.dtype)

    return exponential


def _exponential(d: float, sign: str, run_class: FloatModel) -> float:
    """The nearest number of the format (0), the greatest (+) or the least (-) that is within the units allowed."""
    if not d:
        return 1.0
    target, ulp = run_class.softmax, float(run_class.exp_ulp)
    true = np.exp(d)
    unit = float(target.unit(Fraction(true)))
    units = {"0": round(true / unit), "+": math.floor(true / unit + ulp), "-": max(0, math.ceil(true / unit - ulp))}
    number = units[sign] * unit
    spacing = float(target.unit(Fraction(number))) if number else unit
    return math.floor(number / spacing) * spacing  # beyond a power of 2 not every multiple of the unit is a number


@pytest.mark.parametrize(("name", "right", "wrong"), [("bfloat16", 8, 12), ("binary16", 16, 32)])
def test_plain_numpy_counts_right_in_short_words_and_wrong_in_longer_ones(name: str, right: int, wrong: int) -> None:
    """`ODD` of a count with numpy's own exponential and one order of sums, without adversarial rounding."""
    transformer = network(*ODD)
    for n, expected in ((right, False), (wrong, True)):
        words = [("1",) * k + ("0",) * (n - k) for k in range(n + 1)]
        assert any(_is_wrong(transformer, name, word) for word in words) == expected


def _is_wrong(transformer: Transformer, name: str, word: tuple[str, ...]) -> bool:
    columns = NumpyProgram(transformer, type_of(name), "before").run(word)
    meaning: Any = transformer.directions[transformer.output]
    truths = [WordMeanings(word).truth(meaning.formula, i) for i in range(1, len(word) + 1)]
    return [np.float64(x).item() for x in columns[transformer.output]] != [int(truth) for truth in truths]
