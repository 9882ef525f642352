"""The same transformer with other temperatures, or with its scores multiplied by constants."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from constructions.language.expressions import Expression
from constructions.network.transformer import Coefficients, Head, Layer, Transformer

Place = tuple[int, int]
"""A head: its layer and its place there, both from 1."""


def is_sharpened(head: Head) -> bool:
    """Whether temperature matters to the head: it has queries, and soft attention."""
    return not head.weighting.is_hard and any(head.queries)


def with_temperature(transformer: Transformer, temperature: Expression) -> Transformer:
    """The transformer with this temperature in every head to which temperature matters."""
    return _with_heads(transformer, lambda _, head: replace(head, temperature=temperature))


def with_scores_times(transformer: Transformer, factor: Callable[[Place], Fraction]) -> Transformer:
    """The transformer with the scores of every head multiplied by its ``factor``, on the side of the queries.

    A head of constant γ and temperature τ whose scores are linear in γ becomes that of factor * γ, or of τ / factor.
    """
    return _with_heads(transformer, lambda place, head: replace(
        head, queries=tuple(_times(row, factor(place)) for row in head.queries)))


def change_model(transformer: Transformer, gamma: Fraction, temperature: Expression | None) -> Transformer:
    """The transformer with its scores multiplied by ``gamma``, and another temperature if one is given."""
    network = with_temperature(transformer, temperature) if temperature else transformer
    return with_scores_times(network, lambda _: gamma)


def _times(row: Coefficients, factor: Fraction) -> Coefficients:
    return {name: weight * factor for name, weight in row.items()}


def _with_heads(transformer: Transformer, change: Callable[[Place, Head], Head]) -> Transformer:
    layers = tuple(
        Layer(tuple(change((number, place), head) if is_sharpened(head) else head
                    for place, head in enumerate(layer.heads, start=1)), layer.feedforward)
        for number, layer in enumerate(transformer.layers, start=1))
    return replace(transformer, layers=layers)
