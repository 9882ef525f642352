"""Lookups with the latest write: bounds and histories against a forward pass, mpmath, and the published numbers."""

import random
from fractions import Fraction
from itertools import pairwise
from math import sqrt

import pytest
from mpmath import mp, mpf

from proofs.numbers.instances import machine_unwritten_cells as unwritten
from proofs.numbers.instances import machine_written_cells as written
from proofs.numbers.instances.machine_lookups import FIRST_POWER, HALF, Constant, History, MemoryCell, enclosed, steps
from tests.numbers.instances.helpers import examined
from tests.numbers.instances.machine_forward import read_byte


def forward(constant: float, history: History) -> float:
    return read_byte(constant, history.boundaries[-1], history.boundaries,
                     {write.position: (write.address, write.byte) for write in history.writes}, history.address)


def by_mpmath(constant: mpf, history: History) -> mpf:
    """Return the same from its definition, at 60 digits."""

    def soft(scores: list[mpf], values: list[mpf]) -> mpf:
        weights = [mp.exp(score - max(scores)) for score in scores]
        return mp.fdot(weights, values) / mp.fsum(weights)

    def index(at: int) -> mpf:
        seen = [b for b in history.boundaries if b <= at]
        return at - soft([-constant * mpf("0.3") / mp.log(b + 2) for b in seen], [mpf(b) for b in seen])

    asked = history.address + index(history.boundaries[-1])
    keys = [write.address + index(write.position) - 1 for write in history.writes]
    scores = [constant * (-(asked - key)**2 - mpf("0.3") / mp.log(write.position + 2))
              for key, write in zip(keys, history.writes, strict=True)]
    byte = soft(scores, [mpf(write.byte) for write in history.writes])
    return byte * max(mpf(0), 1 - abs(soft(scores, keys) - asked))


@pytest.mark.parametrize(("factor", "right", "wrong"), [(sqrt(2), 1296, 1312), (1, 992, 1008)])
def test_a_written_cell_is_lost_by_a_forward_pass_where_the_real_weights_lose_it(factor: float, right: int,
                                                                                 wrong: int) -> None:
    """Measured with the weights of the public program, its constant set to 10^6: fe where ff was written."""
    assert forward(factor * 1e6, written.history(right)) > 254.5
    assert 253.5 < forward(factor * 1e6, written.history(wrong)) < 254.5


def test_a_cell_never_written_is_read_by_a_forward_pass_where_the_real_weights_read_it() -> None:
    """Measured with the weights of the public program: 6b, which is 107, at 800; right at 784, and again at 816."""
    read = {tokens: forward(sqrt(2) * 1e6, unwritten.history(tokens)) for tokens in (784, 800, 816)}
    assert read[784] < 0.5 and read[816] < 0.5 and abs(read[800] - 107.40) < 0.01


@pytest.mark.parametrize("tokens", [1_461_272, 1_461_293, 796_156, 799_796])
def test_histories_are_enclosed_around_what_mpmath_says(tokens: int) -> None:
    for module in (written, unwritten):
        for constant in (Constant(10), Constant(10, by_root_of_2=True)):
            read = module.history(tokens).read(constant)
            with mp.workdps(60):
                expected = by_mpmath(mpf(10)**10 * (mp.sqrt(2) if constant.by_root_of_2 else 1), module.history(tokens))
                assert abs(expected - mpf(read.lower.numerator) / read.lower.denominator) < mpf(10)**-40
            assert read.upper - read.lower < Fraction(1, 10**40)


def test_the_published_constant_has_the_horizons_that_are_told() -> None:
    """Written: right up to 1,461,273 and wrong from 1,461,293; never written: right up to 781,076."""
    public = Constant(10)
    for cell, tokens in ((written.MEMORY, 1_461_273), (unwritten.CELLS[0], 781_076), (unwritten.CELLS[2], 491_955)):
        found, beyond = enclosed(public, tokens, cell), enclosed(public, tokens + 1, cell)
        assert found and beyond and found.upper <= HALF < beyond.lower
    before, after = (written.history(tokens).read(public) for tokens in (1_461_292, 1_461_293))
    assert after.upper < 255 - HALF < before.lower


@pytest.mark.parametrize("by_root", [False, True])
@pytest.mark.parametrize("module", [written, unwritten])
def test_the_lengths_that_are_listed_are_the_greatest_that_the_bounds_certify(module: object, by_root: bool) -> None:
    for place, row in enumerate(module.RIGHT[by_root]):  # type: ignore[attr-defined]
        for tokens, cell in zip(row, module.CELLS, strict=True):  # type: ignore[attr-defined]
            beyond = enclosed(Constant(place + FIRST_POWER, by_root), tokens + 1, cell)
            assert beyond is None or beyond.lower > HALF


def test_bounds_grow_with_the_length_and_the_distance_and_fall_with_what_is_between() -> None:
    constant, lengths = Constant(6), [20, 100, 300, 550, 590]
    for cells in ([MemoryCell(apart=2)], [MemoryCell(distance=1)]):
        found = [enclosed(constant, tokens, cell) for tokens in lengths for cell in cells]
        assert all(a and b and a.upper < b.lower for a, b in pairwise(found))
    for cells in ([MemoryCell(apart=d) for d in (9, 5, 2)], [MemoryCell(distance=d) for d in (1, 2, 100)]):
        found = [enclosed(constant, 590, cell) for cell in cells]
        assert all(a and b and a.upper <= b.upper for a, b in pairwise(found))


@pytest.mark.parametrize("seed", range(4))
def test_no_random_history_errs_by_more_than_the_bound(seed: int) -> None:
    """Bytes written to random cells, by instructions of random lengths, read by a forward pass."""
    draw, constant, power = random.Random(seed), 1e5, Constant(5)
    for _ in range(60):
        lengths = [draw.choice((1, 1, 1, 2, 2, 5)) for _ in range(30)]
        end = draw.randrange(sum(lengths) + 2, 140)
        boundaries = steps(end, lengths)
        stores = [boundary + 1 for boundary, length in zip(boundaries, lengths, strict=False) if length == 2]
        writes = {position: (draw.randrange(0, 6, draw.choice((1, 2))), draw.choice((0, 255, draw.randrange(256))))
                  for position in stores[-draw.randrange(1, 8):]}
        if not writes:
            continue
        address = draw.randrange(6)
        values = [byte for cell, byte in writes.values() if cell == address]
        bound = enclosed(power, end, MemoryCell(apart=2) if values else MemoryCell(distance=5))
        assert bound is not None
        error = abs(read_byte(constant, end, boundaries, writes, address) - (values[-1] if values else 0))
        assert error <= float(bound.upper) + 1e-6


@pytest.mark.parametrize("name", ["machine-written-horizon", "machine-unwritten-horizon", "machine-written-critical",
                                  "machine-unwritten-critical"])
def test_what_is_not_listed_is_undecided(name: str) -> None:
    assert [one.holds for one in examined(name, 99)] == [None]


def test_a_constant_too_small_for_the_bound_is_undecided() -> None:
    assert enclosed(Constant(5), 1000, written.MEMORY) is None
    assert [one.holds for one in examined("machine-written", 23)] == [False]
