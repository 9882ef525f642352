"""Sub-machines of a claim: deterministic machines that allow the inputs that avoid some boxes and are in others.

Boxes of one place are merged into a minimal decision diagram; a state of a sub-machine is a state of the claim's
machine with a node of each diagram (docs/background/counting.md, section 3).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from constructions.errors import Unsupported
from constructions.trained.tracks import Layout, TokenSource, TracksClaim, Transducer
from proofs.trained.counting.boxes import BoxSearch, InputBox

NOTHING = -1
MOST_NODES = 1 << 20
MOST_EXPLORED = 1 << 16  # states of one column, before they are merged
MOST_STATES = 1 << 12  # of one column: a claim has no more
FEW_BOXES = 16
Indices = NDArray[np.intp]
Node = int
Key = tuple[int, tuple[Node, ...], tuple[Node, ...]]
"""A state of the claim's machine, the nodes of the avoided boxes, and those of the boxes ``met``, by token."""


class Diagrams:
    """Decision diagrams over the columns: a node per column for each set of boxes that are still possible.

    Steps of a column that are in the same boxes are of one *kind*.
    """

    def __init__(self, search: BoxSearch, groups: Mapping[int, Sequence[InputBox]]) -> None:
        self.columns = len(search.columns.source)
        boxes = [box for those in groups.values() for box in those]
        self.kinds = [self._kinds(search, boxes, column) for column in range(self.columns)]
        self._tables: list[dict[tuple[int, ...], Node]] = [{} for _ in range(self.columns + 1)]
        self.following: list[list[tuple[Node, ...]]] = [[] for _ in range(self.columns)]
        self.ends: list[NDArray[np.bool_]] = []
        self.roots = {number: self._built(those) for number, those in groups.items()}

    def _kinds(self, search: BoxSearch, boxes: Sequence[InputBox], column: int) -> NDArray[np.intp]:
        """Return the kind of each step of a column."""
        members = np.stack([box.steps[column] for box in boxes]) if boxes else np.zeros(
            (0, len(search.columns.source[column])), np.bool_)
        return np.asarray(np.unique(members, axis=1, return_inverse=True)[1].ravel(), np.intp)

    def _built(self, boxes: Sequence[InputBox]) -> Node:
        members, residuals = [], [np.zeros(0, np.intp)] * (self.columns + 1)
        for column, kinds in enumerate(self.kinds):
            first = np.unique(kinds, return_index=True)[1]
            members.append(np.stack([box.steps[column] for box in boxes])[:, first])
        lasts, residuals[-1] = np.unique(np.stack([box.lasts for box in boxes]), axis=0, return_inverse=True)
        for column in reversed(range(self.columns)):
            keys = np.column_stack([members[column].astype(np.intp), residuals[column + 1].ravel()])
            residuals[column] = np.unique(keys, axis=0, return_inverse=True)[1].ravel()
        firsts = [np.unique(one.ravel(), return_index=True)[1] for one in residuals]
        allowed = [members[column][firsts[column]] for column in range(self.columns)]
        after = [residuals[column + 1].ravel()[firsts[column]] for column in range(self.columns)]
        known: list[dict[bytes, Node]] = [{} for _ in range(self.columns + 1)]

        def node(column: int, active: NDArray[np.intp]) -> Node:
            if not len(active):
                return NOTHING
            key = active.tobytes()
            if key not in known[column]:
                if column == self.columns:
                    known[column][key] = self._end(np.asarray(lasts[active].any(0)))
                else:
                    columns = {kind.tobytes(): kind for kind in allowed[column][active].T}
                    made = {key: node(column + 1, np.unique(after[column][active][kind]))
                            for key, kind in columns.items()}
                    known[column][key] = self._inner(column, tuple(
                        made[kind.tobytes()] for kind in allowed[column][active].T))
            return known[column][key]

        return node(0, np.unique(residuals[0]))

    def _inner(self, column: int, children: tuple[Node, ...]) -> Node:
        if all(child == NOTHING for child in children):
            return NOTHING
        table = self._tables[column]
        if children not in table:
            table[children] = len(table)
            self.following[column].append(children)
            if len(table) > MOST_NODES:
                raise Unsupported("the classes that are open or wrong have no small machine")
        return table[children]

    def _end(self, lasts: NDArray[np.bool_]) -> Node:
        table, key = self._tables[-1], tuple(np.flatnonzero(lasts).tolist())
        if key not in table:
            table[key] = len(table)
            self.ends.append(lasts)
        return table[key]


