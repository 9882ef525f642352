"""The tasks of the zoo: automata whose states give the right answers, and words drawn from them.

The input is START (if ``starts`` is set), the tokens of the letters and, if ``ends`` is set, END. The token of a letter
is its index in ``letters``; START and END follow. Every answer is the sign of a row, a linear form of the logits.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

State = TypeVar("State", bound=Hashable)
Integers = NDArray[np.int64]
Truths = NDArray[np.bool_]
Row = tuple[tuple[int, int], ...]
Answer = tuple[bool, ...] | None


@dataclass(frozen=True)
class PartialAutomaton:
    """A partial automaton: ``steps[state, letter]`` is a state, or -1 if undefined; the start is state 0.

    ``positive[state, row]`` says which rows should be positive, ``judged[state]`` whether the state has an answer.
    """

    steps: Integers
    judged: Truths
    positive: Truths


@dataclass(frozen=True)
class Task:
    """The answers, their places (docs/reference/trained.md, section 3), and the weights of letters."""

    letters: str
    rows: tuple[Row, ...]
    automaton: PartialAutomaton
    weights: tuple[float, ...]
    read: Literal["each", "last", "first"] = "each"
    empty: bool = False
    starts: bool = True
    ends: bool = False
    mirrored: bool = False
    forms: NDArray[np.float32] = field(init=False)

    def __post_init__(self) -> None:
        forms = np.zeros((self.vocabulary, len(self.rows)), np.float32)
        for index, row in enumerate(self.rows):
            for token, coefficient in row:
                forms[token, index] = coefficient
        object.__setattr__(self, "forms", forms)

    @property
    def vocabulary(self) -> int:
        """The number of letters, START and END."""
        return len(self.letters) + 2


@dataclass(frozen=True)
class Samples:
    """Inputs [B, T]; judged tokens [P]; whether judged [B, P]; which rows should be positive [B, P, rows]."""

    tokens: Integers
    at: Integers
    judged: Truths
    positive: Truths


def explore(letters: str, start: State, step: Callable[[State, str], State | None],
            answer: Callable[[State], Answer], max_n: int) -> PartialAutomaton:
    """Return the automaton of all states that words of at most ``max_n`` letters reach, shortest words first."""
    states, level = {start: 0}, [start]
    for _ in range(max_n):
        after = [step(state, letter) for state in level for letter in letters]
        level = [state for state in dict.fromkeys(after) if state is not None and state not in states]
        states |= {state: len(states) + i for i, state in enumerate(level)}
    steps = [[_index(states, step(state, letter)) for letter in letters] for state in states]
    answers = [answer(state) for state in states]
    rows = max(len(one) for one in answers if one is not None)
    return PartialAutomaton(np.array(steps), np.array([one is not None for one in answers]),
                            np.array([one or (False,) * rows for one in answers]))


def _index(states: dict[State, int], state: State | None) -> int:
    return -1 if state is None else states.get(state, -1)


def draw(task: Task, count: int, n: int, rng: np.random.Generator) -> Samples:
    """Draw ``count`` words of n letters with their answers."""
    words = _mirrored(task, count, n, rng) if task.mirrored else _walks(task, count, n, rng)
    states = _states(task.automaton, words)
    before, after = (np.full((count, width), token) for width, token in
                     ((int(task.starts), len(task.letters)), (int(task.ends), len(task.letters) + 1)))
    tokens = np.concatenate([before, words, after], axis=1)
    at, states = _judged(task, tokens.shape[1], states)
    return Samples(tokens, at, task.automaton.judged[states], task.automaton.positive[states])


def _judged(task: Task, length: int, states: Integers) -> tuple[Integers, Integers]:
    """Return the judged tokens, and the states that give the answers there."""
    if task.read == "each":
        first = 0 if task.empty else 1
        return np.arange(first - (not task.starts), length), states[:, first:]
    return np.array([length - 1 if task.read == "last" else 0]), states[:, -1:]


def _walks(task: Task, count: int, n: int, rng: np.random.Generator) -> Integers:
    """Draw words letter by letter, by the weights of the letters that may follow."""
    states, words = np.zeros(count, np.int64), np.zeros((count, n), np.int64)
    for i in range(n):
        weights = np.where(task.automaton.steps[states] >= 0, task.weights, 0).cumsum(axis=1)
        words[:, i] = (weights <= rng.random((count, 1)) * weights[:, -1:]).sum(axis=1)
        states = task.automaton.steps[states, words[:, i]]
    return words


def _mirrored(task: Task, count: int, n: int, rng: np.random.Generator) -> Integers:
    """Return a third palindromes, a third palindromes with one letter redrawn, a third random words."""
    words = rng.integers(len(task.letters), size=(count, n))
    third = count // 3
    words[third:, : n // 2] = words[third:, ::-1][:, : n // 2]
    again = np.arange(2 * third, count)
    words[again, rng.integers(n, size=len(again))] = rng.integers(len(task.letters), size=len(again))
    return words


def _states(automaton: PartialAutomaton, words: Integers) -> Integers:
    states = [np.zeros(len(words), np.int64)]
    for letters in words.T:
        states.append(automaton.steps[states[-1], letters])
    return np.stack(states, axis=1)


def follow(letters: str, start: State, step: Callable[[State, str], State | None],
           ends: Callable[[State], bool], max_n: int) -> Task:
    """Return the task of tokens that may follow, also START: letters by ``step``, END by ``ends``, START never."""
    def answer(state: State) -> Answer:
        return (*(step(state, letter) is not None for letter in letters), False, ends(state))

    rows = tuple(((token, 1),) for token in range(len(letters) + 2))
    return Task(letters, rows, explore(letters, start, step, answer, max_n), (1.0,) * len(letters), empty=True)


def brackets(depth: int, max_n: int) -> Task:
    """Return the task of brackets: 0 opens, 1 closes, at most ``depth`` are open."""
    def step(state: int, letter: str) -> int | None:
        after = state + (1 if letter == "0" else -1)
        return after if 0 <= after <= depth else None

    return follow("01", 0, step, lambda state: state == 0, max_n)


def runs(steps: dict[tuple[int, str], int], accepting: set[int], letters: str, max_n: int) -> Task:
    """Return the task of the tokens that may follow in the language of an automaton, given by its table of steps."""
    return follow(letters, 0, lambda state, letter: steps.get((state, letter)), lambda state: state in accepting, max_n)


def only_ones(max_n: int) -> Task:
    """Return the task: after every letter, whether all letters were 1, as the sign of END's logit."""
    automaton = explore("01", True, lambda state, letter: state and letter == "1", lambda state: (state,), max_n)
    return Task("01", (((3, 1),),), automaton, (0.1, 0.9))


