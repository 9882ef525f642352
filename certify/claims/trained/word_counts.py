"""How many words have to be run: those that begin with a dead prefix, after which nothing is judged, are left out.

Only states of the claim's automaton can be dead here, as for the checker; the search, which sees formulas, too, follows
states as far as ``proofs/trained/live_states.py`` allows. What takes more is counted as taking all words.
"""

import numpy as np
from numpy.typing import NDArray

from constructions.trained.claim import WordsClaim
from proofs.trained.forward import FloatNetwork
from proofs.trained.live_states import StateLevels
from proofs.trained.words import is_read_at_ends

Counts = NDArray[np.float64]


class WordCounts:
    """The numbers of words of each length that a network has to be run on for a claim."""

    def __init__(self, network: FloatNetwork, claim: WordsClaim) -> None:
        self._letters = len(claim.alphabet)
        self._counts = np.full(claim.lengths[1] + 1, np.inf)
        if has_dead_states(network, claim):
            self._counts = np.maximum(count_by_automaton(claim), count_by_tracker(claim))

    def at(self, count: int) -> float:
        """Return the number for a place or a length; inf for one that is too large for a float."""
        everything = float(self._letters**count) if count * self._letters.bit_length() < 1000 else np.inf
        return min(everything, float(self._counts[count]))


def has_dead_states(network: FloatNetwork, claim: WordsClaim) -> bool:
    """Whether prefixes are run before the words that begin with them, and may be left out."""
    return claim.automaton is not None and is_read_at_ends(network, claim)


def count_by_automaton(claim: WordsClaim) -> Counts:
    """How many prefixes of each length have to be run if only states of the automaton are looked at."""
    assert claim.automaton is not None
    steps = np.array(claim.automaton.steps, dtype=np.intp)
    live = np.zeros(len(steps), dtype=np.bool_)
    for case in claim.cases:
        live[slice(None) if case.when.states is None else list(case.when.states)] = True
    while (grown := live | live[steps].any(1)).sum() > live.sum():
        live = grown
    return _counted([np.where(live[:, np.newaxis], steps, -1)] * claim.lengths[1], claim.automaton.start, len(steps))


def count_by_tracker(claim: WordsClaim) -> Counts:
    """How many prefixes of each length the search runs."""
    levels = StateLevels(claim, claim.lengths[1])
    steps = levels.live(range(claim.lengths[1] + 1))
    return _counted(steps, 0, max(len(level) for level in levels.holds))


def _counted(steps: list[NDArray[np.intp]], start: int, states: int) -> Counts:
    """How many words there are along the steps, level by level; a step of -1 is not taken further."""
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
