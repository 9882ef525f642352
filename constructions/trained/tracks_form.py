"""The JSON form of a claim about tracks (docs/reference/tracks.md, section 3): written canonically, read strictly."""

from typing import Any

from constructions.errors import InputError
from constructions.trained import json_values as values
from constructions.trained.tracks import Kind, Layout, TokenSource, Track, TracksClaim, Transducer

KINDS: tuple[Kind, ...] = ("token", "track", "answer", "end")


def tracks_claim_to_json(claim: TracksClaim) -> dict[str, Any]:
    """Return the canonical JSON object."""
    written: dict[str, Any] = _CLAIM.write(claim)
    return written


def tracks_claim_from_json(data: Any, where: str) -> TracksClaim:
    """Parse the claim of a JSON object and check its sizes.

    Raises:
        InputError: one line that says where, what was found and what was expected.
    """
    claim = _CLAIM.read(data, f"{where}, claim")
    _check(claim, f"{where}, claim")
    return claim


def _place_to_json(place: TokenSource) -> list[Any]:
    column = [place.column] if place.kind in ("track", "answer") else []
    return [place.kind, place.index, *column]


def _place(data: Any, where: str) -> TokenSource:
    if not isinstance(data, list) or not data or data[0] not in KINDS:
        raise InputError(f"{where}: {values.found(data)}, expected one of {', '.join(KINDS)} and numbers")
    kind = next(one for one in KINDS if one == data[0])
    numbers = values.items(data[1:], where, values.size)
    if len(numbers) != (2 if kind in ("track", "answer") else 1):
        raise InputError(f"{where}: {values.found(data)}, expected an index" + ", and a column"
                         * (kind in ("track", "answer")))
    return TokenSource(kind, *numbers)


_SIZES = values.SIZE.list()
_STEP = _SIZES.or_null()
_TRACK = values.record(Track, name=values.TEXT, letters=values.TEXT.list(), tokens=_SIZES)
_MACHINE = values.record(Transducer, start=values.SIZE, tables=_STEP.list().list().list(), end=_STEP.list())
_FORM = values.record(Layout, rare=["first"], columns=_SIZES,
                      layout=values.JsonCodec(_place, _place_to_json).list(), first=values.SIZE)
_TYPED = values.choice(("last-first", "first-first"))
_CLAIM = values.record(
    TracksClaim, keys={"typed_last_first": "typed"}, tracks=_TRACK.list(), machine=_MACHINE, forms=_FORM.list(),
    offset=values.SIZE, among=_SIZES, margin=values.RATIONAL, typed_last_first=values.JsonCodec(
        lambda data, where: _TYPED.read(data, where) == "last-first",
        lambda last_first: "last-first" if last_first else "first-first"))


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
            raise InputError(f"{where}.forms: columns with tables that do not exist")
        for place in form.layout:
            most = {"token": values.MAX_SIZE, "track": len(claim.tracks), "answer": answers, "end": ends}[place.kind]
            if place.index >= most or place.column >= len(form.columns):
                raise InputError(f"{where}.forms: nothing is at {_place_to_json(place)}")
        places = [place for place, one in enumerate(form.layout) if one.is_answer]
        if not places or places[0] == 0 or len(places) != len(form.layout) - places[0]:
            raise InputError(f"{where}.forms: expected a place before the answers, and only answers after them")
        if form.first is not None and form.first >= len(form.layout):
            raise InputError(f"{where}.forms.first: {form.first}, expected one of {len(form.layout)} places")
