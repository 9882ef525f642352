"""The part common to all executions of a network under a float model: stored weights, arithmetic, exponentials."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache

from constructions.errors import Unsupported
from constructions.network.float_formats import Format
from constructions.network.transformer import Coefficients, FeedForward, Head, Transformer
from proofs.enclosures.float_models.exponentials import Exponential
from proofs.enclosures.float_models.model import FloatModel
from proofs.enclosures.float_models.numbers import ZERO, Arithmetic, Number
from proofs.formula.composition import find_composition_faults

Row = Sequence[tuple[str, Number]]
MOST_EMBEDDED = 1 << 16


class FloatProgram:
    """A network under a float model.

    Raises:
        Unsupported: if the network has hard attention, or reads or writes a direction out of turn.
    """

    def __init__(self, transformer: Transformer, run_class: FloatModel):
        """Round weights once, with subnormal ones kept and with them flushed."""
        if faults := find_composition_faults(transformer):
            raise Unsupported(faults[0])
        for _, _, head in transformer.heads():
            if not head.weighting.is_softmax:
                attention = "hard attention" if head.weighting.is_hard else f"the weighting {head.weighting}"
                raise Unsupported(f"a float execution is that of softmax attention; this network has {attention}")
        self.transformer, self.run_class = transformer, run_class
        self._stored = {flush: StoredNetwork(transformer, run_class, flush) for flush in (False, True)}

    def stored(self, flush: bool) -> StoredNetwork:
        """Return weights and arithmetic, with results below the least normal number flushed or kept."""
        return self._stored[flush]


class StoredNetwork:
    """The weights of a network, rounded to S, and the arithmetic of a float model."""

    def __init__(self, transformer: Transformer, run_class: FloatModel, flush: bool):
        """Round the weights; results below the least normal number are flushed or kept in all formats."""
        def of(target: Format) -> Arithmetic:
            return Arithmetic(target, flush)

        self.storage, self.sums, self.scores = of(run_class.storage), of(run_class.sums), of(run_class.scores)
        self.softmax, self.weights = of(run_class.softmax), of(run_class.weights)
        same = run_class.inputs == run_class.storage
        self.to_input: Callable[[Number], Number] = (lambda x: x) if same else of(run_class.inputs).round
        self._exponentials: dict[str, Exponential] = {}
        self.heads = {(layer, place): StoredHead(self, head) for layer, place, head in transformer.heads()}
        self.parts = [StoredPart(self, layer.feedforward) for layer in transformer.layers]
        self.embedded = lru_cache(MOST_EMBEDDED)(self._embedded)
        self._transformer, self._run_class = transformer, run_class

    def exponential(self, base: str) -> Exponential:
        """Return the function e^d or 2^d.

        Raises:
            InputError: if no format has exponentials as exact as the model requires.
        """
        if base not in self._exponentials:
            self._exponentials[base] = Exponential(self.softmax, self._run_class.exp_ulp, base)
        return self._exponentials[base]

    def row(self, weights: Coefficients) -> Row:
        """Return the weights as they are stored."""
        return [(name, self.storage.number(weight)) for name, weight in weights.items()]

    def _embedded(self, direction: str, symbol: str, i: int, n: int) -> Number:
        """Return the row of the symbol plus the row of the position; one of them has 0 there."""
        of_symbol = self._transformer.token_embedding[symbol].get(direction, Fraction(0))
        function = self._transformer.position_embedding.get(direction)
        of_position = self.number_of(*function.enclose(i=i, n=n)) if function else ZERO
        return self.storage.add(self.storage.number(of_symbol), of_position)

    def number_of(self, *ends: Fraction) -> Number:
        """Return the stored number for a real one between these.

        Raises:
            Unsupported: if they are rounded to several.
        """
        lower, upper = map(self.storage.number, ends)
        if lower != upper:
            raise Unsupported("an irrational number, of which it is not known which float is stored")
        return lower


class StoredHead:
    """The weights of one head."""

    def __init__(self, network: StoredNetwork, head: Head):
        """Round the weights to S."""
        self.mask = head.mask
        self.queries, self.keys = [network.row(row) for row in head.queries], [network.row(row) for row in head.keys]
        self.values = {name: network.row(row) for name, row in head.values.items()}
        self._scaled = str(head.temperature) != "1"
        self._temperature, self._network = head.temperature, network

    def scale(self, i: int, n: int) -> Number | None:
        """Return 1/temperature, as it is stored; None if the temperature is 1 everywhere."""
        if not self._scaled:
            return None
        return self._network.number_of(*(1 / end for end in self._temperature.enclose(i=i, n=n)))


class StoredPart:
    """The weights of the feed-forward part of a layer."""

    def __init__(self, network: StoredNetwork, part: FeedForward):
        """Round the weights to S; list for each direction the units that write it, with their weights."""
        self.reads = [(network.row(unit.reads), network.storage.number(unit.bias)) for unit in part.units]
        self.bias: Mapping[str, Number] = dict(network.row(part.bias))
        self.writes: dict[str, list[tuple[int, Number]]] = {name: [] for name in self.bias}
        for place, unit in enumerate(part.units):
            for name, weight in network.row(unit.writes):
                self.writes.setdefault(name, []).append((place, weight))
