"""The output on the words of a class, enclosed.

Softmax and average-hardmax are computed from how often each column is seen, so that the cost depends on the class and
not on the length of its words. With another weighting the first word of the class is run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from constructions.network.transformer import Transformer, Weighting
from proofs.enclosures.intervals import Interval, enclose_form, point
from proofs.enclosures.rationals import ZERO, interval_from_flint, rounded_outward, to_flint
from proofs.enclosures.softmax import enclose_mean
from proofs.replay import SPREAD_OF_MISSES, InexactHardAttention, run_soft
from proofs.word_classes.buckets import Buckets, Signature, WordClass
from proofs.word_classes.cells import UNORDERED, SeenHead
from proofs.word_classes.terms import Answer, Form, Relu

ROOM = 64
"""Numbers are rounded outward to so many bits more than weights are computed with."""


def enclose_class(buckets: Buckets, found: WordClass, bits: int) -> Interval:
    """What is read in the words of the class, enclosed; ``bits`` is the precision of the weights.

    Raises:
        InexactHardAttention: if a hard head reads what is not known exactly.
    """
    if buckets.cells is None or any(head.asked.head.weighting not in UNORDERED for head in buckets.cells.heads):
        return enclose_word(buckets.transformer, found.word, buckets.at, bits, buckets.read)
    return interval_from_flint(ClassRun(buckets, found.signature, bits).output())


def enclose_output(transformer: Transformer, word: Sequence[str], at: int, bits: int,
                   read: Mapping[str, Fraction] | None = None) -> Interval:
    """What is read at position ``at`` of one word, enclosed: the output, or a linear form ``read`` of the final vector.

    Raises:
        InexactHardAttention: if a hard head reads what is not known exactly.
    """
    buckets = Buckets(transformer, [(symbol,) for symbol in word], at, read)
    return enclose_class(buckets, WordClass(buckets.signature(word), tuple(word), Fraction(1)), bits)


def enclose_word(transformer: Transformer, word: Sequence[str], at: int, bits: int,
                 read: Mapping[str, Fraction]) -> Interval:
    """The same by running the whole word."""
    vector = run_soft(transformer, word, bits, SPREAD_OF_MISSES)[at - 1]
    return enclose_form(read, vector)


class ClassRun:
    """The atoms of one class as intervals, each computed when it is read first."""

    def __init__(self, buckets: Buckets, signature: Signature, bits: int) -> None:
        """``buckets`` has cells."""
        assert buckets.cells is not None, "classes are words"
        self.buckets, self.signature, self.bits = buckets, signature, bits
        self.cells = buckets.cells
        self.heads = {(head.asked.layer, head.asked.place): (place, head)
                      for place, head in enumerate(self.cells.heads)}
        self.atoms: dict[int, Interval] = {}
        self.crowds: dict[tuple[int, int], Crowd] = {}

    def output(self) -> Interval:
        """What is read."""
        return self.number(self.buckets.output_form(self.signature))

    def number(self, form: Form) -> Interval:
        """An enclosure of a form; forms of what earlier layers answered are computed before it."""
        total = point(form.constant)
        for atom, coefficient in form.atoms:
            if atom not in self.atoms:
                self.atoms[atom] = rounded_outward(self._atom(atom), self.bits + ROOM)
            total += self.atoms[atom].scaled(coefficient)
        return total

    def _atom(self, number: int) -> Interval:
        atom = self.cells.atoms[number]
        if isinstance(atom, Relu):
            inside = self.number(atom.form)
            return Interval(max(inside.lower, ZERO), max(inside.upper, ZERO)) if not inside.is_point else point(
                max(inside.lower, ZERO))
        return self._crowd(atom).answer(atom, tuple(map(self.number, atom.queries)), self.bits)

    def _crowd(self, atom: Answer) -> Crowd:
        place, head = self.heads[atom.layer, atom.place]
        is_common = head.is_unmasked or atom.origin == self.buckets.at
        key = (place, 0 if is_common else atom.origin)
        if key not in self.crowds:
            counts = self.buckets.seen(place, self.signature) if is_common else _seen_from(head, atom.origin)
            self.crowds[key] = Crowd(head, [(tuple(map(self.number, head.interned[column])), count)
                                            for column, count in counts.items()])
        return self.crowds[key]


def _seen_from(head: SeenHead, origin: int) -> Mapping[int, int]:
    """How often each column is seen from elsewhere, where none depends on symbols."""
    counts: dict[int, int] = {}
    for j in head.visible(origin):
        column = head.columns[j, head.cells.choices[j - 1][0]]
        counts[column] = counts.get(column, 0) + 1
    return counts


class Crowd:
    """What a head sees: columns, as intervals, each so many times."""

    def __init__(self, head: SeenHead, seen: Iterable[tuple[tuple[Interval, ...], int]]) -> None:
        """All columns that are seen; those with equal numbers are one."""
        self.head = head
        counts, columns = Counter[str](), {}
        for column, count in seen:
            text = str([(x.lower, x.upper) for x in column])  # the hash of one of FLINT's rationals costs more
            counts[text] += count
            columns[text] = column
        self.columns, self.counts = list(columns.values()), list(counts.values())

    def answer(self, atom: Answer, queries: tuple[Interval, ...], bits: int) -> Interval:
        """The head's answer to the queries, for the direction of the atom."""
        asked = self.head.asked
        place = len(asked.live) + asked.directions.index(atom.direction)
        values = [column[place] for column in self.columns]
        scores = [sum((q * k for q, k in zip(queries, column, strict=False)), point(ZERO))
                  for column in self.columns]
        if asked.head.weighting is Weighting.SOFTMAX:
            return enclose_mean(scores, values, bits, SPREAD_OF_MISSES, self.counts)
        return self._average_of_best(scores, values)

    def _average_of_best(self, scores: Sequence[Interval], values: Sequence[Interval]) -> Interval:
        if not all(score.is_point for score in scores):
            raise InexactHardAttention(f"head {self.head.asked.layer}.{self.head.asked.place} is hard, and its scores "
                                       "are known only approximately")
        best = max(score.lower for score in scores)
        winners = [(value, count) for score, value, count in zip(scores, values, self.counts, strict=True)
                   if score.lower == best]
        total = sum((value.scaled(to_flint(Fraction(count))) for value, count in winners), point(ZERO))
        return total.scaled(to_flint(Fraction(1, sum(count for _, count in winners))))
