"""Patterns of the first errors of a count: boxes of inputs that share an error; docs/background/counting.md, section 6.

A pattern allows in each column some letters, written answers and values of the machine's variables after it. The
patterns of an error are disjoint and cover its part of the certificate, so their weights add up to its weight.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from operator import or_
from typing import Any

from constructions.deadline import TimeIsUp, check_deadline
from constructions.trained.tracks import Column, Layout, Step, TracksClaim, Transducer
from constructions.trained.weights import Weights, each_is_one, total_weight
from proofs.trained.counting.parts import Part, first_errors_of

MOST_PATTERNS = 6
"""Limit of the patterns of one error."""
MOST_STEPS = 1 << 16
"""Limit of a machine's steps, over all columns; the errors of larger ones have one pattern each."""
MOST_OF_ALL = 1 << 20
"""Errors of larger machines, or of claims with larger ones, have no pattern."""
SHARED = Fraction(9, 10)
"""A box in which this share of the inputs has the error is not split."""
SLACK = Fraction(21, 20)
"""A condition is omitted if this times as many inputs match without it."""
Node = tuple[int, int]
Edge = tuple[Node, int, int]
"""Target, letters of the column, bits of the feature values."""
Bits = int


@dataclass(frozen=True)
class Condition:
    """The values that a feature has in a column, counted from 0; ``values`` are some of ``among``."""

    column: int
    feature: str
    values: tuple[str, ...]
    among: tuple[str, ...]


@dataclass(frozen=True)
class Pattern:
    """The inputs with a first error that satisfy the conditions: their weight, of the weight of all that do.

    ``right`` are the right answers at the place; the example is one of these inputs.
    """

    form: int
    place: int
    token: int
    right: tuple[int, ...]
    conditions: tuple[Condition, ...]
    weight: Fraction
    matching: Fraction
    example: tuple[Column, ...]


class Features:
    """The features of a step, each with its values: letters by track, written answers, variables after the step."""

    def __init__(self, claim: TracksClaim, form: Layout) -> None:
        self.claim, self.form, machine = claim, form, claim.machine
        variables = machine.variables or (("state", tuple(range(len(machine.end)))),)
        written = [step[1:] for table in machine.tables for steps in table for step in steps if step is not None]
        answers = [sorted({one[index] for one in written}) for index in range(len(written[0]))]
        self.variables = [(values, sorted({*values})) for _, values in variables]
        self.answers = [{token: place for place, token in enumerate(tokens)} for tokens in answers]
        self.names: list[tuple[str, tuple[str, ...]]] = [
            *((f"then {name}", tuple(map(str, values)))
              for (name, _), (_, values) in zip(variables, self.variables, strict=True)),
            *((f"answer {number}" if len(answers) > 1 else "answer", tuple(name_of_token(claim, one) for one in each))
              for number, each in enumerate(answers, 1)),
            *((track.name, track.letters) for track in claim.tracks)]
        self.first = [sum(len(values) for _, values in self.names[:index]) for index in range(len(self.names) + 1)]

    def bits(self, column: int, letters: int, step: Sequence[int]) -> Bits:
        """Return a bit for the value of each feature of a step of the claim's machine."""
        values = [*(values.index(of_state[step[0]]) for of_state, values in self.variables),
                  *(places[token] for places, token in zip(self.answers, step[1:], strict=True)),
                  *self.claim.all_columns[letters]]
        return sum(1 << column * self.first[-1] + self.first[index] + value for index, value in enumerate(values))

    def mask(self, column: int, feature: int, values: Sequence[int]) -> Bits:
        """Return the bits of these values of a feature."""
        return sum(1 << column * self.first[-1] + self.first[feature] + value for value in values)

    def values(self, box: Bits, column: int, feature: int) -> list[int]:
        """Return the values of a feature that a box allows."""
        return [value for value in range(len(self.names[feature][1])) if box & self.mask(column, feature, [value])]


