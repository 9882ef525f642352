"""One form of a claim about tracks: ranges, cells, classes that are split; or what stays open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from constructions.errors import Unsupported
from constructions.trained.tracks import Column, TracksClaim
from proofs.trained.forward import FloatNetwork
from proofs.trained.tracks.cells import Cover, Group
from proofs.trained.tracks.certificate import unit_to_json
from proofs.trained.tracks.queries import Restricted, parts
from proofs.trained.tracks.ranges import FormRanges, Ranged, ranged
from proofs.trained.tracks.windows import windowed

MOST_CELLS = 600  # of a group
MOST_ROUNDS = 4
MOST_OPEN = 400  # classes that are split in a round, times the effort
LISTED = 64  # inputs of open classes that are looked at
GLANCED = 16  # groups that tell whether floats know enough


@dataclass(frozen=True)
class FormProved:
    """What is known of a form: the unit of a certificate if every row is proved, else inputs of the classes that are
    open."""

    unit: dict[str, Any] | None
    classes: int
    cells: int
    least: np.float64
    open: int
    inputs: tuple[tuple[Column, ...], ...] = field(repr=False)


class FormSearch:
    """The search for a proof of one form."""

    def __init__(self, floats: FloatNetwork, claim: TracksClaim, number: int, effort: int, room: int = 1,
                 window: int = 1) -> None:
        """A step tells of as many columns as ``window`` says.

        Raises:
            Unsupported: if these are too many classes.
        """
        told = windowed(claim, number, window)
        if told is None:
            raise Unsupported(f"windows of {window} columns: too many classes")
        self.floats, self.claim, self.effort, self.window = floats, told, effort, window
        self._start(room)

    def _start(self, room: int) -> None:
        self.form = FormRanges(self.floats, self.claim, self.claim.forms[0], room)
        self.splits: list[tuple[int, int, int]] = []
        self.ranged = ranged(self.form)
        self.cover = Cover(self.form, np.float64(self.claim.margin), MOST_CELLS * self.effort)
        self.groups: dict[tuple[int, ...], Group] = {}

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
        for _ in range(MOST_ROUNDS):
            open_ones = self._open()
            if not open_ones or len(open_ones) > MOST_OPEN * self.effort:
                break
            if not self.split(open_ones):
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

    def _grouped(self) -> dict[tuple[int, ...], Group]:
        found: dict[tuple[int, ...], Group] = {}
        for row in self.ranged:
            for one in row:
                key = self.form.key(one.one)
                found.setdefault(key, Group(key, [])).ranged.append(one)
        return found

    def _cover(self, groups: dict[tuple[int, ...], Group]) -> None:
        self.cover.cover(list(groups.values()))
        self.groups.update(groups)

    def _open(self) -> list[Ranged]:
        return [group.ranged[member] for group in self.groups.values() for member in sorted(group.open)]

    def split(self, open_ones: Sequence[Ranged]) -> bool:
        """Each open class by the letters of the column that weighs most and is not given yet; whether any was."""
        wanted = {id(one) for one in open_ones}
        done = False
        for number, row in enumerate(self.ranged):
            place = 0
            while place < len(row):
                one = row[place]
                column = self._heaviest(one) if id(one) in wanted else None
                if column is None:
                    place += 1
                    continue
                made = []
                for part in parts(self.form.queries[number], one.one, column):
                    least, greatest = self.form.ranges([part])
                    made.append(Ranged(part, np.maximum(least[0], one.least), np.minimum(greatest[0], one.greatest)))
                self.splits.append((number, place, column))
                row[place:place + 1] = made
                place += len(made)
                done = True
        return done

    def _heaviest(self, one: Ranged) -> int | None:
        """The column whose letters may move the averages most, of those that are not given."""
        query = self.form.queries[one.one.query]
        given = {column for column, _ in one.one.split}
        if query.by is not None:
            given.add(query.by)
        score = np.zeros(len(self.form.form.columns))
        for head in range(len(self.form.rows)):
            weights = self.form.last.weights(query, self.form.own(one.one), head)[1]
            for at, rows in zip(self.form.form.layout[:query.place], self.form.last.sources.read, strict=False):
                if at.kind in ("track", "answer"):
                    score[at.column] += weights[rows].max()
        free = [column for column in range(len(score)) if column not in given and score[column] > 0]
        return max(free, key=lambda column: score[column], default=None)

    def _proved(self) -> FormProved:
        open_ones = self._open()
        groups = [group for _, group in sorted(self.groups.items())]
        unit = None if open_ones else unit_to_json(
            self.form, self.splits, self.ranged, groups, self.window)
        return FormProved(unit, sum(map(len, self.ranged)), sum(group.cells for group in groups),
                          min((group.least for group in groups), default=np.float64(np.inf)), len(open_ones),
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
