"""Proof that in every execution under each float model each row of stored logits of every word is above the margin.

docs/background/floats_rules.md, section 7. Each word is bounded with ball arithmetic; if that is too coarse, with
affine forms. Or there is a cover, some units of which are proved by abstract words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias, cast

from ....kernel.verdicts import Rejected, quote, within
from ...float_models.reading import FloatClaim
from ..reading.decision import Decision
from ..reading.words_claim import EachWord, TrainedClaim, WordsUnit
from ..words.judge import ALL, Judge, tokens_at_places
from ..words.obligations import obligations
from .inputs import InputsUnderModel, NetworkUnderModel, RowsUnderModel, prove_in_each

if TYPE_CHECKING:
    from ..reading.cover import Cover, CoverPart
    from ..words.classes import Classes

FloatExecutions: TypeAlias = "Decision[TrainedClaim, Cover | EachWord]"


def prove_float_executions(given: FloatExecutions) -> Mapping[str, int]:
    """Prove all words of the claim, in every execution under every float model; return what was counted.

    Raises:
        Rejected: if a row is not proved to be above the margin, or a step of the network has no rule.
    """
    def prove(model: FloatClaim) -> Mapping[str, int]:
        prover, proved = ModelProver(given, model), Counter[str]()
        for unit in cover_of(given):
            proved["words" if isinstance(unit, WordsUnit) else "classes"] += prover.prove_unit(unit)
        return proved

    return prove_in_each(given.floats, prove)


def cover_of(given: FloatExecutions) -> Sequence[CoverPart]:
    """Return the units that prove all obligations: without a cover all words of each.

    Raises:
        Rejected: if an obligation is left out.
    """
    if isinstance(given.evidence, EachWord):
        return [*obligations(given.network, given.claim)]
    from ..words.covering import expect_covered

    expect_covered(by_cover(given))
    return given.evidence.units


def by_cover(given: FloatExecutions) -> Decision[TrainedClaim, Cover]:
    """Return the decision, whose evidence is a cover."""
    assert not isinstance(given.evidence, EachWord)
    return cast("Decision[TrainedClaim, Cover]", given)


class ModelProver:
    """Proofs of the words of the claim under one float model."""

    def __init__(self, given: FloatExecutions, model: FloatClaim) -> None:
        claim, self._judge = given.claim, Judge(given.network, given.claim)
        self._network = NetworkUnderModel(given.budget, given.network, model)
        tokens = {*claim.before, *claim.tokens, *claim.after}
        length = len(claim.before) + claim.max_n + len(claim.after)
        self._rows = RowsUnderModel(self._network, self._judge.rows, claim.margin, tokens, length)
        self._inputs: dict[WordsUnit, InputsUnderModel] = {}
        self._given = given

    @cached_property
    def _classes(self) -> Classes:
        from ..words.classes import Classes
        from .classes import FloatArithmetic

        decision = replace(by_cover(self._given), network=self._network.network)
        return Classes(decision, FloatArithmetic(self._network.forms))

    def prove_unit(self, unit: CoverPart) -> int:
        """Prove the unit; return its number of words or classes.

        Raises:
            Rejected: if it is not proved.
        """
        if isinstance(unit, WordsUnit):
            return self.prove(unit.offset, unit.first, unit.last)
        with within(f"offset {unit.offset}, from {unit.first} to {unit.last}"):
            return self._classes.prove(unit)

    def prove(self, offset: int, first: int, last: int) -> int:
        """Prove all words of these places or lengths at an offset; return how many there are.

        Raises:
            Rejected: if a row is not proved to be above the margin in every execution; the word is named.
        """
        words = 0
        for _, reason in self.tried(offset, first, last):
            words += 1
            if reason:
                raise Rejected(reason)
        return words

    def tried(self, offset: int, first: int, last: int) -> Iterator[tuple[int, str]]:
        """Yield the length of each of these words, and the reason if it is unproved; then only shorter ones follow."""
        judge, inputs = self._judge, self.inputs(offset, first, last)
        for word, cases in judge.words(first, last, ALL):
            if len(word) > last:
                continue
            reason = ""
            if needed := judge.needed(len(word), cases):
                try:
                    inputs.prove(judge.tokens(word), needed)
                except Rejected as refusal:
                    shown = " ".join(judge.claim.alphabet[letter] for letter in word)
                    reason, last = f"offset {offset}, word {quote(shown)}: {refusal}", len(word) - 1
            yield len(word), reason

    def inputs(self, offset: int, first: int, last: int) -> InputsUnderModel:
        """Return the prover of words of these lengths; in causal networks it keeps results of shorter ones, too."""
        unit = WordsUnit(offset, 1, self._judge.claim.max_n) if self._network.network.causal else WordsUnit(
            offset, first, last)
        if unit not in self._inputs:
            self._inputs = {unit: InputsUnderModel(self._rows, offset, tokens_at_places(self._judge, unit))}
        return self._inputs[unit]