class Paths:
    """The paths of a sub-machine beside those of the claim's machine, without dead ends."""

    def __init__(self, features: Features, machine: Transducer, columns: Sequence[int]) -> None:
        self.features, of_claim = features, features.claim.machine
        self.start: Node = (machine.start, of_claim.start)
        layer, found = {self.start}, list[dict[Node, list[Edge]]]()
        for column, (table, of) in enumerate(zip(columns, features.form.columns, strict=True)):
            edges = {(state, other): [
                ((step[0], right[0]), letters, features.bits(column, letters, right))
                for letters, (step, right) in enumerate(zip(machine.tables[table][state], of_claim.tables[of][other],
                                                            strict=True)) if step is not None and right is not None]
                for state, other in sorted(layer)}
            found.append(edges)
            layer = {target for those in edges.values() for target, _, _ in those}
        self.ends = {node for node in layer if machine.end[node[0]] is not None}
        self.columns = found

    def within(self, box: Bits) -> "Counted":
        """Return the paths in a box."""
        return Counted(self, box)

    def claim(self, box: Bits) -> TracksClaim:
        """Return the claim about the inputs of the paths in a box."""
        numbers = {node: number for number, node in enumerate(dict.fromkeys(
            [self.start, *(node for edges in self.columns for node in edges), *sorted(self.ends)]))}
        tables = []
        for edges in self.columns:
            rows: list[list[Step]] = [[None] * len(self.features.claim.all_columns) for _ in numbers]
            for source, those in edges.items():
                for target, letters, bits in those:
                    if not bits & ~box and target in numbers:
                        rows[numbers[source]][letters] = (numbers[target],)
            tables.append(tuple(map(tuple, rows)))
        ends = tuple(() if node in self.ends else None for node in numbers)
        return replace(self.features.claim, machine=Transducer(numbers[self.start], tuple(tables), ends),
                       forms=(Layout(tuple(range(len(tables))), ()),))


class Counted:
    """The number of paths to and from each node in a box, and the feature values on them."""

    def __init__(self, paths: Paths, box: Bits) -> None:
        self.paths, self.box = paths, box
        after: list[dict[Node, tuple[int, Bits]]] = [dict.fromkeys(paths.ends, (1, 0))]
        for edges in reversed(paths.columns):
            last, found = after[0], dict[Node, tuple[int, Bits]]()
            for source, those in edges.items():
                kept = [(last[target], bits) for target, _, bits in those if not bits & ~box and target in last]
                if kept:
                    found[source] = (sum(number for (number, _), _ in kept),
                                     reduce(or_, (more | bits for (_, more), bits in kept)))
            after.insert(0, found)
        self.after, self.before = after, [{paths.start: (1, 0)}]
        self.number, self.bounds = after[0].get(paths.start, (0, 0))
        for edges, ends in zip(paths.columns, after[1:], strict=True):
            new: dict[Node, tuple[int, Bits]] = {}
            for source, (number, seen) in self.before[-1].items():
                for target, _, bits in edges[source]:
                    if not bits & ~box and target in ends:
                        old, more = new.get(target, (0, 0))
                        new[target] = old + number, more | seen | bits
            self.before.append(new)

    def edges(self, column: int, box: Bits) -> Iterator[tuple[Node, Edge]]:
        """Yield the edges of a column that are on paths in the box, if ``box`` is the limit in that column."""
        for source in self.before[column]:
            for edge in self.paths.columns[column][source]:
                if not edge[2] & ~box and edge[0] in self.after[column + 1]:
                    yield source, edge

    def spans(self) -> dict[Bits, tuple[int, Bits]]:
        """Return, for each value in each column, the number and the bounds of the paths with it."""
        found: dict[Bits, tuple[int, Bits]] = {}
        for column in range(len(self.paths.columns)):
            for source, (target, _, bits) in self.edges(column, self.box):
                (ways, seen), (more, others) = self.before[column][source], self.after[column + 1][target]
                left = bits
                while left:
                    lowest = left & -left
                    number, bounds = found.get(lowest, (0, 0))
                    found[lowest] = number + ways * more, bounds | seen | bits | others
                    left ^= lowest
        return found

    def first(self) -> tuple[int, ...]:
        """Return the letters of the first path in lexicographic order."""
        node, letters = self.paths.start, []
        for column, edges in enumerate(self.paths.columns):
            node, letter, _ = next(edge for edge in edges[node]
                                   if not edge[2] & ~self.box and edge[0] in self.after[column + 1])
            letters.append(letter)
        return tuple(letters)


