"""Slack on every word: the joint error of the counts that a unit reads, where the sum of their errors is too great.

Source      docs/background/obligations.md, section 5, Slack on every word.
Setting     The slack of a comparison is ReLU(p), where the network computes p. Abstract words
(docs/background/margins_rules.md) have
            exactly the joint counts of words. That p < 0 wherever the comparison holds, and p > 1 elsewhere, is a claim
            by margins about the network with an additional direction, which holds p.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb
from typing import ClassVar

from constructions.language.expressions import parse_expression
from constructions.language.syntax import Formula, Not
from constructions.network.lengths import Lengths
from constructions.network.meanings import Anything, Slack
from constructions.network.transformer import FeedForward, Layer, Transformer, Unit
from proofs.formula.common.kinds import ObligationKind
from proofs.formula.common.written_direction import WrittenDirection
from proofs.formula.failures import NotDerived
from proofs.words.margins.claim import MarginClaim
from proofs.words.margins.deciding import LengthFound, decide_length
from proofs.words.replay import NEAR_A_NUMBER
from proofs.words.truth_at_a_letter import TruthReader

HALF, HALF_OF_IT = Fraction(1, 2), parse_expression("1/2")
MOST_WORK = 150_000
"""The limit of positions processed here, and again by the checker: about ten seconds each."""


@dataclass(frozen=True)
class SlackOnEveryWord:
    """A claim about p, whose ReLU is the slack: the output of ``network``, the given one with one more direction."""

    kind: ClassVar[ObligationKind] = ObligationKind.FEED_FORWARD
    place: ClassVar[int] = 0
    source: ClassVar[str] = ""
    layer: int
    direction: str
    network: Transformer
    comparison: Formula
    lengths: Lengths

    def key(self) -> None:
        """Return None: no other obligation is equal."""

    @property
    def rows(self) -> int:
        """The number of (n, i) that are checked."""
        return self.lengths.cells

    @property
    def claim(self) -> MarginClaim:
        """The claim that at every position p is below 0 if the comparison holds there, else above 1."""
        return MarginClaim(Not(self.comparison), self.network.alphabet, self.lengths, "every", threshold=HALF,
                           margin=HALF_OF_IT)

    def decide(self, n: int) -> LengthFound:
        """Decide the claim for all words of length n."""
        return decide_length(self.network, self.claim, n)

    @property
    def work(self) -> int:
        """The approximate number of positions to process: without look-ahead, words with equal counts are one."""
        letters = len(self.network.alphabet)
        is_past = TruthReader(self.comparison, self.network.alphabet, 1).tracker is not None
        return sum(n * n * (comb(n + letters - 1, letters - 1) if is_past else letters**n) for n in self.lengths)

    @property
    def is_small(self) -> bool:
        """True if all words can be processed."""
        return self.network.has_softmax_alone and self.work <= MOST_WORK


def oblige_on_every_word(written: WrittenDirection) -> SlackOnEveryWord:
    """Return the obligation of a slack that one unit writes, where heads err by at most half a count.

    Raises:
        NotDerived: if it is written otherwise, a head may err by more, or there are too many words.
    """
    found = slack_on_every_word(written.transformer, written.direction, written.lengths)
    if not found.is_small:
        raise NotDerived("there are too many words to examine all of them")
    if any(max(-error.lower, error.upper) > NEAR_A_NUMBER for error in written.bounds.values()):
        raise NotDerived("a head may be half a count off")
    return found


def slack_on_every_word(network: Transformer, slack: str, lengths: Lengths) -> SlackOnEveryWord:
    """Return the obligation of a slack that is written by one unit, which writes nothing else.

    Raises:
        NotDerived: if it is written otherwise.
    """
    meaning = network.directions[slack]
    layers = [layer.feedforward.units for layer in network.layers]
    writing = [(number, unit) for number, units in enumerate(layers) for unit in units if slack in unit.writes]
    if not isinstance(meaning, Slack) or len(writing) != 1 or _is_written_otherwise(network, slack):
        raise NotDerived("no slack is written, or not by one unit alone")
    (number, unit), name = writing[0], _fresh(network, f"before {slack}")
    if unit.writes[slack] <= 0 or len(unit.writes) > 1:
        raise NotDerived("a unit writes more than slack")
    return SlackOnEveryWord(number + 1, slack, _with_number(network, number, unit, name), meaning.formula, lengths)


def check_on_every_word(obligation: SlackOnEveryWord) -> None:
    """Decide each length by its abstract words.

    Raises:
        NotDerived: if p is not certified to be below 0, or above 1, on some word.
    """
    for n in obligation.lengths:
        if (found := obligation.decide(n)).verdict != "certified":
            word = " ".join(found.least.word) if found.least else ""
            raise NotDerived(f"slack is not on its side at n = {n}: {word or found.reason}")


def _with_number(network: Transformer, number: int, unit: Unit, name: str) -> Transformer:
    """Return the network with an additional direction: the number whose ReLU the unit of this layer writes."""
    (factor,), part = unit.writes.values(), network.layers[number].feedforward
    mirrored = {source: -weight for source, weight in unit.reads.items()}
    both = (Unit(unit.reads, unit.bias, {name: factor}), Unit(mirrored, -unit.bias, {name: -factor}))
    layer = replace(network.layers[number], feedforward=FeedForward((*part.units, *both), part.bias))
    layers: Iterator[Layer] = (layer if place == number else each for place, each in enumerate(network.layers))
    return replace(network, directions={**network.directions, name: Anything()}, layers=tuple(layers), output=name)


def _is_written_otherwise(network: Transformer, name: str) -> bool:
    """Return whether a head, a bias or an embedding writes the direction."""
    embedded = [*network.token_embedding.values(), network.position_embedding]
    return (any(name in entries for entries in embedded) or any(name in head.values for _, _, head in network.heads())
            or any(layer.feedforward.bias.get(name) for layer in network.layers))


def _fresh(network: Transformer, name: str) -> str:
    while name in network.directions:
        name += "'"
    return name
