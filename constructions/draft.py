"""A transformer being built: every part goes to the earliest layer that can read what it needs.

Stages count half-layers: the embedding is stage 0, the heads of layer l stage 2l - 1, its feed-forward part stage 2l.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from constructions.language.expressions import Expression, parse_expression
from constructions.language.printer import format_formula
from constructions.language.syntax import Formula
from constructions.network.meanings import Meaning, Position, Truth
from constructions.network.transformer import FeedForward, Head, Layer, Row, Transformer, Unit
from constructions.regimes import Regime

MAX_NAME = 100
ONE = Fraction(1)


@dataclass
class _LayerDraft:
    heads: list[Head] = field(default_factory=list)
    units: list[Unit] = field(default_factory=list)
    bias: dict[str, Fraction] = field(default_factory=dict)


class Draft:
    """What the constructions write to. Directions are added once; asking again returns the same name."""

    def __init__(self, alphabet: tuple[str, ...], regime: Regime, gamma: Fraction, reciprocal_embedded: bool = True):
        """An empty network over ``alphabet``.

        ``gamma`` is the constant in front of the scores ([SHA] prints 3); ``reciprocal_embedded`` says whether 1/i is
        a position embedding (Theorem 16) or is computed by the network (Corollary 18).
        """
        self.alphabet = alphabet
        self.regime = regime
        self.gamma = gamma
        self.reciprocal_embedded = reciprocal_embedded
        self._directions: dict[str, Meaning] = {}
        self._stages: dict[str, int] = {}
        self._tokens: dict[str, dict[str, Fraction]] = {symbol: {} for symbol in alphabet}
        self._positions: dict[str, Expression] = {}
        self._layers: list[_LayerDraft] = []
        self._names: dict[Formula, str] = {}

    # -- directions ----------------------------------------------------------------------------------------------------

    def has_truth(self, formula: Formula) -> bool:
        """Whether a direction already holds the truth of ``formula``."""
        return formula in self._names

    def truth(self, formula: Formula) -> str:
        """The direction that holds the truth of ``formula``."""
        return self._names[formula]

    def embed_position(self, text: str) -> str:
        """A direction embedded as the position function ``text``, under that name."""
        name = "one" if text == "1" else text
        if name not in self._directions:
            value = parse_expression(text)
            self._add(name, Position(value), stage=0)
            self._positions[name] = value
        return name

    def one(self) -> str:
        """The constant-1 direction."""
        return self.embed_position("1")

    def embed_truth(self, formula: Formula, true_symbols: Iterable[str]) -> str:
        """A direction that the token embedding sets to 1 at ``true_symbols``."""
        name = self._new_truth(formula, stage=0)
        for symbol in true_symbols:
            self._tokens[symbol][name] = ONE
        return name

    # -- layers --------------------------------------------------------------------------------------------------------

    def add_head(self, head: Head, written: Mapping[str, Meaning]) -> None:
        """Put the head into the earliest layer that can read what it reads; ``written`` gives the meanings it adds."""
        rows = [*head.queries, *head.keys, *head.values.values()]
        layer = (self._latest(rows) + 1) // 2 + 1
        self._layer(layer).heads.append(head)
        for name, meaning in written.items():
            self._add(name, meaning, stage=2 * layer - 1)

    def add_truth(self, formula: Formula, units: Iterable[tuple[Row, Fraction, Fraction]], bias: Fraction) -> str:
        """A direction ``is[formula]`` = bias + sum of write * ReLU(reads . h + unit bias), in the earliest layer."""
        listed = list(units)
        layer = self._latest([reads for reads, _, _ in listed]) // 2 + 1
        name = self._new_truth(formula, stage=2 * layer)
        part = self._layer(layer)
        part.units += [Unit(reads, offset, {name: write}) for reads, offset, write in listed]
        if bias:
            part.bias[name] = bias
        return name

    def finish(self, output: Formula) -> Transformer:
        """The finished transformer, whose output direction holds the truth of ``output``."""
        return Transformer(
            alphabet=self.alphabet,
            directions=self._directions,
            token_embedding=self._tokens,
            position_embedding=self._positions,
            layers=tuple(Layer(tuple(part.heads), FeedForward(tuple(part.units), part.bias)) for part in self._layers),
            output=self.truth(output),
        )

    # -- inside --------------------------------------------------------------------------------------------------------

    def near_name(self, formula: Formula, note: str = "") -> str:
        """The name of the direction for an approximation of ``formula``; ``note`` tells several apart."""
        return self._spell("near", formula, note)

    def has(self, name: str) -> bool:
        """Whether a direction of this name exists."""
        return name in self._directions

    def _new_truth(self, formula: Formula, stage: int) -> str:
        name = self._spell("is", formula)
        self._add(name, Truth(formula), stage)
        self._names[formula] = name
        return name

    def _spell(self, kind: str, formula: Formula, note: str = "") -> str:
        text = format_formula(formula)
        if len(text) > MAX_NAME:
            text = f"#{len(self._directions) + 1}"
        return f"{kind}[{text}]{note}"

    def _add(self, name: str, meaning: Meaning, stage: int) -> None:
        assert name not in self._directions, name
        self._directions[name] = meaning
        self._stages[name] = stage

    def _latest(self, rows: Iterable[Row]) -> int:
        return max((self._stages[name] for row in rows for name in row), default=0)

    def _layer(self, number: int) -> _LayerDraft:
        while len(self._layers) < number:
            self._layers.append(_LayerDraft())
        return self._layers[number - 1]
