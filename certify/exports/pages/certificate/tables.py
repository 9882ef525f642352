"""Exact weights and obligations in words: the content of the page's tables."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from certify.claims.formula.sealed import Sealed
from certify.exports.pages.certificate.approximations import Approximation
from certify.exports.pages.certificate.names import DirectionNames
from constructions.network.meanings import Average, Mean
from constructions.network.transformer import Coefficients, Head, Transformer, Unit
from proofs.formula.composition import Write, writes

MINUS = "−"
SEES = {"none": "every j", "future": "j ≤ i", "past": "j ≥ i"}
Named = Callable[[str], str]


def list_obligations(sealed: Sealed, names: DirectionNames,
                     approximations: tuple[Approximation, ...]) -> list[dict[str, Any]]:
    """Return one for each direction, in the order in which they are written, and the composition.

    Each has the method of its proof, the number of places, and the stated bounds.
    """
    by_direction = {each.direction: each for each in approximations}
    found = [_obligation(sealed, names, write, by_direction.get(write.direction))
             for write in writes(sealed.transformer)]
    return [*found, {"where": "composition", "source": "", "direction": "all of them", "places": None,
                     "how": "written once, and read only afterwards", "above": Fraction(0), "below": Fraction(0)}]


def _obligation(sealed: Sealed, names: DirectionNames, write: Write, near: Approximation | None
                ) -> dict[str, Any]:
    source = sealed.transformer.head(write.layer, write.place).source if write.place else ""
    written = {"where": _where(write), "source": source, "direction": names.direction(write.direction)}
    if near is None:
        return {**written, "how": _how(sealed.transformer, write), "places": sealed.lengths.cells,
                "above": Fraction(0), "below": Fraction(0)}
    return {**written, "how": "bounded for everything that the head may read", "places": near.rows,
            "above": near.stated.error_if_false, "below": near.stated.error_if_true}


def _where(write: Write) -> str:
    if not write.layer:
        return "embedding"
    return f"head {write.layer}.{write.place}" if write.place else f"layer {write.layer} feed-forward"


def _how(network: Transformer, write: Write) -> str:
    if not write.layer:
        return "evaluated at every symbol or position"
    if not write.place:
        return "exact in every case of what it reads"
    if isinstance(network.directions[write.direction], Mean | Average):
        return "uniform attention: the mean is exact"
    return "uniform attention, evaluated at every position"


# -- weights -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class HeadWeights:
    """A head as readable formulas: scores are the sums of products of ``queries`` and ``keys``, row by row."""

    at: str
    name: str
    source: str
    queries: tuple[str, ...]
    keys: tuple[str, ...]
    values: tuple[tuple[str, str], ...]
    weighting: str


def list_weights(network: Transformer, names: DirectionNames, holds: Sequence[str]) -> dict[str, Any]:
    """Return all tables of exact weights by their names in ``weights.html``; ``holds`` describes each direction."""
    embedded = network.position_embedding
    return {
        "weights": list_heads(network, names), "units": list(list_units(network, names)),
        "tokens": [(symbol, linear_form(row, names.direction)) for symbol, row in network.token_embedding.items()],
        "directions": [(names.direction(name), what, str(embedded[name]) if name in embedded else "")
                       for name, what in zip(network.directions, holds, strict=True)],
        "definitions": [(names.texts[part], text) for part, text in names.definitions.items()],
    }


def list_heads(network: Transformer, names: DirectionNames) -> list[HeadWeights]:
    """Return all heads, by layer and place."""
    return [HeadWeights(f"{layer}.{place}", head.name, head.source,
                        tuple(linear_form(row, names.direction) for row in head.queries),
                        tuple(linear_form(row, names.direction) for row in head.keys),
                        tuple((names.direction(name), linear_form(row, names.direction))
                              for name, row in head.values.items()), describe_weighting(head))
            for layer, place, head in network.heads()]


def describe_weighting(head: Head) -> str:
    """Describe the weighting and the mask of a head.

    >>> from constructions.language.expressions import parse_expression
    >>> from constructions.network.transformer import Mask
    >>> from constructions.network.weightings import Weighting
    >>> one = parse_expression("1")
    >>> describe_weighting(Head("", "", Mask.FUTURE, Weighting.SOFTMAX, one, (), (), {}))
    'softmax over j ≤ i'
    """
    over = f"over {SEES[head.mask.value]}"
    if not head.weighting.is_softmax:
        return f"{head.weighting.value} {over}"
    return f"softmax {over}" + ("" if str(head.temperature) == "1" else f", at temperature {head.temperature}")


def list_units(network: Transformer, names: DirectionNames) -> Iterator[tuple[int, str, str]]:
    """Yield, for each hidden unit, its layer, its activation, and its output vector."""
    for number, layer in enumerate(network.layers, start=1):
        for unit in layer.feedforward.units:
            yield number, activation(unit, names.direction), linear_form(unit.writes, names.direction)
        if layer.feedforward.bias:
            yield number, "1", linear_form(layer.feedforward.bias, names.direction)


def activation(unit: Unit, named: Named) -> str:
    """Return the activation of a hidden unit."""
    return f"ReLU({linear_form(unit.reads, named, unit.bias)})"


def linear_form(row: Coefficients, named: Named, constant: Fraction = Fraction(0)) -> str:
    """Format a linear form of directions; 0 if it is empty.

    >>> linear_form({"a": Fraction(-1), "b": Fraction(3, 2)}, str, Fraction(-1, 4))
    '−a + 3/2·b − 1/4'
    """
    terms = [(weight, _multiple(abs(weight), named(name))) for name, weight in row.items()]
    terms += [(constant, str(abs(constant)))] if constant else []
    if not terms:
        return "0"
    (first, text), *rest = terms
    return (MINUS if first < 0 else "") + text + "".join(f" {MINUS if x < 0 else '+'} {text}" for x, text in rest)


def _multiple(weight: Fraction, name: str) -> str:
    return name if weight == 1 else f"{weight}·{name}"
