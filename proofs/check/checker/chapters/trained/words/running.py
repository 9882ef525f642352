"""Proof of units of a cover: words one by one, or abstract words; modules of each way are imported on demand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias, cast

from ....kernel.verdicts import within
from ..reading.decision import Decision
from ..reading.words_claim import EachWord, TrainedClaim, WordsUnit
from .judge import Cases, Judge, Word, tokens_at_places

if TYPE_CHECKING:
    from ..balls.adaptive_precision import Runner
    from ..floats.inputs import InputsUnderModel
    from ..reading.cover import Cover, CoverPart
    from .classes import Classes

DecisionByCover: TypeAlias = "Decision[TrainedClaim, Cover]"
DecisionOfWords: TypeAlias = "Decision[TrainedClaim, Cover | EachWord]"


def prove_units(prover: Prover, units: Iterable[CoverPart]) -> Counter[str]:
    """Prove these units; return the numbers of words and of classes."""
    proved = Counter[str]()
    for unit in units:
        proved["words" if isinstance(unit, WordsUnit) else "classes"] += prover.prove(unit)
    return proved


def by_cover(given: DecisionOfWords) -> DecisionByCover:
    """Return the decision, whose evidence is a cover."""
    assert not isinstance(given.evidence, EachWord)
    return cast("DecisionByCover", given)


class Prover:
    """Prover of the units of one certificate, over the reals."""

    def __init__(self, given: DecisionOfWords) -> None:
        self.given, self.judge = given, Judge(given.network, given.claim)

    def prove(self, unit: CoverPart) -> int:
        """Prove the unit; return its number of words or classes.

        Raises:
            Rejected: if it is not proved.
        """
        if isinstance(unit, WordsUnit):
            return self.judge.prove_words(unit.offset, self.words(unit), self.inputs(unit).prove)
        with within(f"offset {unit.offset}, from {unit.first} to {unit.last}"):
            return self.classes.prove(unit)

    def words(self, unit: WordsUnit) -> Iterator[tuple[Word, Cases]]:
        """Yield the words of the unit."""
        return self.judge.words(unit.first, unit.last)

    def inputs(self, unit: WordsUnit) -> Runner | InputsUnderModel:
        """Return the prover of the inputs of the unit."""
        from ..balls.adaptive_precision import Runner

        return Runner(self.judge.stacks, unit.offset, tokens_at_places(self.judge, unit))

    @cached_property
    def classes(self) -> Classes:
        """The prover of abstract words."""
        from .classes import Classes

        return Classes(by_cover(self.given))