class Sizes:
    """The number of inputs of the claim in a box, by matrices of columns that are kept."""

    def __init__(self, paths: Paths) -> None:
        self.paths, self.width = paths, paths.features.first[-1]
        self.kept: dict[tuple[int, Bits], Mapping[Node, Mapping[Node, int]]] = {}

    def of(self, box: Bits) -> int:
        """Return the number of inputs."""
        sums = {self.paths.start: 1}
        for column in range(len(self.paths.columns)):
            new: dict[Node, int] = {}
            for source, number in sums.items():
                for target, ways in self._matrix(column, box)[source].items():
                    new[target] = new.get(target, 0) + number * ways
            sums = new
        return sum(number for node, number in sums.items() if node in self.paths.ends)

    def _matrix(self, column: int, box: Bits) -> Mapping[Node, Mapping[Node, int]]:
        key = column, box >> column * self.width & (1 << self.width) - 1
        if key not in self.kept:
            made: dict[Node, dict[Node, int]] = {}
            for source, edges in self.paths.columns[column].items():
                row = made.setdefault(source, {})
                for target, _, bits in edges:
                    if not bits & ~box:
                        row[target] = row.get(target, 0) + 1
            self.kept[key] = made
        return self.kept[key]


class PatternSearch:
    """The search for patterns of the errors of a form."""

    def __init__(self, claim: TracksClaim, number: int, weights: Weights | None) -> None:
        self.claim, self.number, self.form = claim, number, claim.forms[number]
        self.weights = weights or each_is_one(claim, self.form)
        self.features = Features(claim, self.form)
        self.all = Paths(self.features, claim.machine, self.form.columns)
        self.sizes, self.whole = Sizes(self.all), self.all.within(-1).bounds

    def patterns(self, machine: Transducer, place: int, token: int) -> Iterator[Pattern]:
        """Yield the patterns of an error, given the machine of its inputs."""
        paths = Paths(self.features, machine, range(len(machine.tables)))
        is_small = sum(len(edges) for column in paths.columns for edges in column.values()) <= MOST_STEPS
        for inside in self._boxes(paths, MOST_PATTERNS if is_small else 1):
            shown = self._simplified(inside)
            weight, matching = (total_weight(claim, claim.forms[0], self.weights)
                                for claim in (paths.claim(inside.box), self.all.claim(shown)))
            example = tuple(self.claim.all_columns[letters] for letters in inside.first())
            if weight:
                yield Pattern(self.number, place, token, self._right(inside, place), tuple(self._conditions(shown)),
                              weight, matching, example)

    def _boxes(self, paths: Paths, most: int) -> list[Counted]:
        """Return disjoint boxes that cover the paths; the one with most other inputs is split first."""
        left, done = [paths.within(paths.within(-1).bounds)], list[Counted]()
        while left and len(left) + len(done) < most:
            others = [self.sizes.of(one.box) - one.number for one in left]
            chosen = left.pop(others.index(max(others)))
            parts = self._split(chosen)
            (left if parts else done).extend([paths.within(box) for box in parts] or [chosen])
        return left + done

    def _split(self, inside: Counted) -> list[Bits]:
        """Return the bounds of both parts of a box, by the values of a feature in a column; none if it has no need.

        The parts have the least sum of Gini impurities: n (size - n) / size for n inputs with the error.
        """
        box, size = inside.box, self.sizes.of(inside.box)
        if inside.number >= SHARED * size:
            return []
        spans, best = inside.spans(), (self._impurity(inside.number, box), list[Bits]())
        for column, feature in self._places():
            values = self.features.values(box, column, feature)
            each = [spans[self.features.mask(column, feature, [value])] for value in values]
            cuts = [[index] for index in range(len(values))] + [[*range(index)] for index in range(2, len(values) - 1)]
            for cut in cuts if len(values) > 1 else ():
                sides = [[one for index, one in enumerate(each) if (index in cut) is side] for side in (True, False)]
                parts = [reduce(or_, (bounds for _, bounds in side)) for side in sides]
                impurity = sum((self._impurity(sum(number for number, _ in side), part)
                                for side, part in zip(sides, parts, strict=True)), Fraction(0))
                if impurity < best[0]:
                    best = impurity, parts
        return best[1]

    def _impurity(self, number: int, box: Bits) -> Fraction:
        size = self.sizes.of(box)
        return Fraction(number * (size - number), size)

    def _places(self) -> Iterator[tuple[int, int]]:
        """Yield each column with each feature."""
        for column in range(len(self.form.columns)):
            for feature in range(len(self.features.names)):
                yield column, feature

    def _simplified(self, inside: Counted) -> Bits:
        """Return the box without conditions that hardly matter; it contains the same inputs with the error."""
        box, size, features = inside.box, self.sizes.of(inside.box), self.features
        most = size if inside.number == size else SLACK * size
        limits = [(len(values) / len(features.values(self.whole, column, feature)), column, feature)
                  for column, feature in self._places()
                  if (values := features.values(box, column, feature)) != features.values(self.whole, column, feature)]
        for _, column, feature in sorted(limits, key=lambda one: (-one[0], -one[1], one[2])):
            wider = box | features.mask(column, feature, features.values(self.whole, column, feature))
            ways = sum(inside.before[column][source][0] * inside.after[column + 1][target][0]
                       for source, (target, _, _) in inside.edges(column, wider))
            if ways == inside.number and self.sizes.of(wider) <= most:
                box = wider
        return box

    def _conditions(self, box: Bits) -> Iterator[Condition]:
        for column, feature in self._places():
            name, names = self.features.names[feature]
            values, among = (self.features.values(one, column, feature) for one in (box, self.whole))
            if values != among:
                yield Condition(column, name, tuple(names[value] for value in values),
                                tuple(names[value] for value in among))

    def _right(self, inside: Counted, place: int) -> tuple[int, ...]:
        """Return the right answers at a place."""
        at, machine = self.form.layout[place], self.claim.machine
        if at.kind == "end":
            ends = [machine.end[state] for _, state in inside.before[-1]]
            return tuple(sorted({end[at.index] for end in ends if end is not None}))
        steps = [machine.tables[self.form.columns[at.column]][source[1]][letters]
                 for source, (_, letters, _) in inside.edges(at.column, inside.box)]
        return tuple(sorted({step[1 + at.index] for step in steps if step is not None}))


