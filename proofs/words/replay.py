"""Interval execution of a transformer with soft attention, to compare values with the meanings of directions.

A verdict is *refuted* only after a word has been replayed here and a direction provably violates its meaning.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from operator import add
from typing import Any, cast

from constructions.errors import Unsupported
from constructions.language.semantics import TruthTable, counted_length
from constructions.language.syntax import Count, Formula
from constructions.network import meanings
from constructions.network.assumption import local_directions
from constructions.network.exact_weights import hard_weights
from constructions.network.run import run_layers
from constructions.network.transformer import Coefficients, FeedForward, Head, Transformer
from proofs.enclosures.by_mpmath import confirm_by_mpmath
from proofs.enclosures.expressions import enclose_at, flint_at, sharpness_at
from proofs.enclosures.feed_forward import enclose_output
from proofs.enclosures.intervals import AtLeast, Interval, enclose_form, point
from proofs.enclosures.rationals import ZERO, interval_from_flint, row_to_flint, to_flint
from proofs.enclosures.softmax import MAX_SPREAD
from proofs.enclosures.weightings import Scored, enclose_attended

Residual = dict[str, Interval]
ZERO_POINT = point(ZERO)
UNKNOWN_TRUTH = Interval(Fraction(0), Fraction(1))
NEAR_A_NUMBER = Fraction(1, 2)
REPLAY_BITS = 192
"""The precision of building and replaying words; violations of claims are far larger than its rounding errors."""
SPREAD_OF_MISSES = 1 << 12
"""Violations are far larger than this spread loses, and reducing numbers of a million bits takes seconds."""


@dataclass(frozen=True)
class Counterexample:
    """A word on which ``direction`` violates its meaning at ``position`` (from 1): ``value`` is outside ``allowed``."""

    word: tuple[str, ...]
    position: int
    direction: str
    meaning: meanings.Meaning
    expected: bool | None
    allowed: Interval | AtLeast
    value: Interval


def run_soft(transformer: Transformer, word: Sequence[str], bits: int, spread: int = MAX_SPREAD) -> list[Residual]:
    """Return the final residual vectors under soft attention, enclosed; ``bits`` is the precision of the weights.

    Weights that are more than ``spread`` bits below the largest are enclosed from 0 on.
    """
    return _from_flint(_run(transformer, word, bits, spread))


class KnownRows:
    """Outputs of the heads and feed-forward blocks of one network, by their inputs: equal rows are enclosed once."""

    def __init__(self) -> None:
        """Start with empty caches."""
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._rows: dict[tuple[object, ...], Residual] = {}

    def number(self, x: Interval) -> int:
        """Return one number for equal intervals of FLINT's rationals, whose own hashes are slow."""
        ends = [cast(Any, end) for end in ((x.lower,) if x.lower is x.upper else (x.lower, x.upper))]
        return self._numbers.setdefault(tuple([part for end in ends for part in (end.p, end.q)]), len(self._numbers))

    def once(self, key: tuple[object, ...], find: Callable[[], Residual]) -> Residual:
        """Return the first result of ``find`` for this ``key``."""
        if key not in self._rows:
            self._rows[key] = find()
        return self._rows[key]

    def feed(self, feedforward: FeedForward, vector: Residual) -> Residual:
        """Return the output of the feed-forward block."""
        read = [self.number(vector[name]) if name in vector else None for unit in feedforward.units
                for name in unit.reads]
        return self.once((id(feedforward), *read), lambda: enclose_feed_forward(feedforward, vector))


def _run(transformer: Transformer, word: Sequence[str], bits: int, spread: int,
         known: KnownRows | None = None) -> list[Residual]:
    """Run the network in FLINT's rationals, with ``known`` rows of the same network at the same precision."""
    known = known or KnownRows()
    return run_layers(_embed(transformer, word), transformer, partial(_attend, bits, spread, known), known.feed, add)


def _from_flint(stream: list[Residual]) -> list[Residual]:
    return [{name: interval_from_flint(x) for name, x in vector.items()} for vector in stream]


