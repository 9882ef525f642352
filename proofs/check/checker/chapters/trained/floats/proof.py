"""Proof that in every execution under each float model each row of stored logits of every word is above the margin.

docs/background/floats_rules.md, section 7. Each word is bounded with ball arithmetic; if that is too coarse, with
affine forms. Or there is a cover, some units of which are proved by abstract words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from ...float_models.reading import FloatClaim
from ..reading.words_claim import EachWord, WordsUnit
from ..words.judge import tokens_at_places
from ..words.obligations import obligations
from ..words.running import DecisionOfWords, Prover, by_cover, prove_units
from .inputs import InputsUnderModel, NetworkUnderModel, RowsUnderModel, prove_in_each

if TYPE_CHECKING:
    from ..reading.cover import CoverPart
    from ..words.classes import Classes


def prove_float_executions(given: DecisionOfWords) -> Mapping[str, int]:
    """Prove all words of the claim, in every execution under every float model; return what was counted.

    Raises:
        Rejected: if a row is not proved to be above the margin, or a step of the network has no rule.
    """
    return prove_in_each(given.floats, lambda model: prove_units(ModelProver(given, model), cover_of(given)))


def cover_of(given: DecisionOfWords) -> Sequence[CoverPart]:
    """Return the units that prove all obligations: without a cover all words of each.

    Raises:
        Rejected: if an obligation is left out.
    """
    if isinstance(given.evidence, EachWord):
        return [*obligations(given.network, given.claim)]
    from ..words.deciding import expect_covered

    expect_covered(by_cover(given))
    return given.evidence.units


class ModelProver(Prover):
    """Prover of the units of one certificate under one float model."""

    def __init__(self, given: DecisionOfWords, model: FloatClaim) -> None:
        super().__init__(given)
        claim = given.claim
        self.network = NetworkUnderModel(given.budget, given.network, model)
        self._rows = RowsUnderModel(self.network, self.judge.rows, claim.margin, claim.all_tokens, claim.longest_input)
        self._inputs: dict[WordsUnit, InputsUnderModel] = {}

    @cached_property
    def classes(self) -> Classes:
        """The prover of abstract words."""
        from ..words.classes import Classes

        return Classes(replace(by_cover(self.given), network=self.network.network), self.network.arithmetic)

    def inputs(self, unit: WordsUnit) -> InputsUnderModel:
        """Return the prover of the inputs of the unit; in causal networks it keeps results of shorter words, too."""
        unit = WordsUnit(unit.offset, 1, self.judge.claim.max_n) if self.network.network.causal else unit
        if unit not in self._inputs:
            self._inputs = {unit: InputsUnderModel(self._rows, unit.offset, tokens_at_places(self.judge, unit))}
        return self._inputs[unit]
