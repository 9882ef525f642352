"""Search for the proof of one form of a claim about tracks: ranges, cells, and classes to split."""

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
ROUNDS = 3  # afterwards, each round must decrease the number of open classes
MOST_OPEN = 1000  # classes that are split in a round, times the effort
EQUAL = 1 / 4  # weights without a gap of this part of the greatest are about equal
PARTS = 4  # of a class that is split in a round, at least, if there are columns
LISTED = 64  # inputs of open classes that are evaluated
SAMPLED = 16  # groups that show whether floats are precise enough
Choice = tuple[int, frozenset[int]]
"""A column, and combinations of letters."""


@dataclass(frozen=True)
class FormProved:
    """The unit of a certificate if every row is proved, else inputs of open classes with a bound of margins."""

    unit: dict[str, Any] | None
    classes: int
    cells: int
    least: np.float64
    open: int
    lower_bound: np.float64
    inputs: tuple[tuple[Column, ...], ...] = field(repr=False)

    @property
    def why_open(self) -> str:
        """The number of open classes, and the lower bound of their margins."""
        return (f"{self.open} of {self.classes} classes are not proved; of the margins there it is known only that "
                f"they are at least {self.lower_bound:.4g}")


class FormSearch:
    """The search for a proof of one form."""

    def __init__(self, floats: FloatNetwork, claim: TracksClaim, number: int, effort: int, room: int = 1,
                 window: int = 1, rarely: int = 1) -> None:
        """Prepare a search; states have the last ``window`` - 1 columns.

        Classes are not split while more than one in ``rarely`` is open.

        Raises:
            Unsupported: if there are too many classes.
        """
        widened = windowed(claim, number, window)
        if widened is None:
            raise Unsupported(f"windows of {window} columns: too many classes")
        self.floats, self.claim, self.effort, self.window, self.rarely = floats, widened, effort, window, rarely
        self._start(room)

    def _start(self, room: int) -> None:
        self.form = FormRanges(self.floats, self.claim, self.claim.forms[0], room)
        self.splits: list[tuple[int, ...]] = []
        self.ranged = ranged(self.form)
        self.cover = BoxCover(self.form, np.float64(self.claim.margin), MOST_CELLS * self.effort)
        self.groups: dict[tuple[int, ...], ClassGroup] = {}

    def widen(self, room: int) -> None:
        """Replace the room for the checker's roundings by this many units of 2^-bits."""
        more, self.form.last.room = room - self.form.last.room, room
        if more and self.form.before:  # later steps are wider, too
            self._start(room)
            return
        for row in self.ranged:
            for one in row:
                one.least, one.greatest = one.least - more, one.greatest + more

    def run(self, is_wrong: Callable[[Sequence[tuple[Column, ...]]], bool] = lambda inputs: False) -> FormProved:
        """Return the proof, or the open classes: none is split if an input at the ends of open classes is wrong."""
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
        """Return whether most of a sample of groups are covered before any class is split."""
        groups = [group for _, group in sorted(self._grouped().items())]
        few = groups[::max(1, len(groups) // SAMPLED)]
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
        """Split each open class by one or more columns into at least `PARTS` parts; return whether any was."""
        families = [[one] for one in open_ones]
        while True:
            small = [family for family in families if len(family) < PARTS]
            made = self.split([one for family in small for one in family])
            if not made:
                return any(len(family) > 1 for family in families)
            for family in small:
                family[:] = [part for one in family for part in made.get(id(one), [one])]

    def split(self, open_ones: Sequence[Ranged]) -> dict[int, list[Ranged]]:
        """Split each open class by letters of its heaviest column; return the parts by the id of the class."""
        ids, found = {id(one) for one in open_ones}, dict[int, list[Ranged]]()
        for number, row in enumerate(self.ranged):
            chosen = self._choices(number, [one for one in row if id(one) in ids])
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
        """Return the parts of classes of a query, with and then without some letters in a column, with their ranges."""
        query, by_split = self.form.queries[number], dict[tuple[int, Split], list[Ranged]]()
        for one, (column, letters) in chosen:
            restrictions = dict(one.one.split)
            allowed = restrictions.pop(column, frozenset(range(len(self.claim.all_columns))))
            for order, some in enumerate((allowed & letters, allowed - letters)):
                by_split.setdefault((order, (*restrictions.items(), (column, some))), []).append(one)
        made: dict[int, list[Ranged]] = {id(one): [] for one, _ in chosen}
        for (_, split), wholes in sorted(by_split.items(), key=lambda one: one[0][0]):
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
        """Return, for classes of a query, the column whose letters move averages most, and its heavy letters."""
        found = []
        for one in those:
            weights = self._letters(Restricted(self.form.queries[number], one.one.split, one.one.member),
                                    self.form.own(one.one))
            if weights:
                column = max(weights, key=lambda column: max(weights[column].values()))
                found.append((one, (column, _heavy(weights[column]))))
        return found

    def _letters(self, kept: Restricted, own: int) -> dict[int, dict[int, np.float64]]:
        """Return, for each column with several remaining letters, the weight of each letter for the query."""
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
                          min((group.lower_bound for group in groups), default=np.float64(np.inf)),
                          tuple(self._inputs(open_ones)))

    def _inputs(self, open_ones: Sequence[Ranged]) -> list[tuple[Column, ...]]:
        """Return inputs at the ends of the ranges of open classes."""
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
    """Return the letters before the widest gap of weights, or half of them, where weights are about equal."""
    order = sorted(weights, key=lambda letter: -weights[letter])
    gaps = [weights[first] - weights[second] for first, second in pairwise(order)]
    if max(gaps) < EQUAL * weights[order[0]]:
        return frozenset(sorted(order)[:len(order) // 2])
    return frozenset(order[:1 + int(np.argmax(gaps))])
