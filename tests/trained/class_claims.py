"""Claims and random causal networks for the tests of classes of words."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np

from constructions.language.parser import parse_formula
from constructions.regular.automata import Automaton
from constructions.trained.claim import Case, When, WordsClaim
from constructions.trained.network import TrainedNetwork
from proofs.trained.classes.graph import ClassGraph
from tests.trained.random_networks import random_network

ROWS = ((((0, Fraction(1)),), ((0, Fraction(1)), (1, Fraction(-2, 3)))), (((1, Fraction(-1)),),))
MODULO = Automaton(0, ((0, 1), (1, 2), (2, 0)))
"""The number of b modulo 3."""


def causal_network(seed: int) -> TrainedNetwork:
    """Return a random network of one to three blocks with causal attention; from 1000 on with norms of images."""
    return replace(random_network(seed, size=0.4, images=seed >= 1000), attention="causal")


def by_states(lengths: tuple[int, int] = (1, 6), *, empty: bool = False) -> WordsClaim:
    """Return a claim at each place, by an automaton with one state without rows."""
    cases = tuple(Case(When(None, (state,)), ROWS[state]) for state in (0, 1))
    return WordsClaim(("a", "b"), (3, 1), (4, 0) if empty else (2,), (), (0, 2), lengths, "each", empty, Fraction(0),
                      MODULO,
                      (), cases)


def by_counts(lengths: tuple[int, int] = (1, 6), after: tuple[int, ...] = (4, 2)) -> WordsClaim:
    """Judged at the last of the tokens after the word: more a, or more b."""
    whens = (parse_formula("#<[Q_a] > #<[Q_b]"), parse_formula("#<[Q_a] < #<[Q_b]"))
    cases = tuple(Case(When(when), rows) for when, rows in zip(whens, ROWS, strict=True))
    return WordsClaim(("a", "b"), (3, 1), (2, 0), after, (0, 2), lengths, "last", False, Fraction(0), None, (), cases)


def words(n: int) -> list[tuple[int, ...]]:
    """All words of a length over two letters."""
    return list(product((0, 1), repeat=n))


def node_of(graph: ClassGraph, word: tuple[int, ...], level: int) -> int:
    """Return the node of a word's path on a level."""
    node = 0
    for depth in range(level):
        successors = graph.levels[depth].successors[node]
        node = successors[word[depth]] if depth < graph.length else successors[0]
    return node


def tokens_of(claim: WordsClaim, graph: ClassGraph, word: tuple[int, ...], level: int) -> np.ndarray:
    """Return the input up to a level, of one word."""
    letters = [claim.tokens[letter] for letter in word[: min(level, graph.length)]]
    return np.array([[*claim.before, *letters, *claim.after[: max(0, level - graph.length)]]])
