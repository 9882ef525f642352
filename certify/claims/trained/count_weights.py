"""Files of weights: how inputs are drawn where right ones are counted; docs/howto/counts.md.

The weight of an input is a product: of its letters, of the lengths of its numbers, and by an automaton.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from itertools import product
from typing import Any

from certify.common.files import read_text
from constructions.errors import InputError
from constructions.tables import Table, check_keys, exact, read_toml, shown, text
from constructions.trained.claim import WordsClaim
from constructions.trained.tracks import Column, TracksClaim
from constructions.trained.weights import ONE, Transition, Weights, by_steps, product_of, total_weight
from proofs.trained.counting.verdicts import total_of_words

ALIKE = "alike"
WORD = "word"
"""The track of a word."""
KEYS = ("lengths", "letters", "tracks", "column", "numbers", "automaton")
OUTSIDE, INSIDE = 0, 1
"""The states of a number: at columns that it does not have, and at its digits."""
_RANGE = re.compile(r"(-?[1-9][0-9]{0,8})(?:\.\.(-?[1-9][0-9]{0,8}))?", re.ASCII)


@dataclass(frozen=True)
class Shape:
    """Inputs of one number of columns, by the letters of tracks; people write the last column first, or last."""

    tracks: Mapping[str, tuple[str, ...]]
    columns: int
    last_first: bool = False

    @cached_property
    def combinations(self) -> list[Column]:
        """Every combination of letters, in lexicographic order."""
        return list(product(*(range(len(letters)) for letters in self.tracks.values())))


def read_weights(path: str, claim: TracksClaim | WordsClaim) -> list[Weights]:
    """Return an automaton for each form of the claim, or for each length of words, which are one track.

    Raises:
        InputError: one line that says which key and what was expected.
    """
    if isinstance(claim, WordsClaim):
        words = [Shape({WORD: claim.alphabet}, n) for n in range(claim.lengths[0], claim.lengths[1] + 1)]
        return weights_of_shapes(path, words, lambda _number, one: total_of_words(claim, one))
    tracks = {track.name: track.letters for track in claim.tracks}
    shapes = [Shape(tracks, len(form.columns), claim.typed_last_first) for form in claim.forms]
    return weights_of_shapes(path, shapes, lambda number, one: total_weight(claim, claim.forms[number], one))


def weights_of_shapes(path: str, shapes: Sequence[Shape], total: Callable[[int, Weights], Fraction]) -> list[Weights]:
    """Return an automaton for each shape; ``total`` is the weight of all inputs of the shape with this index.

    Raises:
        InputError: one line that says which key and what was expected.
    """
    try:
        table = check_keys("weights", read_toml(read_text(path), path), KEYS)
        found = [_WeightsReader(table, shape).weights() for shape in shapes]
        totals = [total(number, one) for number, one in enumerate(found)]
        shares = (_shares_of_lengths(table["lengths"], [shape.columns for shape in shapes]) if "lengths" in table else
                  totals)
        if not any(shares) or ("lengths" in table and not all(totals)):
            raise InputError("the inputs of a form weigh nothing, expected weights above 0")
        if "lengths" not in table:
            return found
        return [one.times(share / whole) for one, share, whole in zip(found, shares, totals, strict=True)]
    except InputError as error:
        where = path or "''"
        raise InputError(f"{where}: {str(error).removeprefix(f'{where}: ')}") from None


def _shares_of_lengths(value: object, columns: list[int]) -> list[Fraction]:
    """Return the weight of all inputs of each number of columns."""
    if value == ALIKE:
        return [Fraction(1, len(columns))] * len(columns)
    if not isinstance(value, Mapping):
        raise InputError(f'lengths: {shown(value)}, expected "{ALIKE}" or a table of numbers of columns')
    table = check_keys("lengths", value, list(map(str, columns)))
    return [exact(f"lengths: {n}", table.get(str(n), 0)) for n in columns]


class _WeightsReader:
    """A reader of one table for one shape, key by key."""

    def __init__(self, table: Table, shape: Shape) -> None:
        self.table, self.shape, self.names = table, shape, list(shape.tracks)
        self.letters = [self._letters_of(name) for name in self.names]

    def weights(self) -> Weights:
        numbers = check_keys("numbers", self.table.get("numbers", {}), self.names)
        drawn = [self._digits(name, numbers[name]) if name in numbers else self._alone(name) for name in self.names]
        if "automaton" in self.table:
            drawn.append(self._automaton(self.table["automaton"]))
        return reduce(product_of, drawn)

    def _letters_of(self, name: str) -> list[list[Fraction]]:
        """Return the weights of a track's letters, column by column; the last table that names a column counts."""
        everywhere = self._by_letter(name, self.table)
        found = [everywhere or [ONE] * len(self.shape.tracks[name])] * self.shape.columns
        entries = self.table.get("column", [])
        if not isinstance(entries, list):
            raise InputError(f"column: {shown(entries)}, expected tables [[column]]")
        for entry in entries:
            check_keys("column", entry, ("at", "letters", "tracks"), ("at",))
            for column in self._columns("column: at", entry["at"]):
                found[column] = self._by_letter(name, entry, "column: ") or found[column]
        return found

    def _by_letter(self, name: str, table: Table, where: str = "") -> list[Fraction] | None:
        """Return the weights of the letters of a track, 1 for one that is not named; None if the table has none."""
        tracks, letters = check_keys(f"{where}tracks", table.get("tracks", {}), self.names), self.shape.tracks[name]
        if name not in tracks and "letters" not in table:
            return None
        where += f"tracks: {name}" if name in tracks else "letters"
        given = check_keys(where, tracks.get(name, table.get("letters")), letters)
        return [exact(f"{where}: {letter}", given.get(letter, 1)) for letter in letters]

    def _columns(self, where: str, value: object) -> range:
        """Return the columns, counted from 0, of 3, "1..3" or -1, which is the last one."""
        found, columns = _RANGE.fullmatch(str(value)), self.shape.columns
        if not found or not isinstance(value, str | int):
            raise InputError(f'{where}: {shown(value)}, expected a column such as 1, -1 (the last one) or "1..3"')
        first, last = (int(end) - 1 if int(end) > 0 else int(end) + columns for end in (found[1], found[2] or found[1]))
        return range(max(0, first), min(columns, last + 1))

    def _by_steps(self, start: Sequence[Fraction], end: Sequence[Fraction],
                  steps: Callable[[int, Column], Iterator[Transition]]) -> Weights:
        return by_steps(self.shape.combinations, self.shape.columns, start, end, steps)

    def _alone(self, name: str) -> Weights:
        """Return the weights of a track whose letters are independent."""
        track = self.names.index(name)

        def steps(column: int, letters: Column) -> Iterator[Transition]:
            yield 0, 0, self.letters[track][column][letters[track]]

        return self._by_steps([ONE], [ONE], steps)

    def _digits(self, name: str, value: object) -> Weights:
        """Return the weights of a number whose length is drawn: its first digit is not 0, unless it is the only one."""
        track, is_last_first = self.names.index(name), self.shape.last_first
        lengths = self._lengths(name, value)

        def steps(column: int, letters: Column) -> Iterator[Transition]:
            weights, letter = self.letters[track][column], letters[track]
            place = column if is_last_first else self.shape.columns - 1 - column
            if letter == 0:
                yield OUTSIDE, OUTSIDE, ONE
            first = sum(weights[1:] if place else weights)
            if place + 1 in lengths:
                if not first:
                    raise InputError(f"numbers: {name}: no letter is left for a first digit")
                if letter or not place:
                    yield *leading, lengths[place + 1] * weights[letter] / first
            if sum(weights):
                yield INSIDE, INSIDE, weights[letter] / sum(weights)

        leading = (INSIDE, OUTSIDE) if is_last_first else (OUTSIDE, INSIDE)
        start, end = ([ONE - ONE, ONE], [ONE, ONE - ONE])[::1 if is_last_first else -1]
        return self._by_steps(start, end, steps)

    def _lengths(self, name: str, value: object) -> dict[int, Fraction]:
        """Return the probability of each length of a number: of a table, or alike."""
        where, columns = f"numbers: {name}", self.shape.columns
        if isinstance(value, Mapping):
            table = check_keys(where, value, [str(n + 1) for n in range(columns)])
            return {int(n): exact(f"{where}: {n}", weight) for n, weight in table.items()}
        found = _RANGE.fullmatch(text(where, value))
        first, last = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
        last += columns + 1 if last < 0 else 0
        if not 1 <= first <= last <= columns:
            raise InputError(f'{where}: {shown(value)}, expected lengths such as "1..{columns}", or a table of them')
        return dict.fromkeys(range(first, last + 1), Fraction(1, last + 1 - first))

    def _automaton(self, value: object) -> Weights:
        """Return the weights of an automaton: states with their weights, steps on letters at columns."""
        table = check_keys("automaton", value, ("start", "end", "step"), ("start", "step"))
        entries = table["step"]
        if not isinstance(entries, list) or not entries:
            raise InputError(f"automaton: step: {shown(entries)}, expected tables [[automaton.step]]")
        for one in entries:
            check_keys("automaton: step", one, ("from", "to", "weight", "on", "at"), ("from", "to"))
        ends = [(text("automaton: step: from", one["from"]), text("automaton: step: to", one["to"])) for one in entries]
        start = self._states("start", table["start"])
        named = list(dict.fromkeys([*start, *(state for pair in ends for state in pair)]))
        end = self._states("end", table["end"]) if "end" in table else dict.fromkeys(named, ONE)
        if unknown := [state for state in end if state not in named]:
            raise InputError(f"automaton: end: {unknown[0]}, expected one of {', '.join(named)}")
        steps = [((named.index(source), named.index(target), exact("automaton: step: weight", one.get("weight", 1))),
                  self._columns("automaton: step: at", one.get("at", "1..-1")), self._allowed(one.get("on", {})))
                 for (source, target), one in zip(ends, entries, strict=True)]
        return self._by_steps(
            [start.get(state, ONE - ONE) for state in named], [end.get(state, ONE - ONE) for state in named],
            lambda column, letters: (step for step, columns, allowed in steps if column in columns and all(
                letter in some for letter, some in zip(letters, allowed, strict=True))))

    def _states(self, key: str, value: object) -> dict[str, Fraction]:
        """Return the weights of states: of a table, or 1 for one that is named."""
        if isinstance(value, str):
            return {value: ONE}
        if not isinstance(value, Mapping) or not value:
            raise InputError(f"automaton: {key}: {shown(value)}, expected a state, or a table of states and weights")
        return {state: exact(f"automaton: {key}: {state}", weight) for state, weight in value.items()}

    def _allowed(self, value: Any) -> list[set[int]]:
        """Return the letters of each track on which a step is possible: one, a list, or all of them."""
        table, found = check_keys("automaton: step: on", value, self.names), []
        for name, letters in self.shape.tracks.items():
            chosen = table.get(name, list(letters))
            chosen = [chosen] if isinstance(chosen, str) else chosen
            if not isinstance(chosen, list) or not {*map(str, chosen)} <= {*letters}:
                raise InputError(f"automaton: step: on: {name}: {shown(table[name])}, expected letters of "
                                 f"{', '.join(letters)}")
            found.append({letters.index(str(letter)) for letter in chosen})
        return found
