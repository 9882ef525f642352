"""Lookups by a parabola, the latest write first: bounds of their errors by softmax, and histories, by ball arithmetic.

Network     Tokens at positions t = 0, 1, ... A write has an address k and a byte; some tokens are boundaries. With
            λ(t) = 1/ln 2 - 1/ln(t + 2), a head scores boundaries C · 0.3 λ(t), all others C · 10^30 less. Its values
            are positions, so its own position minus its output is the byte index, the number of tokens since the
            last boundary. A second head, with the query q, scores writes C · (0.3 λ(t) - (q - k)²), all others
            C · 10^30 less. It returns the byte and the address: the byte times max(0, 1 - |address - q|).
            Addresses in keys and queries contain a byte index, with its error. A byte is right within 1/2.
Lead        L_d(T) = 0.3 (λ(T) - λ(T - d)). λ is concave: L_d(t) >= L_d(T) for t <= T, and L_(md)(T) >= m L_d(T).
Index       The byte index is too large by at most e = x/(1 - x), x = exp(-C L_1(T)) <= 1/2. Proof. An earlier boundary
            at distance j weighs w_j <= x^j beside the last one. Σ j w_j <= e (1 + Σ w_j), as each j - e >= 0 and the
            sum of x^j (j - e) over all j >= 1 is e/(1 - x) - e x/(1 - x) = e. Other tokens add less than T² e^(-C/2).
Others      Let e <= 1/32. A cell that is not among the nearest ones loses by more than 1/2: its distance, D + 1 or more
            against D, by (1 - 2e)(2D + 1), and λ returns less than 0.3/ln 2 < 0.433. So all of these weigh less
            than T e^(-C/2) beside the winner; addresses are below 2^32.
Written     Writes to a cell at least d tokens apart. Beside the newest, the m-th older one weighs at most
            e^(C e²) y^m, y = exp(-C L_d(T)), since both keys and the query err by 0 to e: first orders cancel. So W <=
            e^(C e²) y/(1 - y), and the byte errs by at most 255 (W/(1 + W) + e): by its mean, and by the comparison,
            which only memory has; for locals and the call stack, without it, by 255 W/(1 + W).
Unwritten   A cell that was never written, the nearest written ones at the distance D on both sides: first orders do not
            cancel. (2D + κ - κ')(2η - κ - κ') <= 4De + 2e², so the cells of the other side weigh W <= e^(C(4De + 2e²))
            y/(1 - y), d = 2, beside the newest write, P = W/(1 + W); the address found is D(1 - 2P) - e away, or more.
            The byte, which should be 0, is at most 255 (2P + e). Where one side is nearer, P is 0.
Monotone    All of these bounds grow with T and with D: one evaluation at T is for every length up to T.
History     Finitely many boundaries and writes, and a read: the outputs of the two heads are enclosed directly.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb

from proofs.enclosures.by_mpmath import Reals, seconded
from proofs.enclosures.intervals import Interval
from proofs.numbers.instances.comparing import at_least, instance, undecided
from proofs.numbers.instances.examination import Instance

BITS = 256
TIE_BREAK = Fraction(3, 10)
BYTE = 255
HALF = Fraction(1, 2)
LARGEST_INDEX_ERROR = Fraction(1, 32)
ADDRESSES = 1 << 32


@dataclass(frozen=True)
class Constant:
    """The factor of all scores: a power of ten, times √2 where they are not divided by it."""

    power: int
    by_root_of_2: bool = False

    def number(self, real: Reals) -> Any:
        """Return its value."""
        return real(10**self.power) * (real(2).sqrt() if self.by_root_of_2 else 1)

    def __str__(self) -> str:
        return f"{'√2 · ' if self.by_root_of_2 else ''}10^{self.power}"


PUBLIC, FIRST_POWER = Constant(10), 5
"""The constant of the program, and the least power of ten whose lengths are listed."""


@dataclass(frozen=True)
class MemoryCell:
    """A cell to be read.

    It was written, with writes at least ``apart`` tokens apart, its address ``compared`` or not. Or it was never
    written, and the nearest written ones are at most at this ``distance`` on both sides.
    """

    apart: int = 0
    compared: bool = True
    distance: int = 0

    def __str__(self) -> str:
        return f"written {self.apart} tokens apart" if self.apart else f"never written, others {self.distance} away"


@dataclass(frozen=True)
class _Bounds:
    """The bounds of the module docstring at one length, in real numbers."""

    real: Reals
    constant: Any
    tokens: int

    def gap(self, apart: int) -> Any:
        """Return x or y: e^(-C L_d(T))."""
        lead = 1 / self.real(self.tokens + 2 - apart).log() - 1 / self.real(self.tokens + 2).log()
        return (-self.constant * self.real(TIE_BREAK) * lead).exp()

    def index(self) -> Any:
        """Return the error bound of the byte index, if ``gap(1)`` is at most 1/2."""
        x = self.gap(1)
        return x / (1 - x) + self.tokens**2 * (-self.constant / 2).exp()

    def of(self, cell: MemoryCell) -> Any:
        """Return the error bound of the byte, if ``index`` is small."""
        index = self.index()
        rest = 2 * BYTE * (1 + ADDRESSES) * self.tokens * (-self.constant / 2).exp()  # all other cells and tokens
        if not cell.apart:
            other = self._older(2, 4 * cell.distance * index + 2 * index**2)
            return rest + BYTE * (2 * other / (1 + other) + index)
        older = self._older(cell.apart, index**2)
        return rest + BYTE * (older / (1 + older) + (index if cell.compared else 0))

    def _older(self, apart: int, advantage: Any) -> Any:
        """Return the weight of older writes, at least ``apart`` tokens apart, with an advantage by errors."""
        y = self.gap(apart)
        return (self.constant * advantage).exp() * y / (1 - y)


def enclosed(constant: Constant | Fraction, tokens: int, cell: MemoryCell) -> Interval | None:
    """Enclose the error bound of a byte, or return None without one."""
    def find(what: Callable[[_Bounds], Any]) -> Interval:
        return seconded(lambda real: what(_Bounds(real, number_of(constant, real), tokens)), BITS)

    if find(lambda bounds: bounds.gap(1)).upper > HALF or find(_Bounds.index).upper >= LARGEST_INDEX_ERROR:
        return None
    return find(lambda bounds: bounds.of(cell))


def number_of(constant: Constant | Fraction, real: Reals) -> Any:
    """Return the constant as a real number."""
    return constant.number(real) if isinstance(constant, Constant) else real(constant)


@dataclass(frozen=True)
class Write:
    """A byte that is written at a position; its address contains the byte index, which is 1 there."""

    position: int
    address: int
    byte: int


@dataclass(frozen=True)
class History:
    """Boundaries and writes, in order; the last boundary reads the address."""

    boundaries: Sequence[int]
    writes: Sequence[Write]
    address: int

    def read(self, constant: Constant | Fraction) -> Interval:
        """Enclose the byte that is returned."""
        return seconded(lambda real: self._byte(real, number_of(constant, real)), BITS)

    def _byte(self, real: Reals, scale: Any) -> Any:
        query = self.address + self._byte_index(real, scale, self.boundaries[-1])
        keys = [write.address + self._byte_index(real, scale, write.position) - 1 for write in self.writes]
        weights = _weights([scale * (_lambda(real, write.position) - (query - key)**2)
                            for write, key in zip(self.writes, keys, strict=True)])
        share = _others(ADDRESSES * self.boundaries[-1], scale)
        byte = sum((w * write.byte for w, write in zip(weights, self.writes, strict=True)), share)
        away = abs(sum((w * key for w, key in zip(weights, keys, strict=True)), share) - query)
        return byte * (1 - away).max(real(0))

    def _byte_index(self, real: Reals, scale: Any, position: int) -> Any:
        seen = [boundary for boundary in self.boundaries if boundary <= position]
        weights = _weights([scale * _lambda(real, boundary) for boundary in seen])
        return sum((w * (position - boundary) for w, boundary in zip(weights, seen, strict=True)),
                   _others(position * position, scale))


def _others(most: int, scale: Any) -> Any:
    """Enclose the remainder of other tokens: Arb's ball around all its values; mpmath computes without them."""
    bound = most * (-scale * 10**29).exp()
    return arb(0, bound.upper()) if isinstance(bound, arb) else 0 * bound