def majority(max_n: int) -> Task:
    """Return the task: at END, which of the letters 0 and 1 is more frequent; no answer on ties."""
    automaton = explore("01", 0, lambda state, letter: state + (1 if letter == "1" else -1),
                        lambda state: None if state == 0 else (state > 0,), max_n)
    return Task("01", LARGER, automaton, (1.0, 1.0), read="last", ends=True)


def first_letter(max_n: int) -> Task:
    """Return the task: at the last token, the first letter."""
    automaton = explore("01", "", lambda state, letter: state or letter,
                        lambda state: (state == "1",) if state else None, max_n)
    return Task("01", LARGER, automaton, (1.0, 1.0), read="last")


def last_letter(max_n: int, starts: bool = True) -> Task:
    """Return the task: after every letter, whether it was 1; with ``starts`` START is visible, too."""
    automaton = explore("01", False, lambda state, letter: letter == "1", lambda state: (state,), max_n)
    return Task("01", LARGER, automaton, (1.0, 1.0), starts=starts)


def flip_flop(max_n: int) -> Task:
    """Return the task of letters reset, set, keep: after every letter, whether the last one except keep was set."""
    automaton = explore("rsk", "r", lambda state, letter: state if letter == "k" else letter,
                        lambda state: (state == "s",), max_n)
    return Task("rsk", LARGER, automaton, (0.1, 0.1, 0.8))


def palindromes(max_n: int) -> Task:
    """Return the task: at the first token, whether the word is a palindrome; a state is the word read so far."""
    automaton = explore("01", "", lambda state, letter: state + letter, lambda state: (state == state[::-1],), max_n)
    return Task("01", LARGER, automaton, (1.0, 1.0), read="first", mirrored=True)


LARGER: tuple[Row, ...] = (((0, -1), (1, 1)),)
"""The logit of token 1 is larger than that of token 0."""

TASKS: dict[str, Callable[[int], Task]] = {
    "tomita_1": only_ones,
    "tomita_2": lambda max_n: runs({(0, "1"): 1, (1, "0"): 0}, {0}, "01", max_n),
    "tomita_4": lambda max_n: runs({(0, "1"): 0, (1, "1"): 0, (2, "1"): 0, (0, "0"): 1, (1, "0"): 2}, {0, 1, 2}, "01",
                                   max_n),
    "tomita_7": lambda max_n: runs({(0, "0"): 0, (0, "1"): 1, (1, "1"): 1, (1, "0"): 2, (2, "0"): 2, (2, "1"): 3,
                                    (3, "1"): 3}, {0, 1, 2, 3}, "01", max_n),
    "even": lambda max_n: runs({(0, "a"): 1, (1, "a"): 0}, {0}, "a", max_n),
    "d_2": lambda max_n: brackets(2, max_n),
    "dyck_1": lambda max_n: brackets(max_n + 1, max_n),
    "majority": majority,
    "first": first_letter,
    "flip_flop": flip_flop,
    "last_letter": last_letter,
    "last_letter_alone": lambda max_n: last_letter(max_n, starts=False),
    "palindromes": palindromes,
}
"""Tasks by name, as functions of the greatest length of words."""
