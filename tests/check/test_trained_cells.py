"""Cells of the box of ranges: they prove what the whole box does not, and never what is false."""

import base64
from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest

from proofs.check.checker.chapters.trained.reading.cover import ClassesUnit, Cut, Leaf, Tree, read_unit
from proofs.check.checker.chapters.trained.reading.network import Network
from proofs.check.checker.chapters.trained.words import classes
from proofs.check.checker.chapters.trained.words.classes import Classes, ClassesProof
from proofs.check.checker.chapters.trained.zonotopes.affine import AffineForm
from proofs.check.checker.chapters.trained.zonotopes.cells import Cell, DirectionBounds, cells_of
from proofs.check.checker.chapters.trained.zonotopes.packed_integers import pack
from proofs.check.checker.chapters.trained.zonotopes.rows import LastAttention, prove_rows, share_out
from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.kernel.verdicts import Malformed, Rejected
from tests.check.trained_cells import (
    PLAIN,
    WIDTHS,
    Certified,
    bent_network,
    boxes_of,
    certified,
    cut_at,
    halved_cells,
    is_proved,
    least_value,
    random_cells,
    shared,
    small_network,
    values_in,
    with_margin,
)
from tests.check.trained_classes import BITS

WIDEN = {"one": 1e-5, "two": 1e-5, "deep": 0.15}
HALF = 1 << BITS - 1


def bent_cells(made: Certified, below: Leaf, above: Leaf) -> list[Tree | None]:
    """Each node's box cut at z1 = 1/2."""
    return [cut_at(box, 0, HALF, [2], lambda part: below if part[0][1] == HALF else above)
            for box in boxes_of(made).values()]


def test_a_share_between_cell_and_class_proves_what_neither_proves_alone() -> None:
    made = certified(bent_network(), Fraction(9, 20))
    assert least_value(made) == pytest.approx(0.6)
    assert not is_proved(made, None)
    assert not is_proved(made, bent_cells(made, PLAIN, PLAIN))
    assert not is_proved(made, bent_cells(made, shared([0, 1]), shared([2, 1])))
    assert is_proved(made, bent_cells(made, shared([-1, 0]), shared([1, 0])))
    assert not is_proved(made, bent_cells(made, shared([-1, 0]), PLAIN))
    assert not is_proved(made, bent_cells(made, PLAIN, shared([1, 0])))


def test_the_margin_of_a_share_is_exact_but_for_roundings() -> None:
    made = certified(bent_network())
    cells = bent_cells(made, shared([-1, 0]), shared([1, 0]))
    assert is_proved(made, cells, Fraction(1, 2) - Fraction(1, 10**9))
    assert not is_proved(made, cells, Fraction(1, 2) + Fraction(1, 10**9))


def test_cells_of_some_nodes_only_leave_the_others_as_they_are() -> None:
    made = certified(bent_network(), Fraction(9, 20))
    first, second = bent_cells(made, shared([-1, 0]), shared([1, 0]))
    assert is_proved(made, [first, None])
    assert not is_proved(made, [None, second])
    assert not is_proved(made, [None, None])


# what is this much below the least value is proved with eight cells, and not without; and which part is shared
GAPS: dict[tuple[str, int], tuple[float, tuple[float | None, ...]]] = {
    ("one", 2): (0.2, (None, 0.5)), ("one", 3): (0.02, (None, 0.5)), ("two", 0): (0.08, (None, 0.5)),
    ("two", 3): (1.0, (None, 0.5)), ("deep", 1): (0.057, (None,)), ("deep", 2): (0.115, (None,))}


@pytest.mark.parametrize(("kind", "seed"), GAPS)
def test_halves_of_the_box_prove_rows_that_the_whole_box_does_not(kind: str, seed: int) -> None:
    made = certified(small_network(kind, seed), widen=WIDEN[kind])
    gap, parts = GAPS[kind, seed]
    margin = Fraction(round((least_value(made) - gap) * 1000), 1000)
    assert not is_proved(made, None, margin)
    for part in parts:
        assert is_proved(made, halved_cells(made, WIDTHS[kind], 3, part), margin)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("kind", WIDTHS)
