"""Cells of counts in the trusted folder, by brute force: narrowed, cut or bounded cells still contain every vector."""

import itertools
import random
from collections.abc import Iterator, Sequence
from fractions import Fraction

import pytest

from proofs.check.checker.chapters.trained.lengths.counts import (
    CountCell,
    Region,
    halves,
    leaves,
    narrowed,
    next_class,
    round_down,
    round_up,
    sum_within,
)
from proofs.check.checker.chapters.trained.lengths.truths import connect, may_compare
from proofs.check.checker.chapters.trained.reading.lengths import LENGTH, PLACES, CountKind
from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.kernel.language.truths import COMPARE, CONNECT
from proofs.check.checker.kernel.verdicts import Malformed

LONGEST = 14
Counts = tuple[int, ...]


def class_of(kind: CountKind, count: int) -> int:
    number = 0
    for _ in range(count):
        number = next_class(kind, number)
    return number


def vectors(letters: int, longest: int = LONGEST) -> Iterator[Counts]:
    for counts in itertools.product(range(longest + 1), repeat=letters):
        if 1 <= sum(counts) <= longest:
            yield counts


def is_in(cell: CountCell, counts: Counts) -> bool:
    n = sum(counts)
    return cell.least <= n and (cell.greatest is None or n <= cell.greatest) and all(
        low * n <= count <= high * n for low, count, high in zip(cell.low, counts, cell.high, strict=True))


def is_of(region: Region, kinds: Sequence[CountKind], counts: Counts) -> bool:
    return (region.last is None or counts[region.last] > 0) and all(
        class_of(kind, count) == number for kind, count, number in zip(kinds, counts, region.classes, strict=True))


def drawn(draw: random.Random) -> tuple[list[CountKind], Region, CountCell, list[tuple[int, ...]]]:
    letters = draw.choice((1, 2, 2, 3))
    kinds = [CountKind(draw.randrange(3), draw.randrange(1, 4)) for _ in range(letters)]
    region = Region(draw.choice((None, *range(letters))), tuple(draw.randrange(kind.classes) for kind in kinds),
                    frozenset({0}))
    ends = [sorted(Fraction(draw.randrange(13), 12) for _ in range(2)) for _ in range(letters)]
    least = draw.randrange(1, 8)
    cell = CountCell(least, draw.choice((None, least, least + draw.randrange(9))),
                tuple(low for low, _ in ends), tuple(high for _, high in ends))
    sums = [tuple(draw.randrange(-3, 4) for _ in range(letters)) for _ in range(draw.randrange(3))]
    return kinds, region, cell, sums


def test_a_narrowed_cell_holds_every_vector_of_its_region_and_bounds_its_sums() -> None:
    draw, kept, empty = random.Random(5), 0, 0
    for _ in range(600):
        kinds, region, cell, sums = drawn(draw)
        found = narrowed(Budget(), kinds, region, cell, sums)
        inside = [counts for counts in vectors(len(kinds)) if is_in(cell, counts) and is_of(region, kinds, counts)]
        empty += found is None
        if found is None:
            assert not inside
            continue
        for counts in inside:
            kept += 1
            assert is_in(found.cell, counts)
            assert all(low <= count and (high is None or count <= high)
                       for count, (low, high) in zip(counts, found.counts, strict=True))
            for one in [*sums, tuple(draw.randrange(-3, 4) for _ in kinds)]:
                low, high = sum_within(found.cell, found.counts, one)
                total = sum(c * count for c, count in zip(one, counts, strict=True))
                assert (low is None or low <= total) and (high is None or total <= high)
    assert kept > 300
    assert empty > 100


def test_a_cell_between_two_halves_of_a_majority_is_empty() -> None:
    """n_1 - n_0 is above 0 there, and below 1 up to the length 1503; at 1505 it may be 1."""
    plain = [CountKind(0, 1)] * 2
    low, high = Fraction(1, 2) + Fraction(1, 3012), Fraction(1, 2) + Fraction(1, 3008)

    def empty(greatest: int) -> bool:
        cell = CountCell(1, greatest, (1 - high, low), (1 - low, high))
        return narrowed(Budget(), plain, Region(1, (0, 0), frozenset({0})), cell, [(-1, 1)]) is None

    assert empty(1503)
    assert not empty(1505)


def test_the_halves_of_a_cell_hold_what_it_holds() -> None:
    draw = random.Random(6)
    for _ in range(300):
        _, _, cell, _ = drawn(draw)
        letter = draw.randrange(-1, len(cell.low))
        at = draw.randrange(12) if letter == LENGTH else draw.randrange(13) * (1 << PLACES) // 12
        for counts in vectors(len(cell.low), 10):
            assert is_in(cell, counts) == any(is_in(half, counts) for half in halves(cell, (letter, at)))


@pytest.mark.parametrize(("tree", "message"), [
    ((), "too early"), (((0, 5), None), "too early"), ((None, None), "goes on"),
    (((-1, 5), None, None, None), "goes on")])
def test_a_tree_that_ends_too_early_or_goes_on_is_malformed(tree: tuple[tuple[int, int] | None, ...],
                                                            message: str) -> None:
    with pytest.raises(Malformed, match=message):
        list(leaves(CountCell(1, None, (Fraction(0),), (Fraction(1),)), tree))


@pytest.mark.parametrize("kind", [CountKind(0, 1), CountKind(3, 1), CountKind(0, 3), CountKind(2, 3)])
def test_counts_are_rounded_to_those_of_their_class(kind: CountKind) -> None:
    for number, count in itertools.product(range(kind.classes), range(12)):
        members = [one for one in range(40) if class_of(kind, one) == number]
        assert round_up(kind, number, count) == next((one for one in members if one >= count), None)
        assert round_down(kind, number, count) == next((one for one in reversed(members) if one <= count), None)


@pytest.mark.parametrize("relation", ["<", "<=", ">", ">=", "==", "!="])
def test_a_comparison_may_hold_if_it_does_for_a_number_within_the_bounds(relation: str) -> None:
    for low, high, constant in itertools.product(range(-3, 4), range(-3, 4), (-1, 0, 2)):
        truths = {bool(COMPARE[relation](x + constant, 0)) for x in range(low, high + 1)}
        if truths:
            assert may_compare(relation, constant, (low, high)) == (True in truths, False in truths)
        far = {bool(COMPARE[relation](x + constant, 0)) for x in range(low, 30)}
        assert may_compare(relation, constant, (low, None)) == (True in far, False in far)
        far = {bool(COMPARE[relation](x + constant, 0)) for x in range(-30, high + 1)}
        assert may_compare(relation, constant, (None, high)) == (True in far, False in far)
    assert may_compare(relation, 0, (None, None)) == (True, True)


@pytest.mark.parametrize(("operator", "arity"), [("!", 1), ("&", 2), ("|", 2), ("->", 2), ("<->", 2)])
def test_a_connective_may_be_what_it_is_for_some_truths_of_its_parts(operator: str, arity: int) -> None:
    maybes = ((True, False), (False, True), (True, True))
    for parts in itertools.product(maybes, repeat=arity):
        worlds = itertools.product(*([truth for truth, may in zip((True, False), part, strict=True) if may]
                                     for part in parts))
        found = {bool(CONNECT[operator](*world)) for world in worlds}
        assert connect(operator, parts) == (True in found, False in found)
