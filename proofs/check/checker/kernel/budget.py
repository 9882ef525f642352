"""Every limit of the checker, by name and with its reason; and the budget of work and memory of one check.

A file beyond a limit of *size* is malformed. A check beyond a limit of *work* or *memory* is incomplete: nothing is
known about the claim, and `--work N` allows N times as much. Neither can be mistaken for rejected.

Work is counted in steps. A step is a microsecond or so of the machine: an operation of the interpreter on short
numbers, or 2^16 to 2^18 operations on bits (numbers.py charges operations on rationals by the length of their
operands). So the default ends within two minutes whatever the file says. Memory is counted in bits held at one time.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

from .verdicts import Incomplete

MAX_BYTES = 1 << 24  # a file: 16 MB; those of the shipped examples have 2 kB to 0.2 MB
MAX_ITEMS = 1 << 20  # strings, commas or brackets of a file, so that objects in memory stay below 200 MB
MAX_DEPTH = 64  # brackets within brackets of a file, which have 9 at most; so no reader of JSON recurses deeply
MAX_TIMES = 8  # who allows N times the work and memory allows files of so many times this size, at most
LARGE_BYTES = 1 << 26  # a file with the weights of a trained network: 64 MB, 12 million binary32 numbers
LARGE_ITEMS = 1 << 21  # of such a file, whose weights are few strings, but whose graphs are many numbers
MAX_TENSOR_BYTES = 40_000_000  # of all tensors of a network: 54 MB of base64
MAX_VIEWED = 50_000_000  # elements of all views of a network, since views share tensors
MAX_FORMULA = 1 << 20  # characters of a formula, with the definitions before it
MAX_EXPRESSION = 300  # characters of an expression or a condition; docs/certificate.md, section 1
MAX_NESTING = 10_000  # operators that wait for an operand while a text is read
MAX_NODES = 1 << 18  # different formulas, counts and numbers in a file
MAX_ENTRIES = 100_000  # of the table of formulas of a network
MAX_N = 4096  # lengths
LENGTHS = range(1, MAX_N + 1)
MAX_LAYERS = 1 << 16  # of the transformer of a formula; each takes a few characters of the file
MAX_HEADS = 1 << 17  # of a layer

MAX_RATIONAL_BITS = 1 << 17  # of a rational met in the check; files hold 1,000 digits, which are 3,322 bits
MAX_EXP_EXPONENT = 40  # arguments of exp are below 2^40 in absolute value
MAX_FALL_EXPONENT = 1 << 10  # of how far a score may be below the greatest, where weights are not shifted to one unit
MAX_SPREAD_BITS = 1 << 24  # of an integer in a sum of weights over one unit

DEFAULT_STEPS = 48_000_000
DEFAULT_HELD_BITS = 3 << 30  # 384 MB
CACHE_BITS = 1 << 29  # 64 MB for each table of results that may be forgotten
ENTRY_BITS = 2048  # what an entry of a table costs beside its numbers: objects and pointers

Key = TypeVar("Key")
Value = TypeVar("Value")


class Budget:
    """What a check may still spend and hold; ``factor`` times the default."""

    def __init__(self, factor: int = 1) -> None:
        self.factor = factor
        self.steps_left = self._steps = factor * DEFAULT_STEPS
        self.bits_left = self._bits = factor * DEFAULT_HELD_BITS

    def grow(self, steps: int, memory: int) -> None:
        """From now on so many times as much in all, as the format of the file allows."""
        self.steps_left += (steps - 1) * self._steps
        self.bits_left += (memory - 1) * self._bits
        self._steps, self._bits = steps * self._steps, memory * self._bits

    def spend(self, steps: int) -> None:
        """Counts work.

        Raises:
            Incomplete: if the whole check would take too much.
        """
        self.steps_left -= steps
        if self.steps_left < 0:
            raise Incomplete(f"more than {self._steps} steps of work; {self._advice()}")

    def hold(self, bits: int) -> None:
        """Counts memory that is held from now on.

        Raises:
            Incomplete: if the check would hold too much.
        """
        self.bits_left -= bits
        if self.bits_left < 0:
            raise Incomplete(f"more than {self._bits >> 23} MB of memory; {self._advice()}")

    def release(self, bits: int) -> None:
        """Memory that is no longer held."""
        self.bits_left += bits

    @contextmanager
    def holding(self, bits: int) -> Iterator[None]:
        """Memory that is held for a while."""
        self.hold(bits)
        try:
            yield
        finally:
            self.release(bits)

    @contextmanager
    def releasing(self) -> Iterator[None]:
        """What begins to be held within is no longer held behind."""
        left = self.bits_left
        try:
            yield
        finally:
            self.bits_left = left

    def expect_kept(self) -> None:
        """What was done was within the budget, whoever may have gone on when it ended."""
        self.spend(0)

    def _advice(self) -> str:
        return f"--work {10 * self.factor} allows more"


class Cache(Generic[Key, Value]):
    """Results that may be computed again: when they fill `CACHE_BITS`, all are forgotten."""

    def __init__(self) -> None:
        self._found: dict[Key, Value] = {}
        self._bits = 0

    def get(self, key: Key) -> Value | None:
        """What was kept, or None."""
        return self._found.get(key)

    def keep(self, key: Key, value: Value, bits: int = 0) -> Value:
        """Return the value itself, kept; ``bits`` are those of its numbers."""
        self._bits += bits + ENTRY_BITS
        if self._bits > CACHE_BITS:
            self._found.clear()
            self._bits = bits + ENTRY_BITS
        self._found[key] = value
        return value
