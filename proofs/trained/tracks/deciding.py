"""One form of a claim about tracks: ranges, cells, classes that are split; or what stays open."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from constructions.errors import Unsupported
from constructions.trained.tracks import Column, TracksClaim
from proofs.trained.forward import FloatNetwork
from proofs.trained.tracks.cells import BoxCover, ClassGroup
from proofs.trained.tracks.certificate import unit_to_json
from proofs.trained.tracks.queries import InputClass, Restricted, Split
from proofs.trained.tracks.ranges import FormRanges, Ranged, ranged
from proofs.trained.tracks.windows import windowed

MOST_CELLS = 600  # of a group
MOST_ROUNDS = 12
ROUNDS = 3  # after so many, open classes must become fewer from each round to the next
MOST_OPEN = 1000  # classes that are split in a round, times the effort
ALIKE = 1 / 4  # weights with no wider gap than so much of the greatest are about the same
PARTS = 4  # of a class that is split in a round, at least, if there are columns
LISTED = 64  # inputs of open classes that are looked at
GLANCED = 16  # groups that tell whether floats know enough
Choice = tuple[int, frozenset[int]]
"""A column, and combinations of letters."""


@dataclass(frozen=True)
class FormProved:
    """What is known of a form: the unit of a certificate if every row is proved, else inputs of the classes that are
    open; floats say that margins of these are at least ``known``."""

    unit: dict[str, Any] | None
    classes: int
    cells: int
    least: np.float64
    open: int
    known: np.float64
    inputs: tuple[tuple[Column, ...], ...] = field(repr=False)

    @property
    def why_open(self) -> str:
        """How many classes are not proved, and how far their margins may be below what is to be proved."""
        return (f"{self.open} of {self.classes} classes are not proved; of the margins there it is known only that "
                f"they are at least {self.known:.4g}")


class FormSearch:
    """The search for a proof of one form."""

    def __init__(self, floats: FloatNetwork, claim: TracksClaim, number: int, effort: int, room: int = 1,
                 window: int = 1, rarely: int = 1) -> None:
        """A step tells of as many columns as ``window`` says; where more than one of so many classes is open, none is
        split.

        Raises:
            Unsupported: if these are too many classes.
        """
        told = windowed(claim, number, window)
        if told is None:
            raise Unsupported(f"windows of {window} columns: too many classes")
        self.floats, self.claim, self.effort, self.window, self.rarely = floats, told, effort, window, rarely
        self._start(room)

    def _start(self, room: int) -> None:
        self.form = FormRanges(self.floats, self.claim, self.claim.forms[0], room)
        self.splits: list[tuple[int, ...]] = []
        self.ranged = ranged(self.form)
        self.cover = BoxCover(self.form, np.float64(self.claim.margin), MOST_CELLS * self.effort)
        self.groups: dict[tuple[int, ...], ClassGroup] = {}

    def widen(self, room: int) -> None:
        """Leave so many units of 2^-bits to roundings of the checker, in place of those that were left."""
        more, self.form.last.room = room - self.form.last.room, room
        if more and self.form.before:  # later steps are wider, too
            self._start(room)
            return
        for row in self.ranged:
            for one in row:
                one.least, one.greatest = one.least - more, one.greatest + more

    def run(self, is_wrong: Callable[[Sequence[tuple[Column, ...]]], bool] = lambda inputs: False) -> FormProved:
        """The proof, or what is open: where one of the inputs at the ends of open classes is wrong, none is split."""
        self._cover(self._grouped())
        if is_wrong(self._inputs(self._open())):
            return self._proved()
        most = MOST_OPEN * self.effort
        for number in range(MOST_ROUNDS):
            open_ones = self._open()
            if not open_ones or len(open_ones) > min(most, sum(map(len, self.ranged)) // self.rarely):
                break
            most = most if number < ROUNDS else len(open_ones) - 1
            if not self._split_finely(open_ones):
                break
            touched = {self.form.key(one.one) for one in open_ones}
            self._cover({key: group for key, group in self._grouped().items() if key in touched})
        return self._proved()

    def looks_easy(self) -> bool:
        """Whether most of a few groups are covered before any class is split."""
        groups = [group for _, group in sorted(self._grouped().items())]
        few = groups[::max(1, len(groups) // GLANCED)]
        self.cover.cover(few)
        return 2 * sum(bool(group.open) for group in few) < len(few)

    def _grouped(self) -> dict[tuple[int, ...], ClassGroup]:
        found: dict[tuple[int, ...], ClassGroup] = {}
        for row in self.ranged:
            for one in row:
                key = self.form.key(one.one)
                found.setdefault(key, ClassGroup(key, [])).ranged.append(one)
        return found

    def _cover(self, groups: dict[tuple[int, ...], ClassGroup]) -> None:
        self.cover.cover(list(groups.values()))
        self.groups.update(groups)

    def _open(self) -> list[Ranged]:
        return [group.ranged[member] for group in self.groups.values() for member in sorted(group.open)]

    def _split_finely(self, open_ones: Sequence[Ranged]) -> bool:
        """Each open class by one column or more, until it has some parts; whether any was."""
        families = [[one] for one in open_ones]
        while True:
            small = [family for family in families if len(family) < PARTS]
            made = self.split([one for family in small for one in family])
            if not made:
                return any(len(family) > 1 for family in families)
            for family in small:
                family[:] = [part for one in family for part in made.get(id(one), [one])]

    def split(self, open_ones: Sequence[Ranged]) -> dict[int, list[Ranged]]:
        """Each open class in two by letters of the column that weighs most: the parts, by the id of the class."""
        wanted, found = {id(one) for one in open_ones}, dict[int, list[Ranged]]()
        for number, row in enumerate(self.ranged):
            chosen = self._choices(number, [one for one in row if id(one) in wanted])
            made, choices = self.parts(number, chosen), {id(one): choice for one, choice in chosen}
            found |= made
            place = 0
            while place < len(row):
                one = row[place]
                if id(one) not in choices:
                    place += 1
                    continue
                column, letters = choices[id(one)]
                self.splits.append((number, place, column, *sorted(letters)))
                row[place:place + 1] = made[id(one)]
                place += len(made[id(one)])
        return found

    def parts(self, number: int, chosen: Sequence[tuple[Ranged, Choice]]) -> dict[int, list[Ranged]]:
        """The parts of classes of a query, those with some letters in a column and those without, with their ranges:
        what is split alike together."""
        query, alike = self.form.queries[number], dict[Split, list[Ranged]]()
        for one, (column, letters) in chosen:
            known = dict(one.one.split)
            allowed = known.pop(column, frozenset(range(len(self.claim.all_columns))))
            for some in (allowed & letters, allowed - letters):
                alike.setdefault((*known.items(), (column, some)), []).append(one)
        made: dict[int, list[Ranged]] = {id(one): [] for one, _ in chosen}
        for split, wholes in alike.items():
            left = set(Restricted(query, split).classes.tolist())
            those = [one for one in wholes if one.one.member in left]
            if not those:
                continue
            ends = self.form.ranges([InputClass(number, one.one.member, split) for one in those])
            for one, least, greatest in zip(those, *ends, strict=True):
                made[id(one)].append(Ranged(InputClass(number, one.one.member, split), np.maximum(least, one.least),
                                            np.minimum(greatest, one.greatest)))
        return made

    def _choices(self, number: int, those: Sequence[Ranged]) -> list[tuple[Ranged, Choice]]:
        """Of each class of a query that has one the column whose letters may move the averages most, and those that
        weigh more there than the others."""
        found = []
        for one in those:
            weights = self._letters(Restricted(self.form.queries[number], one.one.split, one.one.member),
                                    self.form.own(one.one))
            if weights:
                column = max(weights, key=lambda column: max(weights[column].values()))
                found.append((one, (column, _heavy(weights[column]))))
        return found

    def _letters(self, kept: Restricted, own: int) -> dict[int, dict[int, np.float64]]:
        """Of each column with several letters left how much each weighs for what asks."""
        found: dict[int, dict[int, np.float64]] = {}
        heads = [self.form.last.weights(kept.query, own, head)[1] for head in range(len(self.form.rows))]
        for at, rows in zip(self.form.form.layout[:kept.query.place], self.form.last.sources.read, strict=False):
            if at.kind not in ("track", "answer"):
                continue
            steps = np.flatnonzero(kept.kept[at.column])
            letters = self.form.columns.letters[at.column][steps]
            if len(np.unique(letters)) > 1:
                of_column = found.setdefault(at.column, {})
                for letter in np.unique(letters).tolist():
                    more = sum((weights[rows[steps[letters == letter]]].max() for weights in heads), np.float64(0))
                    of_column[letter] = of_column.get(letter, np.float64(0)) + more
        return found

    def _proved(self) -> FormProved:
        open_ones = self._open()
        groups = [group for _, group in sorted(self.groups.items())]
        unit = None if open_ones else unit_to_json(
            self.form, self.splits, self.ranged, groups, self.window)
        return FormProved(unit, sum(map(len, self.ranged)), sum(group.cells for group in groups),
                          min((group.least for group in groups), default=np.float64(np.inf)), len(open_ones),
                          min((group.known for group in groups), default=np.float64(np.inf)),
                          tuple(self._inputs(open_ones)))

    def _inputs(self, open_ones: Sequence[Ranged]) -> list[tuple[Column, ...]]:
        """Inputs at the ends of the ranges of open classes."""
        found: dict[tuple[Column, ...], None] = {}
        for one in open_ones[:: max(1, len(open_ones) // LISTED)]:
            restricted = Restricted(self.form.queries[one.one.query], one.one.split)
            for head, rows in enumerate(self.form.rows):
                for vector in (sign * row for row in rows for sign in (1, -1)):
                    paths = self.form.last.paths(restricted, self.form.own(one.one), head, vector)
                    top = paths.greatest_ratios(np.array([one.one.member]))[0][0]
                    letters = paths.input(one.one.member, top)
                    found[tuple(self.claim.all_columns[letter] for letter in letters)] = None
        return list(found)


def _heavy(weights: Mapping[int, np.float64]) -> frozenset[int]:
    """Return the letters before the widest gap of weights, or half of them, where they weigh about the same."""
    order = sorted(weights, key=lambda letter: -weights[letter])
    gaps = [weights[first] - weights[second] for first, second in pairwise(order)]
    if max(gaps) < ALIKE * weights[order[0]]:
        return frozenset(sorted(order)[:len(order) // 2])
    return frozenset(order[:1 + int(np.argmax(gaps))])
