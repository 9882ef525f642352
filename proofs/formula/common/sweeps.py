"""Sweeps: positions in reading order, each with a few options, and the rows to be checked."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from proofs.formula.common.extremes import Extreme
from proofs.formula.common.letters import LetterEffect

MOST_OFFERS = 200_000
"""The number of positions whose options are cached."""


@dataclass(frozen=True)
class Option:
    """The scaled score, value and effect of a letter; several letters may have the same."""

    score: Fraction
    value: Fraction
    effect: tuple[int, ...]


@dataclass(frozen=True)
class Step:
    """Position ``j`` of a sweep: its options, and the index of the option of each letter, in the order of the letters.

    Among steps of one ``KnownSteps``, equal ``number`` means equal options, and equal ``shape`` equal options except
    for their scores.
    """

    j: int
    options: tuple[Option, ...]
    choices: tuple[int, ...]
    number: int
    shape: int


@dataclass(frozen=True)
class Sweep:
    """Positions in reading order, and the rows i at which the target must be approximated."""

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

    @property
    def n(self) -> int:
        """The length of the word."""
        return self.sweep.n

    @property
    def i(self) -> int:
        """The position of the query."""
        return self.row

    def chosen(self) -> list[Option]:
        """Return the options of the input, in reading order."""
        return [step.options[choice] for step, choice in zip(self.sweep.steps, self.choices, strict=False)]


Offer = tuple[tuple[Option, ...], tuple[int, ...], int, int]
"""A step without its position: options, choices, number, shape."""


@dataclass(frozen=True)
class ScaledScores:
    """Scaled scores in units of 1/``unit``: ``base[j - 1] + adds[kind of j][letter]``."""

    unit: int
    base: list[int]
    adds: list[list[int]]


@dataclass(frozen=True)
class _Letter:
    """Value and effect of a letter at positions of one kind; equal pairs have equal numbers."""

    value: Fraction
    effect: tuple[int, ...]
    number: int


class KnownSteps:
    """Hash-consed options of positions: equal options have equal numbers."""

    def __init__(self) -> None:
        """Start with empty tables."""
        self._numbers: dict[object, int] = {}
        self._offers: dict[tuple[int, ...], Offer] = {}
        self._letters: dict[int, tuple[_Letter, ...]] = {}

    def offer(self, kind: int, base_value: Fraction, letters: Sequence[LetterEffect], scores: ScaledScores,
              j: int) -> Offer:
        """Return the options of position j, which has this kind; positions with equal scores share them.

        Equal kinds have equal base values and letters.
        """
        base, adds = scores.base[j - 1], scores.adds[kind]
        key = (kind, scores.unit, base, *adds)
        if key not in self._offers:
            if len(self._offers) == MOST_OFFERS:
                self._offers.clear()  # numbers are kept, so that only time is lost
            if kind not in self._letters:
                self._letters[kind] = tuple(self._letter(base_value + letter.value, letter.effect)
                                            for letter in letters)
            self._offers[key] = self._build(self._letters[kind], [base + add for add in adds], scores.unit)
        return self._offers[key]

    def _letter(self, value: Fraction, effect: tuple[int, ...]) -> _Letter:
        return _Letter(value, effect, self._number((value, effect)))

    def _build(self, letters: Sequence[_Letter], scores: Sequence[int], unit: int) -> Offer:
        places: dict[tuple[int, int], int] = {}
        choices, options = list[int](), list[Option]()
        for letter, score in zip(letters, scores, strict=True):
            place = places.setdefault((score, letter.number), len(places))
            if place == len(options):
                options.append(Option(Fraction(score, unit), letter.value, letter.effect))
            choices.append(place)
        numbers = tuple([number for _, number in places])
        listed = tuple([(*option.score.as_integer_ratio(), number)
                        for option, number in zip(options, numbers, strict=True)])
        return tuple(options), tuple(choices), self._number(listed), self._number((tuple(choices), numbers))

    def _number(self, what: object) -> int:
        """Return a number that is equal for equal keys only."""
        return self._numbers.setdefault(what, len(self._numbers))
