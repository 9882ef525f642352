"""Which prefixes can still lead to a place where a case holds: those in other states of the tracker are left out."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from constructions.trained.claim import Claim, find_what_is_not_past_only
from proofs.trained.tracking import State, track

MOST_STATES = 20_000
"""With more states than this nothing is left out: following them would cost more than the words."""


class LiveStates:
    """The states of the tracker, level by level: ``steps[t][state, letter]`` is a state of level t + 1, -1 if dead."""

    def __init__(self, claim: Claim, asked: Collection[int]) -> None:
        """``asked`` are the places that are judged.

        Where formulas look ahead, or states are too many, there is one state at each level, and it lives.
        """
        self.letters = len(claim.alphabet)
        longest = max(asked, default=0)
        self.steps = [np.zeros((1, self.letters), dtype=np.intp) for _ in range(longest)]
        if find_what_is_not_past_only(claim) is None:
            self._follow(claim, longest, asked)

    def _follow(self, claim: Claim, longest: int, asked: Collection[int]) -> None:
        tracker = track(claim)
        levels: list[dict[State, int]] = [{tracker.start: 0}]
        steps: list[NDArray[np.intp]] = []
        for _ in range(longest):
            following: dict[State, int] = {}
            read = [tracker.step(state, letter) for state in levels[-1] for letter in range(self.letters)]
            numbered = [following.setdefault(state, len(following)) for state in read]
            steps.append(np.array(numbered, dtype=np.intp).reshape(-1, self.letters))
            levels.append(following)
            if sum(map(len, levels)) > MOST_STATES:
                return
        live: NDArray[np.bool_] = np.zeros(len(levels[-1]), dtype=np.bool_)
        for level in range(longest, -1, -1):
            if level < longest:
                live = np.asarray((steps[level] >= 0).any(1))
            if level in asked:
                live = live | np.array([bool(tracker.cases(state)) for state in levels[level]])
            if level:
                steps[level - 1] = np.where(live[steps[level - 1]], steps[level - 1], -1)
        self.steps = steps
