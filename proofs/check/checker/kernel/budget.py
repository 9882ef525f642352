"""Every limit of the checker, by name and with its reason; and the budget of work and memory of one check.

A file beyond a limit of *size* is malformed. A check beyond a limit of *work* or *memory* is incomplete: nothing is
known about the claim, and `--work N` allows N times as much. Neither can be mistaken for rejected.

Work is counted in steps. A step takes about a microsecond: an operation of the interpreter on short numbers, or 2^16 to
2^18 operations on bits (numbers.py charges operations on rationals by the length of their operands). So the default
ends within two minutes for every file. Memory is counted in bits held at one time.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

from .verdicts import Incomplete

MAX_BYTES = 1 << 24  # a file: 16 MB; those of the shipped examples have 2 kB to 0.2 MB
MAX_ITEMS = 1 << 20  # strings, commas or brackets of a file, so that objects in memory stay below 200 MB
MAX_DEPTH = 64  # nested brackets of a file, which has 9 at most; so no reader of JSON recurses deeply
MAX_TIMES = 8  # with N times the work and memory, files may be N times this size, up to this factor
LARGE_BYTES = 1 << 26  # a file with the weights of a trained network: 64 MB, 12 million binary32 numbers
LARGE_ITEMS = 1 << 21  # items of such a file: its weights are few strings, its graphs many numbers
MAX_TENSOR_BYTES = 40_000_000  # of all tensors of a network: 54 MB of base64
MAX_VIEWED = 50_000_000  # elements of all views of a network, since views share tensors
MAX_FORMULA = 1 << 20  # characters of a formula, with the definitions before it
MAX_EXPRESSION = 300  # characters of an expression or a condition; docs/reference/certificate.md, section 1
MAX_NESTING = 10_000  # pending operators while a text is parsed
MAX_NODES = 1 << 18  # different formulas, counts and numbers in a file
MAX_ENTRIES = 100_000  # of the table of formulas of a network
MAX_N = 4096  # lengths
LENGTHS = range(1, MAX_N + 1)
MAX_LAYERS = 1 << 16  # of the transformer of a formula; each takes a few characters of the file
MAX_HEADS = 1 << 17  # of a layer

MAX_RATIONAL_BITS = 1 << 17  # of a rational in the check; numbers in files have 1,000 digits, which are 3,322 bits
MAX_EXP_EXPONENT = 40  # arguments of exp are below 2^40 in absolute value
MAX_FALL_EXPONENT = 1 << 10  # scores are above the greatest minus 2^1024, where weights are not shifted to one unit
MAX_SPREAD_BITS = 1 << 24  # of an integer in a sum of weights over one unit

DEFAULT_STEPS = 48_000_000
DEFAULT_HELD_BITS = 3 << 30  # 384 MB
CACHE_BITS = 1 << 29  # 64 MB for each cache, whose results may be dropped
ENTRY_BITS = 2048  # of memory for a table entry besides its numbers: objects and pointers

Key = TypeVar("Key")
Value = TypeVar("Value")


class Budget:
    """The work and memory that a check may still use; at first ``factor`` times the default."""

    def __init__(self, factor: int = 1) -> None:
        self.factor = factor
        self.steps_left = self._steps = factor * DEFAULT_STEPS
        self.bits_left = self._bits = factor * DEFAULT_HELD_BITS

    def grow(self, steps: int, memory: int) -> None:
        """Multiply the limits of steps and memory by these factors, as the format of the file allows."""
        self.steps_left += (steps - 1) * self._steps
        self.bits_left += (memory - 1) * self._bits
        self._steps, self._bits = steps * self._steps, memory * self._bits

    def spend(self, steps: int) -> None:
        """Charge steps of work; raise Incomplete if the check takes more than its budget."""
        self.steps_left -= steps
        if self.steps_left < 0:
            raise Incomplete(f"more than {self._steps} steps of work; {self._advice()}")

    def hold(self, bits: int) -> None:
        """Charge bits of memory until they are released; raise Incomplete if the check holds more than its budget."""
        self.bits_left -= bits
        if self.bits_left < 0:
            raise Incomplete(f"more than {self._bits >> 23} MB of memory; {self._advice()}")

    def release(self, bits: int) -> None:
        """Return bits of memory to the budget."""
        self.bits_left += bits

    @contextmanager
    def holding(self, bits: int) -> Iterator[None]:
        """Hold bits of memory within the context."""
        self.hold(bits)
        try:
            yield
        finally:
            self.release(bits)

    @contextmanager
    def releasing(self) -> Iterator[None]:
        """Release on exit whatever began to be held within the context."""
        left = self.bits_left
        try:
            yield
        finally:
            self.bits_left = left

    def expect_kept(self) -> None:
        """Raise Incomplete if the steps were exceeded, even if the exception was suppressed when that happened."""
        self.spend(0)

    def _advice(self) -> str:
        return f"--work {10 * self.factor} allows more"


class Cache(Generic[Key, Value]):
    """Results that can be computed again: when they fill `CACHE_BITS`, all are dropped."""

    def __init__(self) -> None:
        self._found: dict[Key, Value] = {}
        self._bits = 0

    def get(self, key: Key) -> Value | None:
        """Return the cached result, or None."""
        return self._found.get(key)

    def keep(self, key: Key, value: Value, bits: int = 0) -> Value:
        """Cache a result, and return it; ``bits`` is the memory of its numbers."""
        self._bits += bits + ENTRY_BITS
        if self._bits > CACHE_BITS:
            self._found.clear()
            self._bits = bits + ENTRY_BITS
        self._found[key] = value
        return value
