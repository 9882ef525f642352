"""What all parts of the document share: the certificate, its lines, names of directions, and how lemmas are set."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from certify.exports.latex_network import NetworkInLatex
from certify.exports.latex_tables import decimal_number, math, number, text
from certify.exports.proof.places import Path, find_spans, spell
from certify.formula.sealed import Bound, Sealed
from certify.frame.numbers import decimal_lower, decimal_upper
from constructions.network.transformer import Transformer


@dataclass(frozen=True)
class Lemma:
    """What is claimed, and its proof, in paragraphs."""

    title: str
    claim: str
    proof: Sequence[str]

    def __str__(self) -> str:
        return "\n\n".join([rf"\begin{{lemma}}[{{{self.title}}}]", self.claim, r"\end{lemma}", r"\begin{proof}",
                            *self.proof, r"\end{proof}"])


@dataclass(frozen=True)
class Paper:
    """A certificate that becomes a document; ``data`` is its file."""

    sealed: Sealed
    data: Any

    @property
    def transformer(self) -> Transformer:
        """The network."""
        return self.sealed.transformer

    @cached_property
    def network(self) -> NetworkInLatex:
        """Its parts in LaTeX."""
        return NetworkInLatex(self.transformer)

    @cached_property
    def _spans(self) -> Any:
        return find_spans(self.data)

    def cite(self, *path: str | int) -> str:
        """Where the certificate has a number or a part."""
        return rf"\cert{{{self._spans[path]}}}{{{text(spell(path))}}}"

    def cite_head(self, layer: int, head: int) -> str:
        """Where the certificate has the weights of a head."""
        return self.cite("transformer", "layers", layer - 1, "heads", head - 1)

    def cite_feed_forward(self, layer: int) -> str:
        """Where the certificate has the units of a layer."""
        return self.cite("transformer", "layers", layer - 1, "feedforward")

    def bound(self, layer: int, head: int, direction: str) -> tuple[Path, Bound]:
        """The stated errors of a direction, and where they are."""
        for place, bound in enumerate(self.sealed.bounds):
            if (bound.layer, bound.head, bound.direction) == (layer, head, direction):
                return ("bounds", place), bound
        raise AssertionError(f"an accepted certificate without a bound of {direction}")

    def directions(self, names: Sequence[str], most: int = 12) -> str:
        """Some directions, by their numbers."""
        shown = ", ".join(map(self.network.direction, names[:most]))
        return shown if len(names) <= most else rf"{shown} and {len(names) - most} more"


def at_most(error: Fraction) -> str:
    """A bound, exactly where it is short, and else rounded up, so that the sentence stays true."""
    if max(error.numerator, error.denominator) < 10**4:
        return number(error)
    return decimal_number(decimal_upper(error, 6))


def between(lower: Fraction, upper: Fraction) -> str:
    """An enclosed number, inline: its ends rounded outward."""
    if lower == upper:
        return math(number(lower))
    return (f"between {math(decimal_number(decimal_lower(lower, 9)))} and "
            f"{math(decimal_number(decimal_upper(upper, 9)))}")


def counted(count: int, noun: str) -> str:
    """So many things.

    >>> counted(1, "row"), counted(1234, "case")
    ('one row', '1,234 cases')
    """
    return f"one {noun}" if count == 1 else f"{count:,} {noun}s"
