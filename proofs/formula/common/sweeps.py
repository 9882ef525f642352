"""Sweeps: positions in reading order, each offering a few options, with rows to be checked along the way."""

from dataclasses import dataclass, field
from fractions import Fraction

from constructions.network.weightings import Weighting
from proofs.formula.common.extremes import Extreme
from proofs.formula.common.letters import Letter

ZERO = Fraction(0)
MOST_OFFERS = 200_000
"""What so many different positions offer is remembered."""


@dataclass(frozen=True)
class Option:
    """One letter as the worst case sees it: scaled score, value and effect; several letters may give the same."""

    score: Fraction
    value: Fraction
    effect: tuple[int, ...]


@dataclass(frozen=True)
class Step:
    """Position ``j`` of a sweep: its options, and which of them each letter gives, in the order of the letters.

    Of one ``KnownSteps``, steps have the same ``number`` iff they have the same options, and the same ``shape`` iff
    they agree in everything but the scores.
    """

    j: int
    options: tuple[Option, ...]
    choices: tuple[int, ...]
    number: int
    shape: int


@dataclass(frozen=True)
class Sweep:
    """Positions in reading order, and the rows i at which the target must be approximated, each after its own step."""

    n: int
    steps: tuple[Step, ...]
    rows: frozenset[int]


@dataclass(frozen=True)
class InputExtreme(Extreme):
    """The largest error over inputs with the given truth of the target, and the options of the input that has it."""

    truth: bool
    sweep: Sweep = field(repr=False)
    row: int
    choices: tuple[int, ...]
    weighed_by: Weighting = Weighting.SOFTMAX

    @property
    def weighting(self) -> Weighting:
        """The function from scores to weights."""
        return self.weighed_by

    @property
    def n(self) -> int:
        """The length of the word."""
        return self.sweep.n

    @property
    def i(self) -> int:
        """The position of the query."""
        return self.row

    def chosen(self) -> list[Option]:
        """The options of the input, in reading order."""
        return [step.options[choice] for step, choice in zip(self.sweep.steps, self.choices, strict=False)]


Offer = tuple[tuple[Option, ...], tuple[int, ...], int, int]
"""All of a step but its position."""


class KnownSteps:
    """What positions offer, worked out once and numbered: equal options have equal numbers."""

    def __init__(self) -> None:
        """Nothing is known yet."""
        self._numbers: dict[object, int] = {}
        self._offers: dict[object, Offer] = {}

    def offer(self, query: tuple[Fraction, ...], base: tuple[Fraction, ...], base_value: Fraction,
              letters: tuple[Letter, ...]) -> Offer:
        """What a position offers to a query; equal positions share the work."""
        key = (query, base, base_value, letters)
        if key not in self._offers:
            if len(self._offers) == MOST_OFFERS:
                self._offers.clear()  # its numbers stay, so that nothing but time is lost
            self._offers[key] = self._build(query, base, base_value, letters)
        return self._offers[key]

    def _build(self, query: tuple[Fraction, ...], base: tuple[Fraction, ...], base_value: Fraction,
               letters: tuple[Letter, ...]) -> Offer:
        options: dict[Option, int] = {}
        choices = []
        for letter in letters:
            score = sum((q * (known + truth) for q, known, truth in zip(query, base, letter.keys, strict=True)), ZERO)
            option = Option(score, base_value + letter.value, letter.effect)
            choices.append(options.setdefault(option, len(options)))
        listed = tuple(options)
        shape = (tuple(choices), tuple((option.value, option.effect) for option in listed))
        return listed, tuple(choices), self._number(listed), self._number(shape)

    def _number(self, what: object) -> int:
        """The same number for equal things, different ones for different things."""
        return self._numbers.setdefault(what, len(self._numbers))
