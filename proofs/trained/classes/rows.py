"""Rows of the asked nodes: lower bounds, the words that minimise linear parts, and the network's rows there."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from constructions.trained.claim import Row, WordsClaim
from proofs.trained.classes.cover_unit import Evaluated, HeadRanges
from proofs.trained.classes.directions import path_letters
from proofs.trained.classes.forms import Forms, least_of, linear
from proofs.trained.classes.paths import greatest, words
from proofs.trained.classes.trees import Tree
from proofs.trained.forward import FloatNetwork

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

ROOM = 2**-20  # for the checker's roundings: rows must exceed the margin by more than this


@dataclass(frozen=True)
class NodeBound:
    """A lower bound ``low`` of all rows of an asked node's cases on every word of the class.

    ``word`` (letters) minimises the linear part of the least row: a candidate for a wrong word. ``tree``: the
    cells, if the box of ranges is too wide.
    """

    level: int
    node: int
    cases: tuple[int, ...]
    low: np.float64
    word: tuple[int, ...]
    tree: Tree | None = None


def worst_row(floats: FloatNetwork, claim: WordsClaim, offset: int, word: Sequence[int],
              cases: Sequence[int], level: int | None = None) -> tuple[np.float64, int, int]:  # fmt: skip
    """Return the least row of some cases at the judged token of a word (letters): row minus margin, case, row's index.

    With answers at each letter's token that is its last letter, or the one of this level.
    """
    return worst_rows(floats, claim, offset, [word], cases, level)[0]


def worst_rows(floats: FloatNetwork, claim: WordsClaim, offset: int, words: Sequence[Sequence[int]],
               cases: Sequence[int], level: int | None = None) -> list[tuple[np.float64, int, int]]:  # fmt: skip
    """Return the least row, as `worst_row`, for several words of one length."""
    after = () if claim.read == "each" and floats.network.is_causal else claim.after
    tokens = [[*claim.before, *(claim.tokens[letter] for letter in word), *after] for word in words]
    letters = len(words[0]) if level is None else level
    place = {"each": len(claim.before) + letters - 1, "last": len(tokens[0]) - 1, "first": 0}[claim.read]
    logits = floats.logits(np.array(tokens), offset, [place])[:, 0]
    margin = np.float64(claim.margin)
    return [min((np.float64(sum(np.float64(number) * own[token] for token, number in row)) - margin, case, place)
                for case in cases for place, row in enumerate(claim.cases[case].above)) for own in logits]  # fmt: skip


def node_bounds(floats: FloatNetwork, claim: WordsClaim, unit: Evaluated) -> list[NodeBound]:
    """Return a bound for each asked node, in the order of the unit's queries."""
    bounds: list[NodeBound | None] = [None] * len(unit.nodes)
    groups: dict[tuple[int, ...], list[int]] = {}
    for query, (level, node) in enumerate(unit.nodes):
        groups.setdefault(unit.skeleton.graph.levels[level].cases[node], []).append(query)
    for cases, members in groups.items():
        rows = tuple(dict.fromkeys(rows_of(claim, cases)))
        chosen = np.array(members, np.intp)
        forms = row_forms(floats, unit.streams.only(chosen), rows)
        lows, found = _tightened(unit, chosen, forms, np.float64(claim.margin) + ROOM)
        for place, query in enumerate(members):
            word = path_letters(unit.skeleton, found[place])
            bounds[query] = NodeBound(*unit.nodes[query], cases, np.float64(lows[place]), word)
    return [bound for bound in bounds if bound is not None]


def rows_of(claim: WordsClaim, cases: Sequence[int]) -> tuple[Row, ...]:
    """Return the rows to prove where these cases hold, case by case."""
    return tuple(row for case in cases for row in claim.cases[case].above)


def row_forms(floats: FloatNetwork, streams: Forms, rows: Sequence[Row]) -> Forms:
    """Return the rows as coordinates."""
    coefficients = np.zeros((floats.unembedding.weight.shape[1], len(rows)))
    for column, row in enumerate(rows):
        for token, coefficient in row:
            coefficients[token, column] = np.float64(coefficient)
    bias = floats.unembedding.bias
    return linear(streams, floats.unembedding.weight @ coefficients, None if bias is None else bias @ coefficients)


def _tightened(unit: Evaluated, members: Indices, forms: Forms,
               enough: np.float64) -> tuple[Array, list[tuple[int, ...]]]:  # fmt: skip
    """Return the least bound of each node's rows, and the path that minimises the linear part of the worst row.

    With one head, rows that the box does not prove, and each node's worst row, get the exact minimum of their
    linear part over the class.
    """
    lows = least_of(forms)
    tightened = lows <= enough
    tightened[np.arange(len(lows)), lows.argmin(axis=1)] = True
    nodes, rows = np.nonzero(tightened)
    paths: dict[tuple[int, int], tuple[int, ...]] = {}
    for head in unit.heads[:1] if len(unit.heads) == 1 else unit.heads:
        values, found = _exact(unit, head, members, forms, nodes, rows)
        if len(unit.heads) == 1:
            lows[nodes, rows] = np.maximum(lows[nodes, rows], values)
        for key, path in zip(zip(nodes.tolist(), rows.tolist(), strict=True), found, strict=True):
            paths.setdefault(key, path)
    worst = np.where(tightened, lows, np.inf).argmin(axis=1)
    return lows.min(axis=1), [paths[place, int(row)] for place, row in enumerate(worst)]


def _exact(unit: Evaluated, head: HeadRanges, members: Indices, forms: Forms, nodes: Indices,
           rows: Indices) -> tuple[Array, list[tuple[int, ...]]]:  # fmt: skip
    """Return, for pairs of a node and a row, the bound with the exact minimum of the head's linear part; and paths."""
    queries = members[nodes]
    chosen = Forms(*(forms_of[..., np.newaxis] for forms_of in
                     (forms.centre[nodes, rows], forms.parts[nodes, :, rows], forms.loose[nodes, rows])))  # fmt: skip
    alpha, rest = linear_parts(chosen, head.symbol, head.centre[queries], head.half[queries])
    slopes = alpha[:, 0] @ head.directions
    ends = unit.queries.ends.only(queries)
    terms = head.head.terms_of_pairs(ends, -slopes)
    numbered = replace(ends, queries=np.arange(len(queries)))
    highest = greatest(unit.skeleton, numbered, terms)
    return rest[:, 0] - highest[:, 0], words(unit.skeleton, numbered, terms, highest)


def linear_parts(forms: Forms, symbol: int, centre: Array, half: Array) -> tuple[Array, Array]:
    """Write rows as α · y + at least rest, y = centre + half · symbols: return α [N, rows, y], rest [N, rows].

    ``forms`` are the rows, ``centre`` and ``half`` [N, y]; the symbols of y begin at ``symbol``.
    """
    own = forms.parts[:, symbol : symbol + half.shape[1]]
    widths = np.broadcast_to(half[..., np.newaxis], own.shape)
    alpha = np.swapaxes(np.divide(own, widths, out=np.zeros_like(own), where=widths > 0), 1, 2)
    others = np.abs(forms.parts).sum(axis=1) - np.abs(own).sum(axis=1)
    rest = forms.centre - np.einsum("nry,ny->nr", alpha, centre) - forms.loose - others
    return alpha, np.asarray(rest)