def _lambda(real: Reals, position: int) -> Any:
    """Return 0.3 λ minus a constant."""
    return -real(TIE_BREAK) / real(position + 2).log()


def _weights(scores: Sequence[Any]) -> list[Any]:
    raised = [(score - scores[-1]).exp() for score in scores]
    return [weight / sum(raised[1:], raised[0]) for weight in raised]


def steps(last: int, lengths: Sequence[int]) -> list[int]:
    """Return the boundaries of instructions of these lengths, the last of which ends at ``last``.

    >>> steps(10, [1, 2, 5])
    [2, 3, 5, 10]
    """
    found = [last]
    for length in reversed(lengths):
        found.append(found[-1] - length)
    return found[::-1]


def right_up_to(n: int, constant: Constant | Fraction, tokens: int, cell: MemoryCell) -> Instance:
    """Return the instance n: each of these bytes is right at all lengths up to T. It is undecided without a bound."""
    what = f"constant {constant}, T = {tokens}: error of a byte, its cell {cell}"
    found = enclosed(constant, tokens, cell)
    return instance(n, what, found, HALF) if found else undecided(n, what, HALF)


def read_by(n: int, constant: Constant | Fraction, history: History, byte: int, is_right: bool) -> Instance:
    """Return the instance n: this history reads the byte, or a wrong one, at least 1/2 away."""
    what = f"constant {constant}: the byte that a history of T = {history.boundaries[-1]} tokens reads, {byte} if right"
    compare = at_least if bool(byte) == is_right else instance
    return compare(n, what, history.read(constant), abs(byte - HALF))


