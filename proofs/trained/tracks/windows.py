"""A transducer whose states also have the last columns (docs/background/tracks_rules.md, section 5, Windows).

The claim is the same; but classes and nodes distinguish several columns.
"""

from dataclasses import replace

from constructions.trained.tracks import Table, TracksClaim, Transducer

Known = tuple[int, tuple[int, ...]]
"""A state of the given machine, and the last columns, by their indices."""
MOST_STEPS = 1 << 12
"""A machine with more steps in a column makes too many classes."""


def windowed(claim: TracksClaim, number: int, window: int) -> TracksClaim | None:
    """Return the claim about one form, with states that have ``window`` - 1 columns; None if it has too many steps."""
    form, machine = claim.forms[number], claim.machine
    if window == 1:
        return replace(claim, forms=(form,))
    numbers: dict[Known, int] = {(machine.start, ()): 0}
    columns = list[dict[tuple[int, int], tuple[int, ...]]]()
    here: list[Known] = [(machine.start, ())]
    for table in form.columns:
        steps = dict[tuple[int, int], tuple[int, ...]]()
        for state, last in here:
            for letters, step in enumerate(machine.tables[table][state]):
                if step is not None:
                    after = (step[0], (*last, letters)[-(window - 1):])
                    steps[numbers[state, last], letters] = (numbers.setdefault(after, len(numbers)), *step[1:])
        if len(steps) > MOST_STEPS:
            return None
        columns.append(steps)
        ahead = {step[0] for step in steps.values()}
        here = [one for one, index in numbers.items() if index in ahead]
    tables = tuple(_table(steps, len(numbers), len(claim.all_columns)) for steps in columns)
    ends = tuple(machine.end[state] for state, _ in numbers)
    return replace(claim, machine=Transducer(0, tables, ends),
                   forms=(replace(form, columns=tuple(range(len(columns)))),))


def _table(steps: dict[tuple[int, int], tuple[int, ...]], states: int, letters: int) -> Table:
    return tuple(tuple(steps.get((state, column)) for column in range(letters)) for state in range(states))
