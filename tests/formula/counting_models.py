"""Hand-made networks that count ([SHA] Theorem 20): one comparison of counts, or one predicate on a count."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from constructions.language.brackets import parse_position_function
from constructions.language.parser import parse_formula
from constructions.language.semantics import satisfies
from constructions.language.syntax import Comparison, Count, Formula, PredicateOnCount, counts_of, difference
from constructions.network.meanings import Mean, Meaning, Near, Others, Position, Product, Truth
from constructions.network.transformer import FeedForward, Head, Layer, Mask, Transformer, Unit
from constructions.network.weightings import Weighting

F = Fraction
ZERO, ONE, THREE = F(0), F(1), F(3)


@dataclass
class Model:
    """The parts of a transformer with two layers: means and products, then lookups and output."""

    alphabet: str
    directions: dict[str, Meaning] = field(default_factory=dict)
    tokens: dict[str, dict[str, Fraction]] = field(default_factory=dict)
    positions: dict[str, object] = field(default_factory=dict)
    heads: tuple[list[Head], list[Head]] = field(default_factory=lambda: ([], []))
    units: tuple[list[Unit], list[Unit]] = field(default_factory=lambda: ([], []))

    def position(self, text: str) -> str:
        value = parse_position_function(text)
        self.directions[text], self.positions[text] = Position(value), value
        return text

    def symbolic_truth(self, formula: Formula) -> str:
        """Return the truth of a formula over symbols, embedded."""
        name = f"is[{formula}]"
        self.directions[name] = Truth(formula)
        for symbol in self.alphabet:
            if satisfies(formula, (symbol,), 1):
                self.tokens.setdefault(symbol, {})[name] = ONE
        return name

    def finish(self, output: str) -> Transformer:
        layers = tuple(Layer(tuple(heads), FeedForward(tuple(units)))
                       for heads, units in zip(self.heads, self.units, strict=True))
        tokens = {symbol: self.tokens.get(symbol, {}) for symbol in self.alphabet}
        return Transformer(tuple(self.alphabet), self.directions, tokens, self.positions, layers, output)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Style:
    """The sharpening of attention, and changes that spoil it."""

    temperature: str = "1/n"
    keys: str = ""
    gamma: Fraction = THREE
    bias: Fraction = ZERO
    swap_masks: bool = False


TEMPERATURE = Style()
POSITION = Style(temperature="1", keys="*n")
CAUSAL = Style(temperature="1/i")


def head(name: str, mask: Mask, style: Style, queries: tuple[Mapping[str, Fraction], ...],
         keys: tuple[Mapping[str, Fraction], ...], values: Mapping[str, Mapping[str, Fraction]]) -> Head:
    temperature = parse_position_function(style.temperature)
    return Head(name, "none", mask, Weighting.SOFTMAX, temperature, queries, keys, values)  # type: ignore[arg-type]


def add_count(model: Model, count: Count, style: Style) -> tuple[str, str]:
    """The exact mean and the product 1/length where this position is counted; returns them and the reciprocal."""
    counted = model.symbolic_truth(count.operand)
    reciprocal = model.position("1/i" if count.side == "left" else "1/(n-i+1)")
    mean, here = f"mean[{count.side}, {count.operand}]", f"here[{count.side}, {count.operand}]"
    model.directions[mean] = Mean(count)
    model.directions[here] = Product(parse_position_function(reciprocal), count.operand)  # type: ignore[arg-type]
    mask = Mask.FUTURE if (count.side == "left") != style.swap_masks else Mask.PAST
    model.heads[0].append(head("mean", mask, style, (), (), {mean: {counted: ONE}}))
    model.units[0].extend((Unit({reciprocal: ONE}, ZERO, {here: ONE}),
                           Unit({reciprocal: ONE, counted: -ONE}, ZERO, {here: -ONE})))
    return mean, here


def lookup(model: Model, count: Count, style: Style, gamma: Fraction, values: Mapping[str, str]) -> None:
    """A head that attends to position j = others + 1 and writes what is embedded there."""
    mean, here = f"mean[{count.side}, {count.operand}]", f"here[{count.side}, {count.operand}]"
    reciprocal = "1/i" if count.side == "left" else "1/(n-i+1)"
    key, offset = model.position("2*i" + style.keys), model.position(f"(2*i-i^2){style.keys}")
    mask = Mask.FUTURE if count.side == "left" else Mask.NONE
    model.heads[1].append(head("lookup", mask, style, ({mean: gamma, here: -gamma}, {reciprocal: gamma}),
                               ({key: ONE}, {offset: ONE}), {name: {value: ONE} for name, value in values.items()}))


def comparison_model(text: str, alphabet: str = "01", style: Style = TEMPERATURE) -> Transformer:
    """``s R t`` over counts of symbols."""
    formula = parse_formula(text, alphabet)
    assert isinstance(formula, Comparison)
    term = difference(formula)
    model = Model(alphabet)
    total: dict[str, Fraction] = {}
    gamma = style.gamma * sum(abs(number) for number, _ in term.coefficients)
    for number, count in term.coefficients:
        add_count(model, count, style)
        others = f"others[{count.side}, {count.operand}]"
        model.directions[others] = Others(count)
        lookup(model, count, style, gamma, {others: model.position("i-1")})
        for name in (others, f"is[{count.operand}]"):
            total[name] = total.get(name, ZERO) + number
    output = f"is[{text}]"
    model.directions[output] = Truth(formula)
    for knee, write in KNEES[formula.relation]:
        model.units[1].append(Unit(total, term.constant - knee + style.bias, {output: F(write)}))
    transformer = model.finish(output)
    if formula.relation == "!=":
        last = transformer.layers[1]
        layer = Layer(last.heads, FeedForward(last.feedforward.units, {output: ONE}))
        return Transformer(transformer.alphabet, transformer.directions, transformer.token_embedding,
                           transformer.position_embedding, (transformer.layers[0], layer), output)
    return transformer


EQUAL = ((F(-3, 4), 2), (F(-1, 4), -2), (F(1, 4), -2), (F(3, 4), 2))
KNEES = {
    ">=": ((F(-3, 4), 2), (F(-1, 4), -2)),
    ">": ((F(1, 4), 2), (F(3, 4), -2)),
    "==": EQUAL,
    "!=": tuple((knee, -write) for knee, write in EQUAL),
}
"""Where the slope of the output as a function of T changes, and by how much."""


def predicate_model(text: str, alphabet: str = "01", style: Style = TEMPERATURE) -> Transformer:
    """A predicate applied to the count of a symbol: two lookups, and the truth of the symbol here selects one."""
    formula = parse_formula(text, alphabet)
    assert isinstance(formula, PredicateOnCount)
    (count,) = counts_of(formula)
    model = Model(alphabet)
    add_count(model, count, style)
    counted, name = f"is[{count.operand}]", text.partition("(#")[0]
    near, output = ("near if counted", "near if not counted"), f"is[{text}]"
    model.directions[near[0]] = Near(formula, count.operand)
    model.directions[near[1]] = Near(formula, parse_formula(f"!({count.operand})"))
    lookup(model, count, style, style.gamma, {near[0]: model.position(f"[{name}]"),
                                              near[1]: model.position(f"[{name}](i-1)")})
    model.directions[output] = Truth(formula)
    for reads, offset in (({near[0]: ONE, counted: ONE}, ONE), ({near[1]: ONE, counted: -ONE}, ZERO)):
        for knee, write in ((F(1, 4), F(2)), (F(3, 4), -F(2))):
            model.units[1].append(Unit(reads, -offset - knee + style.bias, {output: write}))
    return model.finish(output)