@pytest.mark.parametrize("seed", range(3))
def test_what_is_false_is_proved_by_no_tree(kind: str, seed: int) -> None:
    made, random = certified(small_network(kind, seed), widen=WIDEN[kind]), Random(seed)
    margin = Fraction(least_value(made)) + Fraction(1, 10**6)
    for _ in range(12):
        assert not is_proved(made, random_cells(random, made, WIDTHS[kind], random.randint(0, 4)), margin)


class Witness(ClassesProof):
    """Asks of each cell what its own words refute, by 10^-6, and what they leave true, by 10."""

    made: Certified
    refuted = 0

    def prove_rows(self, node: tuple[int, int], stream: AffineForm, last: LastAttention | None) -> None:
        """Nothing is claimed."""
        assert last is not None
        values = values_in(self.made, node, last.cell.box)
        if values:
            rows, least = self.shared.rows_of(self.asked[node]), Fraction(min(values))
            with pytest.raises(Rejected):
                prove_rows(self.budget, rows, least + Fraction(1, 10**6), stream, last)
            prove_rows(self.budget, rows, max(least - 10, Fraction(0)), stream, last)
            Witness.refuted += 1


@pytest.mark.one_in(6)
@pytest.mark.parametrize("kind", WIDTHS)
def test_no_cell_proves_what_a_word_in_it_refutes(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classes, "ClassesProof", Witness)
    Witness.refuted = 0
    for seed in range(4):
        made, random = certified(small_network(kind, seed), widen=WIDEN[kind]), Random(seed)
        Witness.made = made
        for _ in range(4):
            is_proved(made, random_cells(random, made, WIDTHS[kind], 3))
    assert Witness.refuted > 30


@pytest.mark.parametrize("seed", range(20))
def test_what_is_left_to_the_class_is_a_lower_bound_of_the_row_with_all_roundings(seed: int) -> None:
    random = Random(seed)
    for _ in range(50):
        ends = [sorted(random.randrange(-9, 10) << random.choice([0, 0, 30]) for _ in range(2)) for _ in range(3)]
        box = (DirectionBounds(*zip(*ends[:2], strict=True)), DirectionBounds(*zip(*ends[2:], strict=True)))
        slots = [random.randrange(-1000, 1000) << random.choice([0, 0, 20]) for _ in range(7)]
        share = [random.randrange(-1 << 24, 1 << 24) for _ in ends]
        radius, floor, first = random.randrange(99), random.randrange(-99, 99), random.randrange(1, 5)
        last = LastAttention((), first, Cell(box, [random.choice([None, share])]))
        rest = share_out(Budget(), AffineForm([pack(slots)], 7, [radius], [0]), 0, floor, last)
        numbers = [number for one in rest.numbers for number in one]
        others = sum(map(abs, slots[1:first] + slots[first + 3:]))
        for corner in product(*ends):
            row = Fraction(slots[0] - radius - others)
            for g, y, (low, high) in zip(slots[first:], corner, ends, strict=False):
                middle = (low + high) // 2
                row += Fraction(g * (y - middle), high - middle) if low < high else -abs(g)
            left = sum(number * y for number, y in zip(numbers, corner, strict=True))
            assert row - floor >= rest.room - Fraction(left, 1 << 30)


def test_a_cell_without_words_is_proved_like_any_other() -> None:
    made = certified(bent_network(), Fraction(9, 20))
    first = bent_cells(made, shared([-1, 0]), shared([1, 0]))[0]
    assert first is not None
    box = boxes_of(made)[4, 0]
    for share, expected in ((shared([-1, 0]), True), (PLAIN, False)):
        tree = replace(cut_at(box, 0, box[0][0], [2], lambda part: share), above=first)  # noqa: B023
        assert is_proved(made, [tree, None]) == expected


def test_a_cut_outside_its_range_is_malformed() -> None:
    made = certified(bent_network())
    for node, beyond in ((0, -1), (1, 1)):
        box = list(boxes_of(made).values())[node]
        at = box[0][0] - 1 if beyond < 0 else box[0][1] + 1
        cells: list[Tree | None] = [None, None]
        cells[node] = Cut(0, 0, at, PLAIN, PLAIN)
        with pytest.raises(Malformed, match="at: a cut outside its range"):
            is_proved(made, cells)
    box = boxes_of(made)[4, 0]
    inside = Cut(0, 0, HALF, Cut(0, 0, HALF + 1, PLAIN, PLAIN), PLAIN)
    assert box[0][0] < HALF < box[0][1]
    with pytest.raises(Malformed, match="at: a cut outside its range"):
        is_proved(made, [inside, None])


