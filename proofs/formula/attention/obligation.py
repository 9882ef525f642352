"""The obligation of one attention head, derived from its weights and the meanings that it reads and writes.

The head's Boolean inputs are free: every word gives some assignment, so a bound for all assignments is one for words.
The obligation consists of groups of rows (n, i), each with the positions that it reads and the letters there.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from constructions.language.printer import format_briefly
from constructions.language.syntax import is_positional
from constructions.network.lengths import Lengths
from constructions.network.meanings import ALLOWED_ERROR, Near
from constructions.network.transformer import Head, Mask, Transformer
from constructions.network.weightings import Weighting
from proofs.formula.common.kinds import Approximation, ObligationKind
from proofs.formula.common.letters import LetterTable
from proofs.formula.common.reading import HeadReading, RowGroup, truths_read
from proofs.formula.common.sweeps import Sweep
from proofs.formula.common.targets import Assignment, Target, build_target
from proofs.formula.common.word_independent import KnownValues
from proofs.formula.failures import NotDerived
from proofs.formula.uniform.obligation import check_reads_known

ATTENDING = tuple(weighting for weighting in Weighting if weighting.has_kernel or weighting.breaks_a_stick)
"""Weightings of heads that attend to truths: those that bound the weight of wrong values relative to the right one."""


@dataclass(frozen=True)
class AttentionObligation(Approximation):
    """Every weighted mean of the head's values is within ``allowed_error`` of the truth of the target, at all rows.

    ``reading`` has the rows and the positions that they read.
    """

    kind: ClassVar[ObligationKind] = ObligationKind.ATTENTION
    meaning: Near
    allowed_error: Fraction
    reading: HeadReading

    def key(self) -> tuple[object, ...]:
        """Return a key that is equal for obligations equal up to the names of directions and formulas."""
        return self.allowed_error, self.head.weighting, *self.reading.problem()

    @property
    def target(self) -> Target:
        """The automaton that decides the formula."""
        return self.reading.letters.target

    @property
    def letters(self) -> tuple[Assignment, ...]:
        """The assignments to the target's atoms that may occur at a position."""
        return self.reading.letters.assignments

    @cached_property
    def groups(self) -> list[RowGroup]:
        """All rows; rows that are the same problem for every n occur once."""
        return self.reading.groups()

    def sweeps(self) -> Iterator[Sweep]:
        """Return the sweeps of the rows of all lengths, the shortest words first."""
        return map(self.reading.sweep, self.reading.all_groups())

    @cached_property
    def rows(self) -> int:
        """The number of (n, i) that are checked."""
        return self.reading.count_rows()


def oblige_attention(transformer: Transformer, known: KnownValues, lengths: Lengths, layer: int, place: int, head: Head,
                     direction: str, allowed_error: Fraction = ALLOWED_ERROR,
                     apart: bool = False) -> AttentionObligation:
    """Return the obligation of one written direction that means ``near χ when G``, to within the allowed error.

    ``build_target`` explains ``apart``.

    Raises:
        NotDerived: if the rules of docs/background/obligations.md, do not cover the head.
    """
    meaning = transformer.directions[direction]
    if not isinstance(meaning, Near):
        raise NotDerived(f"a head cannot make {meaning}: soft attention over truths is only approximate")
    value = head.values[direction]
    _check_queries(known, head, meaning)
    read = truths_read(transformer, known, (name for row in (*head.keys, value) for name in row), "a key or value")
    target = build_target(meaning.formula, read.values(), apart)
    if (head.mask is not Mask.FUTURE) if target.past else (head.mask is not Mask.PAST):
        raise NotDerived(f"mask {head.mask.value}: {format_briefly(meaning.formula)} needs mask "
                         + ("future" if target.past else "past"))
    letters = LetterTable(target, transformer.alphabet, read, head.keys, value)
    reading = HeadReading(known, lengths, head, value, meaning.when, letters)
    reading.check_range()
    return AttentionObligation(layer, place, head, direction, lengths, meaning, allowed_error, reading)


def _check_queries(known: KnownValues, head: Head, meaning: Near) -> None:
    """Check that the weighting has a rule, and that neither queries nor the guard depend on the word."""
    if head.weighting not in ATTENDING:
        raise NotDerived(f"weighting {head.weighting.value} of a head that attends to truths, expected one of "
                         + ", ".join(ATTENDING))
    for row in head.queries:
        check_reads_known(row, known, "a query")
    if not is_positional(meaning.when):
        raise NotDerived(f"{format_briefly(meaning.when)} depends on the word, and the head does not look up a count")
