"""A second attempt at a feed-forward output: what is read, taken apart; docs/certificate.md, Feed-forward output.

No connective is an atom, unless it is built from symbols; and only the truths count that some symbol gives those.
"""

from collections.abc import Collection, Sequence
from fractions import Fraction

from ....kernel.language import Place
from ....kernel.reading.records import Neuron
from ..proof import Proof
from .by_cases import Output, Truths


class OutputApart(Output):
    """One direction that a feed-forward part writes, likewise."""

    def __init__(self, proof: Proof, name: str, units: Sequence[Neuron], bias: Fraction) -> None:
        super().__init__(proof, name, units, bias)
        self._of_symbols = [place for place in self._atoms if self._language.is_of_symbols(place)]
        self._allowed = proof.symbols.allowed(self._of_symbols)

    def _find_free(self, read: Collection[Place]) -> set[Place]:
        """The leaves of what is read; comparisons of counts below it are decided by their signs."""
        language = self._language

        def is_leaf(place: Place) -> bool:
            decided = language.is_positional(place) or language.is_of_symbols(place)
            return decided or not language.is_connective(place)

        found = filter(is_leaf, language.below(read, is_leaf))
        return {place for place in found if not language.is_positional(place)
                and (place in read or not self._is_comparison(place))}

    def _stays_whole(self, place: Place) -> bool:
        """A formula over symbols is one atom."""
        return self._language.is_of_symbols(place)

    def _may_hold(self, truths: Truths) -> bool:
        """Some symbol gives its atoms these truths."""
        return tuple(truths[place] for place in self._of_symbols) in self._allowed
