"""`certify export --to latex`: the claim, the network and its bounds as tables for a paper's appendix."""

from collections.abc import Iterator

from certify.claims.formula.real_functions import sentence
from certify.claims.formula.sealed import Sealed
from certify.common.numbers import decimal_upper
from certify.exports.latex_network import CONVENTIONS, NetworkInLatex, lengths_in_latex
from certify.exports.latex_tables import decimal_number, math, table, typewriter
from certify.exports.writing import of_formula, text_file
from constructions.language.printer import format_formula, latex_text
from constructions.network.meanings import Truth

PREAMBLE = r"""% Pastes into a document with \usepackage{amsmath,booktabs}.
% From the {names}
"""


def latex_of(sealed: Sealed) -> str:
    """Return the whole text, in paragraphs."""
    transformer = sealed.transformer
    writer = NetworkInLatex(transformer)
    paragraphs = [PREAMBLE.replace("{names}", sealed.names) + _statement(sealed), CONVENTIONS,
                  *writer.directions(), *writer.embeddings()]
    for place, layer in enumerate(transformer.layers, start=1):
        for number_of_head, head in enumerate(layer.heads, start=1):
            paragraphs += writer.head(f"{place}.{number_of_head}", head)
        paragraphs += writer.feed_forward(place, layer.feedforward)
    return "\n\n".join([*paragraphs, *_bounds(sealed, writer)]) + "\n"


def _statement(sealed: Sealed) -> str:
    output = sealed.transformer.directions[sealed.transformer.output]
    assert isinstance(output, Truth)
    symbols = ", ".join(typewriter(symbol) for symbol in sealed.transformer.alphabet)
    return (rf"\paragraph{{Claim.}} For {lengths_in_latex(sealed.lengths)}, every word $w$ of length $n$ over "
            rf"\{{{symbols}\}} and every position $i$ of it, the output "
            rf"{math(format_formula(output.formula, 'latex'))} of the following transformer (regime: "
            rf"{latex_text(sealed.regime)}) is exactly $1$ if the formula holds at $i$, and exactly $0$ if not."
            + f" {sentence(sealed.transformer, latex=True)}".rstrip())


def _bounds(sealed: Sealed, writer: NetworkInLatex) -> Iterator[str]:
    rows = [(f"{bound.layer}.{bound.head}", writer.direction(bound.direction),
             *(math(decimal_number(decimal_upper(error, 6)))
               for error in (bound.error_if_false, bound.error_if_true)))
            for bound in sealed.bounds]
    yield from table("Bounds of errors over all words and positions, rounded up",
                     ("head", "of", "above (where false)", "below (where true)"), rows)


export_latex = text_file(of_formula(latex_of))
