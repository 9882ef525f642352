"""Training data of inputs in tracks: with the right answers, each of which should be the greatest before it."""

import json
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import permutations

import numpy as np

from certify.claims.trained.count_patterns import errors_in
from certify.claims.trained.counting import TracksCount
from certify.claims.trained.decide import Settings
from certify.claims.trained.tracks_decision import TracksDecision, decide_tracks
from certify.learning.training.lessons import Batch, Draw, Item
from constructions.errors import InputError
from constructions.trained.network import TrainedNetwork
from constructions.trained.tracks import Column, Layout, TracksClaim, all_inputs, count_inputs, sampled_inputs

ALL_INPUTS = 2**13
SOME_INPUTS = 2**10
"""The number of inputs that are screened of a form with more than ALL_INPUTS."""
ENOUGH = 2**14
"""The number of inputs of a form from which training draws."""
OF_A_PART = 16
"""The number of inputs that a count teaches of each kind of first errors."""


class TrackLessons:
    """The data of one claim; the outputs of inner layers should depend only on ``window`` columns, if it is not 0."""

    def __init__(self, network: TrainedNetwork, claim: TracksClaim, window: int = 0) -> None:
        self.claim, self.margin, self.window = claim, float(claim.margin), window
        self._numbers: dict[Hashable, int] = {}
        pairs = list(permutations(claim.among, 2))
        self.forms = np.zeros((network.outputs, len(pairs)))
        for index, (right, other) in enumerate(pairs):
            self.forms[right, index], self.forms[other, index] = 1, -1
        self._right = np.array([right for right, _ in pairs])
        self._drawn: list[list[Item]] = []

    def _items(self, number: int, count: int, seed: int) -> list[Item]:
        """Return inputs of a form: all, if there are at most ``count``."""
        form, index = self.claim.forms[number], self.claim.column_index
        inputs = all_inputs(self.claim, form) if count_inputs(self.claim, form) <= count else sampled_inputs(
            self.claim, form, count, seed)
        return [(number, tuple(index[column] for column in columns)) for columns in inputs]

    def draw(self, count: int, draw: Draw) -> Batch:
        """Draw ``count`` inputs of one length."""
        if not self._drawn:
            seed = int(draw.integers(2**31))
            self._drawn = [self._items(number, ENOUGH, seed) for number in range(len(self.claim.forms))]
        items = self._drawn[int(draw.integers(len(self._drawn)))]
        return self.batch([items[index] for index in draw.integers(len(items), size=count)])

    def batch(self, items: Sequence[Item]) -> Batch:
        """Return these inputs, of one length, as a batch."""
        form = self.claim.forms[items[0][0]]
        tokens = np.array([self.claim.tokens(form, self._columns(item)) for item in items])
        at = np.array(form.asked) - 1
        required = tokens[:, at + 1, np.newaxis] == self._right
        nodes = np.array([self._nodes(form, item) for item in items]) if self.window else None
        return Batch(tokens[:, :-1], np.full(len(items), self.claim.offset), at, required, nodes)

    def _nodes(self, form: Layout, item: Item) -> list[int]:
        """Return a number for the information at each place: the steps of its column, and of the answer's."""
        states, layout = self.claim.states(form, self._columns(item)), form.layout

        def node_of(place: int) -> Hashable:
            one = layout[place]
            if one.kind in ("token", "end"):
                return one.index if one.kind == "token" else states[-1]
            return states[one.column], item[1][max(0, one.column + 1 - self.window):one.column + 1]

        found = [(place, node_of(place), node_of(place + 1) if place + 1 in form.asked else None)
                 for place in range(len(layout) - 1)]
        return [self._numbers.setdefault((item[0], *one), len(self._numbers)) for one in found]

    def _columns(self, item: Item) -> tuple[Column, ...]:
        return tuple(self.claim.all_columns[column] for column in item[1])

    def size(self, item: Item) -> tuple[int, ...]:
        """Return a key that items of one length share."""
        return (item[0], len(item[1]))

    def screened(self, draw: Draw) -> list[Item]:
        """Return all short inputs and some of the others."""
        seed = int(draw.integers(2**31))
        return [item for number, form in enumerate(self.claim.forms)
                for item in self._items(number, ALL_INPUTS if count_inputs(self.claim, form) <= ALL_INPUTS
                                        else SOME_INPUTS, seed)]

    def neighbours(self, item: Item, draw: Draw) -> Iterator[Item]:
        """Yield inputs that differ in a few letters."""
        number, columns = item
        for place in range(len(columns)):
            for other in draw.integers(len(self.claim.all_columns), size=4).tolist():
                yield number, (*columns[:place], other, *columns[place + 1:])

    def asked(self, items: Iterable[Item]) -> list[Item]:
        """Return those that the claim judges."""
        return [item for item in items if self._is_allowed(item)]

    def _is_allowed(self, item: Item) -> bool:
        try:
            self.claim.states(self.claim.forms[item[0]], self._columns(item))
        except InputError:
            return False
        return True

    def show(self, item: Item) -> str:
        """Format an item."""
        return self.claim.show_input(self._columns(item))

    def decide(self, network: TrainedNetwork, settings: Settings) -> TracksDecision:
        """Return the decision about the claim."""
        return decide_tracks(network, self.claim, settings.effort, settings.workers)

    def taught_by(self, decision: TracksDecision | TracksCount) -> tuple[list[Item], list[Item]]:
        """Return the inputs that are proved to be wrong, and those with the smallest margins; of a count some."""
        index = self.claim.column_index
        if isinstance(decision, TracksCount):
            return list(self._wrong_of(decision)), []
        return ([(row.wrong.form, tuple(index[column] for column in row.wrong.columns))
                 for row in decision.rows if row.wrong],
                [(row.seen.form, tuple(index[column] for column in row.seen.columns))
                 for row in decision.rows if row.seen])

    def _wrong_of(self, count: TracksCount) -> Iterator[Item]:
        """Yield inputs of each part of a certificate that is proved to be wrong."""
        index = self.claim.column_index
        for number, _, machine in errors_in(json.loads(count.certificate), self.claim):
            form = replace(self.claim.forms[number], columns=tuple(range(len(machine.tables))))
            for columns_of_one in sampled_inputs(replace(self.claim, machine=machine), form, OF_A_PART):
                yield number, tuple(index[column] for column in columns_of_one)
