"""The numbers of words that have to be run, without extensions of dead prefixes, after which nothing is judged.

As in the checker, only states of the claim's automaton can be dead here; the search, which also tracks formulas,
follows states as far as ``proofs/trained/live_states.py`` allows. If that takes more, all words are counted.
"""

import numpy as np
from numpy.typing import NDArray

from constructions.trained.claim import WordsClaim
from proofs.trained.forward import FloatNetwork
from proofs.trained.live_states import StateLevels
from proofs.trained.words import is_read_at_ends

Counts = NDArray[np.float64]


class WordCounts:
    """The numbers of words of each length on which a network has to be run for a claim."""

    def __init__(self, network: FloatNetwork, claim: WordsClaim) -> None:
        self._letters = len(claim.alphabet)
        self._counts = np.full(claim.lengths[1] + 1, np.inf)
        if has_dead_states(network, claim):
            self._counts = np.maximum(count_by_automaton(claim), count_by_tracker(claim))

    def at(self, count: int) -> float:
        """Return the number for a place or a length; inf if it is too large for a float."""
        everything = float(self._letters**count) if count * self._letters.bit_length() < 1000 else np.inf
        return min(everything, float(self._counts[count]))


def has_dead_states(network: FloatNetwork, claim: WordsClaim) -> bool:
    """Return whether prefixes are run before their extensions, and may be left out."""
    return claim.automaton is not None and is_read_at_ends(network, claim)


def count_by_automaton(claim: WordsClaim) -> Counts:
    """Count the prefixes of each length that have to be run, by states of the automaton only."""
    assert claim.automaton is not None
    steps = np.array(claim.automaton.steps, dtype=np.intp)
    live = np.zeros(len(steps), dtype=np.bool_)
    for case in claim.cases:
        live[slice(None) if case.when.states is None else list(case.when.states)] = True
    while (grown := live | live[steps].any(1)).sum() > live.sum():
        live = grown
    return _counted([np.where(live[:, np.newaxis], steps, -1)] * claim.lengths[1], claim.automaton.start, len(steps))


def count_by_tracker(claim: WordsClaim) -> Counts:
    """Count the prefixes of each length that the search runs."""
    levels = StateLevels(claim, claim.lengths[1])
    steps = levels.live(range(claim.lengths[1] + 1))
    return _counted(steps, 0, max(len(level) for level in levels.holds))


def _counted(steps: list[NDArray[np.intp]], start: int, states: int) -> Counts:
    """Count the words along the steps, level by level; a step of -1 ends a word."""
    reached = np.zeros(states)
    reached[start] = 1
    counts = [1.0]
    with np.errstate(over="ignore"):
        for level in steps:
            following = np.zeros(states)
            for letter in range(level.shape[1]):
                taken = level[:, letter] >= 0
                np.add.at(following, level[taken, letter], reached[: len(level)][taken])
            reached = following
            counts.append(float(reached.sum()))
    return np.array(counts)
