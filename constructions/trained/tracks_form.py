"""The JSON form of a claim about tracks (docs/tracks.md, section 3): written canonically, read strictly."""

from typing import Any

from constructions.errors import InputError
from constructions.trained import json_values as values
from constructions.trained.tracks import Form, Kind, Machine, Place, Step, Track, TracksClaim

KEYS = ("tracks", "machine", "forms", "offset", "among", "margin", "typed")
KINDS: tuple[Kind, ...] = ("token", "track", "answer", "end")


def tracks_claim_to_json(claim: TracksClaim) -> dict[str, Any]:
    """The canonical JSON object."""
    machine = claim.machine
    return {
        "tracks": [{"name": track.name, "letters": list(track.letters), "tokens": list(track.tokens)}
                   for track in claim.tracks],
        "machine": {
            "start": machine.start,
            "tables": [[[None if step is None else list(step) for step in steps] for steps in table]
                       for table in machine.tables],
            "end": [None if end is None else list(end) for end in machine.end]},
        "forms": [{"columns": list(form.columns), "layout": [_place_to_json(place) for place in form.layout]}
                  for form in claim.forms],
        "offset": claim.offset,
        "among": list(claim.among),
        "margin": str(claim.margin),
        "typed": "last-first" if claim.typed_last_first else "first-first"}


def _place_to_json(place: Place) -> list[Any]:
    column = [place.column] if place.kind in ("track", "answer") else []
    return [place.kind, place.index, *column]


def tracks_claim_from_json(data: Any, where: str) -> TracksClaim:
    """The claim of a JSON object; sizes are checked.

    Raises:
        InputError: one line that says where, what was found and what was expected.
    """
    tracks, machine, forms, offset, among, margin, typed = values.fields(data, f"{where}, claim", KEYS)
    where = f"{where}, claim"
    claim = TracksClaim(
        values.items(tracks, f"{where}.tracks", _track), _machine(machine, f"{where}.machine"),
        values.items(forms, f"{where}.forms", _form), values.size(offset, f"{where}.offset"),
        values.items(among, f"{where}.among", values.size), values.rational(margin, f"{where}.margin"),
        values.one_of(typed, f"{where}.typed", ("last-first", "first-first")) == "last-first")
    _check(claim, where)
    return claim


def _track(data: Any, where: str) -> Track:
    name, letters, tokens = values.fields(data, where, ("name", "letters", "tokens"))
    return Track(values.text(name, f"{where}.name"), values.items(letters, f"{where}.letters", values.text),
                 values.items(tokens, f"{where}.tokens", values.size))


def _machine(data: Any, where: str) -> Machine:
    start, tables, end = values.fields(data, where, ("start", "tables", "end"))
    def steps(data: Any, where: str) -> tuple[Step, ...]:
        return values.items(data, where, _step)
    def table(data: Any, where: str) -> tuple[tuple[Step, ...], ...]:
        return values.items(data, where, steps)
    return Machine(values.size(start, f"{where}.start"), values.items(tables, f"{where}.tables", table),
                   values.items(end, f"{where}.end", _step))


def _step(data: Any, where: str) -> Step:
    return None if data is None else values.items(data, where, values.size)


def _form(data: Any, where: str) -> Form:
    columns, layout = values.fields(data, where, ("columns", "layout"))
    return Form(values.items(columns, f"{where}.columns", values.size), values.items(layout, f"{where}.layout", _place))


def _place(data: Any, where: str) -> Place:
    if not isinstance(data, list) or not data or data[0] not in KINDS:
        raise InputError(f"{where}: {values.found(data)}, expected one of {', '.join(KINDS)} and numbers")
    kind = next(one for one in KINDS if one == data[0])
    numbers = values.items(data[1:], where, values.size)
    if len(numbers) != (2 if kind in ("track", "answer") else 1):
        raise InputError(f"{where}: {values.found(data)}, expected an index" + ", and a column"
                         * (kind in ("track", "answer")))
    return Place(kind, *numbers)


def _check(claim: TracksClaim, where: str) -> None:
    machine, states = claim.machine, len(claim.machine.end)
    wrote = {len(step) - 1 for table in machine.tables for steps in table for step in steps if step is not None}
    ended = {len(end) for end in machine.end if end is not None}
    fits = (claim.tracks and machine.start < states and len(wrote) <= 1 and len(ended) == 1 and all(
        len(table) == states and all(len(steps) == len(claim.all_columns) for steps in table)
        for table in machine.tables) and all(
        step is None or (step and step[0] < states) for table in machine.tables for steps in table for step in steps))
    if not fits:
        raise InputError(f"{where}: the machine's tables do not fit its states and the letters of the tracks")
    if any(len(track.letters) != len(track.tokens) or not track.letters for track in claim.tracks):
        raise InputError(f"{where}.tracks: expected a token for each letter")
    answers, ends = next(iter(wrote), 0), next(iter(ended))
    for form in claim.forms:
        if not form.columns or any(table >= len(machine.tables) for table in form.columns):
            raise InputError(f"{where}.forms: columns are read by tables that are not there")
        for place in form.layout:
            most = {"token": values.MAX_SIZE, "track": len(claim.tracks), "answer": answers, "end": ends}[place.kind]
            if place.index >= most or place.column >= len(form.columns):
                raise InputError(f"{where}.forms: nothing stands at {_place_to_json(place)}")
        asked = [place for place, one in enumerate(form.layout) if one.is_answer]
        if not asked or asked[0] == 0 or len(asked) != len(form.layout) - asked[0]:
            raise InputError(f"{where}.forms: expected a place before the answers, and nothing but answers after them")
