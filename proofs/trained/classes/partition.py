"""Partition of words into classes at the judged token, by the distance to states with other cases.

Labels are split repeatedly where a class is not decided. Distances are halved, then states are separated, then more of
the last and of the first letters distinguish words. With contexts, only the failing class is split, by one more of its
last letters.
"""

from collections import deque
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import replace

from proofs.trained.classes.contexts import Suffix, with_suffixes
from proofs.trained.classes.histories import Fineness, Histories, Key
from proofs.words.tracking import State

SCHEDULE = tuple(Fineness(last, first) for last, first in (
    (1, 0), (2, 0), (3, 0), (4, 1), (5, 2), (6, 3), (7, 4), (8, 5), (10, 6), (12, 8)))
"""Granularities from coarse to fine; each refines the one before it."""

FAR = 1 << 30  # the distance of states from which no other answer is near
Label = tuple[Hashable, ...]


def distances(histories: Histories, length: int) -> dict[State, int]:
    """Return, for each state of words of a length, the number of steps to other cases; a step changes the last letter.

    Words that differ in their last letter only are one step apart; so are the states in which they end.
    """
    histories.extend(length)
    keys = histories.levels[length]
    cases = {key.state: histories.cases(key) for key in keys}
    near: dict[State, set[State]] = {state: set() for state in cases}
    for successors in histories.successors[length - 1] if length else ():
        siblings = {keys[k].state for k in successors}
        for state in siblings:
            near[state] |= siblings - {state}
    found = {state: 1 for state, others in near.items() if any(cases[other] != cases[state] for other in others)}
    waiting = deque(found)
    while waiting:
        state = waiting.popleft()
        for other in near[state]:
            if other not in found:
                found[other] = found[state] + 1
                waiting.append(other)
    return {state: found.get(state, FAR) for state in cases}


class Partition:
    """Classes of the words of one length; ``split`` makes some of them smaller."""

    def __init__(self, histories: Histories, length: int, split_labels: frozenset[Label] | None = None) -> None:
        """Make the coarsest partition; with ``split_labels``, split already, it is by state and contexts."""
        self.histories, self.length, self.by_contexts = histories, length, split_labels is not None
        self.distances = distances(histories, length)
        self._farthest = max((one for one in self.distances.values() if one < FAR), default=1)
        self.was_split = split_labels or frozenset()

    def label(self, key: Key) -> Label:
        """Return the class of a key (of any fineness that is at least ``fineness``)."""
        if self.by_contexts:
            return self._context(key)
        distance = self.distances[key.state]
        first = 1 << (distance.bit_length() - 1)  # 1, 2 to 3, 4 to 7, …
        last = min(2 * first - 1, max(self._farthest, first))
        label: Label = ("distance", self.histories.cases(key), first, last)
        while label in self.was_split:
            label = self._finer(label, key, distance)
        return label

    def split(self, labels: Iterable[Label]) -> bool:
        """Split some classes; return False, and change nothing, if one of them cannot be split."""
        labels = list(labels)
        if any(label[0] == "fine" and label[1] == len(SCHEDULE) - 1 for label in labels):
            return False
        if any(len(suffix) == self.length for suffix in _suffixes(labels)):
            return False
        self.was_split |= set(labels)
        return True

    @property
    def fineness(self) -> Fineness:
        """The granularity of keys that determines the labels."""
        deepest = max((int(str(label[1])) + 1 for label in self.was_split if label[0] == "fine"), default=0)
        return replace(SCHEDULE[deepest], split=with_suffixes(_suffixes(self.was_split)))

    def _context(self, key: Key) -> Label:
        """Return the class by the state and the last letters, as many as splits require."""
        lengths = (length for length in range(len(key.last))
                   if ("context", key.state, key.last[len(key.last) - length :]) not in self.was_split)
        return ("context", key.state, key.last[len(key.last) - next(lengths, len(key.last)) :])

    @staticmethod
    def _finer(label: Label, key: Key, distance: int) -> Label:
        match label:
            case ("distance", cases, int(first), int(last)) if first < last:
                middle = (first + last) // 2
                half = (first, middle) if distance <= middle else (middle + 1, last)
                return ("distance", cases, *half)
            case ("distance", *_):
                return ("state", key.state)
            case ("state", _):
                return _fine(0, key)
        return _fine(int(str(label[1])) + 1, key)


def _suffixes(labels: Iterable[Label]) -> Iterator[Suffix]:
    """Yield the letters of contexts."""
    for label in labels:
        match label:
            case ("context", _, tuple(letters)):
                yield letters


def _fine(place: int, key: Key) -> Label:
    fineness = SCHEDULE[place]
    return ("fine", place, key.state, key.last[-fineness.last :], key.first[: fineness.first])
