"""Obligations of heads of additive weightings, whose weights do not depend on other positions.

Source      docs/background/obligations.md, section 5: equal scores, selecting heads, sum lookup.
Setting     One or several heads of one layer write the direction. Scores are a d + b with an integer d: the count here
            minus the count there, or the distance from the target position. Then the heads write a sum over positions
            of the value times a *response function* W(d), the sum of their weights at d. ReLU over n is ReLU at scores
            over n, so there are two kinds: ReLU and σ.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from constructions.language.printer import format_briefly, format_count
from constructions.language.syntax import TRUE, Count, Formula
from constructions.network.lengths import Lengths
from constructions.network.meanings import Near, Total, Truth
from constructions.network.transformer import Coefficients, Head, Mask, Transformer
from proofs.formula.additive.responses import ResponseFunction, find_lines, find_response_functions
from proofs.formula.common.kinds import Approximation, HeadObligation, ObligationKind
from proofs.formula.common.letters import LetterTable
from proofs.formula.common.reading import truths_read
from proofs.formula.common.targets import Assignment, Target, build_target
from proofs.formula.common.word_independent import KnownValues
from proofs.formula.common.written_direction import WrittenDirection
from proofs.formula.failures import NotDerived
from proofs.formula.uniform.obligation import check_mask_of


@dataclass(frozen=True)
class CountingObligation(HeadObligation):
    """At every (n, i) all visible positions have one score, whose weight times ``factor`` is 1."""

    kind: ClassVar[ObligationKind] = ObligationKind.COUNTING
    factor: Fraction
    known: KnownValues

    def key(self) -> None:
        """Return None: to check an obligation takes no longer than to compare it with others."""


@dataclass(frozen=True)
class SelectedLetter:
    """A letter: whether it is counted, its value, and its effect, 2 * next memory + target by memory."""

    counted: bool
    value: Fraction
    effect: tuple[int, ...]


@dataclass(frozen=True)
class PositionLetters:
    """The letters of positions at which the same predicates hold; (n, j) is one of these, ``base`` its known value."""

    n: int
    j: int
    base: Fraction
    letters: tuple[SelectedLetter, ...]


@dataclass(frozen=True)
class SelectingObligation(Approximation):
    """Every letter obeys the law of the ``peak`` (0: the last counted; 1: the neighbour); functions are near 1 there.

    They are near 0 elsewhere. The ``allowed_error`` is 0 for a direction that means a truth.
    """

    kind: ClassVar[ObligationKind] = ObligationKind.SELECTING
    meaning: Truth | Near
    allowed_error: Fraction
    count: Count
    peak: int
    target: Target
    read: tuple[tuple[str, Formula], ...]
    value: Coefficients
    letters: tuple[Assignment, ...]
    contexts: tuple[PositionLetters, ...]
    functions: tuple[ResponseFunction, ...]

    def key(self) -> tuple[Hashable, ...]:
        """Return a key that is equal for obligations equal up to the names of directions and formulas."""
        letters = frozenset(context.letters for context in self.contexts)
        return self.allowed_error, self.peak, len(self.target.remembering), letters, self.functions, self.lengths


def heads_writing(written: WrittenDirection) -> list[Head]:
    """Return the heads of the layer that write the direction, in their order."""
    return [head for head in written.transformer.layers[written.layer - 1].heads if written.direction in head.values]


def counts_read(transformer: Transformer, rows: Sequence[Coefficients]) -> list[Count]:
    """Return the counts whose totals the linear forms read, each once."""
    meanings = [transformer.directions[name] for row in rows for name in row]
    return list(dict.fromkeys(meaning.count for meaning in meanings if isinstance(meaning, Total)))


def is_selecting(written: WrittenDirection) -> bool:
    """Return whether additive heads select by a count: their keys read it."""
    heads = heads_writing(written)
    return bool(counts_read(written.transformer, [row for head in heads for row in head.keys]))


def oblige_counting(written: WrittenDirection) -> CountingObligation:
    """Return the obligation of one direction that means a total.

    Raises:
        NotDerived: if several heads write it, or the mask or the value is not as the count requires.
    """
    transformer, direction, heads, meaning = (written.transformer, written.direction, heads_writing(written),
                                              written.meaning)
    assert isinstance(meaning, Total)
    if len(heads) > 1:
        raise NotDerived(f"{len(heads)} heads write {direction}, and one head counts")
    (head,), count = heads, meaning.count
    check_mask_of(count, head.mask)
    read = [(transformer.directions[name], weight) for name, weight in head.values[direction].items()]
    if [counted for counted, _ in read] != [Truth(count.operand)]:
        raise NotDerived(f"the value is not a multiple of the truth of {format_briefly(count.operand)}, and nothing "
                         "else")
    return CountingObligation(written.layer, written.place, head, direction, written.lengths, read[0][1],
                              written.known)


def oblige_selecting(written: WrittenDirection) -> SelectingObligation:
    """Return the obligation of one direction that means a truth, or is near it, and is written by heads that select.

    Raises:
        NotDerived: if the rule does not cover them.
    """
    transformer, direction, heads, meaning = (written.transformer, written.direction, heads_writing(written),
                                              written.meaning)
    if not isinstance(meaning, Truth | Near):
        raise NotDerived(f"heads that select cannot make {meaning}")
    mask = common_mask(heads)
    count = the_count(transformer, [row for head in heads for row in (*head.queries, *head.keys)])
    check_mask_of(count, mask)
    factors, value = common_value(heads, direction)
    known, lengths = written.known, written.lengths
    lines = [find_lines(transformer, known, head, count, lengths) for head in heads]
    peak = 1 if count.operand is TRUE else 0
    read = truths_read(transformer, known, value, "a value")
    target = build_target(meaning.formula, [*read.values(), count.operand], written.apart)
    if target.past is not (count.side == "left"):
        raise NotDerived(f"{format_briefly(meaning.formula)} does not look where {format_count(count)} does")
    table = LetterTable(target, transformer.alphabet, read, (), value)
    return SelectingObligation(
        written.layer, written.place, heads[0], direction, lengths, meaning,
        written.allowed_error if isinstance(meaning, Near) else Fraction(0), count,
        peak, target, tuple(read.items()), value, table.assignments,
        _contexts(known, lengths, table, value, count.operand),
        find_response_functions(heads[0].weighting, factors, lines, peak, two_sided=False))


def common_mask(heads: Sequence[Head]) -> Mask:
    """Return the common mask of heads.

    Raises:
        NotDerived: if their masks or weightings differ, or the weighting is not additive.
    """
    if len({(head.mask, head.weighting) for head in heads}) > 1:
        raise NotDerived("heads that write one direction differ in mask or weighting")
    if not heads[0].weighting.is_additive:
        raise NotDerived(f"{len(heads)} heads of weighting {heads[0].weighting} write one direction")
    return heads[0].mask


def the_count(transformer: Transformer, rows: Sequence[Coefficients]) -> Count:
    """Return the one count whose totals are read.

    Raises:
        NotDerived: if there are several, or none.
    """
    counts = counts_read(transformer, rows)
    if len(counts) != 1:
        named = ", ".join(map(format_count, counts)) or "none"
        raise NotDerived(f"heads that select read one count, and these read {len(counts)}: {named}")
    return counts[0]


def common_value(heads: Sequence[Head], direction: str) -> tuple[list[Fraction], Coefficients]:
    """Return the factors of all value rows, and the row, with first coefficient 1, of which they are multiples.

    Raises:
        NotDerived: if they are not proportional.
    """
    rows = [head.values[direction] for head in heads]
    if not rows[0]:
        raise NotDerived("a head adds nothing to a direction")
    first, scale = next(iter(rows[0].items()))
    value = {name: weight / scale for name, weight in rows[0].items()}
    factors = [row.get(first, Fraction(0)) for row in rows]
    if any(row != {name: factor * weight for name, weight in value.items()}
           for row, factor in zip(rows, factors, strict=True)):
        raise NotDerived("the values of heads that write one direction are not multiples of one another")
    return factors, value


def _contexts(known: KnownValues, lengths: Lengths, table: LetterTable, value: Coefficients,
                counted: Formula) -> tuple[PositionLetters, ...]:
    """Return the letters of all positions of all lengths, each once."""
    found: dict[Hashable, PositionLetters] = {}
    varies = bool(table.target.predicates) or any(name in known for name in value)
    for n in lengths if varies else [lengths.first]:
        column = known.forms(value, n) if varies else (Fraction(0),) * n
        for j, base in enumerate(column if varies else column[:1], start=1):
            key = (table.context(j, n), base)
            if key not in found:
                found[key] = PositionLetters(n, j, base, _letters(table, counted, base, j, n))
    return tuple(found.values())


def _letters(table: LetterTable, counted: Formula, base: Fraction, j: int, n: int) -> tuple[SelectedLetter, ...]:
    return tuple(SelectedLetter(table.target.read_truth(counted, assignment, j, n), base + letter.value, letter.effect)
                 for assignment, letter in zip(table.assignments, table.letters_at(j, n), strict=True))

