"""Live prefixes: those after which a case can still hold at a judged place, by the tracker's states."""

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from constructions.trained.claim import WordsClaim, find_what_is_not_past_only
from proofs.words.tracking import State, Tracker, track

MOST_WORK = 2**21
"""Subformulas that may be evaluated to enumerate the states; beyond that, all cases may hold."""
STEP_WORK = 20
"""The fixed cost of a step of the tracker, in subformulas."""

Steps = list[NDArray[np.intp]]


class StateLevels:
    """The states that words of each length 0 … longest reach, and their steps.

    ``steps[t][state, letter]`` is a state of level t + 1, ``holds[t][state, case]`` whether the case holds. Where
    formulas look ahead, or states are too many to enumerate, each level has one state, in which all cases may hold.
    """

    def __init__(self, claim: WordsClaim, longest: int) -> None:
        letters = len(claim.alphabet)
        self.steps: Steps = [np.zeros((1, letters), dtype=np.intp) for _ in range(longest)]
        self.holds = [np.ones((1, len(claim.cases)), dtype=np.bool_) for _ in range(longest + 1)]
        if find_what_is_not_past_only(claim) is None:
            self._follow(track(claim), letters, longest)

    def _follow(self, tracker: Tracker, letters: int, longest: int) -> None:
        levels, steps, work = [[tracker.start]], [], 0
        for _ in range(longest):
            work += len(levels[-1]) * letters * (STEP_WORK + len(tracker.parts))
            if work > MOST_WORK:
                return
            following: dict[State, int] = {}
            read = [tracker.step(state, letter) for state in levels[-1] for letter in range(letters)]
            numbered = [following.setdefault(state, len(following)) for state in read]
            steps.append(np.array(numbered, dtype=np.intp).reshape(-1, letters))
            levels.append(list(following))
        for level, states in enumerate(levels):
            self.holds[level] = np.zeros((len(states), self.holds[level].shape[1]), dtype=np.bool_)
            for index, state in enumerate(states):
                self.holds[level][index, list(tracker.cases(state))] = True
        self.steps = steps

    def live(self, asked: Collection[int], case: int | None = None) -> Steps:
        """Return the steps, with -1 for states after which no case (or not this one) holds at an asked place."""
        live_steps = list(self.steps)
        for level in range(len(self.steps), 0, -1):
            live = np.zeros(len(self.holds[level]), dtype=np.bool_)
            if level < len(self.steps):
                live |= (live_steps[level] >= 0).any(1)
            if level in asked:
                live |= self.holds[level].any(1) if case is None else self.holds[level][:, case]
            live_steps[level - 1] = np.where(live[self.steps[level - 1]], self.steps[level - 1], -1)
        return live_steps
