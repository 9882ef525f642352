"""Rows of tables by tokens, in other words than Gather."""

from typing import Any

import numpy as np

from constructions.importing.graph.forms import NotUnderstood
from constructions.importing.graph.operators import Attributes
from constructions.importing.graph.state import MAX_ELEMENTS, State
from constructions.importing.graph.values import Tokens, Whole


def rows_of_table(state: State, node: Attributes, inputs: list[Any]) -> Any:
    """GatherND of rows by tokens."""
    table, tokens = inputs
    if not isinstance(table, np.ndarray) or not isinstance(tokens, Tokens) or tokens.codes.shape[-1:] != (1,) or (
            node.attribute("batch_dims")):
        raise NotUnderstood("elements by places that depend on tokens, expected rows of a table")
    return state.looked_up(table, Tokens(tokens.codes[..., 0]))


def one_hot(state: State, node: Attributes, inputs: list[Any]) -> Any:
    """A one for each token: rows of the identity."""
    tokens, depth, values = inputs
    if not isinstance(tokens, Tokens) or node.attribute("axis") != -1 or not np.array_equal(values, [0, 1]):
        raise NotUnderstood("a one-hot vector of something else than tokens")
    if depth.size != 1 or not 0 < depth.item() <= MAX_ELEMENTS >> 10 or depth.item() != int(depth.item()):
        raise NotUnderstood("a one-hot vector of so many tokens")
    made = state.looked_up(np.eye(int(depth.item())), tokens)
    return made if values.dtype.kind == "f" else Whole(made)
