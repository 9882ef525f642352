"""Worst words of a head under a float model: shortest paths of its automaton, over weights as computed.

Over the real numbers the worst input of a head minimises the sum of weight * (1/4 - error) (formula/attention). Here
scores are computed in an execution, roundings included, and each weight is at the worse end of the range that the model
allows for its exponential. Other roundings are left to the execution that follows: this only finds words.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from constructions.language.positional import symbolic_truth
from constructions.language.syntax import Formula, is_symbolic
from constructions.network.float_formats import MAX_EXPONENT
from constructions.network.lengths import Lengths
from constructions.network.meanings import Near, Truth
from proofs.enclosures.exponential import Dyadic
from proofs.enclosures.float_models.exponentials import Exponential
from proofs.enclosures.float_models.numbers import ONE, ZERO, Arithmetic, NotFinite, Number, add_exactly, negated
from proofs.floats.execution.execution import Execution
from proofs.floats.execution.program import FloatProgram
from proofs.floats.execution.run import FloatRun
from proofs.formula.attention.obligation import AttentionObligation, oblige_attention
from proofs.formula.attention.worst_case import WeighedSweep, find_worst_input, minimum_costs
from proofs.formula.common.reading import RowGroup
from proofs.formula.common.sweeps import Option, Step, Sweep
from proofs.formula.common.targets import Assignment
from proofs.formula.common.word_independent import KnownValues
from proofs.formula.composition import Write, writes
from proofs.formula.failures import NotDerived
from proofs.formula.lookup.obligation import looks_up
from proofs.formula.refutation.plain_words import Word

MARGIN = Fraction(1, 4)
MOST_LETTERS = 16
MOST_SCORES = 1 << 15
"""Scores computed for one head at most; groups of rows on long words come first."""
Offer = list[tuple[Number, Option]]


@dataclass(frozen=True)
class WorstWord:
    """A word on which a head is worst at position i; a negative margin (over the greatest weight) predicts an error."""

    margin: Fraction
    word: Word
    i: int
    truth: bool
    write: Write


def find_worst_words(program: FloatProgram, n: int, execution: Execution) -> list[WorstWord]:
    """Return a worst word for each head over truths of symbols, each row and truth of its target; worst first."""
    found = [one for write, obligation in _symbolic_obligations(program, n)
             for one in _Worst(program, obligation, write, n, execution).words()]
    return sorted(found, key=lambda one: one.margin)


def _symbolic_obligations(program: FloatProgram, n: int) -> Iterator[tuple[Write, AttentionObligation]]:
    transformer = program.transformer
    known = KnownValues(transformer.directions)
    for write in writes(transformer):
        if not write.place or not isinstance(transformer.directions[write.direction], Near):
            continue
        head = transformer.head(write.layer, write.place)
        if looks_up(transformer, known, head, write.direction):
            continue
        try:
            obligation = oblige_attention(transformer, known, Lengths(n, n), write.layer, write.place, head,
                                          write.direction)
        except NotDerived:
            continue
        if all(map(is_symbolic, obligation.target.atoms)) and len(obligation.letters) <= MOST_LETTERS:
            yield write, obligation


class _AssumedRun(FloatRun):
    """An execution in which directions that mean truths have those of one assignment to the atoms, at all positions."""

    def __init__(self, program: FloatProgram, word: Word, execution: Execution, obligation: AttentionObligation,
                 assignment: Assignment):
        """Store the assumptions; the word is arbitrary, as the results used do not depend on it."""
        super().__init__(program, word, execution)
        self._target, self._assignment = obligation.target, assignment
        self._assumed = {name: meaning.formula for row in (*obligation.head.keys,
                                                           obligation.head.values[obligation.direction])
                         for name in row if isinstance(meaning := program.transformer.directions[name], Truth)}

    def number_at(self, direction: str, i: int) -> Number:
        """Return the assumed truth, or the number that any execution has."""
        formula: Formula | None = self._assumed.get(direction)
        if formula is None:
            return super().number_at(direction, i)
        return ONE if self._target.read_truth(formula, self._assignment, i, self.n) else ZERO


class _Worst:
    """The worst words of one head."""

    def __init__(self, program: FloatProgram, obligation: AttentionObligation, write: Write, n: int,
                 execution: Execution):
        """Prepare runs for each letter; scores are computed by the execution."""
        self.obligation, self.write, self.n = obligation, write, n
        self.alphabet = program.transformer.alphabet
        any_word = (self.alphabet[0],) * n
        self.runs = [_AssumedRun(program, any_word, execution, obligation, letter) for letter in obligation.letters]
        softmax = program.run_class.softmax
        self.softmax = Arithmetic(softmax)
        # Weights far below others decide nothing, but if there are no others, they must not be 0.
        wide = Arithmetic(replace(softmax, least=-MAX_EXPONENT))
        self.exponential = Exponential(wide, program.run_class.exp_ulp, "e")

    def words(self) -> Iterator[WorstWord]:
        """Yield the words of all rows, within ``MOST_SCORES``."""
        left = MOST_SCORES
        for group in reversed(list(self.obligation.reading.all_groups())):
            left -= len(self.obligation.reading.order(group)) * len(self.runs)
            yield from self._words_of(group)
            if left <= 0:
                return

    def _words_of(self, group: RowGroup) -> Iterator[WorstWord]:
        try:
            weighed = self._weigh(group)
        except NotFinite:
            return
        for truth in (False, True):
            for i, cost in minimum_costs(weighed, truth, MARGIN).items():
                choices = find_worst_input(weighed, truth, MARGIN, i)
                greatest = max(weights[choice].upper
                               for weights, choice in zip(weighed.weights, choices, strict=False))
                yield WorstWord(Fraction(cost, greatest), self._spell(weighed.sweep, choices), i, truth, self.write)

    def _weigh(self, group: RowGroup) -> WeighedSweep:
        """Return the computed weights, in common units, relative to the greatest score of all."""
        offers = [(j, self._offer(group.rows[-1], j)) for j in self.obligation.reading.order(group)]
        least = min(score[1] for _, offer in offers for score, _ in offer)
        top = negated(max((score for _, offer in offers for score, _ in offer),
                          key=lambda score: score[0] << (score[1] - least)))
        ends = [[self._ends(score, top) for score, _ in offer] for _, offer in offers]
        unit = min(end[1] for row in ends for pair in row for end in pair)
        weights = tuple(tuple(_in_units(pair, unit) for pair in row) for row in ends)
        steps = tuple(Step(j, tuple(option for _, option in offer), tuple(range(len(offer))), 0, 0)
                      for j, offer in offers)
        return WeighedSweep(Sweep(self.n, steps, frozenset(group.rows)), weights)

    def _offer(self, i: int, j: int) -> Offer:
        """Return the computed score of each letter at position j, with its value and effect."""
        letters = self.obligation.reading.letters.letters_at(j, self.n)
        return [(run.score(self.write.layer, self.write.place, i, j),
                 Option(Fraction(0), letter.value, letter.effect))
                for run, letter in zip(self.runs, letters, strict=True)]

    def _ends(self, score: Number, top: Number) -> tuple[Number, Number]:
        difference = self.softmax.round(add_exactly(score, top))
        return self.exponential.of(difference, Fraction(-1)), self.exponential.of(difference, Fraction(1))

    def _spell(self, sweep: Sweep, choices: Sequence[int]) -> Word:
        """Return the word whose letters are the choices; any symbol at other positions."""
        by_letter = {self.obligation.letters.index(tuple(symbolic_truth(atom, symbol)
                                                         for atom in self.obligation.target.atoms)): symbol
                     for symbol in reversed(self.alphabet)}
        spelled = dict.fromkeys(range(1, self.n + 1), self.alphabet[0])
        spelled |= {step.j: by_letter[choice] for step, choice in zip(sweep.steps, choices, strict=False)}
        return tuple(spelled.values())


def _in_units(pair: tuple[Number, Number], unit: int) -> Dyadic:
    """Return both ends in common units, whose exponent is 0, so that costs are in these units."""
    (low, low_exponent), (high, high_exponent) = pair
    return Dyadic(low << (low_exponent - unit), high << (high_exponent - unit), 0)
