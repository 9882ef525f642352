"""`certify export --to latex`: the claim, the network and its bounds as tables for a paper's appendix."""

from __future__ import annotations

from collections.abc import Iterator

from certify.exports.latex_tables import decimal_number, linear_form, math, number, table, text, typewriter
from certify.exports.sealed import Sealed, read_sealed
from certify.files import check_writable, write_text
from certify.showing.numbers import decimal_upper
from constructions.language.printer import format_count, format_formula
from constructions.language.syntax import TRUE, Formula
from constructions.network.meanings import Anything, Mean, Meaning, Near, Others, Position, Product, Slack, Truth
from constructions.network.transformer import Coefficients, FeedForward, Head, Transformer, Unit

_MASKS = {"none": "unmasked", "future": r"future-masked ($j \le i$)", "past": r"past-masked ($j \ge i$)"}
PREAMBLE = r"""% Pastes into a document with \usepackage{amsmath,booktabs}.
% From the {names}
"""
CONVENTIONS = r"""Position $i$ of a word $w_1 \cdots w_n$ starts as the sum of its embeddings; $h_k$ is the $k$th
direction of the residual stream, and $e_k$ its unit vector. Each layer adds the outputs of its heads, then those of its
feed-forward part. A head has the scores $\sum_r q_r(i)\,k_r(j)$, divided by its temperature $\tau$; $1/\sqrt{d_k}$ is
folded into the queries. It adds the weighted mean of the values. Everything that is not listed is $0$."""


def export_latex(path: str, output: str) -> None:
    """Write the tables of the certificate in a file.

    Raises:
        InputError: if the file is no certificate, or the place cannot be written.
        NotAccepted: if the certificate is rejected.
    """
    check_writable(output)
    write_text(output, latex_of(read_sealed(path)))


def latex_of(sealed: Sealed) -> str:
    """The whole text, in paragraphs."""
    transformer = sealed.transformer
    writer = _Writer(transformer)
    paragraphs = [PREAMBLE.replace("{names}", sealed.names) + _statement(sealed), CONVENTIONS,
                  *writer.directions(), *writer.embeddings()]
    for place, layer in enumerate(transformer.layers, start=1):
        for number_of_head, head in enumerate(layer.heads, start=1):
            paragraphs += writer.head(f"{place}.{number_of_head}", head)
        paragraphs += writer.feed_forward(place, layer.feedforward)
    return "\n\n".join([*paragraphs, *writer.bounds(sealed)]) + "\n"


def _statement(sealed: Sealed) -> str:
    output = sealed.transformer.directions[sealed.transformer.output]
    assert isinstance(output, Truth)
    symbols = ", ".join(typewriter(symbol) for symbol in sealed.transformer.alphabet)
    return (rf"\paragraph{{Claim.}} For {_lengths(sealed)}, every word $w$ of length $n$ over \{{{symbols}\}} and "
            rf"every position $i$ of it, the output {math(format_formula(output.formula, 'latex'))} of the following "
            rf"transformer (regime: {text(sealed.regime)}) is exactly $1$ if the formula holds at $i$, and exactly $0$ "
            "if not.")


def _lengths(sealed: Sealed) -> str:
    least = f"{sealed.lengths.first} \\le " if sealed.lengths.first > 1 else ""
    return rf"every $n$ with ${least}n \le {sealed.lengths.last}$"


