"""A network in LaTeX: its directions, embeddings, heads and hidden units, directions numbered."""

from collections.abc import Iterator

from certify.exports.latex_tables import linear_form, math, number, table, typewriter
from constructions.errors import Unsupported
from constructions.language.printer import format_count, format_formula, format_term, latex_text
from constructions.language.syntax import TRUE, Formula
from constructions.network import meanings
from constructions.network.lengths import Lengths
from constructions.network.transformer import Coefficients, FeedForward, Head, Transformer, Unit

MOST_DIRECTIONS = 1_000
MASKS = {"none": "unmasked", "future": r"future-masked ($j \le i$)", "past": r"past-masked ($j \ge i$)"}
CONVENTIONS = r"""Position $i$ of a word $w_1 \cdots w_n$ starts as the sum of its embeddings; $h_k$ is the $k$th
direction of the residual stream, and $e_k$ its unit vector. Each layer adds the outputs of its heads, then those of its
feed-forward block. A head has the scores $\sum_r q_r(i)\,k_r(j)$, divided by its temperature $\tau$; $1/\sqrt{d_k}$ is
folded into the queries. It adds the weighted mean of the values. Entries that are not listed are $0$."""


def lengths_in_latex(lengths: Lengths) -> str:
    """Return the range of n of a claim."""
    least = f"{lengths.first} \\le " if lengths.first > 1 else ""
    return rf"every $n$ with ${least}n \le {lengths.last}$"


class NetworkInLatex:
    """The parts of one network; directions are numbered."""

    def __init__(self, transformer: Transformer):
        """Assign numbers to the directions, from 1, in the order of the certificate.

        Raises:
            Unsupported: if there are more than MOST_DIRECTIONS.
        """
        if (width := len(transformer.directions)) > MOST_DIRECTIONS:
            raise Unsupported(f"{width} directions in LaTeX, expected at most {MOST_DIRECTIONS}")
        self.transformer = transformer
        self.numbers = {name: place for place, name in enumerate(transformer.directions, start=1)}

    def form(self, row: Coefficients, constant: str = "") -> str:
        """Return a linear form of the directions."""
        return linear_form({f"h_{{{self.numbers[name]}}}": weight
                            for name, weight in sorted(row.items(), key=lambda item: self.numbers[item[0]])}, constant)

    def direction(self, name: str) -> str:
        """Return the number of a direction, inline."""
        return f"$h_{{{self.numbers[name]}}}$"

    def directions(self) -> Iterator[str]:
        """Yield the table of directions with their meanings."""
        rows = [(self.direction(name) + (" (output)" if name == self.transformer.output else ""), typewriter(name),
                 meaning_in_latex(meaning)) for name, meaning in self.transformer.directions.items()]
        yield from table("Directions", ("", "name", "holds"), rows, r"lp{0.35\textwidth}p{0.45\textwidth}")

    def embeddings(self) -> Iterator[str]:
        """Yield the tables of token and position embeddings."""
        tokens = [(typewriter(symbol), math(self.embedded(row)))
                  for symbol, row in self.transformer.token_embedding.items()]
        yield from table("Token embeddings", ("symbol", "adds"), tokens, r"lp{0.75\textwidth}")
        positions = [(self.direction(name), math(value.latex()))
                     for name, value in self.transformer.position_embedding.items()]
        yield from table("Position embeddings", ("to", "at position $i$ of $n$"), positions)

    def embedded(self, row: Coefficients) -> str:
        """Return the vector, as multiples of unit vectors of the directions."""
        return linear_form({f"e_{{{self.numbers[name]}}}": weight for name, weight in row.items()})

    def head(self, place: str, head: Head) -> Iterator[str]:
        """Yield the tables of queries and keys, and of values."""
        title = (f"Head {place}: {latex_text(head.name)}" + (f" ({latex_text(head.source)})" if head.source else "")
                 + rf", {MASKS[head.mask.value]}, {latex_text(head.weighting.value)}, "
                 rf"$\tau = {head.temperature.latex()}$")
        scores = [(f"${place}$", math(self.form(query)), math(self.form(key)))
                  for place, (query, key) in enumerate(zip(head.queries, head.keys, strict=True), start=1)]
        yield from table(title, ("$r$", "query $q_r$", "key $k_r$"), scores)
        values = [(self.direction(name), math(self.form(row))) for name, row in head.values.items()]
        yield from table(f"Values of head {place}", ("to", "value"), values)

    def feed_forward(self, layer: int, part: FeedForward) -> Iterator[str]:
        """Yield the table of hidden units, and the bias."""
        rows = [(f"${place}$", self.activation(unit), math(self.embedded(unit.writes)))
                for place, unit in enumerate(part.units, start=1)]
        yield from table(f"Feed-forward units of layer {layer}", ("unit", "activation", "adds its multiple of"), rows,
                         r"lp{0.5\textwidth}p{0.3\textwidth}")
        if part.bias:
            yield f"Layer {layer} also adds {math(self.embedded(part.bias))}."

    def activation(self, unit: Unit) -> str:
        """Return the activation of a hidden unit, which multiplies its output vector."""
        constant = number(unit.bias) if unit.bias else ""
        return math(rf"\operatorname{{ReLU}}({self.form(unit.reads, constant)})")


def meaning_in_latex(meaning: meanings.Meaning) -> str:
    """Describe the meaning of a direction."""
    match meaning:
        case meanings.Position(value):
            return f"exactly {math(value.latex())}"
        case meanings.Truth(formula):
            return f"truth of {formula_in_latex(formula)}"
        case meanings.Near(formula, when):
            guard = "" if when is TRUE else f" where {formula_in_latex(when)}"
            return f"near the truth of {formula_in_latex(formula)}{guard}"
        case meanings.Product(value, formula):
            return f"exactly {math(value.latex())} where {formula_in_latex(formula)}, else $0$"
        case meanings.Mean(count):
            return f"the mean behind {math(format_count(count, 'latex'))}"
        case meanings.Average(term):
            return f"the average behind {math(format_term(term, 'latex'))}"
        case meanings.Total(count):
            return f"exactly {math(format_count(count, 'latex'))}"
        case meanings.Others(count):
            return f"near {math(format_count(count, 'latex'))}, minus $1$ where this position is counted"
        case meanings.Slack(formula):
            return f"$0$ where {formula_in_latex(formula)} holds, at least $1$ elsewhere"
        case meanings.Anything():
            return "anything"


def formula_in_latex(formula: Formula) -> str:
    """Return the formula, inline."""
    return math(format_formula(formula, "latex"))
