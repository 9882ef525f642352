"""Files of weights: how inputs are drawn where right ones are counted; docs/background/counting.md."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from certify.common.files import read_text
from certify.requests.quantities import read_rational
from constructions.errors import InputError
from constructions.tables import read_toml
from constructions.trained.claim import WordsClaim
from constructions.trained.tracks import TracksClaim
from constructions.trained.weights import Weights, by_letters, total_weight
from proofs.trained.counting.verdicts import count_by_length, letters_weigh

ALIKE = "alike"


def read_weights(path: str, claim: TracksClaim) -> list[Weights]:
    """Return an automaton for each form: of a file with ``letters``, tables ``tracks.NAME``, or ``lengths``.

    Raises:
        InputError: one line that says which key and what was expected.
    """
    table = _read_table(path, ("letters", "tracks", "lengths"))
    given, everywhere = dict(table.get("tracks", {})), table.get("letters", {})
    names = {track.name for track in claim.tracks}
    if unknown := sorted({*given} - names):
        raise InputError(f"{path}: no track {unknown[0]}, expected one of {', '.join(sorted(names))}")
    letters = [_of_letters(given.get(track.name, everywhere), track.letters, f"{path}: {track.name}")
               for track in claim.tracks]
    found = [by_letters(claim, form, letters) for form in claim.forms]
    if "lengths" not in table:
        return found
    return drawn_alike(found, [total_weight(claim, form, one) for form, one in zip(claim.forms, found, strict=True)],
                       path)


def read_weights_of_words(path: str, claim: WordsClaim) -> list[Weights]:
    """Return an automaton for each length: of a file with ``letters`` or ``lengths``.

    Raises:
        InputError: one line that says which key and what was expected.
    """
    table = _read_table(path, ("letters", "lengths"))
    letters = _of_letters(table.get("letters", {}), claim.alphabet, f"{path}: letters")
    if any(weight < 0 for weight in letters):
        raise InputError(f"{path}: letters: expected no negative number")
    found = [letters_weigh(n, letters) for n in range(claim.lengths[0], claim.lengths[1] + 1)]
    if "lengths" not in table:
        return found
    return drawn_alike(found, [one.total for one in count_by_length(claim, [], found)], path)


def drawn_alike(found: Sequence[Weights], totals: Sequence[Fraction], path: str) -> list[Weights]:
    """Return the automata, divided so that each form has the same weight, and all have 1.

    Raises:
        InputError: if the inputs of a form weigh nothing.
    """
    if not all(totals):
        raise InputError(f"{path}: the inputs of a form weigh nothing")
    return [one.times(1 / (len(totals) * total)) for one, total in zip(found, totals, strict=True)]


def _read_table(path: str, keys: tuple[str, ...]) -> Mapping[str, Any]:
    """Return the table of a file, which has only these keys."""
    table = read_toml(read_text(path), path)
    if unknown := sorted({*table} - {*keys}):
        raise InputError(f"{path}: no such key {unknown[0]}, expected {', '.join(keys[:-1])} or {keys[-1]}")
    if table.get("lengths", ALIKE) != ALIKE:
        raise InputError(f'{path}: lengths: expected "{ALIKE}"')
    return table


def _of_letters(given: Any, letters: tuple[str, ...], where: str) -> list[Fraction]:
    """Return the weight of each letter; 1 for one that is not named."""
    if not isinstance(given, Mapping):
        raise InputError(f"{where}: expected a table of letters and their weights")
    if unknown := sorted({*given} - {*letters}):
        raise InputError(f"{where}: no letter {unknown[0]}, expected {', '.join(letters)}")
    return [read_rational(str(given.get(letter, "1")), f"{where}: {letter}") for letter in letters]
