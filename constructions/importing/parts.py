"""Parts that the recognisers share: what they find, and heads cut out of the matrices of all heads."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from constructions.errors import InputError
from constructions.importing.weights import outputs, rows
from constructions.trained.network import Affine, Attends, AttentionStep, Head, NormStep, Readout, Step, View


@dataclass(frozen=True)
class Interface:
    """The program of a file as it is run: the lengths that it reads, and what follows its logits.

    ``length`` is None if it reads several lengths from ``least`` on. Where all keys of a token are of one of the sets
    ``hidden``, it may compute something else than what was read.
    """

    length: int | None
    least: int
    ending: str
    hidden: tuple[frozenset[int], ...] = ()


@dataclass(frozen=True)
class Found:
    """A network whose tensors are still with the weights; ``kind`` is what the files are called in the report.

    ``pooled``: logits are read from the mean over all tokens, after these norms; None: from single tokens.
    """

    kind: str
    attention: Attends
    tokens: View
    positions: View | None
    steps: tuple[Step, ...]
    unembedding: Affine
    readout: Readout = "each"
    pooled: tuple[NormStep, ...] | None = None
    interface: Interface | None = None

    @property
    def rows(self) -> int | None:
        """The number of positions that its tables have; None: there is no table."""
        tables = [self.positions] if self.positions else []
        tables += [step.rotary.cosines for step in self.steps if isinstance(step, AttentionStep) and step.rotary]
        return min((table.shape[0] for table in tables), default=None)


def split_packed(packed: Affine, out: View, heads: int, slopes: Sequence[Fraction | None] = ()) -> tuple[Head, ...]:
    """The heads of one map that makes all queries, then all keys, then all values, one head after another."""
    inner = packed.weight.shape[1] // 3
    width = inner // heads
    query, key, value = ([outputs(packed, part * inner + index * width, width) for index in range(heads)]
                         for part in range(3))
    return tuple(Head(query[index], key[index], value[index], rows(out, index * width, width),
                      slopes[index] if slopes else None) for index in range(heads))


def numbered(names: Iterable[str], before: str, after: str, where: str, told: int | None = None) -> int:
    """How many layers there are, by the numbers between two parts of their names, which are 0, 1, 2, …

    Raises:
        InputError: if a number is missing, or a file tells another count.
    """
    pattern = re.compile(re.escape(before) + r"(\d{1,6})" + re.escape(after), re.ASCII)
    numbers = {int(match[1]) for name in names if (match := pattern.match(name))}
    if numbers != set(range(len(numbers))):
        raise InputError(f"{where}: layers {sorted(numbers)[:20]} of {before}…, expected 0 to {len(numbers) - 1}")
    if told not in (None, len(numbers)):
        raise InputError(f"{where}: {len(numbers)} layers, expected {told}, as another file says")
    return len(numbers)


def ending(names: Iterable[str], end: str) -> str | None:
    """What stands before this end in the first name that has it."""
    return next((name.removesuffix(end) for name in names if name == end or name.endswith("." + end)), None)
