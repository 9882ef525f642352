"""A claim by margins: docs/reference/margins.md, section 1, as data."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from constructions.errors import InputError
from constructions.language.expressions import Expression, parse_expression
from constructions.language.syntax import Formula
from constructions.network.lengths import MAX_N_LIMIT, Lengths
from constructions.network.transformer import Transformer
from constructions.network.validation import check_defined
from proofs.enclosures.expressions import enclose_in_length
from proofs.enclosures.intervals import Interval

At = Literal["first", "last", "every"]
NO_MARGIN = parse_expression("0")


@dataclass(frozen=True)
class Read:
    """A letter at which the formula is judged, and the position of the sequence at which the output is read; from 1."""

    letter: int
    position: int


@dataclass(frozen=True)
class MarginClaim:
    """A claim: output - threshold > margin where the formula holds, threshold - output > margin elsewhere.

    Words are over the ``letters``; the network is given ``before``, the word, ``after``. The margin is an expression in
    n, the number of letters.
    """

    formula: Formula
    letters: tuple[str, ...]
    lengths: Lengths
    at: At = "last"
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    threshold: Fraction = Fraction(0)
    margin: Expression = field(default=NO_MARGIN)

    def reads(self, n: int) -> Iterator[Read]:
        """Yield where words of n letters are judged."""
        before = len(self.before)
        match self.at:
            case "first":
                yield Read(1, 1)
            case "last":
                yield Read(n, before + n + len(self.after))
            case "every":
                yield from (Read(i, before + i) for i in range(1, n + 1))

    def choices(self, n: int) -> list[tuple[str, ...]]:
        """Return the symbols that may occur at each position of the sequence."""
        return [*((symbol,) for symbol in self.before), *[self.letters] * n, *((symbol,) for symbol in self.after)]

    def letters_of(self, sequence: Sequence[str]) -> tuple[str, ...]:
        """Return the word inside a sequence."""
        return tuple(sequence[len(self.before): len(sequence) - len(self.after)])

    def required(self, n: int) -> Interval:
        """Return the margin at n letters; a point if it is rational.

        Raises:
            InputError: if it is undefined there, or may be negative.
        """
        margin = enclose_in_length(self.margin, n)
        if margin.lower < 0:
            found = "negative" if margin.upper < 0 else "may be negative"
            raise InputError(f"margin {self.margin}: {found} at n = {n}, expected 0 or more")
        return margin


def lengths_of_sequences(lengths: Lengths, around: int) -> Lengths:
    """Return the lengths of sequences, with ``around`` symbols around words of these lengths.

    Raises:
        InputError: if they are too long.
    """
    if lengths.last + around > MAX_N_LIMIT:
        raise InputError(f"max-n: {lengths.last} letters and {around} symbol{'s' if around > 1 else ''} around them, "
                         f"expected at most {MAX_N_LIMIT} together")
    return Lengths(lengths.first + around, lengths.last + around)


def check_fits(claim: MarginClaim, transformer: Transformer) -> None:
    """Check that the network has the symbols, and a value for every expression at the lengths of the claim.

    Raises:
        InputError: naming the first missing symbol, or where something is undefined.
    """
    for name, symbols in (("alphabet", claim.letters), ("before", claim.before), ("after", claim.after)):
        for symbol in symbols:
            if symbol not in transformer.alphabet:
                raise InputError(f"{name}: symbol {symbol!r}, expected one of the network's "
                                 f"{' '.join(transformer.alphabet)}")
    check_defined(transformer, lengths_of_sequences(claim.lengths, len(claim.before) + len(claim.after)))
    for n in claim.lengths:
        claim.required(n)
