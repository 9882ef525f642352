"""Running a transformer with soft attention, enclosed, and holding what it computes against what its directions mean.

Nothing is called refuted before a word has been replayed here and a direction provably misses its meaning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from constructions.errors import Unsupported
from constructions.language.semantics import truth_values
from constructions.network.meanings import Meaning, Near, Position, Truth
from constructions.network.run import attend_hard, embed, run_layers
from constructions.network.transformer import FeedForward, Head, Transformer, Weighting
from proofs.enclosures.intervals import Interval, enclose_form, point
from proofs.enclosures.softmax import enclose_mean
from proofs.feed_forward import FALSE_BOX, FREE_BOX, TRUE_BOX, enclose_output
from proofs.known import positional_truth

Residual = dict[str, Interval]


@dataclass(frozen=True)
class Counterexample:
    """A word on which ``direction`` misses its meaning at ``position`` (from 1): ``value`` lies outside ``allowed``."""

    word: tuple[str, ...]
    position: int
    direction: str
    meaning: Meaning
    expected: bool | None
    allowed: Interval
    value: Interval


def run_soft(transformer: Transformer, word: Sequence[str], bits: int) -> list[Residual]:
    """The final residual vectors under soft attention, enclosed; ``bits`` is the precision of the weights."""
    stream = [{name: point(x) for name, x in vector.items()} for vector in embed(transformer, word)]

    def attend(head: Head, vectors: list[Residual], i: int) -> Residual:
        return _attend(head, vectors, i, bits)

    return run_layers(stream, transformer, attend, feed, lambda a, b: a + b)


def _attend(head: Head, vectors: list[Residual], i: int, bits: int) -> Residual:
    if head.weighting is not Weighting.SOFTMAX:
        exact = [{name: _exact(x, name) for name, x in vector.items()} for vector in vectors]
        return {name: point(x) for name, x in attend_hard(head, exact, i).items()}
    n = len(vectors)
    temperature = head.temperature.evaluate(i=i, n=n)
    visible = [vectors[j - 1] for j in head.mask.visible(i, n)]
    queries = [enclose_form(row, vectors[i - 1]) for row in head.queries]
    scores = []
    for vector in visible:
        score = point(Fraction(0))
        for query, row in zip(queries, head.keys, strict=True):
            score += query * enclose_form(row, vector)
        scores.append(score.scaled(1 / temperature))
    return {name: enclose_mean(scores, [enclose_form(row, vector) for vector in visible], bits)
            for name, row in head.values.items()}


def _exact(x: Interval, name: str) -> Fraction:
    if not x.is_point:
        raise InexactHardAttention(f"hard attention in a network that holds {name} only approximately")
    return x.lower


class InexactHardAttention(Unsupported):
    """Hard attention cannot be enclosed when what it may read is only known approximately."""


def feed(feedforward: FeedForward, vector: Residual) -> Residual:
    """What the feed-forward layer adds, enclosed; exact where opposite slopes cancel."""
    change = {}
    for name in feedforward.written():
        units = tuple((unit.reads, unit.bias, unit.writes[name]) for unit in feedforward.units_writing(name))
        change[name] = enclose_output(units, feedforward.bias.get(name, Fraction(0)), vector)
    return change


def allowed_values(meaning: Meaning, truths: Mapping[Meaning, Sequence[bool]], i: int, n: int) -> Interval:
    """The numbers that the meaning allows at position i, given the truth of its formula by position."""
    match meaning:
        case Position(value):
            return point(value.evaluate(i=i, n=n))
        case Truth():
            return point(Fraction(truths[meaning][i - 1]))
        case Near(_, when):
            if not positional_truth(when, i, n):
                return FREE_BOX
            return TRUE_BOX if truths[meaning][i - 1] else FALSE_BOX


def find_miss(transformer: Transformer, word: Sequence[str], bits: int = 192) -> Counterexample | None:
    """The first direction, in the order of ``directions``, that provably misses its meaning on this word, if any."""
    stream = run_soft(transformer, word, bits)
    truths: dict[Meaning, tuple[bool, ...]] = {
        meaning: truth_values(meaning.formula, word)
        for meaning in transformer.directions.values() if isinstance(meaning, Truth | Near)
    }
    for name, meaning in transformer.directions.items():
        for i, vector in enumerate(stream, start=1):
            value = vector.get(name, point(Fraction(0)))
            allowed = allowed_values(meaning, truths, i, len(word))
            if value.misses(allowed.lower, allowed.upper):
                expected = truths[meaning][i - 1] if meaning in truths else None
                return Counterexample(tuple(word), i, name, meaning, expected, allowed, value)
    return None
