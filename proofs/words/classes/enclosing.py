"""Enclosure of the output on the words of a class.

Terms of heads are computed from the number of times that each column is seen. So the cost depends on the class and
hardly on the length of its words. With a weighting that depends on positions the first word of the class is run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from constructions.errors import Unsupported
from constructions.network.transformer import Transformer
from proofs.enclosures.intervals import Interval, enclose_form, point
from proofs.enclosures.rationals import ZERO, from_flint, interval_from_flint, rounded_outward, to_flint
from proofs.enclosures.softmax import enclose_mean
from proofs.enclosures.weightings import Scored, enclose_attended
from proofs.words.classes.buckets import Buckets, Signature, WordClass
from proofs.words.classes.cells import SeenHead
from proofs.words.classes.norms import NO_NORMS, Norms, enclose_inverse_root
from proofs.words.classes.terms import ONE, Atom, AtomSum, HeadTerm, Irrational, Normed, Relu, add, exact
from proofs.words.replay import SPREAD_OF_MISSES, InexactHardAttention, run_soft

ROOM = 64
"""Numbers are rounded outward to this many bits more than the precision of weights."""


def enclose_class(buckets: Buckets, found: WordClass, bits: int) -> Interval:
    """Enclose what is read in the words of the class; ``bits`` is the precision of the weights.

    Raises:
        InexactHardAttention: if the scores of a hard head are not exact.
        NoNorm: if a norm may divide by 0.
    """
    if buckets.cells is None:
        return enclose_output(buckets.transformer, found.word, buckets.at, bits, buckets.read, buckets.norms)
    others = {head.needed.head.weighting for head in buckets.cells.heads if not head.is_unordered}
    if others:
        if buckets.norms.epsilons:
            raise Unsupported(f"norms beside the weighting {min(others)}")
        return enclose_word(buckets.transformer, found.word, buckets.at, bits, buckets.read, NO_NORMS)
    return interval_from_flint(ClassRun(buckets, found.signature, bits).output())


def enclose_output(transformer: Transformer, word: Sequence[str], at: int, bits: int,
                   read: Mapping[str, Fraction] | None = None, norms: Norms = NO_NORMS) -> Interval:
    """Enclose the output, or a linear form ``read`` of the final vector, at position ``at`` of one word.

    Raises:
        InexactHardAttention: if the scores of a hard head are not exact.
    """
    buckets = Buckets(transformer, [(symbol,) for symbol in word], at, read, norms)
    return enclose_class(buckets, WordClass(buckets.signature(word), tuple(word), Fraction(1)), bits)


def enclose_word(transformer: Transformer, word: Sequence[str], at: int, bits: int,
                 read: Mapping[str, Fraction], norms: Norms) -> Interval:
    """Enclose a linear form of the final vector at one position, by running the whole word without norms."""
    if norms.epsilons:
        return enclose_output(transformer, word, at, bits, read, norms)
    vector = run_soft(transformer, word, bits, SPREAD_OF_MISSES)[at - 1]
    return enclose_form(read, vector)


class ClassRun:
    """The atoms of one class as intervals, each computed when it is first read."""

    def __init__(self, buckets: Buckets, signature: Signature, bits: int) -> None:
        """Start with empty tables; ``buckets`` has cells."""
        assert buckets.cells is not None, "classes are words"
        self.buckets, self.signature, self.bits = buckets, signature, bits
        self.cells = buckets.cells
        self.heads = {(head.needed.layer, head.needed.place): (place, head)
                      for place, head in enumerate(self.cells.heads)}
        self.atoms: dict[int, Interval] = {}
        self.settled: dict[int, AtomSum] = {}
        self.inverse_roots: dict[tuple[int, str], Interval] = {}
        self.multisets: dict[tuple[int, int], Multiset] = {}

    def output(self) -> Interval:
        """Enclose what is read."""
        return self.number(self.buckets.output_form(self.signature))

    def number(self, form: AtomSum) -> Interval:
        """Enclose a form; the atoms in it are computed first."""
        settled = self._settled(form)
        return sum((self.atoms[atom].scaled(coefficient) for atom, coefficient in settled.atoms),
                   point(settled.constant))

    def _settled(self, form: AtomSum) -> AtomSum:
        """Return the same number without ReLUs of a known sign, so that opposite slopes cancel."""
        if form.is_exact:
            return form
        return add([(self._settled_atom(atom), coefficient) for atom, coefficient in form.atoms], form.constant)

    def _settled_atom(self, number: int) -> AtomSum:
        if number not in self.settled:
            atom = self.cells.atoms[number]
            inside = self.number(atom.form) if isinstance(atom, Relu) else None
            if inside is not None and isinstance(atom, Relu) and (inside.upper <= ZERO or inside.lower >= ZERO):
                self.settled[number] = self._settled(atom.form) if inside.lower >= ZERO else exact(ZERO)
            else:
                found = Interval(ZERO, inside.upper) if inside is not None else self._seen_atom(atom)
                self.atoms[number] = rounded_outward(found, self.bits + ROOM)
                self.settled[number] = AtomSum(ZERO, ((number, ONE),))
        return self.settled[number]

    def _seen_atom(self, atom: Atom) -> Interval:
        if isinstance(atom, Normed):
            return self._normed(atom)
        if isinstance(atom, Irrational):
            return atom.value
        assert isinstance(atom, HeadTerm), "ReLUs are settled"
        queries = tuple(map(self.number, atom.queries))
        if atom.temperature is not None:
            temperature = atom.temperature.value
            queries = tuple(query * Interval(1 / temperature.upper, 1 / temperature.lower) for query in queries)
        return self._multiset(atom).answer(atom, queries, self.bits)

    def _normed(self, atom: Normed) -> Interval:
        """Return a form over the root of the mean square of its multiset."""
        key = (atom.multiset, str(atom.epsilon))
        if key not in self.inverse_roots:
            multiset = tuple(map(self.number, self.cells.multisets[atom.multiset]))
            self.inverse_roots[key] = enclose_inverse_root(multiset, from_flint(atom.epsilon), self.bits + ROOM)
        return self.number(atom.form) * self.inverse_roots[key]

    def _multiset(self, atom: HeadTerm) -> Multiset:
        place, head = self.heads[atom.layer, atom.place]
        is_common = head.is_unmasked or atom.origin == self.buckets.at
        key = (place, 0 if is_common else atom.origin)
        if key not in self.multisets:
            counts = self.buckets.seen(place, self.signature) if is_common else _seen_from(head, atom.origin)
            self.multisets[key] = Multiset(head, [(tuple(map(self.number, head.interned[column])), count)
                                               for column, count in counts.items()])
        return self.multisets[key]


def _seen_from(head: SeenHead, origin: int) -> Mapping[int, int]:
    """Count how often each column is seen from elsewhere, where none depends on symbols."""
    counts: dict[int, int] = {}
    for j in head.visible(origin):
        column = head.columns[j, head.cells.choices[j - 1][0]]
        counts[column] = counts.get(column, 0) + 1
    return counts


class Multiset:
    """The visible columns of a head, as intervals, with multiplicities."""

    def __init__(self, head: SeenHead, seen: Iterable[tuple[tuple[Interval, ...], int]]) -> None:
        """Merge columns with equal numbers."""
        self.head = head
        counts, columns = Counter[str](), {}
        for column, count in seen:
            text = str([(x.lower, x.upper) for x in column])  # the hash of one of FLINT's rationals costs more
            counts[text] += count
            columns[text] = column
        self.columns, self.counts = list(columns.values()), list(counts.values())

    def answer(self, atom: HeadTerm, queries: tuple[Interval, ...], bits: int) -> Interval:
        """Return the head's term for the queries, in the direction of the atom."""
        needed = self.head.needed
        place = len(needed.live) + needed.directions.index(atom.direction)
        values = [column[place] for column in self.columns]
        scores = [sum((q * k for q, k in zip(queries, column, strict=False)), point(ZERO))
                  for column in self.columns]
        if needed.head.weighting.is_softmax:
            return enclose_mean(scores, values, bits, SPREAD_OF_MISSES, self.counts)
        if needed.head.weighting.is_hard:
            return self._average_of_best(scores, values)
        row = Scored(self._repeated(scores), self.head.cells.n, needed.head.mask)
        columns = {atom.direction: self._repeated(values)}
        return enclose_attended(needed.head.weighting, row, columns, bits, SPREAD_OF_MISSES)[atom.direction]

    def _repeated(self, numbers: Sequence[Interval]) -> list[Interval]:
        """Return the number of each column as often as it is seen."""
        return [number for number, count in zip(numbers, self.counts, strict=True) for _ in range(count)]

    def _average_of_best(self, scores: Sequence[Interval], values: Sequence[Interval]) -> Interval:
        best = max(score.lower for score in scores)
        may_win = [score for score in scores if score.upper >= best]
        if len(may_win) > 1 and not all(score.is_point for score in may_win):
            where = f"{self.head.needed.layer}.{self.head.needed.place}"
            raise InexactHardAttention(f"head {where} is hard, and its scores are known only approximately")
        winners = [(value, count) for score, value, count in zip(scores, values, self.counts, strict=True)
                   if score.upper >= best]
        total = sum((value.scaled(to_flint(Fraction(count))) for value, count in winners), point(ZERO))
        return total.scaled(to_flint(Fraction(1, sum(count for _, count in winners))))
