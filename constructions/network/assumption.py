"""Claims under an assumption on words: directions that matter only where it holds, and guards of heads."""

from dataclasses import replace

from constructions.errors import InputError
from constructions.language.syntax import (
    TRUE,
    And,
    Comparison,
    Formula,
    Next,
    PredicateOnCount,
    PredicateOnSum,
    Previous,
    Since,
    Until,
    is_positional,
    subformulas,
    symbols_of,
)
from constructions.network.meanings import Near, is_known
from constructions.network.transformer import Head, Mask, Transformer


def local_directions(network: Transformer) -> frozenset[str]:
    """Return the directions whose meanings are needed only where ``given`` holds; empty without an assumption."""
    return frozenset() if network.given == TRUE else _find_local(network)


def _find_local(network: Transformer) -> frozenset[str]:
    """Return the output and the directions read only by hidden units that write such directions at their position."""
    readers: dict[str, list[frozenset[str]]] = {}
    for layer in network.layers:
        for unit in layer.feedforward.units:
            for name in unit.reads:
                readers.setdefault(name, []).append(frozenset(unit.writes))
    attended = {name for _, _, head in network.heads() for row in (*head.queries, *head.keys, *head.values.values())
                for name in row}
    found, least = frozenset({network.output, *readers}) - attended, frozenset[str]()
    while found != least:
        least, found = found, frozenset(name for name in found if all(
            written <= found for written in readers.get(name, ())))
    return found


def assume(network: Transformer, given: Formula) -> Transformer:
    """Return the network with a claim only at the positions where ``given`` holds.

    Heads that write local directions are near their meaning where it holds, if there is a rule for this guard.

    Raises:
        InputError: if the formula mentions a symbol outside the alphabet.
    """
    if strangers := sorted({*symbols_of(given)} - {*network.alphabet}):
        raise InputError(f"given: symbol {strangers[0]!r}, expected one of {', '.join(network.alphabet)}")
    local, directions = _find_local(network), dict(network.directions)
    for _, _, head in network.heads():
        if is_positional(given) or _may_guard(network, head, given):
            for name in local & head.values.keys():
                meaning = directions[name]
                if isinstance(meaning, Near):
                    directions[name] = Near(meaning.formula, _and_given(meaning.when, given))
    return replace(network, directions=directions, given=given)


def _may_guard(network: Transformer, head: Head, given: Formula) -> bool:
    """Return whether the guard depends only on what the mask shows (past or future), with known queries."""
    unseen = (Next, Until) if head.mask is Mask.FUTURE else (Previous, Since)
    refused = *unseen, Comparison, PredicateOnCount, PredicateOnSum
    return (head.weighting.is_softmax and not any(isinstance(part, refused) for part in subformulas(given))
            and all(is_known(network.directions[name]) for row in head.queries for name in row))


def _and_given(when: Formula, given: Formula) -> Formula:
    """Return the conjunction, each operand once."""
    if TRUE in (when, given) or when == given or (isinstance(when, And) and when.left == given):
        return given if when == TRUE else when
    return And(given, when)
