"""A transformer with other temperatures, or with its scores multiplied by constants."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from constructions.errors import Unsupported
from constructions.language.expressions import Constant, Expression, divide
from constructions.network.transformer import Head, Transformer

Place = tuple[int, int]
"""A head: its layer and its index in the layer, both from 1."""


def is_sharpened(head: Head) -> bool:
    """Return whether temperature matters to the head: it has queries, and soft attention."""
    return not head.weighting.is_hard and any(head.queries)


def with_temperature(transformer: Transformer, temperature: Expression) -> Transformer:
    """Return the transformer with this temperature in every head to which temperature matters."""
    return _with_heads(transformer, lambda _, head: replace(head, temperature=temperature))


def with_scores_times(transformer: Transformer, factor: Callable[[Place], Fraction]) -> Transformer:
    """Return the transformer with the scores of every head multiplied by its ``factor``, through the queries.

    A head with constant γ and temperature τ and scores linear in γ gets constant factor * γ, or temperature τ / factor.
    """
    return _with_heads(transformer, lambda place, head: _sharper(head, factor(place)))


def change_model(transformer: Transformer, gamma: Constant, temperature: Expression | None) -> Transformer:
    """Return the transformer with its scores multiplied by ``gamma``, and another temperature if one is given.

    Weights are rational: an irrational constant divides the temperatures instead of multiplying the queries.
    """
    network = with_temperature(transformer, temperature) if temperature else transformer
    if isinstance(gamma, Fraction):
        return network if gamma == 1 else with_scores_times(network, lambda _: gamma)
    return _with_heads(network, lambda _, head: replace(head, temperature=divide(head.temperature, gamma)))


def at_constant(unit: Transformer, doubled: Transformer, gamma: Expression) -> Transformer:
    """Return the network with an irrational constant, from those with constants 1 and 2.

    If the scores of a head double, its temperature is divided by the constant; a head equal in both is kept.

    Raises:
        Unsupported: if anything else depends on the constant.
    """
    others = {(layer, number): head for layer, number, head in doubled.heads()}
    if _with_heads(unit, lambda place, head: others[place] if others[place] == _sharper(head, Fraction(2)) else head,
                   every=True) != doubled:
        raise Unsupported(f"the irrational constant {gamma}: expected a constant that is a factor of the scores")
    return _with_heads(unit, lambda place, head: head if head == others[place] else replace(
        head, temperature=divide(head.temperature, gamma)))


def _sharper(head: Head, factor: Fraction) -> Head:
    return replace(head, queries=tuple({name: weight * factor for name, weight in row.items()} for row in head.queries))


def _with_heads(transformer: Transformer, change: Callable[[Place, Head], Head], every: bool = False) -> Transformer:
    """Change the heads to which temperature matters, or every head."""
    return transformer.with_heads(lambda number, place, head: change((number, place), head)
                                  if every or is_sharpened(head) else head)
