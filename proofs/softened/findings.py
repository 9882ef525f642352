"""The results of a survey: they can be merged, with a canonical JSON form that does not depend on the shards."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

from proofs.softened.profile_bounds import JointBounds
from proofs.softened.rational_json import read_all, spell, spell_all
from proofs.softened.score_profiles import ScoreProfiles, merge

MAX_NUMBERS = 4_000
"""The number of listed values of a form of a feed-forward block; beyond, only the least and the greatest."""
Where = tuple[int, int]
"""A head by layer and place, both counted from 1."""
FormOfLayer = tuple[int, tuple[tuple[str, Fraction], ...]]
"""A layer, and a form that its feed-forward block reads (proofs.softened.layers.FormKey)."""
K = TypeVar("K", bound=tuple[Any, ...])
V = TypeVar("V")


@dataclass(frozen=True)
class ObservedGap:
    """The least gap of a winner (0 for a tie), and the first word, position and head where it occurs."""

    value: Fraction
    word: tuple[str, ...]
    i: int
    layer: int
    head: int


@dataclass(frozen=True)
class GreatestActivation:
    """The greatest absolute value in the initial activations, and the first word, position and direction with it."""

    value: Fraction
    word: tuple[str, ...]
    i: int
    direction: str


@dataclass(frozen=True)
class Taken:
    """The values of a form: all of them, ascending, if they are few; else the least and the greatest."""

    numbers: tuple[Fraction, ...]
    complete: bool

    def merge(self, other: Taken) -> Taken:
        """Return the union of both."""
        return taken({*self.numbers, *other.numbers}, self.complete and other.complete)


def taken(numbers: Iterable[Fraction], complete: bool = True) -> Taken:
    """Return the values of a form, listed if they are complete and few.

    >>> taken([Fraction(2), Fraction(1), Fraction(3)], complete=False).numbers
    (Fraction(1, 1), Fraction(3, 1))
    """
    listed = sorted(numbers)
    complete = complete and len(listed) <= MAX_NUMBERS
    return Taken(tuple(listed if complete else listed[:1] + listed[-1:]), complete)


@dataclass(frozen=True)
class Survey:
    """The behaviour of hard attention on words of one length.

    ``averaged`` is the first tie of an average-hard head, ``tie`` the first tie of another head. After the latter
    ``averaged`` and ``gap`` are None, ``heads`` and ``forms`` empty. ``gap`` is also None if no head sees two different
    scores. ``x_max`` is None if nothing is embedded.
    """

    alphabet: tuple[str, ...]
    n: int
    words: int
    gap: ObservedGap | None
    tie: ObservedGap | None
    averaged: ObservedGap | None
    x_max: GreatestActivation | None
    heads: Mapping[Where, ScoreProfiles | JointBounds]
    forms: Mapping[FormOfLayer, Taken]

    def merge(self, other: Survey) -> Survey:
        """Return the survey of the words of both, which are disjoint."""
        tie = self._first(self.tie, other.tie)
        return Survey(
            self.alphabet, self.n, self.words + other.words, None if tie else self._least(self.gap, other.gap), tie,
            None if tie else self._first(self.averaged, other.averaged), self._greatest(self.x_max, other.x_max),
            {} if tie else _united(self.heads, other.heads, merge),
            {} if tie else _united(self.forms, other.forms, Taken.merge))

    def _first(self, *found: ObservedGap | None) -> ObservedGap | None:
        return min((lead for lead in found if lead), key=self._order, default=None)

    def _least(self, *found: ObservedGap | None) -> ObservedGap | None:
        return min((lead for lead in found if lead), key=lambda lead: (lead.value, self._order(lead)), default=None)

    def _greatest(self, *found: GreatestActivation | None) -> GreatestActivation | None:
        """Return the greatest activation, the first among equal ones; no word is in both surveys."""
        return min((entry for entry in found if entry),
                   key=lambda entry: (-entry.value, self._letters(entry.word), entry.i), default=None)

    def _order(self, lead: ObservedGap) -> tuple[Any, ...]:
        return self._letters(lead.word), lead.i, lead.layer, lead.head

    def _letters(self, word: Iterable[str]) -> list[int]:
        return [self.alphabet.index(symbol) for symbol in word]

    def to_json(self) -> str:
        """Return the canonical JSON text.

        Raises:
            Unsupported: if it has numbers that are too long.
        """
        return json.dumps({
            "alphabet": list(self.alphabet),
            "n": self.n,
            "words": self.words,
            "gap": _lead_to_json(self.gap),
            "tie": _lead_to_json(self.tie),
            "averaged": _lead_to_json(self.averaged),
            "x_max": self.x_max and {"value": spell(self.x_max.value), "word": list(self.x_max.word), "i": self.x_max.i,
                                     "direction": self.x_max.direction},
            "heads": [{"layer": layer, "head": head, **found.to_json()} for (layer, head), found in
                      sorted(self.heads.items(), key=lambda item: item[0])],
            "forms": [{"layer": layer, "reads": {name: spell(weight) for name, weight in form},
                       "numbers": spell_all(found.numbers), "complete": found.complete}
                      for (layer, form), found in sorted(self.forms.items(), key=lambda item: item[0])],
        }, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Survey:
        """Read the text that ``to_json`` wrote; it is not checked."""
        data = json.loads(text)
        entry = data["x_max"]
        return cls(
            tuple(data["alphabet"]), data["n"], data["words"], _lead_from_json(data["gap"]),
            _lead_from_json(data["tie"]), _lead_from_json(data["averaged"]),
            entry
            and GreatestActivation(Fraction(entry["value"]), tuple(entry["word"]), entry["i"], entry["direction"]),
            {(head["layer"], head["head"]): (ScoreProfiles if "situations" in head else JointBounds).from_json(head)
             for head in data["heads"]},
            {(form["layer"], tuple((name, Fraction(x)) for name, x in form["reads"].items())):
             Taken(read_all(form["numbers"]), form["complete"]) for form in data["forms"]})


def _united(one: Mapping[K, V], other: Mapping[K, V], join: Callable[[V, V], V]) -> dict[K, V]:
    return {key: join(one[key], other[key]) if key in one and key in other else (one if key in one else other)[key]
            for key in {**one, **other}}


def _lead_to_json(lead: ObservedGap | None) -> dict[str, Any] | None:
    return None if lead is None else {"value": spell(lead.value), "word": list(lead.word), "i": lead.i,
                                      "layer": lead.layer, "head": lead.head}


def _lead_from_json(data: Any) -> ObservedGap | None:
    if data is None:
        return None
    return ObservedGap(Fraction(data["value"]), tuple(data["word"]), data["i"], data["layer"], data["head"])
