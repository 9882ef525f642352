"""Wrong executions: a truth that a run of the class does not hold exactly, and its replay.

A claim about all runs of a class is called refuted only if one execution was replayed here, in integers, on one word,
and a direction that means a truth then held something else than 0 or 1, or the other one of them, or no finite number.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from constructions.network.meanings import Truth
from constructions.network.transformer import Transformer
from proofs.enclosures.float_models.model import FloatModel
from proofs.enclosures.float_models.numbers import NotFinite, exact_value
from proofs.floats.execution.execution import Execution
from proofs.floats.execution.program import FloatProgram
from proofs.floats.execution.run import FloatRun
from proofs.formula.composition import writes
from proofs.words.replay import WordMeanings


@dataclass(frozen=True)
class Refutation:
    """In the ``execution`` on the ``word``, ``direction`` holds ``value`` at ``position`` (from 1), where ``expected``
    is the truth of its formula. A value of None is no finite number."""

    word: tuple[str, ...]
    position: int
    direction: str
    expected: bool
    value: Fraction | None
    execution: Execution

    @property
    def n(self) -> int:
        """The length of the word."""
        return len(self.word)

    def to_json(self) -> dict[str, Any]:
        """As JSON: all that a replay needs but the network and the class."""
        return {
            "word": list(self.word),
            "position": self.position,
            "direction": self.direction,
            "expected": int(self.expected),
            "value": "not finite" if self.value is None else str(self.value),
            "execution": self.execution.to_json(),
        }

    def replays(self, transformer: Transformer, run_class: FloatModel) -> bool:
        """Whether the execution, run anew, holds just this value, and it is wrong.

        Raises:
            InputError: if the execution is none of the class.
            Unsupported: if such networks have no float runs.
        """
        return self == replay(transformer, run_class, self.word, self.position, self.direction, self.execution)


def replay(transformer: Transformer, run_class: FloatModel, word: Sequence[str], position: int, direction: str,
           execution: Execution) -> Refutation | None:
    """What the execution shows of a direction that means a truth; None if it holds just this truth.

    Raises:
        InputError: if the execution is none of the class.
        Unsupported: if such networks have no float runs.
    """
    run = FloatRun(FloatProgram(transformer, run_class), word, execution)
    return find_fault(run, WordMeanings(word), position, direction)


def find_fault(run: FloatRun, reading: WordMeanings, position: int, direction: str) -> Refutation | None:
    """As ``replay``, of a run and a reading of its word that are there already."""
    meaning = run.program.transformer.directions[direction]
    assert isinstance(meaning, Truth)
    expected = reading.truth(meaning.formula, position)
    value = held_or_none(run, direction, position)
    if value == int(expected):
        return None
    return Refutation(run.word, position, direction, expected, value, run.execution)


def held_or_none(run: FloatRun, direction: str, position: int) -> Fraction | None:
    """What the run holds there; None if it is not finite."""
    try:
        return exact_value(run.held(direction, position))
    except NotFinite:
        return None


def truths_made(transformer: Transformer) -> list[str]:
    """Return the directions that mean a truth and are not embedded, the output before the others."""
    made = [write.direction for write in writes(transformer)
            if write.stage and isinstance(transformer.directions[write.direction], Truth)]
    return sorted(made, key=lambda name: name != transformer.output)
