"""Handmade models of one head, with errors that can be computed by hand."""

from fractions import Fraction

from constructions.language.expressions import parse_expression
from constructions.language.parser import parse_formula
from constructions.network.meanings import Near, Position, Truth
from constructions.network.transformer import Head, Layer, Mask, Transformer
from constructions.network.weightings import Weighting

ONE = Fraction(1)


def previous_by_first_position(score: Fraction, when: str = "!FIRST & LAST") -> Transformer:
    """Return a head that is near ``prev Q_1`` at n = i = 2: its error there is 1/(1 + e^score)."""
    return Transformer(
        alphabet=("0", "1"),
        directions={
            "first": Truth(parse_formula("FIRST")),
            "one": Position(parse_expression("1")),
            "is1": Truth(parse_formula("Q_1")),
            "near": Near(parse_formula("prev Q_1"), parse_formula(when)),
        },
        token_embedding={"0": {}, "1": {"is1": ONE}},
        position_embedding={"first": parse_expression("0^(i-1)"), "one": parse_expression("1")},
        layers=(
            Layer(
                (
                    Head(
                        "prev",
                        "none",
                        Mask.FUTURE,
                        Weighting.SOFTMAX,
                        parse_expression("1"),
                        ({"one": score},),
                        ({"first": ONE},),
                        {"near": {"is1": ONE}},
                    ),
                )
            ),
        ),
        output="is1",
    )


def out_of_range_where_unguarded(when: str, value: str) -> Transformer:
    """Return the head's value is a known number ``value``; it approximates ``prev Q_1`` only where ``when`` holds."""
    return Transformer(
        alphabet=("0", "1"),
        directions={
            "number": Position(parse_expression(value)),
            "is1": Truth(parse_formula("Q_1")),
            "near": Near(parse_formula("prev Q_1"), parse_formula(when)),
        },
        token_embedding={"0": {}, "1": {"is1": ONE}},
        position_embedding={"number": parse_expression(value)},
        layers=(
            Layer(
                (
                    Head(
                        "out of range",
                        "none",
                        Mask.FUTURE,
                        Weighting.SOFTMAX,
                        parse_expression("1"),
                        ({},),
                        ({},),
                        {"near": {"number": ONE}},
                    ),
                )
            ),
        ),
        output="is1",
    )
