"""Lookups by a parabola, the latest write first: bounds of their errors by softmax, and histories, by ball arithmetic.

Network     Tokens at positions t = 0, 1, ... A write has an address k and a byte; some tokens are boundaries. With
            λ(t) = 1/ln 2 - 1/ln(t + 2), a head scores boundaries C · 0.3 λ(t), all else C · 10^30 less: its values are
            positions, so what it returns, less its own position, is the byte index, the number of tokens since the
            last boundary. A second head, asked for q, scores writes C · (0.3 λ(t) - (q - k)²), all else C · 10^30 less;
            it returns the byte and the address, which is compared with q: the byte times max(0, 1 - |address - q|).
            Addresses in keys and queries have a byte index in them, with its error. A byte is right within 1/2.
Lead        L_d(T) = 0.3 (λ(T) - λ(T - d)). λ is concave: L_d(t) >= L_d(T) for t <= T, and L_(md)(T) >= m L_d(T).
Index       The byte index is too large by at most e = x/(1 - x), x = exp(-C L_1(T)) <= 1/2. Proof. An earlier boundary
            at distance j weighs w_j <= x^j beside the last one. Σ j w_j <= e (1 + Σ w_j), as each j - e >= 0 and the
            sum of x^j (j - e) over all j >= 1 is e/(1 - x) - e x/(1 - x) = e. Other tokens add less than T² e^(-C/2).
Others      Let e <= 1/32. A cell that is not among the nearest ones loses by more than 1/2: its distance, D + 1 or more
            against D, by (1 - 2e)(2D + 1), and λ gives back less than 0.3/ln 2 < 0.433. So all of these weigh less
            than T e^(-C/2) beside the winner; addresses are below 2^32.
Written     Writes to a cell at least d tokens apart. Beside the newest, the m-th older one weighs at most
            e^(C e²) y^m, y = exp(-C L_d(T)), since both keys and the query err by 0 to e: first orders cancel. So W <=
            e^(C e²) y/(1 - y), and the byte errs by at most 255 (W/(1 + W) + e): by its mean, and by the comparison,
            which memory alone has: without it, for locals and the call stack, by 255 W/(1 + W).
Unwritten   A cell that was never written, the nearest written ones at the distance D on both sides: first orders do not
            cancel. (2D + κ - κ')(2η - κ - κ') <= 4De + 2e², so the cells of the other side weigh W <= e^(C(4De + 2e²))
            y/(1 - y), d = 2, beside the newest write, P = W/(1 + W); the address found is D(1 - 2P) - e away, or more.
            The byte, which should be 0, is at most 255 (2P + e). Where one side is nearer, P is 0.
Monotone    All of these bounds grow with T and with D: one evaluation at T is for every length up to T.
History     Finitely many boundaries and writes, and a read: what the two heads then return is enclosed directly.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from proofs.enclosures.exponential import ball, exact_ends, working_precision
from proofs.enclosures.intervals import Interval, point
from proofs.numbers.instances.comparing import at_least, instance
from proofs.numbers.instances.examination import Instance

BITS = 256
TIE_BREAK = Fraction(3, 10)
BYTE = 255
HALF = Fraction(1, 2)
LARGEST_INDEX_ERROR = Fraction(1, 32)
ADDRESSES = 1 << 32


@dataclass(frozen=True)
class Constant:
    """What all scores are multiplied by: a power of ten, times √2 where they are not divided by it."""

    power: int
    by_root_of_2: bool = False

    def ball(self) -> arb:
        """Its enclosure at the working precision."""
        return arb(10) ** self.power * (arb(2).sqrt() if self.by_root_of_2 else 1)

    def __str__(self) -> str:
        return f"{'√2 · ' if self.by_root_of_2 else ''}10^{self.power}"


def lead(tokens: int, apart: int) -> arb:
    """L_d(T), at the working precision."""
    return ball(TIE_BREAK) * (1 / arb(tokens + 2 - apart).log() - 1 / arb(tokens + 2).log())


def written_error(constant: arb, tokens: int, apart: int, compared: bool) -> arb:
    """A bound of the error of a byte that is read from a cell that was written; infinite where it is not proved."""
    index = _index_error(constant, tokens)
    older = _older(constant, tokens, apart, index**2)
    found = _far(constant, tokens) + BYTE * (older / (1 + older) + (index if compared else 0))
    return found if _proved(index) else arb("inf")


def unwritten_error(constant: arb, tokens: int, distance: int) -> arb:
    """A bound of the byte that is read from a cell never written, the nearest ones at most so far on both sides."""
    index = _index_error(constant, tokens)
    other = _older(constant, tokens, 2, 4 * distance * index + 2 * index**2)
    return _far(constant, tokens) + BYTE * (2 * other / (1 + other) + index) if _proved(index) else arb("inf")


def _index_error(constant: arb, tokens: int) -> arb:
    x = (-constant * lead(tokens, 1)).exp()
    return x / (1 - x) + arb(tokens)**2 * (-constant / 2).exp() if 2 * x < 1 else arb("inf")


def _proved(index: arb) -> bool:
    return bool(index < ball(LARGEST_INDEX_ERROR))


def _older(constant: arb, tokens: int, apart: int, advantage: arb) -> arb:
    """The weight of older writes, at least so far apart, which errors may give an advantage."""
    y = (-constant * lead(tokens, apart)).exp()
    return (constant * advantage).exp() * y / (1 - y)


def _far(constant: arb, tokens: int) -> arb:
    """What all other cells and tokens may do to the byte, by their values and by their addresses."""
    return arb(2 * BYTE * (1 + ADDRESSES) * tokens) * (-constant / 2).exp()


@dataclass(frozen=True)
class Cell:
    """A cell to be read: one that was written, so many tokens ``apart`` or more, its address ``compared`` or not; or
    one never written, the nearest ones at most at this ``distance`` on both sides."""

    apart: int = 0
    compared: bool = True
    distance: int = 0

    def __str__(self) -> str:
        return f"written {self.apart} tokens apart" if self.apart else f"never written, others {self.distance} away"


def enclosed(constant: Constant | Fraction, tokens: int, cell: Cell) -> Interval | None:
    """The bound of the error of a byte, or None where there is none."""
    with working_precision(BITS):
        scale = constant.ball() if isinstance(constant, Constant) else ball(constant)
        found = (written_error(scale, tokens, cell.apart, cell.compared) if cell.apart else
                 unwritten_error(scale, tokens, cell.distance))
        return Interval(*exact_ends(found)) if found.is_finite() else None


@dataclass(frozen=True)
class Write:
    """A byte that is written at a position; of its address the byte index has to be known, which is 1 there."""

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
        """The byte that is returned."""
        with working_precision(BITS):
            scale = constant.ball() if isinstance(constant, Constant) else ball(constant)
            query = self.address + self._byte_index(scale, self.boundaries[-1])
            keys = [write.address + self._byte_index(scale, write.position) - 1 for write in self.writes]
            weights = _weights([scale * (ball(TIE_BREAK) * _lambda(write.position) - (query - key)**2)
                                for write, key in zip(self.writes, keys, strict=True)])
            share = arb(0, ADDRESSES * self.boundaries[-1] * (-scale * arb(10)**29).exp().upper())  # of other tokens
            byte = sum((w * write.byte for w, write in zip(weights, self.writes, strict=True)), share)
            away = abs(sum((w * key for w, key in zip(weights, keys, strict=True)), share) - query)
            return Interval(*exact_ends(byte * (1 - away).max(arb(0))))

    def _byte_index(self, scale: arb, position: int) -> arb:
        seen = [boundary for boundary in self.boundaries if boundary <= position]
        weights = _weights([scale * ball(TIE_BREAK) * _lambda(boundary) for boundary in seen])
        return sum((w * (position - boundary) for w, boundary in zip(weights, seen, strict=True)),
                   arb(0, position * position * (-scale * arb(10)**29).exp().upper()))


def _lambda(position: int) -> arb:
    """λ, less 1/ln 2."""
    return -1 / arb(position + 2).log()


def _weights(scores: Sequence[arb]) -> list[arb]:
    raised = [(score - scores[-1]).exp() for score in scores]
    total = sum(raised, arb(0))
    return [weight / total for weight in raised]


def steps(last: int, lengths: Sequence[int]) -> list[int]:
    """Positions of boundaries: instructions of these lengths, the last of which ends at ``last``.

    >>> steps(10, [1, 2, 5])
    [2, 3, 5, 10]
    """
    found = [last]
    for length in reversed(lengths):
        found.append(found[-1] - length)
    return found[::-1]


def right_up_to(n: int, constant: Constant | Fraction, tokens: int, cell: Cell) -> Instance:
    """The instance n: every such byte is right at all lengths up to T. It is undecided where there is no bound."""
    what = f"constant {constant}, T = {tokens}: error of a byte, its cell {cell}"
    found = enclosed(constant, tokens, cell)
    return instance(n, what, found, HALF) if found else Instance(n, None, what, point(HALF), point(HALF))


def read_by(n: int, constant: Constant | Fraction, history: History, byte: int, is_right: bool) -> Instance:
    """The instance n: this history reads the byte, or it reads a wrong one, 1/2 or more away."""
    what = f"constant {constant}: the byte that a history of T = {history.boundaries[-1]} tokens reads, {byte} if right"
    compare = at_least if bool(byte) == is_right else instance
    return compare(n, what, history.read(constant), abs(byte - HALF))


def not_listed(n: int) -> Instance:
    """The instance n, undecided: tables end before."""
    return Instance(n, None, f"nothing is listed for n = {n}", point(HALF), point(HALF))
