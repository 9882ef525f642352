"""The greatest error of a head that attends to truths, over words instead of all inputs.

An input is the truths of the head's atoms at every position. Words have only some inputs: the paths of the trellis of
atoms and target. So the greatest error on a word is also a shortest path, over (position, state of the trellis).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from constructions.language.semantics import TruthTable
from proofs.enclosures.exponential import PRECISIONS
from proofs.formula.attention.obligation import AttentionObligation
from proofs.formula.attention.worst_case import Costs, larger_extreme, weigh
from proofs.formula.common.extremes import Extreme
from proofs.formula.common.reading import RowGroup
from proofs.formula.common.sweeps import InputExtreme, Option, Step, Sweep
from proofs.words.pairs_of_runs import Work
from proofs.words.trellis import Trellises, Word

Moves = tuple[tuple[int, int, int], ...]
WORK_OF_OPTION = 4
"""Units of work for the weight of one option."""


@dataclass(frozen=True)
class WordInputs:
    """The inputs that occur on words of one length.

    ``moves`` has for each position the transitions: the state, the letter, and 2 * next state + truth of the target.
    """

    moves: tuple[Moves, ...]
    past: bool
    work: Work

    def start(self) -> Costs:
        """Return cost 0 for every state of the trellis before the first step."""
        first = self.moves[0 if self.past else -1]
        return {2 * left: (0, -1, -1) for left, _, _ in first}

    def follow(self, step: Step, prices: Sequence[int], previous: Costs) -> Costs:
        """Return the least costs after one more step: every edge continues the cheapest path to its state."""
        cheapest: dict[int, tuple[int, int]] = {}
        for code, (cost, _, _) in previous.items():
            if code >> 1 not in cheapest or cost < cheapest[code >> 1][0]:
                cheapest[code >> 1] = cost, code
        costs: Costs = {}
        moves = self.moves[step.j - 1]
        self.work.spend(len(moves))
        for left, letter, entered in moves:
            before, code = cheapest[left]
            choice = step.choices[letter]
            total = before + prices[choice]
            if entered not in costs or total < costs[entered][0]:
                costs[entered] = total, code, choice
        return costs


class AttentionOnWords:
    """The inputs of one obligation that occur on words over an alphabet."""

    def __init__(self, obligation: AttentionObligation, alphabet: Sequence[str], work: Work):
        """Prepare the search; ``work`` is the budget of all calls together."""
        self.obligation, self.work, target = obligation, work, obligation.target
        self._trellises = Trellises((target.formula, *target.atoms), alphabet, work)
        self._letters = {letter: number for number, letter in enumerate(obligation.letters)}
        self._moves: dict[int, Moves] = {}

    def _letter(self, truths: int) -> int:
        """Return the index of the letter for a bit set of the truths of target and atoms."""
        return self._letters[tuple([bool(truths >> k & 1) for k, _ in enumerate(self.obligation.target.atoms, 1)])]

    def _inputs(self, n: int) -> WordInputs:
        past = self.obligation.target.past
        layers = self._trellises.of(n).layers
        for layer in layers:
            if id(layer) not in self._moves:
                self._moves[id(layer)] = tuple(
                    (before if past else after, self._letter(truths), 2 * (after if past else before) + truths % 2)
                    for before, after, truths, _ in layer)
        return WordInputs(tuple([self._moves[id(layer)] for layer in layers]), past, self.work)

    def _sweep(self, group: RowGroup) -> Sweep:
        """Return the positions that a group reads; ``number`` and ``shape`` of steps are not needed here, and are 0."""
        reading = self.obligation.reading
        scores, kinds = reading.scores(group), reading.positions(group.n).kinds
        offered = []
        for adds, offer in zip(scores.adds, reading.offered, strict=True):
            pairs = [(add, offer.base_value + letter.value) for add, letter in zip(adds, offer.letters, strict=True)]
            places = {pair: place for place, pair in enumerate(dict.fromkeys(pairs))}
            offered.append((list(places), tuple([places[pair] for pair in pairs])))
        steps = []
        for j in reading.order(group):
            pairs, choices = offered[kinds[j - 1]]
            options = [Option(Fraction(scores.base[j - 1] + add, scores.unit), value, ()) for add, value in pairs]
            steps.append(Step(j, tuple(options), choices, 0, 0))
            self.work.spend(WORK_OF_OPTION * len(options))
        return Sweep(group.n, tuple(steps), frozenset(group.rows))

    def word_of(self, extreme: Extreme) -> Word | None:
        """Return a word that has the input of an extreme; None if no word has it, or no input is known.

        Raises:
            TooMuchWork: if the budget does not suffice.
        """
        if not isinstance(extreme, InputExtreme):
            return None
        chosen = {step.j: (step, choice) for step, choice in zip(extreme.sweep.steps, extreme.choices, strict=False)}

        def fits(value: int, j: int, truths: int) -> int | None:
            step, choice = chosen.get(j, (None, 0))
            is_read = step is None or step.choices[self._letter(truths)] == choice
            return value if is_read and (j != extreme.i or truths % 2 == extreme.truth) else None

        return self._trellises.of(extreme.n).word(0, fits, self.work)

    def larger(self, best: Extreme | None) -> Extreme | None:
        """Return the greatest error on a word, under softmax, if it is larger than ``best``, else ``best``.

        Raises:
            TooMuchWork: if the budget does not suffice.
        """
        is_free = self._trellises.is_free_of_length
        groups = self.obligation.groups if is_free else list(self.obligation.reading.all_groups())
        for group in sorted(groups, key=lambda group: -group.n):
            weighed = weigh(self._sweep(group), PRECISIONS[0], self._inputs(group.n))
            for truth in (False, True):
                best = larger_extreme(best, weighed, truth)
        return best

    def has(self, extreme: Extreme, word: Word) -> bool:
        """Return whether a word has the input of an extreme, by the semantics."""
        truths, target = TruthTable(word), self.obligation.target
        assert isinstance(extreme, InputExtreme)
        atoms = [truths.values(atom) for atom in target.atoms]
        read = [step.choices[self._letters[tuple(values[step.j - 1] for values in atoms)]]
                for step, _ in zip(extreme.sweep.steps, extreme.choices, strict=False)]
        return tuple(read) == extreme.choices and truths.values(target.formula)[extreme.i - 1] == extreme.truth
