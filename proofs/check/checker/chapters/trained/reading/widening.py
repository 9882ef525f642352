"""Building of wider networks: matrices, steps, and the parts of a network that read some coordinates of a stream."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate

from ....kernel.budget import Budget
from .dyadics import POINTER_BITS, Matrix, Vector
from .network import Affine, Network, NetworkHead, Norm, NormStep, Step, UnitsStep, width_after

EdgeCut = tuple[tuple[tuple[int, ...], ...], tuple[Fraction, ...] | None]
"""Parts that are not read, and constants that are read instead."""


class Builder:
    """Builds matrices and steps, and charges their memory."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget

    def matrix(self, height: int, width: int, entries: Mapping[tuple[int, int], int]) -> Matrix:
        """Return the integer matrix with these entries, 0 elsewhere."""
        self._budget.spend(height * width)
        self._budget.hold(POINTER_BITS * height * width)
        return Matrix(tuple(tuple(entries.get((i, j), 0) for j in range(width)) for i in range(height)), width, 0)

    def moved(self, matrix: Matrix, height: int, width: int, down: int = 0, right: int = 0) -> Matrix:
        """Return a matrix of this shape that contains ``matrix`` from row ``down`` and column ``right`` on, else 0."""
        self._budget.spend(height * width)
        self._budget.hold(POINTER_BITS * height * width)
        rows = [(0,) * right + row + (0,) * (width - right - matrix.width) for row in matrix.rows]
        empty = [(0,) * width]
        return Matrix(tuple(empty * down + rows + empty * (height - down - len(rows))), width, matrix.power)

    def identity(self, width: int) -> Matrix:
        """Return the identity matrix."""
        return self.matrix(width, width, {(i, i): 1 for i in range(width)})

    def constant(self, to: tuple[Fraction, ...], out: Matrix) -> UnitsStep:
        """Return the step that adds ``to`` · ``out`` to a stream of the width of ``out``."""
        power = min((1 - one.denominator.bit_length() for one in to), default=0)
        entries = tuple(int(one * (1 << -power)) for one in to)
        inward = Affine(self.matrix(out.width, len(to), {}), Vector(entries, power))
        return UnitsStep(None, inward, None, "identity", Affine(out, None))

    def bias(self, bias: Vector | None) -> list[Step]:
        """Return the step that adds a bias, or no step."""
        if bias is None:
            return []
        width = len(bias.entries)
        inward, outward = self.matrix(width, 1, {}), self.matrix(1, width, {})
        return [UnitsStep(None, Affine(inward, None), None, "identity", Affine(outward, bias))]


def widths_of(network: Network) -> list[int]:
    """Return the width of the stream before each step, and after the last."""
    return list(accumulate(network.steps, lambda width, step: width_after(step.norm, width) if isinstance(
        step, NormStep) else width, initial=network.width))