class _Writer:
    """The parts of one network; directions are numbered."""

    def __init__(self, transformer: Transformer):
        self.transformer = transformer
        self.numbers = {name: place for place, name in enumerate(transformer.directions, start=1)}

    def form(self, row: Coefficients, constant: str = "") -> str:
        return linear_form({f"h_{{{self.numbers[name]}}}": weight
                            for name, weight in sorted(row.items(), key=lambda item: self.numbers[item[0]])}, constant)

    def direction(self, name: str) -> str:
        return f"$h_{{{self.numbers[name]}}}$"

    def directions(self) -> Iterator[str]:
        rows = [(self.direction(name) + (" (output)" if name == self.transformer.output else ""), typewriter(name),
                 _meaning(meaning)) for name, meaning in self.transformer.directions.items()]
        yield from table("Directions", ("", "name", "holds"), rows, r"lp{0.35\textwidth}p{0.45\textwidth}")

    def embeddings(self) -> Iterator[str]:
        """Symbols, then positions."""
        tokens = [(typewriter(symbol), math(self.embedded(row)))
                  for symbol, row in self.transformer.token_embedding.items()]
        yield from table("Token embeddings", ("symbol", "adds"), tokens, r"lp{0.75\textwidth}")
        positions = [(self.direction(name), math(value.latex()))
                     for name, value in self.transformer.position_embedding.items()]
        yield from table("Position embeddings", ("to", "at position $i$ of $n$"), positions)

    def embedded(self, row: Coefficients) -> str:
        """The vector, as multiples of unit vectors of the directions."""
        return linear_form({f"e_{{{self.numbers[name]}}}": weight for name, weight in row.items()})

    def head(self, place: str, head: Head) -> Iterator[str]:
        title = (f"Head {place}: {text(head.name)}" + (f" ({text(head.source)})" if head.source else "")
                 + rf", {_MASKS[head.mask.value]}, {text(head.weighting.value)}, $\tau = {head.temperature.latex()}$")
        scores = [(f"${place}$", math(self.form(query)), math(self.form(key)))
                  for place, (query, key) in enumerate(zip(head.queries, head.keys, strict=True), start=1)]
        yield from table(title, ("$r$", "query $q_r$", "key $k_r$"), scores)
        values = [(self.direction(name), math(self.form(row))) for name, row in head.values.items()]
        yield from table(f"Values of head {place}", ("to", "value"), values)

    def feed_forward(self, layer: int, part: FeedForward) -> Iterator[str]:
        rows = [(f"${place}$", self._activation(unit), math(self.embedded(unit.writes)))
                for place, unit in enumerate(part.units, start=1)]
        yield from table(f"Feed-forward units of layer {layer}", ("unit", "activation", "adds its multiple of"), rows,
                         r"lp{0.5\textwidth}p{0.3\textwidth}")
        if part.bias:
            yield f"Layer {layer} adds {math(self.embedded(part.bias))} besides."

    def _activation(self, unit: Unit) -> str:
        constant = number(unit.bias) if unit.bias else ""
        return math(rf"\operatorname{{ReLU}}({self.form(unit.reads, constant)})")

    def bounds(self, sealed: Sealed) -> Iterator[str]:
        rows = [(f"{bound.layer}.{bound.head}", self.direction(bound.direction),
                 *(math(decimal_number(decimal_upper(error, 6)))
                   for error in (bound.error_if_false, bound.error_if_true)))
                for bound in sealed.bounds]
        yield from table("Largest errors over all words and positions, rounded up",
                         ("head", "of", "above (where false)", "below (where true)"), rows)


def _meaning(meaning: Meaning) -> str:
    match meaning:
        case Position(value):
            return f"exactly {math(value.latex())}"
        case Truth(formula):
            return f"truth of {_formula(formula)}"
        case Near(formula, when):
            return f"near the truth of {_formula(formula)}" + ("" if when is TRUE else f" where {_formula(when)}")
        case Product(value, formula):
            return f"exactly {math(value.latex())} where {_formula(formula)}, else $0$"
        case Mean(count):
            return f"the mean behind {math(format_count(count, 'latex'))}"
        case Others(count):
            return f"near {math(format_count(count, 'latex'))}, less $1$ where this position is counted"
        case Slack(formula):
            return f"$0$ where {_formula(formula)} holds, at least $1$ elsewhere"
        case Anything():
            return "anything"


def _formula(formula: Formula) -> str:
    return math(format_formula(formula, "latex"))