def _embed(transformer: Transformer, word: Sequence[str]) -> list[Residual]:
    """Return the initial residual vectors: exact except for irrational position embeddings."""
    n, tokens = len(word), {symbol: row_to_flint(row) for symbol, row in transformer.token_embedding.items()}
    stream = []
    for i, symbol in enumerate(word, start=1):
        vector = {name: point(x) for name, x in tokens[symbol].items()}
        for name, value in transformer.position_embedding.items():
            vector[name] = vector.get(name, ZERO_POINT) + flint_at(value, i, n)
        stream.append(vector)
    return stream


def _attend(bits: int, spread: int, known: KnownRows, head: Head, stream: list[Residual]) -> list[Residual]:
    """Enclose the output of the head at each position."""
    n = len(stream)
    query_rows, key_rows = [list(map(row_to_flint, rows)) for rows in (head.queries, head.keys)]
    value_rows = {name: row_to_flint(row) for name, row in head.values.items()}
    keys = [[enclose_form(row, vector, ZERO) for row in key_rows] for vector in stream]
    exact_keys = [[k.lower for k in key] for key in keys] if all(_are_points(key) for key in keys) else None
    columns = {name: [enclose_form(row, vector, ZERO) for vector in stream] for name, row in value_rows.items()}
    read = [tuple(map(known.number, (*key, *values))) for key, *values in zip(keys, *columns.values(), strict=True)]

    def attended(queries: list[Interval], visible: range) -> Residual:
        if exact_keys and _are_points(queries):
            numbers = [q.lower for q in queries]
            scores = [point(sum([q * k for q, k in zip(numbers, exact_keys[j - 1], strict=True)], ZERO))
                      for j in visible]
        else:
            scores = [sum((q * k for q, k in zip(queries, keys[j - 1], strict=True)), ZERO_POINT) for j in visible]
        seen = {name: [column[j - 1] for j in visible] for name, column in columns.items()}
        return (_attended_hard(head, scores, seen) if head.weighting.is_hard else
                enclose_attended(head.weighting, Scored(scores, n, head.mask), seen, bits, spread))

    changes = []
    for i, vector in enumerate(stream, start=1):
        queries = [enclose_form(row, vector, ZERO) for row in query_rows]
        if not head.weighting.is_hard:  # what all scores are divided by does not change which is the greatest
            sharpness = sharpness_at(head.temperature, i, n)
            queries = [query * sharpness for query in queries]
        visible = head.mask.visible(i, n)
        key = (id(head), n, *map(known.number, queries), *[read[j - 1] for j in visible])
        changes.append(known.once(key, partial(attended, queries, visible)))
    return changes


def _are_points(values: Sequence[Interval]) -> bool:
    return all(value.lower is value.upper for value in values)


def _attended_hard(head: Head, scores: list[Interval], seen: dict[str, list[Interval]]) -> Residual:
    """Return the output of a hard head at one row.

    Raises:
        InexactHardAttention: if the enclosures do not say which scores are the greatest.
    """
    least = max(score.lower for score in scores)
    may_win = [score.upper >= least for score in scores]
    if sum(may_win) > 1 and not all(score.is_point for score, may in zip(scores, may_win, strict=True) if may):
        raise InexactHardAttention(f"hard attention: the enclosures are too wide to tell which score of the head "
                                   f"{head.name!r} is the greatest")
    weights = list(map(to_flint, hard_weights([Fraction(may) for may in may_win], head.weighting)))
    return {name: sum((value.scaled(weight) for value, weight in zip(column, weights, strict=True) if weight),
                      ZERO_POINT) for name, column in seen.items()}


class InexactHardAttention(Unsupported):
    """Hard attention cannot be enclosed when its scores are only known approximately."""


def enclose_feed_forward(feedforward: FeedForward, vector: Residual) -> Residual:
    """Enclose the output of the feed-forward layer; exact where opposite slopes cancel."""
    units: dict[str, list[tuple[Coefficients, Fraction, Fraction]]] = {name: [] for name in feedforward.bias}
    for unit in feedforward.units:
        reads, bias = row_to_flint(unit.reads), to_flint(unit.bias)
        for name, write in unit.writes.items():
            units.setdefault(name, []).append((reads, bias, to_flint(write)))
    biases = row_to_flint(feedforward.bias)
    return {name: enclose_output(tuple(writing), biases.get(name, ZERO), vector) for name, writing in units.items()}


