"""Executions in which each number has an order of its own, chosen by coordinate ascent to make a row of logits worst.

Each sum has one of the orders of `executions`, fused or not, each average is normalised before or after, and each
product with a cosine or sine is stored or not. From the plainest execution numbers that another choice would change are
changed alone, in numpy; those that help are changed together, as many as help most, or some at random. It ends where no
other choice changes a number, or after some rounds.
A `ReplayOfChoices` makes the same choices exactly.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from constructions.network.float_formats import Format
from constructions.trained.network import TrainedNetwork
from proofs.enclosures.float_models.model import FloatModel
from proofs.trained.float_executions.emulation import Array, Emulation, FloatRun
from proofs.trained.float_executions.execution import Execution, Order, executions
from proofs.trained.float_executions.replay import Replay

Choices = list[NDArray[np.intp]]
"""The options taken: for each call that has a choice, in the order of an execution, one for each run and number."""
ORDERS: tuple[tuple[Order, bool], ...] = (("forwards", False), ("forwards", True), ("backwards", False),
                                          ("in pairs", False))
Change = tuple[int, int, int]
"""A call, a number of it, and another option."""
BATCH, ALONE, DRAWN, ROUNDS = 128, 384, 64, 8


class ChoiceOfEach(FloatRun):
    """A run in which each number has its own choice; the first one where ``choices`` end."""

    choices: Choices
    options: list[Array] | None = None
    """The values of all options, if they are recorded."""
    calls = 0

    def begin(self, choices: Choices, records: bool = False) -> None:
        """Begin a run with these choices."""
        self.choices, self.options, self.calls = choices, [] if records else None, 0

    def total(self, terms: Array, target: Format) -> Array:
        """Return sums, each in its order."""
        return self._chosen([partial(self.added, terms, target, order, fused) for order, fused in ORDERS])

    def averaged(self, weights: Array, total: Array, value: Array) -> Array:
        """Return averages, each normalised in its way."""
        found = [self.normalised(weights, total, value, before) for before in (True, False)
                 if any(one.before == before for one in executions(self.run))]
        return found[0] if len(found) == 1 else self._chosen([lambda: found[0], lambda: found[1]])

    def of_pair(self, product: Array) -> Array:
        """Return the products with cosines or sines, each stored or not before it is added."""
        plain = super().of_pair(product)
        return self._chosen([lambda: plain, lambda: self.rounded(plain, self.run.storage)])

    def _chosen(self, options: Sequence[Callable[[], Array]]) -> Array:
        first, call, self.calls = options[0](), self.calls, self.calls + 1
        choice = self.choices[call] if call < len(self.choices) else None
        if self.options is None and (choice is None or not choice.any()):
            return first
        every = [first, *(option() for option in options[1:])]
        if self.options is not None:
            self.options.append(np.stack(every))
        if choice is None or not choice.any():
            return first
        return np.asarray(np.choose(choice.reshape(first.shape), every))


class EmulationOfChoices(ChoiceOfEach, Emulation):
    """In binary64."""


class ReplayOfChoices(ChoiceOfEach, Replay):
    """In rationals, each result rounded once."""

    def _product(self, x: Array, weight: Array, bias: Array | None) -> Array:
        """Multiply all tokens at once, so that calls are those of the emulation."""
        return FloatRun._product(self, x, weight, bias)


def encoded(run: FloatModel, choices: Choices) -> Execution:
    """Return the execution with these choices."""
    return replace(executions(run)[0], choices=tuple(
        "".join(map(str, one.ravel())) if one.any() else "" for one in choices))


def replay_of(network: TrainedNetwork, run: FloatModel, execution: Execution) -> Replay:
    """Return the exact replay of an execution."""
    if not execution.choices:
        return Replay(network, run, execution)
    found = ReplayOfChoices(network, run, execution)
    found.begin([np.array([*map(int, one)], np.intp) for one in execution.choices])
    return found


class Adversary:
    """A search for the executions of one input that make a number of the logits least."""

    def __init__(self, network: TrainedNetwork, run: FloatModel) -> None:
        self._emulation = EmulationOfChoices(network, run, executions(run)[0])

    def worst(self, tokens: Sequence[int], offset: int, at: int, row: Array, seed: int = 0
              ) -> tuple[np.float64, Choices]:
        """Return the least value of a linear form of the logits that was found, and the choices of that execution."""
        self._given, draw = (np.array([tokens]), offset, np.array([at]), row), np.random.default_rng(seed)
        choices, value = Choices(), np.float64(self._values([], 1)[0])
        for _ in range(ROUNDS):
            choices, options = self._recorded(choices)
            changes = [(call, number, option) for call, values in enumerate(options) for option, number in zip(
                *np.nonzero(values != self._now(values, choices[call])), strict=True)]
            if not changes:
                break
            alone = [changes[k] for k in draw.permutation(len(changes))[:ALONE].tolist()]
            sets = [*self._helpful(choices, value, alone), *self._drawn(changes, draw)]
            tried = self._with(choices, sets)
            values = self._values(tried, len(sets))
            best = int(values.argmin())
            if values[best] < value:
                value, choices = np.float64(values[best]), [one[best:best + 1] for one in tried]
        return value, choices

    def _helpful(self, choices: Choices, value: np.float64, changes: Sequence[Change]) -> Iterator[list[Change]]:
        """Yield the changes that help alone: as many as help most, from one to all."""
        gains = value - np.concatenate([*self._alone(choices, changes)])
        useful = [changes[k] for k in np.argsort(-gains, kind="stable")[:int((gains > 0).sum())].tolist()]
        for size in sorted({max(1, len(useful) * k // 16) for k in range(1, 17)} if useful else {}):
            yield useful[:size]

    @staticmethod
    def _drawn(changes: Sequence[Change], draw: np.random.Generator) -> Iterator[list[Change]]:
        """Yield sets of changes at random, small and large."""
        for percent in np.repeat([1, 3, 10, 30], DRAWN // 4):
            yield [changes[k] for k in np.flatnonzero(draw.integers(0, 100, len(changes)) < percent).tolist()]

    def _values(self, choices: Choices, count: int) -> Array:
        tokens, offset, at, row = self._given
        self._emulation.begin(choices)
        return np.asarray(self._emulation.logits(np.repeat(tokens, count, 0), offset, at)[:, 0] @ row)

    def _recorded(self, choices: Choices) -> tuple[Choices, list[Array]]:
        """Return the choices of all calls, and the values of all options: [options, numbers]."""
        tokens, offset, at, _ = self._given
        self._emulation.begin(choices, records=True)
        self._emulation.logits(tokens, offset, at)
        options = self._emulation.options or []
        full = [choices[k] if k < len(choices) else np.zeros(values.shape[1:], np.intp)
                for k, values in enumerate(options)]
        return full, [values.reshape(len(values), -1) for values in options]

    @staticmethod
    def _now(values: Array, choice: NDArray[np.intp]) -> Array:
        return np.asarray(np.take_along_axis(values, choice.reshape(1, -1), 0))

    def _alone(self, choices: Choices, changes: Sequence[Change]) -> Iterator[Array]:
        for k in range(0, len(changes), BATCH):
            part = changes[k:k + BATCH]
            yield self._values(self._with(choices, [[one] for one in part]), len(part))

    @staticmethod
    def _with(choices: Choices, changes: Sequence[Sequence[Change]]) -> Choices:
        """Return these choices once for each set of changes."""
        found = [np.repeat(one, len(changes), 0) for one in choices]
        for run, those in enumerate(changes):
            for call, number, option in those:
                found[call].reshape(len(changes), -1)[run, number] = option
        return found
