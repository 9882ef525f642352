"""Unbounded integers: linear forms of counts, here, at i, or at the position that an attention selects.

Source      [SHA] Definition 19 (counts); Appendix E (programs that sum).
Claim       ``pos`` is the count of all positions, and a prefix sum of integers with finitely many values v is the sum
            of v times the count of v. So integers are linear forms of counts; ``compared`` returns the formula that one
            is in a relation to 0.
Moved       Let #φ(i) count φ up to i. #φ(i - d) = #[prev^d φ](i). #φ(i + 1) = #[next φ](i) + #[φ at the first
            position](i), since next φ counts all but the first; i + d follows by induction, where a formula true only
            at the first position is unchanged. Counts from i on are the mirror images. #true(i + d) = #true(i) + d.
Outermost   Let k be the first position with S. #φ(k) is the number of positions of the word with φ and no S before
            them, none of them after i if k <= i; for the last k: φ, and S there or later. Mirrored for counts from i
            on.
Found       A form at the position that attention selects, compared with 0, is a truth at that position: attention
            retrieves it. The difference of that position and i is compared with a number by cutting the window there.
Refused     All other comparisons of counts at two positions, unless these have a known distance and the counts of one
            are moved to the other: LTL with counts has no operator for it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from constructions.errors import NoFormula
from constructions.language.remainders import MIRRORED
from constructions.language.semantics import RELATIONS
from constructions.language.simplified import conjunction, following, negation, previous, since, until
from constructions.language.syntax import FALSE, TRUE, Comparison, Count, Formula, Relation, Term
from constructions.language.terms import MAX_DIGITS
from constructions.rasp.attention_in_ltl import Window, attention, cut, shifted
from constructions.rasp.syntax import Choice

T = TypeVar("T")
MAX_SUMMANDS = 1_000
MAX_DISTANCE = 100
"""Greatest distance of two positions in a comparison: the number of prev or next operators."""
UNRELATED = "counts at two positions are compared, for which LTL with counts has no formula"


@dataclass(frozen=True)
class Piece:
    """Attention with this score in this window, which selects a position."""

    choice: Choice
    window: Window
    score: Formula


@dataclass(frozen=True)
class AttendedCount:
    """The count at the position that attention selects."""

    by: Piece
    count: Atom


@dataclass(frozen=True)
class There:
    """The count at i, in an expression read at j."""

    count: Atom


Atom = Count | AttendedCount | There


@dataclass(frozen=True)
class Linear:
    """A sum of multiples of counts, each once and none 0, and a constant; the order does not affect equality."""

    coefficients: frozenset[tuple[Atom, int]]
    constant: int
    summands: tuple[tuple[Atom, int], ...] = field(compare=False)

    @property
    def atoms(self) -> list[Atom]:
        """The counts, in the order of mention."""
        return [atom for atom, _ in self.summands]


Number = int | Linear
POSITION = Count("left", TRUE)


class Apart(Exception):
    """The result depends on whether j - i is at most the ``distance``."""

    def __init__(self, distance: int) -> None:
        self.distance = distance


def combined(first: Number, second: Number, factor: int) -> Number:
    """Return the first number plus a multiple of the second."""
    if isinstance(first, int) and isinstance(second, int):
        return first + factor * second
    constants = [form if isinstance(form, int) else form.constant for form in (first, second)]
    coefficients = {} if isinstance(first, int) else dict(first.summands)
    for atom, number in () if isinstance(second, int) else second.summands:
        coefficients[atom] = coefficients.get(atom, 0) + factor * number
    summands = tuple((atom, number) for atom, number in coefficients.items() if number)
    constant = constants[0] + factor * constants[1]
    return Linear(frozenset(summands), constant, summands) if summands else constant


def mapped(form: Number, image: Callable[[Atom], Number]) -> Number:
    """Substitute a number for each count of the form."""
    if isinstance(form, int):
        return form
    total: Number = form.constant
    for atom, number in form.summands:
        total = combined(total, image(atom), number)
    return total


def single(atom: Atom) -> Number:
    """Return the count as a form; 0 for the count of a formula that is never true."""
    if isinstance(atom, Count) and atom.operand is FALSE:
        return 0
    return Linear(frozenset({(atom, 1)}), 0, ((atom, 1),))


def counted(window: Window, formula: Formula) -> Number:
    """Return the number of positions of the window (which ends at or before i) that satisfy the formula."""
    first, last = window
    total = single(Count("left", shifted(formula, last or 0)))
    return total if first is None else combined(total, counted((None, first - 1), formula), -1)


# -- at other positions ------------------------------------------------------------------------------------------------


def moved(count: Count, distance: int) -> Number:
    """Return the count ``distance`` positions to the right, which must exist, as a form here."""
    ahead = distance if count.side == "left" else -distance
    if count.operand is TRUE:
        return combined(single(count), ahead, 1)
    total = single(Count(count.side, shifted(count.operand, distance)))
    for k in range(ahead):
        seen = shifted(count.operand, k if distance > 0 else -k)
        total = combined(total, _at_first(Count(count.side, seen)), 1)
    return total


def _at_first(count: Count) -> Number:
    """Return the count at the position where it begins, as a form of any other."""
    if count.operand is TRUE:
        return 1
    edge = negation(previous(TRUE) if count.side == "left" else following(TRUE))
    return single(Count(count.side, conjunction(edge, count.operand)))


def fetched(by: Piece, form: Number) -> Number:
    """Return the form at i that equals this form at the position that attention selects."""
    first, last = by.window
    nearest = last if by.choice == "rightmost" else first

    def image(atom: Atom) -> Number:
        match atom:
            case There(count):
                return single(count)
            case Count() if nearest is not None and (first == last or by.score is TRUE):
                return moved(atom, nearest)
            case Count() if nearest is None:
                return _outermost(by, atom)
        return single(AttendedCount(by, atom))

    return mapped(form, image)


def _outermost(by: Piece, count: Count) -> Number:
    """Return the count at the first or last position with the score, which exists, as a form at any position."""
    first = by.choice == "leftmost"
    towards = first == (count.side == "left")
    if towards and by.score is TRUE:
        return _at_first(count)
    reached = since(TRUE, by.score) if first else until(TRUE, by.score)
    formula = negation(previous(reached) if first else following(reached)) if towards else reached
    formula = conjunction(formula, count.operand)
    if towards and by.window != (None, None):
        return single(Count(count.side, formula))
    return combined(single(Count("left", formula)), single(Count("right", following(formula))), 1)


# -- comparisons -------------------------------------------------------------------------------------------------------


def compared(relation: Relation, form: Number, place: int, window: Window = (0, 0)) -> Formula:
    """Return the formula that the form is in the relation to 0 at j; i is such that j is in its window.

    Raises:
        NoFormula: if it combines counts at two positions other than by their distance. Apart: if the result depends on
            an unknown distance of i and j.
    """
    first, last = window
    if first is not None and first == last:
        form = mapped(form, lambda atom: _brought(atom, first))
    if isinstance(form, int):
        return TRUE if RELATIONS[relation](form, 0) else FALSE
    decided = _decided(relation, form)
    if decided is not None:
        return decided
    if len(form.summands) > MAX_SUMMANDS or max(abs(number) for _, number in form.summands) >= 10**MAX_DIGITS:
        raise NoFormula(f"more than {MAX_SUMMANDS} counts in a comparison, or {MAX_DIGITS} digits", place)
    numbers = dict(form.summands)
    if numbers.keys() == {POSITION, There(POSITION)} and sum(numbers.values()) == 0:
        return TRUE if _stands_apart(relation, numbers[POSITION], form.constant, window, place) else FALSE
    if any(isinstance(atom, There) for atom in numbers):
        raise NoFormula(UNRELATED, place)
    finders = {atom.by for atom in numbers if isinstance(atom, AttendedCount)}
    return _found(relation, form, finders, place) if finders else _comparison(relation, form)


def across(window: Window, read: Callable[[Window], T]) -> list[tuple[Window, T]]:
    """Return the readings of the parts of the window, cut where distances matter, from left to right."""
    pending, found = [window], []
    while pending:
        part = pending.pop()
        try:
            found.append((part, read(part)))
        except Apart as apart:
            pending += reversed(cut(part, apart.distance))
    return found


def first_of(choice: Choice, parts: Sequence[T]) -> Iterable[T]:
    """Return the parts of a window in the reverse of the order in which attention searches them."""
    return parts if choice == "rightmost" else reversed(parts)


def _brought(atom: Atom, distance: int) -> Number:
    """Return a count at i as a form at j = i + distance; other atoms unchanged."""
    match atom:
        case There(count) if distance == 0:
            return single(count)
        case There(Count() as count):
            return moved(count, -distance)
    return single(atom)


def _found(relation: Relation, form: Linear, finders: Collection[Piece], place: int) -> Formula:
    """Return the comparison at the position that attention selects, which exists."""
    if len(finders) > 1:
        raise NoFormula(UNRELATED, place)
    (by,) = finders
    there = mapped(form, lambda atom: single(atom.count if isinstance(atom, AttendedCount) else There(atom)))
    formula: Formula = FALSE
    for window, holds in first_of(by.choice, across(by.window, lambda part: compared(relation, there, place, part))):
        formula = attention(by.choice, window, by.score, holds, formula)
    return formula


def _stands_apart(relation: Relation, factor: int, constant: int, window: Window, place: int) -> bool:
    """Return whether factor (j - i) + constant is in the relation to 0, for all j of the window."""
    if factor < 0:
        factor, constant, relation = -factor, -constant, MIRRORED[relation]
    at_most, below = -constant // factor, (-constant - 1) // factor  # the greatest distances with <= 0, with < 0
    match relation:
        case "<=" | ">":
            return _up_to(at_most, window, place) == (relation == "<=")
        case "<" | ">=":
            return _up_to(below, window, place) == (relation == "<")
    equal = at_most != below and not _up_to(below, window, place) and _up_to(at_most, window, place)
    return equal == (relation == "==")


def _up_to(distance: int, window: Window, place: int) -> bool:
    """Return whether j - i <= distance for all j of the window; false if for none."""
    first, last = window
    if last is not None and last <= distance:
        return True
    if first is not None and first > distance:
        return False
    if abs(distance) > MAX_DISTANCE:
        raise NoFormula(f"a comparison of positions {abs(distance)} apart, expected at most {MAX_DISTANCE}", place)
    raise Apart(distance)


def _decided(relation: Relation, form: Linear) -> Formula | None:
    """Return the truth of a comparison decided by signs, as counts are at least 0, and those of all positions 1."""
    for sign, towards in ((1, relation), (-1, MIRRORED[relation])):
        if all(number * sign > 0 for _, number in form.summands):
            least = sign * (form.constant + sum(number * _least(atom) for atom, number in form.summands))
            if least > 0 or (least == 0 and towards in ("<", ">=")):
                return TRUE if RELATIONS[towards](least, 0) else FALSE
    return None


def _least(atom: Atom) -> int:
    while not isinstance(atom, Count):
        atom = atom.count
    return 1 if atom.operand is TRUE else 0


def _comparison(relation: Relation, form: Linear) -> Formula:
    """Return the comparison of counts: subtracted summands move to the other side."""
    numbers = [(number, atom) for atom, number in form.summands if isinstance(atom, Count)]
    left = tuple((number, atom) for number, atom in numbers if number > 0)
    right = tuple((-number, atom) for number, atom in numbers if number < 0)
    return Comparison(relation, Term(left, max(form.constant, 0)), Term(right, max(-form.constant, 0)))
