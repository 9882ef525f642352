"""Wrong executions, in which a direction that means a truth is not exactly that truth; and their replay.

A claim about a float model is called refuted only if one execution was replayed here, in integers, on one word. A
direction that means a truth was then not exactly the right 0 or 1, or not finite.
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
    """A wrong ``value`` (None: not finite) of a ``direction``; ``expected`` is the truth of its formula there."""

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
        """Return JSON with all that a replay needs except the network and the float model."""
        return {
            "word": list(self.word),
            "position": self.position,
            "direction": self.direction,
            "expected": int(self.expected),
            "value": "not finite" if self.value is None else str(self.value),
            "execution": self.execution.to_json(),
        }

    def replays(self, transformer: Transformer, run_class: FloatModel) -> bool:
        """Return whether the execution, replayed, has exactly this value, and it is wrong.

        Raises:
            InputError: if the model does not allow the execution.
            Unsupported: if no rule covers such networks.
        """
        return self == replay(transformer, run_class, self.word, self.position, self.direction, self.execution)


def replay(transformer: Transformer, run_class: FloatModel, word: Sequence[str], position: int, direction: str,
           execution: Execution) -> Refutation | None:
    """Return the refutation by the execution at a direction that means a truth; None if the direction is right.

    Raises:
        InputError: if the model does not allow the execution.
        Unsupported: if no rule covers such networks.
    """
    run = FloatRun(FloatProgram(transformer, run_class), word, execution)
    return find_fault(run, WordMeanings(word), position, direction)


def find_fault(run: FloatRun, reading: WordMeanings, position: int, direction: str) -> Refutation | None:
    """Return the refutation as ``replay`` does, by a given run and a given reading of its word."""
    meaning = run.program.transformer.directions[direction]
    assert isinstance(meaning, Truth)
    expected = reading.truth(meaning.formula, position)
    value = find_number(run, direction, position)
    if value == int(expected):
        return None
    return Refutation(run.word, position, direction, expected, value, run.execution)


def find_number(run: FloatRun, direction: str, position: int) -> Fraction | None:
    """Return the value of the direction; None if it is not finite."""
    try:
        return exact_value(run.number_at(direction, position))
    except NotFinite:
        return None


def truths_made(transformer: Transformer) -> list[str]:
    """Return the directions that mean a truth and are not embedded, the output before the others."""
    made = [write.direction for write in writes(transformer)
            if write.stage and isinstance(transformer.directions[write.direction], Truth)]
    return sorted(made, key=lambda name: name != transformer.output)
