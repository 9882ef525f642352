"""Comparisons of counts by margins: the number that a slack is the ReLU of, on every word (docs/critical.md).

The main path allows each head that looks up a count its share of the error, as if all of them erred most on one word.
Here classes of words say what they err together. A network that the main path leaves open at a constant is certified
there if (a) on every word the number behind each slack that is open is below 0 where the comparison holds and above 1
elsewhere, which is a claim by margins, and (b) the main path certifies the network in which those slacks read colder
copies of their heads. For the rules conclude from a slack only that it is 0 or at least 1, so that (b) proves of all
other directions what they hold in the network itself; its own heads are among them, and must err by at most 1/2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from certify.auditing.decide import ClaimedNetwork
from certify.formula.outcomes import Certified
from certify.formula.pipeline import certify_transformer
from certify.margins.answer import find_refusal
from constructions.language.expressions import parse_expression
from constructions.language.syntax import Formula, Not
from constructions.network.lengths import Lengths
from constructions.network.meanings import Anything, Others, Slack
from constructions.network.transformer import Coefficients, FeedForward, Head, Layer, Transformer, Unit
from proofs.formula.common.kinds import Kind
from proofs.formula.discharge import Line, Memory, bounds_of
from proofs.margins.certificate import seal_margin
from proofs.margins.claim import MarginClaim, Read
from proofs.margins.deciding import LengthFound, decide_length
from proofs.words.classes.enclosing import enclose_word
from proofs.words.classes.norms import NO_NORMS
from proofs.words.replay import NEAR_A_NUMBER
from proofs.words.truth_at_a_letter import TruthReader

HALF, HALF_OF_IT = Fraction(1, 2), parse_expression("1/2")
BITS = 256
"""The precision at which one word is looked at."""
LONGEST, MOST_LETTERS = 32, 50_000
"""Longer words are not looked at here; nor, of formulas that look ahead, more letters than these, of all words."""


@dataclass(frozen=True)
class NumberBehind:
    """The number that a slack is the ReLU of: the output of ``network``, the given one with one more direction."""

    slack: str
    network: Transformer
    comparison: Formula

    def claim(self, lengths: Lengths) -> MarginClaim:
        """At every position it is above 1 if the comparison does not hold there, else below 0."""
        return MarginClaim(Not(self.comparison), self.network.alphabet, lengths, "every", threshold=HALF,
                           margin=HALF_OF_IT)

    def decide(self, n: int) -> LengthFound:
        """The claim for all words of length n."""
        return decide_length(self.network, self.claim(Lengths(n, n)), n)

    def room(self, place: WordAt) -> Fraction:
        """How far beyond 0 or 1 the number is on one word, at least; below 0 if it falls short."""
        read = {self.network.output: Fraction(1)}
        value = enclose_word(self.network, place.word, place.read.position, BITS, read, NO_NORMS)
        return value.lower - 1 if place.truth else -value.upper


@dataclass(frozen=True)
class WordAt:
    """A word, where the number is read in it, and whether it should be above 1 there."""

    word: tuple[str, ...]
    read: Read
    truth: bool


def open_slacks(lines: Sequence[Line], network: Transformer) -> list[str] | None:
    """The slacks that the exact prover leaves open; None if margins decide nothing, as other things are open, too."""
    found = [line.direction for line in lines if not line.proved]
    kinds = {line.kind for line in lines if not line.proved}
    if not kinds <= {Kind.FEED_FORWARD} or not all(isinstance(network.directions[name], Slack) for name in found):
        return None
    if any(max(abs(bound.lower), abs(bound.upper)) > NEAR_A_NUMBER for bound in bounds_of(lines).values()):
        return None
    return found


def number_behind(network: Transformer, slack: str) -> NumberBehind | None:
    """The number behind a slack that one unit writes from counts, and nothing else with it; None if there is none."""
    meaning, name = network.directions[slack], _fresh(network, f"before {slack}")
    writing = [(number, unit) for number, layer in enumerate(network.layers)
               for unit in layer.feedforward.units if slack in unit.writes]
    if not isinstance(meaning, Slack) or len(writing) != 1 or _is_written_otherwise(network, slack):
        return None
    number, unit = writing[0]
    factor = unit.writes[slack]
    if factor <= 0 or len(unit.writes) > 1 or not _others_read(network, [slack]):
        return None
    part = network.layers[number].feedforward
    mirrored = {source: -weight for source, weight in unit.reads.items()}
    both = (Unit(unit.reads, unit.bias, {name: factor}), Unit(mirrored, -unit.bias, {name: -factor}))
    layer = replace(network.layers[number], feedforward=FeedForward((*part.units, *both), part.bias))
    extended = replace(network, directions={**network.directions, name: Anything()},
                       layers=_with_layer(network, number, layer), output=name)
    return NumberBehind(slack, extended, meaning.formula)


def can_be_followed(network: Transformer, number: NumberBehind, n: int) -> bool:
    """Whether words of this length are looked at."""
    if not network.has_softmax_alone:
        return False
    reads_ahead = TruthReader(Not(number.comparison), network.alphabet, 1).tracker is None
    return n <= LONGEST and (not reads_ahead or n * len(network.alphabet) ** n <= MOST_LETTERS)


def certify_by_margins(claimed: ClaimedNetwork, slacks: Sequence[str], numbers: Sequence[NumberBehind],
                       lengths: Lengths, memory: Memory, colder: int) -> bool:
    """Whether the checker accepts what the head of this file asks for; the margins have been decided."""
    if any(find_refusal(seal_margin(number.network, number.claim(lengths))) for number in numbers):
        return False
    outcome = certify_transformer(with_colder_copies(claimed.network, slacks, colder), lengths.last, claimed.regime,
                                  memory, min_n=lengths.first)
    return isinstance(outcome, Certified) and open_slacks(outcome.lines, claimed.network) == []


def with_colder_copies(network: Transformer, slacks: Sequence[str], colder: int) -> Transformer:
    """The network in which these slacks read copies of the heads that look up counts, with scores times ``colder``.

    The heads themselves stay; nothing reads them for these slacks any more.
    """
    names: dict[str, str] = {}
    directions = dict(network.directions)
    for name in _others_read(network, slacks):
        names[name] = _fresh(network, f"colder {name}")
        directions[names[name]] = network.directions[name]
    layers = [Layer((*layer.heads, *_copies(layer, names, colder)), _reading(layer.feedforward, slacks, names))
              for layer in network.layers]
    return replace(network, directions=directions, layers=tuple(layers))


def _others_read(network: Transformer, slacks: Sequence[str]) -> list[str]:
    found = [name for layer in network.layers for unit in layer.feedforward.units
             if any(slack in unit.writes for slack in slacks) for name in unit.reads]
    return [name for name in dict.fromkeys(found) if isinstance(network.directions[name], Others)]


def _copies(layer: Layer, names: dict[str, str], colder: int) -> Iterator[Head]:
    for head in layer.heads:
        values = {names[name]: row for name, row in head.values.items() if name in names}
        if values:
            queries = tuple({name: weight * colder for name, weight in query.items()} for query in head.queries)
            yield replace(head, queries=queries, values=values)


def _reading(part: FeedForward, slacks: Sequence[str], names: dict[str, str]) -> FeedForward:
    def colder(reads: Coefficients) -> Coefficients:
        return {names.get(name, name): weight for name, weight in reads.items()}

    return FeedForward(tuple(replace(unit, reads=colder(unit.reads)) if any(slack in unit.writes for slack in slacks)
                             else unit for unit in part.units), part.bias)


def _is_written_otherwise(network: Transformer, name: str) -> bool:
    """Whether a head, a bias or an embedding writes the direction."""
    embedded = [*network.token_embedding.values(), network.position_embedding]
    return (any(name in entries for entries in embedded) or any(name in head.values for _, _, head in network.heads())
            or any(layer.feedforward.bias.get(name) for layer in network.layers))


def _with_layer(network: Transformer, number: int, layer: Layer) -> tuple[Layer, ...]:
    return (*network.layers[:number], layer, *network.layers[number + 1:])


def _fresh(network: Transformer, name: str) -> str:
    while name in network.directions:
        name += "'"
    return name
