"""Soft models of the project with hard attention in place of soft."""

from dataclasses import replace

from constructions.network.transformer import Transformer
from constructions.network.weightings import Weighting
from constructions.statements.theorem_26_uniform_tieless import is_uniform


def hardened(transformer: Transformer) -> Transformer:
    """Return the same weights; every head that is not uniform attends to the rightmost of the greatest scores."""
    return replace(transformer, layers=tuple(replace(layer, heads=tuple(
        head if is_uniform(head) else replace(head, weighting=Weighting.RIGHTMOST_HARDMAX)
        for head in layer.heads)) for layer in transformer.layers))