class Wide:
    """The parts of a network on a stream of x, which is its own, and copies of x that lack what some parts write.

    Parts are (step, head), (step, 0) of neurons, (-1, 0) and (-1, 1) of tokens and positions. x and each copy have
    ``size`` coordinates; as many are 0 between steps, if norms need them; then there are those ``beside``.
    """

    def __init__(self, network: Network, build: Builder, cuts: Mapping[tuple[int, int], EdgeCut], least: int = 0,
                 beside: int = 0) -> None:
        self._build, self._now, self._steps = build, widths_of(network), len(network.steps)
        self.size = max(*self._now, least)
        self._at, self._copies = dict[tuple[int, int], int](), dict[tuple[int, EdgeCut], int]()
        for (step, head), cut in cuts.items():
            self._at[step, head] = self._copies.setdefault((step, cut), self.size * (1 + len(self._copies)))
        norms = [isinstance(one, NormStep) for one in network.steps]
        self._narrows = any(norms[-1:]) and not beside  # the last norm leaves what is read
        self._z = self.size * (1 + len(self._copies))
        self.width = self._z + self.size * (beside > 0 or bool(cuts and any(norms[:-1]))) + beside

    def network(self, network: Network) -> Network:
        """Return a network with these tables and this unembedding."""
        end = network.unembedding
        return network if self.width == self.size else replace(
            network, tokens=self._writes(network.tokens, -1, 0),
            positions=network.positions and self._writes(network.positions, -1, 1),
            unembedding=end if self._narrows else self.reads(end, None, self._at.get((self._steps, 0), 0)))

    def constants(self, number: int) -> list[Step]:
        """Return the steps that add the constants of cuts to the copies that step ``number`` reads."""
        now, build = self._now[number], self._build
        return [build.constant(to, build.moved(build.identity(now), now, self.width, 0, at))
                for (step, (_, to)), at in self._copies.items() if step == number and to]

    def steps(self, number: int, step: Step, parts: Sequence[int] = ()) -> list[Step]:
        """Return what does step ``number``, or a part of it, which writes for these heads, all by default."""
        now, at, norm = self._now[number], self._at.get((number, 0), 0), step.norm
        if self.width == self.size:
            return [step]
        if isinstance(step, NormStep):
            if self._narrows and number == self._steps - 1:
                return [NormStep(self._norm(step.norm, now, at))]
            read = [0, *(at for (reader, _), at in self._copies.items() if reader > number)]
            return [new for one in read for new in self._replaced(step.norm, now, one)]
        if isinstance(step, UnitsStep):
            outward = self._writes(step.outward.weight, number, (*parts, 0)[0])
            return [replace(step, norm=norm and self._norm(norm, now, at), inward=self.reads(step.inward, norm, at),
                            gate=step.gate and self.reads(step.gate, norm, at),
                            outward=Affine(outward, self._bias(step.outward.bias, number)))]
        groups = dict[int, list[NetworkHead]]()
        for part, head in zip(parts or range(len(step.heads)), step.heads, strict=True):
            at = self._at.get((number, part), 0)
            query, key, value = (self.reads(one, norm, at) for one in (head.query, head.key, head.value))
            groups.setdefault(at, []).append(replace(
                head, query=query, key=key, value=value, out=self._writes(head.out, number, part)))
        return [replace(step, norm=norm and self._norm(norm, now, at), heads=tuple(heads),
                        bias=None if place else self._bias(step.bias, number))
                for place, (at, heads) in enumerate(sorted(groups.items()))]  # x is read before it is written

    def copied(self, norm: Norm | None, now: int, at: int) -> UnitsStep:
        """Return the step that adds ``now`` coordinates from ``at`` on, or their norm, to those that are 0."""
        identity = self._build.identity(image := width_after(norm, now))
        return UnitsStep(norm and self._norm(norm, now, at), self.reads(Affine(identity, None), norm, at), None,
                         "identity", Affine(self._build.moved(identity, image, self.width, 0, self._z), None))

    def _replaced(self, norm: Norm, now: int, at: int) -> list[Step]:
        """Return the steps that replace coordinates from ``at`` on by their norm."""
        z, size = self._z, range(self.size)
        moves = self._build.matrix(self.width, self.width, {
            (row + i, column + i): sign for row, column, sign in ((at, at, -1), (z, at, 1), (z, z, -1)) for i in size})
        return [self.copied(norm, now, at), UnitsStep(
            None, Affine(self._build.identity(self.width), None), None, "identity", Affine(moves, None))]

    def _norm(self, norm: Norm, now: int, at: int) -> Norm:
        """Return the norm of ``now`` coordinates from ``at`` on."""
        of = norm.of or Affine(self._build.identity(now), None)
        return replace(norm, of=Affine(self._build.moved(of.weight, self.width, of.weight.width, at), of.bias))

    def reads(self, given: Affine, norm: Norm | None, at: int) -> Affine:
        """Return a map of coordinates from ``at`` on; unchanged behind a norm."""
        return given if norm else Affine(self._build.moved(given.weight, self.width, given.weight.width, at),
                                         given.bias)

    def _writes(self, matrix: Matrix, step: int, part: int) -> Matrix:
        """Return a map to x, and to each copy that is read later and has the outputs of this part."""
        pad = (0,) * (self.size - matrix.width)
        reads = [True, *(reader > step and (step, part) not in cut for reader, (cut, _) in self._copies)]
        rows = tuple(tuple(entry * one for one in reads for entry in (*row, *pad)) for row in matrix.rows)
        return self._build.moved(Matrix(rows, self._z, matrix.power), len(rows), self.width)

    def _bias(self, bias: Vector | None, step: int) -> Vector | None:
        return bias and replace(bias, entries=self._writes(
            Matrix((bias.entries,), len(bias.entries), 0), step, -1).rows[0])
