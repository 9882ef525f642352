"""Slack on every word, by classes of words; docs/background/obligations.md."""

from dataclasses import replace
from typing import cast

from ...kernel.numbers import ZERO
from ...kernel.reading.records import Slack
from ...kernel.verdicts import require
from ..formula.families import Covered, WrittenDirection
from ..formula.proof import ProofContext
from .proving import bound_classes
from .reading import MarginClaim, MarginFile


def check_on_every_word(proof: ProofContext, written: WrittenDirection) -> Covered:
    """Prove that slack is 0 where its formula holds and at least 1 elsewhere, on every word; return the rows."""
    claim, language, formula = proof.claim, proof.language, cast(Slack, written.meaning).formula
    every = MarginClaim(formula, {}, claim.alphabet, (), (), claim.min_n, claim.max_n, "every", ZERO, formula)
    network = replace(proof.transformer, output=written.name)
    given = MarginFile(every, network, language, language, ((None, None),) * len(network.layers))
    for n in claim.lengths:
        for i in range(1, n + 1):
            for found, output in bound_classes(given, proof.weigher, n, i, i):
                fits = output == (ZERO, ZERO) if found.holds else output.lower >= 1
                require(fits, "slack is not on its side at n = {}, i = {}", n, i)
    return Covered(sum(claim.lengths))