def name_of_token(claim: TracksClaim, token: int) -> str:
    """Return the letter of a token, or its number."""
    names = {one: letter for track in claim.tracks for letter, one in zip(track.letters, track.tokens, strict=True)}
    return names.get(token, f"token {token}")


def find_patterns(claim: TracksClaim, certificate: str, weights: Sequence[Weights] | None) -> list[Pattern]:
    """Return the patterns of the errors in the certificate of a count, heaviest first; fewer if time is up."""
    searches: dict[int, PatternSearch] = {}
    found = list[Pattern]()
    with suppress(TimeIsUp):
        for number, place, machine in errors_in(json.loads(certificate), claim):
            check_deadline()
            sizes = [len(one.end) * len(claim.all_columns) * len(claim.forms[number].columns)
                     for one in (claim.machine, machine)]
            if max(sizes) > MOST_OF_ALL:
                continue
            if number not in searches:
                searches[number] = PatternSearch(claim, number, None if weights is None else weights[number])
            for token, of_token in machine.by_token(claim.forms[number].layout[place]).items():
                found += searches[number].patterns(of_token, place, token)
    return sorted(found, key=lambda one: (-one.weight, one.form, one.place, one.token))


def errors_in(document: Mapping[str, Any], claim: TracksClaim) -> Iterator[tuple[int, int, Transducer]]:
    """Yield the form, the place and the machine of first errors in the certificate of a count."""
    parts = [Part(one["form"], one["verdict"] == "wrong", one["first"], one["last"],
                  replace(claim, machine=machine_from_json(one["machine"]))) for one in document["evidence"]["parts"]]
    for number, form in enumerate(claim.forms):
        of_form = [part for part in parts if part.form == number]
        yield from ((number, *one) for one in first_errors_of(of_form, form))


def machine_from_json(data: Mapping[str, list[list[list[list[int] | None]]]]) -> Transducer:
    """Return the machine of a part of a certificate."""
    return Transducer(int(str(data["start"])), tuple(tuple(tuple(
        None if step is None else tuple(step) for step in row) for row in table) for table in data["tables"]),
        tuple(None if end is None else tuple(end) for end in data["end"]))  # type: ignore[arg-type]