def not_listed(n: int) -> Instance:
    """Return the instance n, undecided: the tables are shorter."""
    return undecided(n, f"nothing is listed for n = {n}", HALF)


@dataclass(frozen=True)
class Horizons:
    """The claimed lengths and constants of one kind of cells, and the history that is read wrongly above them.

    ``right`` are the greatest lengths that the bounds certify, for each power of ten and each cell. ``wrong`` are
    lengths at which the history is read wrongly; both by whether the power is times √2. ``enough`` are constants for T
    = 2^16, 2^17, ..., for each cell; ``less`` times the first is not enough. The history should read the ``byte``.
    """

    cells: Sequence[MemoryCell]
    right: Mapping[bool, Sequence[Sequence[int]]]
    wrong: Mapping[bool, Sequence[int]]
    enough: Sequence[Sequence[int]]
    less: Fraction
    history: Callable[[int], History]
    byte: int

    def examine(self, n: int) -> Iterable[Instance]:
        """Yield the instance of the public constant at T = 2^n; beyond its bound, whether the history is right."""
        wrong = self.wrong[False][PUBLIC.power - FIRST_POWER]
        yield (right_up_to(n, PUBLIC, 2**n, self.cells[0]) if 2**n < wrong else
               read_by(n, PUBLIC, self.history(wrong), self.byte, is_right=True))

    def examine_lengths(self, n: int) -> Iterable[Instance]:
        """Yield the instances of the lengths that are listed for 10^(4 + n), and √2 times that."""
        for by_root in (False, True):
            if n > len(self.wrong[by_root]):
                yield not_listed(n)
                return
            constant, wrong = Constant(n + FIRST_POWER - 1, by_root), self.wrong[by_root][n - 1]
            for tokens, cell in zip(self.right[by_root][n - 1], self.cells, strict=True):
                yield right_up_to(n, constant, tokens, cell)
            yield read_by(n, constant, self.history(wrong), self.byte, is_right=False)

    def examine_constants(self, n: int) -> Iterable[Instance]:
        """Yield the instances of the constants that are listed for T = 2^(15 + n)."""
        if n > len(self.enough):
            yield not_listed(n)
            return
        tokens, (least, *_) = 2**(15 + n), self.enough[n - 1]
        for enough, cell in zip(self.enough[n - 1], self.cells, strict=False):  # listed for the first cells
            yield right_up_to(n, Fraction(enough), tokens, cell)
        yield read_by(n, least * self.less, self.history(tokens), self.byte, is_right=False)
