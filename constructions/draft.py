"""A transformer being built: every part goes to the earliest layer that can read what it needs.

Stages count half-layers: the embedding is stage 0, the heads of layer l stage 2l - 1, its feed-forward part stage 2l.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from constructions.errors import InputError
from constructions.language.brackets import Bracket, PositionFunction
from constructions.language.expressions import Expression, parse_expression
from constructions.language.formula_table import PLAIN_TEXTS, FormulaTexts
from constructions.language.printer import written_length
from constructions.language.syntax import Count, Formula, Term
from constructions.network.meanings import Meaning, Position, Truth, texts_of_network
from constructions.network.renaming import rename_directions
from constructions.network.transformer import Coefficients, FeedForward, Head, Layer, Transformer, Unit
from constructions.network.weightings import Weighting
from constructions.regimes import Regime

MAX_NAME = 100
ONE = Fraction(1)
_About = Formula | Count | Term


@dataclass
class _LayerDraft:
    heads: list[Head] = field(default_factory=list)
    units: list[Unit] = field(default_factory=list)
    bias: dict[str, Fraction] = field(default_factory=dict)


def linear_form(*parts: tuple[str, Fraction]) -> Coefficients:
    """Return the sum of multiples of directions; coefficients of one direction add up.

    >>> linear_form(("x", Fraction(2)), ("y", Fraction(1)), ("y", Fraction(-1)))
    {'x': Fraction(2, 1)}
    """
    row: dict[str, Fraction] = {}
    for name, weight in parts:
        row[name] = row.get(name, Fraction(0)) + weight
    return {name: weight for name, weight in row.items() if weight}


class Draft:
    """A transformer under construction. Each direction is added once; adding it again returns its name.

    Each method that adds a direction raises InputError if a direction of another meaning has its name.
    """

    def __init__(self, alphabet: tuple[str, ...], regime: Regime, gamma: Fraction, reciprocal_embedded: bool = True,
                 temperature: Expression | None = None, low_precision_up_to: int | None = None,
                 weighting: Weighting = Weighting.SOFTMAX):
        """Begin an empty network over ``alphabet``.

        ``gamma`` is the constant in front of the scores ([SHA] prints 3); ``reciprocal_embedded`` says whether 1/i and
        1/(n+1-i) are position embeddings (Theorems 16, 20, 21) or are computed by the network (Corollaries 18, 22, 23).
        All heads have the ``temperature``; the default is the temperature of the regime. With a length
        ``low_precision_up_to`` the constructions for low precision are used, for words up to that length. All heads
        have the ``weighting``.
        """
        self.alphabet = alphabet
        self.regime = regime
        self.gamma = gamma
        self.reciprocal_embedded = reciprocal_embedded
        self.low_precision_up_to = low_precision_up_to
        self.temperature = temperature or regime.temperature
        self.weighting = weighting
        self._directions: dict[str, Meaning] = {}
        self._stages: dict[str, int] = {}
        self._tokens: dict[str, dict[str, Fraction]] = {symbol: {} for symbol in alphabet}
        self._positions: dict[str, PositionFunction] = {}
        self._layers: list[_LayerDraft] = []
        self._names: dict[Formula, str] = {}
        self._spelled: dict[str, tuple[str, _About, str]] = {}
        self._built: dict[Hashable, str] = {}

    # -- directions ----------------------------------------------------------------------------------------------------

    def has_truth(self, formula: Formula) -> bool:
        """Return whether a direction holds the truth of ``formula``."""
        return formula in self._names

    def truth(self, formula: Formula) -> str:
        """Return the direction that holds the truth of ``formula``."""
        return self._names[formula]

    def embed_position(self, text: str) -> str:
        """Return a direction embedded as the position function ``text``, under that name."""
        return self._embed_position_function("one" if text == "1" else text, parse_expression(text))

    def embed_before(self, formula: Formula) -> str:
        """Return a direction embedded as the truth of a positional formula one position to the left (0 at i = 1)."""
        bracket = Bracket(formula, shifted=True)
        return self.once(bracket, lambda: self._embed_position_function(self.spell("before", formula), bracket))

    def _embed_position_function(self, name: str, value: PositionFunction) -> str:
        if self._directions.get(name) != Position(value):
            self._add(name, Position(value), stage=0)
            self._positions[name] = value
        return name

    def one(self) -> str:
        """Return the constant-1 direction."""
        return self.embed_position("1")

    def embed_truth(self, formula: Formula, true_symbols: Iterable[str]) -> str:
        """Return a direction that the token embedding sets to 1 at ``true_symbols``."""
        name = self._new_truth(formula, stage=0)
        for symbol in true_symbols:
            self._tokens[symbol][name] = ONE
        return name

    def embed_tokens(self, name: str, meaning: Meaning, weights: Mapping[str, Fraction]) -> str:
        """Return the direction ``name``, which the token embedding sets to the weight of each symbol."""
        self._add(name, meaning, stage=0)
        for symbol, weight in weights.items():
            if weight:
                self._tokens[symbol][name] = weight
        return name

    def embed_positional(self, formula: Formula) -> str:
        """Return a direction embedded as the truth of a positional formula."""
        name = self._new_truth(formula, stage=0)
        self._positions[name] = Bracket(formula)
        return name

    # -- layers --------------------------------------------------------------------------------------------------------

    def add_head(self, head: Head, written: Mapping[str, Meaning]) -> None:
        """Add the head to the earliest layer where its inputs are complete; ``written`` gives the meanings it adds."""
        self.add_heads([head], written)

    def add_heads(self, heads: Sequence[Head], written: Mapping[str, Meaning]) -> None:
        """Add heads of one layer that write the same directions; a direction holds the sum of their outputs."""
        rows = [row for head in heads for row in (*head.queries, *head.keys, *head.values.values())]
        layer = (self._latest(rows) + 1) // 2 + 1
        self._layer(layer).heads += heads
        for name, meaning in written.items():
            self._add(name, meaning, stage=2 * layer - 1)
            if isinstance(meaning, Truth):
                self._names[meaning.formula] = name

    def add_truth(self, formula: Formula, units: Iterable[tuple[Coefficients, Fraction, Fraction]],
                  bias: Fraction) -> str:
        """Add ``is[formula]`` = bias + sum of write * ReLU(reads . h + unit bias), in the earliest layer."""
        name = self.add_feed_forward(self.spell("is", formula), Truth(formula), units, bias)
        self._names[formula] = name
        return name

    def add_feed_forward(self, name: str, meaning: Meaning, units: Iterable[tuple[Coefficients, Fraction, Fraction]],
                         bias: Fraction) -> str:
        """Return the direction ``name`` = bias + sum of write * ReLU(reads . h + unit bias), in the earliest layer."""
        listed = list(units)
        layer = self._latest([reads for reads, _, _ in listed]) // 2 + 1
        self._add(name, meaning, stage=2 * layer)
        part = self._layer(layer)
        part.units += [Unit(reads, offset, {name: write}) for reads, offset, write in listed]
        if bias:
            part.bias[name] = bias
        return name

    def finish(self, output: Formula) -> Transformer:
        """Return the transformer so far, with the truth of ``output`` as its output direction."""
        return self.finish_at(self.truth(output))

    def finish_at(self, output: str) -> Transformer:
        """Return the transformer so far, with this output direction.

        If a file with it has a table of formulas, names of directions refer to its entries.
        """
        transformer = Transformer(
            alphabet=self.alphabet,
            directions=dict(self._directions),
            token_embedding={symbol: dict(row) for symbol, row in self._tokens.items()},
            position_embedding=dict(self._positions),
            layers=tuple(Layer(tuple(part.heads), FeedForward(tuple(part.units), dict(part.bias)))
                         for part in self._layers),
            output=output,
        )
        texts = texts_of_network(self._directions.values(), self._positions.values())
        if texts is PLAIN_TEXTS:
            return transformer
        return rename_directions(transformer, {
            name: f"{kind}[{text}]{note}" for name, (kind, about, note) in self._spelled.items()
            if name in self._directions and (text := _short_text(texts, about))})

    # -- names ---------------------------------------------------------------------------------------------------------

    def once(self, key: Hashable, build: Callable[[], str]) -> str:
        """Return the direction that ``build`` returned for ``key``; call ``build`` the first time only."""
        if key not in self._built:
            self._built[key] = build()
        return self._built[key]

    def spell(self, kind: str, about: _About, note: str = "") -> str:
        """Return a name for a direction about a formula, a count or a sum of counts; ``note`` tells several apart."""
        name = f"{kind}[{_short_text(PLAIN_TEXTS, about) or f'#{len(self._directions) + 1}'}]{note}"
        self._spelled[name] = kind, about, note
        return name

    def has(self, name: str) -> bool:
        """Return whether a direction of this name exists."""
        return name in self._directions

    def stage(self, name: str) -> int:
        """Return the stage at which the direction is complete."""
        return self._stages[name]

    def meaning(self, name: str) -> Meaning:
        """Return the meaning of the direction of this name."""
        return self._directions[name]

    # -- inside --------------------------------------------------------------------------------------------------------

    def _new_truth(self, formula: Formula, stage: int) -> str:
        name = self.spell("is", formula)
        self._add(name, Truth(formula), stage)
        self._names[formula] = name
        return name

    def _add(self, name: str, meaning: Meaning, stage: int) -> None:
        if name in self._directions:  # only the user's name of a direction written by hand can clash
            raise InputError(f"direction {name!r} is {self._directions[name]}, expected {meaning} under that name")
        self._directions[name] = meaning
        self._stages[name] = stage

    def _latest(self, rows: Iterable[Coefficients]) -> int:
        return max((self._stages[name] for row in rows for name in row), default=0)

    def _layer(self, number: int) -> _LayerDraft:
        while len(self._layers) < number:
            self._layers.append(_LayerDraft())
        return self._layers[number - 1]


def _short_text(texts: FormulaTexts, about: _About) -> str | None:
    """Return the text of the formula, count or sum; None if it is too long for a name."""
    match about:
        case Formula():
            formulas = [about]
        case Count(operand=operand):
            formulas = [operand]
        case Term(coefficients):
            formulas = [count.operand for _, count in coefficients]
    if texts is PLAIN_TEXTS and max(map(written_length, formulas), default=0) > MAX_NAME:
        return None
    return text if len(text := texts.about(about)) <= MAX_NAME else None
