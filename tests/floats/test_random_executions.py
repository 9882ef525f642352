"""Drawn executions, at lengths that are certified: no truth is other than exactly 0 or 1."""

from __future__ import annotations

import random

import pytest

from constructions.network.transformer import Transformer
from proofs.floats.execution.program import FloatProgram
from proofs.floats.execution.random_executions import random_execution
from proofs.floats.execution.replay import find_fault, truths_made
from proofs.floats.execution.run import FloatRun
from proofs.floats.run_class import RunClass
from proofs.replay import Reading
from tests.floats.helpers import MAJORITY, ODD, PREVIOUS, SINCE, network, pure

CERTIFIED = [(SINCE, "binary32", 64), (SINCE, "binary16", 16), (SINCE, "bfloat16", 8), (PREVIOUS, "binary32", 64),
             (PREVIOUS, "binary16", 16), (PREVIOUS, "bfloat16", 16), (ODD, "binary32", 32), (MAJORITY, "binary32", 16)]
"""Lengths below those of the tables that the bounds of docs/floats.md give."""


@pytest.mark.parametrize(("case", "name", "last"), CERTIFIED)
def test_no_drawn_execution_is_wrong(case: tuple[str, str], name: str, last: int) -> None:
    assert wrong_runs(network(*case), pure(name, exp_base="e"), last, range(30)) == []


@pytest.mark.exhaustive
@pytest.mark.parametrize(("case", "name", "last"), CERTIFIED)
def test_none_of_10_000_drawn_executions_is_wrong(case: tuple[str, str], name: str, last: int) -> None:
    assert wrong_runs(network(*case), pure(name, exp_base="e"), last, range(10_000 // len(CERTIFIED))) == []


def wrong_runs(transformer: Transformer, run_class: RunClass, last: int, seeds: range) -> list[object]:
    """The faults of one random word in each execution, at all positions of short words, at three of longer ones."""
    program = FloatProgram(transformer, run_class)
    faults = []
    for seed in seeds:
        draw = random.Random(seed)
        n = draw.randint(1, last)
        word = tuple(draw.choice(transformer.alphabet) for _ in range(n))
        run, reading = FloatRun(program, word, random_execution(run_class, seed)), Reading(word)
        positions = range(1, n + 1) if n <= 8 else {n, n - 1, draw.randint(1, n)}
        faults += [fault for name in truths_made(transformer) for i in positions
                   if (fault := find_fault(run, reading, i, name))]
    return faults
