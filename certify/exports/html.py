"""`certify export --to html`: the claim, the network, its bounds and a picture of every head as one page.

The page loads nothing (its Content-Security-Policy forbids it) and has no script; every text of a stranger is escaped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from certify.exports.attention import Weights, attention_weights, sample_word
from certify.exports.npz import arrays_of
from certify.exports.sealed import Bound, Sealed, read_sealed
from certify.files import check_writable, write_text
from certify.floats.wording import describe_exponentials, describe_formats, describe_normalised
from certify.showing.numbers import decimal_upper
from constructions.network.lengths import Lengths
from constructions.network.transformer import Coefficients, Unit, Weighting
from constructions.text import printable

PICTURED = 10
"""Positions of the word in the pictures, if the claim has words of that length."""
MOST_PICTURED = 24
MASKS = {"none": "all positions", "future": "up to itself", "past": "from itself on"}


@dataclass(frozen=True)
class Pictures:
    """What the heads attend to on one word."""

    word: tuple[str, ...]
    weights: dict[tuple[int, int], Weights]


def export_html(path: str, output: str) -> None:
    """Write the page of the certificate in a file.

    Raises:
        InputError: if the file is no certificate, or the place cannot be written.
        NotAccepted: if the certificate is rejected.
    """
    check_writable(output)
    write_text(output, html_of(read_sealed(path)))


def html_of(sealed: Sealed) -> str:
    """The whole page."""
    network = sealed.transformer
    numbers = {name: place for place, name in enumerate(network.directions, start=1)}
    environment = _environment()
    environment.filters |= {
        "line": printable, "form": lambda row: linear_form(row, numbers), "h": lambda name: f"h{numbers[name]}",
        "activation": lambda unit: activation(unit, numbers), "upper": lambda error: decimal_upper(error, 6),
    }
    return environment.get_template("certificate.html").render(
        sealed=sealed, network=network, masks=MASKS,
        bounds=bounds_by_head(sealed), floats=float_rows(sealed), pictures=draw(sealed),
        style=environment.get_template("report.css").render(),
        shape={"layers": len(network.layers), "heads": len(list(network.heads())),
               "ReLUs": sum(len(layer.feedforward.units) for layer in network.layers),
               "directions": len(network.directions), "non-zero parameters": network.parameter_count()})


def _environment() -> Environment:
    loader = ChoiceLoader([PackageLoader("certify.exports"), PackageLoader("certify.auditing")])
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


def draw(sealed: Sealed) -> Pictures | None:
    """The pictures; None for hard attention, numbers beyond floating point, and claims about long words only."""
    n = max(sealed.lengths.first, min(PICTURED, sealed.lengths.last))
    soft = all(head.weighting is Weighting.SOFTMAX for _, _, head in sealed.transformer.heads())
    if n > MOST_PICTURED or not soft:
        return None
    word = sample_word(sealed.transformer.alphabet, n)
    try:
        return Pictures(word, attention_weights(arrays_of(sealed), word))
    except OverflowError:
        return None


def bounds_by_head(sealed: Sealed) -> dict[tuple[int, int], list[Bound]]:
    """The stated errors of each head, by layer and head."""
    found: dict[tuple[int, int], list[Bound]] = {}
    for bound in sealed.bounds:
        found.setdefault((bound.layer, bound.head), []).append(bound)
    return found


def float_rows(sealed: Sealed) -> list[tuple[str, ...]]:
    """Of each claim about float runs the name of its class, what its runs do, and the lengths."""
    return [(claim.run.name, describe_formats(claim.run), describe_normalised(claim.run),
             describe_exponentials(claim.run), Lengths(sealed.lengths.first, claim.max_n).claim)
            for claim in sealed.floats]


def linear_form(row: Coefficients, numbers: Mapping[str, int], constant: Fraction = Fraction(0)) -> str:
    """The sum of multiples of numbered directions; 0 if there are none.

    >>> linear_form({"a": Fraction(-1), "b": Fraction(3, 2)}, {"a": 1, "b": 2}, Fraction(-1, 4))
    '-h1 + 3/2 h2 - 1/4'
    """
    terms = [_multiple(row[name], f"h{numbers[name]}") for name in sorted(row, key=numbers.__getitem__)]
    return " + ".join([*terms, *([str(constant)] if constant else [])]).replace("+ -", "- ") or "0"


def _multiple(weight: Fraction, name: str) -> str:
    if abs(weight) == 1:
        return name if weight > 0 else f"-{name}"
    return f"{weight} {name}"


def activation(unit: Unit, numbers: Mapping[str, int]) -> str:
    """What a feed-forward unit computes."""
    return f"ReLU({linear_form(unit.reads, numbers, unit.bias)})"
