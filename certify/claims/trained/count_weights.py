"""Files of weights: how inputs in tracks are drawn where right ones are counted; docs/background/counting.md."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from certify.common.files import read_text
from certify.requests.quantities import read_rational
from constructions.errors import InputError
from constructions.tables import read_toml
from constructions.trained.tracks import TracksClaim
from constructions.trained.weights import Weights, by_letters, total_weight

ALIKE = "alike"


def read_weights(path: str, claim: TracksClaim) -> list[Weights]:
    """Return an automaton for each form: of a file with ``letters``, tables ``tracks.NAME``, or ``lengths``.

    Raises:
        InputError: one line that says which key and what was expected.
    """
    table = read_toml(read_text(path), path)
    unknown = sorted({*table} - {"letters", "tracks", "lengths"})
    if unknown:
        raise InputError(f"{path}: no such key {unknown[0]}, expected letters, tracks or lengths")
    given, everywhere = dict(table.get("tracks", {})), table.get("letters", {})
    names = {track.name for track in claim.tracks}
    if unknown := sorted({*given} - names):
        raise InputError(f"{path}: no track {unknown[0]}, expected one of {', '.join(sorted(names))}")
    letters = [_of_letters(given.get(track.name, everywhere), track.letters, f"{path}: {track.name}")
               for track in claim.tracks]
    found = [by_letters(claim, form, letters) for form in claim.forms]
    if table.get("lengths", ALIKE) != ALIKE:
        raise InputError(f'{path}: lengths: expected "{ALIKE}"')
    if "lengths" not in table:
        return found
    totals = [total_weight(claim, form, one) for form, one in zip(claim.forms, found, strict=True)]
    if not all(totals):
        raise InputError(f"{path}: the inputs of a form weigh nothing")
    return [one.times(1 / (len(totals) * total)) for one, total in zip(found, totals, strict=True)]


def _of_letters(given: Any, letters: tuple[str, ...], where: str) -> list[Fraction]:
    """Return the weight of each letter; 1 for one that is not named."""
    if not isinstance(given, Mapping):
        raise InputError(f"{where}: expected a table of letters and their weights")
    if unknown := sorted({*given} - {*letters}):
        raise InputError(f"{where}: no letter {unknown[0]}, expected {', '.join(letters)}")
    return [read_rational(str(given.get(letter, "1")), f"{where}: {letter}") for letter in letters]
