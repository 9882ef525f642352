"""Drawn executions, at lengths that are certified: no truth is other than exactly 0 or 1."""

import random

import pytest

from constructions.network.transformer import Transformer
from proofs.enclosures.float_models.model import FloatModel, presets
from proofs.floats.execution.program import FloatProgram
from proofs.floats.execution.replay import Refutation, find_fault, truths_made
from proofs.floats.execution.run import FloatRun
from proofs.words.replay import WordMeanings
from tests.floats.certified import Case, certified
from tests.floats.helpers import MAJORITY, ODD, PREVIOUS, SINCE, network, pure
from tests.floats.random_executions import random_execution

BY_HAND = [(SINCE, "binary32", 64), (SINCE, "binary16", 16), (SINCE, "bfloat16", 8), (PREVIOUS, "binary32", 64),
             (PREVIOUS, "binary16", 16), (PREVIOUS, "bfloat16", 16), (ODD, "binary32", 32),
             (ODD, "bfloat16", 9), (MAJORITY, "binary32", 16)]
"""Lengths below those of the tables that the bounds of docs/background/floats_rules.md give."""
TEMPORAL = ("since", "until", "prev", "next")
CERTIFIED = [
    *(Case(name, "bfloat16", run, 24) for name in (*TEMPORAL, "nested", "odd", "majority")
      for run in ("bfloat16/binary32", "binary16/binary32", "flash")),
    *(Case(name, None, "binary32", 24) for name in (*TEMPORAL, "nested", "odd", "majority", "both sides")),
    *(Case(name, None, run, 24) for name in TEMPORAL for run in ("binary16/binary32", "flash")),
    *(Case(name, None, "bfloat16/binary32", 12) for name in TEMPORAL),
]
"""Classes with wider sums, exponentials of base e and 2; each is proved before it is run."""


@pytest.mark.parametrize(("case", "name", "last"), BY_HAND)
def test_no_drawn_execution_in_one_format_is_wrong(case: tuple[str, str], name: str, last: int) -> None:
    assert wrong_runs(network(*case), pure(name, exp_base="e"), last, range(10)) == []


@pytest.mark.one_in(16)
@pytest.mark.parametrize("case", CERTIFIED, ids=str)
def test_no_drawn_execution_is_wrong(case: Case) -> None:
    assert wrong_runs(certified(case), presets()[case.run], case.last, range(5)) == []


@pytest.mark.exhaustive
@pytest.mark.parametrize(("case", "name", "last"), BY_HAND)
def test_none_of_10_000_drawn_executions_in_one_format_is_wrong(case: tuple[str, str], name: str, last: int) -> None:
    assert wrong_runs(network(*case), pure(name, exp_base="e"), last, runs_each(len(BY_HAND))) == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("case", CERTIFIED, ids=str)
def test_none_of_10_000_drawn_executions_is_wrong(case: Case) -> None:
    assert wrong_runs(certified(case), presets()[case.run], case.last, runs_each(len(CERTIFIED))) == []


def runs_each(cases: int) -> range:
    """Seeds, so that all cases have 10,000 or more."""
    return range(-(-10_000 // cases))


def wrong_runs(transformer: Transformer, run_class: FloatModel, last: int, seeds: range) -> list[Refutation]:
    """The faults of one random word in each execution, at all positions of short words, at three of longer ones."""
    program = FloatProgram(transformer, run_class)
    faults = []
    for seed in seeds:
        draw = random.Random(seed)
        n = draw.randint(1, last)
        word = tuple(draw.choice(transformer.alphabet) for _ in range(n))
        run, reading = FloatRun(program, word, random_execution(run_class, seed)), WordMeanings(word)
        positions = range(1, n + 1) if n <= 8 else {n, n - 1, draw.randint(1, n)}
        faults += [fault for name in truths_made(transformer) for i in positions
                   if (fault := find_fault(run, reading, i, name))]
    return faults