def fitted_claim(search: BoxSearch, avoided: Sequence[InputBox], met: Sequence[InputBox] = (),
                 place: int | None = None) -> TracksClaim | None:
    """Return `sub_claim`, or if its machine is too large, the claim about fewer inputs.

    Then hulls of two boxes are avoided, or fewer boxes are met.
    """
    while True:
        try:
            return sub_claim(search, avoided, met, place)
        except Unsupported:
            if len(avoided) <= FEW_BOXES and len(met) > 1:
                met = sorted(met, key=lambda box: -box.weight)[:len(met) // 2]
            elif len(avoided) > 1:
                avoided = joined(search, avoided)
            else:
                return None


def joined(search: BoxSearch, boxes: Sequence[InputBox]) -> list[InputBox]:
    """Return fewer boxes that contain these: hulls of pairs of one place, those that add the fewest other inputs."""
    order = sorted(boxes, key=lambda box: (search.place(box), *(one.tobytes() for one in (*box.steps, box.lasts))))
    pairs = [(one, other) for one, other in pairwise(order) if search.place(one) == search.place(other)]
    pairs = pairs or list(pairwise(order))
    lasts = np.stack([one.lasts | other.lasts for one, other in pairs])
    steps, lasts, weights = search.trimmed([np.stack([one.steps[column] | other.steps[column] for one, other in pairs])
                                            for column in range(len(search.columns.source))], lasts)
    added = weights - np.array([one.weight + other.weight for one, other in pairs])
    taken, made = set[int](), list[InputBox]()
    for number in np.argsort(added, kind="stable").tolist():
        if taken.isdisjoint(map(id, pairs[number])) and len(made) < max(1, len(pairs) // 4):
            taken.update(map(id, pairs[number]))
            made.append(replace(pairs[number][0], steps=tuple(one[number] for one in steps), lasts=lasts[number],
                                weight=weights[number]))
    return [*made, *(box for box in boxes if id(box) not in taken)]


def sub_claim(search: BoxSearch, avoided: Sequence[InputBox], met: Sequence[InputBox] = (), place: int | None = None
              ) -> TracksClaim | None:
    """Return the claim about the inputs in none of the boxes ``avoided``, and in one of ``met`` if any are given.

    With a ``place`` it is about that place alone; there the machine writes the token of the box that is met. None if no
    input remains.

    Raises:
        Unsupported: if its machine has more than MOST_STATES states in a column, or would have to know later columns.
    """
    by_place: dict[int, list[InputBox]] = {}
    for box in avoided:
        by_place.setdefault(search.place(box), []).append(box)
    tokens = sorted({box.token for box in met})
    diagrams = Diagrams(search, by_place | {NOTHING - index: [box for box in met if box.token == token]
                                            for index, token in enumerate(tokens)})
    roots = tuple(diagrams.roots.pop(NOTHING - index) for index in range(len(tokens)))
    start: Key = (search.claim.machine.start, tuple(sorted({*diagrams.roots.values()} - {NOTHING})), roots)
    layers, moves = _explored(search, diagrams, start)
    form = search.form.form
    at = form.layout[place] if met and place is not None else None
    tables, ends, number = _merged(search, diagrams, layers, moves, at, tokens)
    if start not in number:
        return None
    states = max(len(ends), *map(len, tables))
    if states > MOST_STATES:
        raise Unsupported(f"the inputs that are called right or wrong have a machine of {states:,} states")
    asked = form.asked if place is None else range(place, place + 1)
    return claim_of_tables(search.claim, form, number[start], tables, ends, asked, bool(met))


def _explored(search: BoxSearch, diagrams: Diagrams, start: Key) -> tuple[
        list[dict[Key, None]], list[dict[tuple[Key, int], tuple[Key, int]]]]:
    """Return the states before each column and at the end, and steps: (state, letter) to (state, machine's step)."""
    columns, layers = search.columns, [dict.fromkeys([start])]
    moves: list[dict[tuple[Key, int], tuple[Key, int]]] = []
    for column, kinds in enumerate(diagrams.kinds):
        kept, made, found = np.flatnonzero(search.whole.steps[column]), dict[Key, None](), {}
        of_state: dict[int, list[int]] = {}
        for step in kept.tolist():
            of_state.setdefault(int(columns.source[column][step]), []).append(step)
        following = diagrams.following[column]
        for key in layers[-1]:
            state, nodes, roots = key
            by_kind: dict[int, tuple[tuple[Node, ...], tuple[Node, ...]]] = {}
            for step in of_state.get(state, ()):
                kind = int(kinds[step])
                if kind not in by_kind:
                    by_kind[kind] = (tuple(sorted({following[node][kind] for node in nodes} - {NOTHING})),
                                     tuple(NOTHING if root == NOTHING else following[root][kind] for root in roots))
                left, hits = by_kind[kind]
                if hits and {*hits} == {NOTHING}:
                    continue
                target = int(columns.target[column][step]), left, hits
                made[target] = None
                found[key, int(columns.letters[column][step])] = target, step
        if len(made) > MOST_EXPLORED:
            raise Unsupported(f"the inputs that are called right or wrong have a machine of {len(made):,} states")
        layers.append(made)
        moves.append(found)
    return layers, moves


def _merged(search: BoxSearch, diagrams: Diagrams, layers: Sequence[Mapping[Key, None]],
            moves: Sequence[Mapping[tuple[Key, int], tuple[Key, int]]], at: TokenSource | None, tokens: Sequence[int]
            ) -> tuple[list[list[dict[int, tuple[int, ...]]]], list[tuple[int, ...]], dict[Key, int]]:
    """Return the steps and ends of the minimal machine, column by column, and the numbers of its first states.

    Raises:
        Unsupported: if the token of an error depends on later columns.
    """
    claim, form = search.claim, search.form.form
    ends: dict[tuple[int, ...], int] = {}
    number: dict[Key, int] = {}
    for key in layers[-1]:
        state, nodes, roots = key
        written = claim.machine.end[state]
        met = [token for token, root in zip(tokens, roots, strict=True)
               if root != NOTHING and diagrams.ends[root][state]]
        if written is None or any(diagrams.ends[node][state] for node in nodes) or (tokens and not met):
            continue
        if at is not None and at.kind == "end":
            written = _with(written, at.index, met)
        number[key] = ends.setdefault(written, len(ends))
    tables: list[list[dict[int, tuple[int, ...]]]] = []
    for column in reversed(range(len(moves))):
        rows: dict[Key, dict[int, tuple[int, ...]]] = {}
        for (key, letter), (target, step) in moves[column].items():
            if target in number:
                of_claim = claim.machine.tables[form.columns[column]][int(search.columns.source[column][step])][letter]
                assert of_claim is not None, "the step is the claim's"
                written = of_claim[1:]
                if at is not None and at.kind == "answer" and at.column == column:
                    written = _with(written, at.index, [
                        token for token, root in zip(tokens, target[2], strict=True) if root != NOTHING])
                rows.setdefault(key, {})[letter] = number[target], *written
        merged: dict[tuple[tuple[int, tuple[int, ...]], ...], int] = {}
        number = {key: merged.setdefault(tuple(sorted(row.items())), len(merged)) for key, row in rows.items()}
        tables.insert(0, [dict(row) for row in merged])
    return tables, list(ends), number


def _with(written: tuple[int, ...], index: int, tokens: Sequence[int]) -> tuple[int, ...]:
    if len(tokens) > 1:
        raise Unsupported("the token of an error depends on later columns")
    return *written[:index], *tokens, *written[index + 1:]


def of_inputs(claim: TracksClaim, form: Layout, inputs: Indices, place: int | None = None,
              written: Indices | None = None) -> TracksClaim:
    """Return the claim about some inputs: its machine is the minimal acyclic one that allows these alone.

    At a ``place`` it writes the tokens ``written`` [N], which are known after its column.
    """
    at = None if place is None else form.layout[place]
    prefixes: list[dict[tuple[int, ...], int]] = [{(): claim.machine.start}]
    rows = list(map(tuple, inputs.tolist()))
    read = None if at is None else at.column + 1 if at.kind == "answer" else len(form.columns)
    errors = {} if written is None else {row[:read]: token for row, token in zip(rows, written.tolist(), strict=True)}
    for column, table in enumerate(form.columns):
        made: dict[tuple[int, ...], int] = {}
        for row in rows:
            if row[:column + 1] not in made:
                step = claim.machine.tables[table][prefixes[-1][row[:column]]][row[column]]
                assert step is not None, "the input is allowed"
                made[row[:column + 1]] = step[0]
        prefixes.append(made)
    ends: dict[tuple[int, ...], int] = {}
    number: dict[tuple[int, ...], int] = {}
    for word, state in prefixes[-1].items():
        end = claim.machine.end[state]
        assert end is not None, "the input is allowed"
        if at is not None and at.kind == "end":
            end = _with(end, at.index, [errors[word]])
        number[word] = ends.setdefault(end, len(ends))
    tables: list[list[dict[int, tuple[int, ...]]]] = []
    for column in reversed(range(len(form.columns))):
        steps: dict[tuple[int, ...], dict[int, tuple[int, ...]]] = {}
        for word in prefixes[column + 1]:
            step = claim.machine.tables[form.columns[column]][prefixes[column][word[:-1]]][word[-1]]
            assert step is not None, "the input is allowed"
            answers = step[1:]
            if at is not None and at.kind == "answer" and at.column == column:
                answers = _with(answers, at.index, [errors[word]])
            steps.setdefault(word[:-1], {})[word[-1]] = number[word], *answers
        merged: dict[tuple[tuple[int, tuple[int, ...]], ...], int] = {}
        number = {word: merged.setdefault(tuple(sorted(row.items())), len(merged)) for word, row in steps.items()}
        tables.insert(0, [dict(row) for row in merged])
    asked = form.asked if place is None else range(form.asked[0], place + 1)
    return claim_of_tables(claim, form, number[()], tables, list(ends), asked, place is not None)


def claim_of_tables(claim: TracksClaim, form: Layout, start: int,
                    tables: Sequence[Sequence[dict[int, tuple[int, ...]]]],
                    ends: Sequence[tuple[int, ...]], asked: range, is_wrong: bool) -> TracksClaim:
    """Return the claim about the inputs of a machine with one table a column, given by states and letters.

    It judges the places ``asked``.
    """
    machine = machine_of_tables(start, tables, ends, len(claim.all_columns))
    first = None if asked[0] == form.asked[0] else asked[0]
    return replace(claim, machine=machine, margin=Fraction(0) if is_wrong else claim.margin,
                   forms=(Layout(tuple(range(len(tables))), form.layout[:asked[-1] + 1], first or form.first),))


def allowed_by_all(machines: Sequence[Transducer], avoided: Sequence[Transducer]) -> Transducer | None:
    """Return the minimal machine of the inputs that all machines allow, but none to avoid; it writes as the first.

    A machine to avoid that does not allow an input is in state -1.
    """
    layers: list[dict[tuple[int, ...], dict[int, tuple[tuple[int, ...], tuple[int, ...]]]]] = []
    reached = {tuple(one.start for one in (*machines, *avoided)): None}
    for tables in zip(*(one.tables for one in (*machines, *avoided)), strict=True):
        nothing = (None,) * len(tables[0][0])
        layers.append({states: {letter: (tuple(step[0] if step else -1 for step in steps), steps[0][1:])
                                for letter, steps in enumerate(zip(*(
                                    table[state] if state >= 0 else nothing
                                    for table, state in zip(tables, states, strict=True)), strict=True))
                                if None not in steps[:len(machines)] and steps[0]} for states in reached})
        reached = {target: None for row in layers[-1].values() for target, _ in row.values()}
    ends: dict[tuple[int, ...], int] = {}
    number: dict[tuple[int, ...], int] = {}
    for states in reached:
        written = [one.end[state] for one, state in zip(machines, states, strict=False)]
        is_avoided = all(state < 0 or one.end[state] is None
                         for one, state in zip(avoided, states[len(machines):], strict=True))
        if None not in written and is_avoided:
            number[states] = ends.setdefault(written[0] or (), len(ends))
    tables_of: list[list[dict[int, tuple[int, ...]]]] = []
    for layer in reversed(layers):
        merged: dict[tuple[tuple[int, tuple[int, ...]], ...], int] = {}
        rows = {states: tuple((letter, (number[target], *written)) for letter, (target, written) in row.items()
                              if target in number) for states, row in layer.items()}
        number = {states: merged.setdefault(row, len(merged)) for states, row in rows.items() if row}
        tables_of.insert(0, [dict(row) for row in merged])
    if not number:
        return None
    (start,), letters = number.values(), len(machines[0].tables[0][0])
    return machine_of_tables(start, tables_of, list(ends), letters)


def machine_of_tables(start: int, tables: Sequence[Sequence[dict[int, tuple[int, ...]]]],
                      ends: Sequence[tuple[int, ...]], letters: int) -> Transducer:
    """Return the machine with one table a column, given by states and letters."""
    states = max(len(ends), *map(len, tables))
    return Transducer(start, tuple(
        tuple(tuple(rows[state].get(letter) if state < len(rows) else None for letter in range(letters))
              for state in range(states)) for rows in tables),
        tuple(ends[state] if state < len(ends) else None for state in range(states)))