class WordMeanings:
    """The values that the meanings of directions allow on one word."""

    def __init__(self, word: Sequence[str]):
        """Store the word; truths are evaluated on demand."""
        self.word = tuple(word)
        self.n = len(word)
        self._truths = TruthTable(self.word)

    def truth(self, formula: Formula, i: int) -> bool:
        """Return the truth of a formula at position i."""
        return self._truths.values(formula)[i - 1]

    def count(self, count: Count, i: int) -> int:
        """Return the value of a count at position i."""
        looked_at = range(1, i + 1) if count.side == "left" else range(i, self.n + 1)
        return sum(self.truth(count.operand, j) for j in looked_at)

    def expected(self, meaning: meanings.Meaning, i: int) -> bool | None:
        """Return the truth at position i of the formula of a meaning; None if it has no formula."""
        if isinstance(meaning, meanings.Truth | meanings.Near | meanings.Product | meanings.Slack):
            return self.truth(meaning.formula, i)
        return None

    def allowed(self, meaning: meanings.Meaning, i: int,
                allowed_error: Fraction | None = None) -> Interval | AtLeast | None:
        """Return the numbers that the meaning allows at position i; None if it allows all.

        A direction near a number may err by half a count: a certificate states a smaller bound. An ``allowed_error``
        replaces either error.
        """
        match meaning:
            case meanings.Position(value):
                return enclose_at(value, i, self.n)
            case meanings.Truth(formula):
                return point(Fraction(self.truth(formula, i)))
            case meanings.Product(value, formula):
                return enclose_at(value, i, self.n) if self.truth(formula, i) else point(Fraction(0))
            case meanings.Near(formula, when):
                if not self.truth(when, i):
                    return UNKNOWN_TRUTH
                error = allowed_error or meanings.ALLOWED_ERROR
                return Interval(1 - error, Fraction(1)) if self.truth(formula, i) else Interval(Fraction(0), error)
            case meanings.Mean(count):
                return point(Fraction(self.count(count, i), counted_length(count, i, self.n)))
            case meanings.Average(term):
                total = sum(number * self.count(count, i) for number, count in term.coefficients)
                return point(Fraction(total, counted_length(term.coefficients[0][1], i, self.n)))
            case meanings.Total(count):
                return point(Fraction(self.count(count, i)))
            case meanings.Others(count):
                others = Fraction(self.count(count, i) - self.truth(count.operand, i))
                error = allowed_error or NEAR_A_NUMBER
                return Interval(others - error, others + error)
            case meanings.Slack(formula):
                return point(Fraction(0)) if self.truth(formula, i) else AtLeast(Fraction(1))
            case meanings.Anything():
                return None


def find_miss(transformer: Transformer, word: Sequence[str], bits: int = REPLAY_BITS,
              allowed_error: Fraction | None = None, known: KnownRows | None = None) -> Counterexample | None:
    """Find the first direction, in the order of ``directions``, that provably violates its meaning on this word.

    With an ``allowed_error`` every *near* or *others* direction must be that close to the truth or the number. Rows of
    other words are ``known`` for this network and precision.

    Raises:
        InternalError: if mpmath computes other values.
    """
    stream = _run(transformer, word, bits, SPREAD_OF_MISSES, known)
    reading, local = WordMeanings(word), local_directions(transformer)
    for name, meaning in transformer.directions.items():
        for i, vector in enumerate(stream, start=1):
            value = vector.get(name, ZERO_POINT)
            allowed = reading.allowed(meaning, i, allowed_error)
            is_claimed = name not in local or reading.truth(transformer.given, i)
            if is_claimed and allowed is not None and value.misses(*_ends(allowed)):
                confirm_by_mpmath(transformer, word, _from_flint(stream))
                return Counterexample(tuple(word), i, name, meaning, reading.expected(meaning, i), allowed,
                                      interval_from_flint(value))
    return None


def _ends(allowed: Interval | AtLeast) -> tuple[Fraction, Fraction | None]:
    """Return both ends in FLINT's rationals."""
    return to_flint(allowed.lower), None if allowed.upper is None else to_flint(allowed.upper)