def test_cuts_finer_than_the_numbers_of_forms_leave_nothing_out() -> None:
    made = certified(bent_network())
    fine = replace(made.unit, bits=60)
    below, above = cells_of(Cut(0, 0, 5, PLAIN, PLAIN), (DirectionBounds([-3], [4]),), 1, fine.bits)
    assert (below.box, above.box) == ((([-3], [1]),), (([0], [4]),))


@pytest.mark.parametrize("leaf", [Leaf(()), Leaf((None, None))])
def test_shares_for_another_number_of_rows_are_malformed(leaf: Leaf) -> None:
    made = certified(bent_network())
    with pytest.raises(Malformed, match=r"shares: [02] of them, expected 1"):
        is_proved(made, [leaf, None])


def test_there_is_one_tree_or_null_for_each_asked_node() -> None:
    made = certified(bent_network())
    for number in (0, 1, 3):
        with pytest.raises(Malformed, match=f"cells: {number}, expected 2"):
            is_proved(made, [None] * number)


def unit_of(cells: Any, network: Network | None = None) -> ClassesUnit:
    """Return the unit that is read from a file with these cells."""
    value = {"offset": 0, "from": 4, "to": 4, "by": "classes", "graph": 0, "directions": 0, "bits": 22, "ranges": "",
             "cells": cells}
    unit = read_unit(value, network or small_network("two", 0))
    assert isinstance(unit, ClassesUnit)
    return unit


def share(number: int) -> str:
    """Return a number of zeros."""
    return base64.b64encode(bytes(4 * number)).decode()


EMPTY: dict[str, Any] = {"shares": []}


def cut(**changes: Any) -> dict[str, Any]:
    """Return a cut as a file has it, with changes; None leaves a key out."""
    made = {"head": 1, "direction": 1, "at": -5, "below": EMPTY, "above": EMPTY} | changes
    return {key: value for key, value in made.items() if value is not None}


def test_trees_are_read_as_they_are_written() -> None:
    found = unit_of([None, cut(below={"shares": [None, share(4)]})]).cells
    assert found == (None, Cut(1, 1, -5, Leaf((None, bytes(16))), Leaf(())))
    assert unit_of([]).cells == ()


@pytest.mark.parametrize("tree", [
    cut(below=None), cut(above=None), cut(above=[]), cut(head=2), cut(head=-1), cut(direction=2), cut(at=1 << 31),
    cut(at="0"), cut(at=0.5), cut(shares=[]), {}, [], 3, {"shares": None}, {"shares": [share(3)]},
    {"shares": [share(5)]}, {"shares": [0]}, {"shares": ["AA"]}, {"shares": [], "more": 0}])
def test_what_is_no_tree_is_malformed(tree: Any) -> None:
    with pytest.raises(Malformed):
        unit_of([tree])


def test_trees_have_limits() -> None:
    deep, wide = EMPTY, EMPTY
    for _ in range(64):
        deep = cut(below=deep)
    for _ in range(12):
        wide = cut(below=wide, above=wide)
    assert len(unit_of([deep, wide]).cells or ()) == 2
    for beyond, limit in ((cut(below=deep), "64 cuts"), (cut(below=wide), "4096 cells")):
        with pytest.raises(Malformed, match=limit):
            unit_of([beyond])


def test_cells_need_heads() -> None:
    network = small_network("one", 0)
    for steps in (network.steps[1:], (replace(network.attention_steps[0], heads=()),)):
        with pytest.raises(Malformed, match="no head has ranges to cut"):
            unit_of([], replace(network, steps=steps))


def test_cells_are_proved_within_a_budget() -> None:
    made = certified(bent_network(), Fraction(9, 20))
    cells = bent_cells(made, shared([-1, 0]), shared([1, 0]))
    spent = []
    for trees in (None, cells):
        decision = with_margin(made, Fraction(0))
        before = decision.budget.steps_left
        Classes(decision).prove(replace(made.unit, cells=None if trees is None else tuple(trees)))
        spent.append(before - decision.budget.steps_left)
    assert spent[1] > spent[0]
