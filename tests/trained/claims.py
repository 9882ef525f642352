"""Small claims, and a network without position tables, for the tests of what trained networks are claimed to do."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from constructions.language.syntax import Formula
from constructions.regular.automata import Automaton
from constructions.trained.claim import Case, When, WordsClaim
from constructions.trained.network import Affine, Attends, Tensor, TrainedNetwork, View

PARITY = Automaton(0, ((0, 1), (1, 0)))


def claim_of(whens: Sequence[When | Formula], **fields: Any) -> WordsClaim:
    """Return a claim over a and b whose cases have one row about logit 0."""
    cases = tuple(Case(when if isinstance(when, When) else When(when), (((0, Fraction(1)),),)) for when in whens)
    standard: dict[str, Any] = {
        "alphabet": ("a", "b"), "tokens": (0, 1), "before": (), "after": (), "offsets": (0, 0), "lengths": (1, 6),
        "read": "each", "empty": False, "margin": Fraction(0), "automaton": None, "predicates": (), "cases": cases,
    }  # fmt: skip
    return WordsClaim(**standard | fields)


def network_of(attention: Attends = "causal", rows: int | None = None, vocabulary: int = 4) -> TrainedNetwork:
    """Return a network of width 1 without steps."""
    tensors = {"tokens": Tensor("binary32", (vocabulary, 1), bytes(4 * vocabulary))}
    positions = None
    if rows:
        tensors["positions"] = Tensor("binary32", (rows, 1), bytes(4 * rows))
        positions = View("positions", 0, (rows, 1), (1, 1))
    tokens = View("tokens", 0, (vocabulary, 1), (1, 1))
    unembedding = Affine(View("tokens", 0, (1, vocabulary), (1, 1)))
    return TrainedNetwork(attention, tokens, positions, (), unembedding, tensors)
