"""What changing one letter of a word does to its margin, as floats see it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from constructions.trained.claim import Claim
from constructions.trained.network import TrainedNetwork
from proofs.trained.forward import FloatNetwork
from proofs.trained.words import WordMargins

MOST_TRIED = 400


@dataclass(frozen=True)
class Neighbour:
    """The word with one letter changed, and the least margin of all places of it."""

    place: int
    letters: tuple[str, ...]
    margin: float


def find_neighbours(network: TrainedNetwork, claim: Claim, word: Sequence[str], offset: int) -> list[Neighbour]:
    """Words with one letter changed (of many the first ones), by margin."""
    letters = np.array(claim.letters(word), dtype=np.intp)
    changed = [(place, letter) for place in range(len(letters)) for letter in range(len(claim.alphabet))
               if letter != letters[place]][:MOST_TRIED]
    if not changed:
        return []
    words = np.tile(letters, (len(changed), 1))
    for row, (place, letter) in enumerate(changed):
        words[row, place] = letter
    margins = WordMargins(FloatNetwork(network), claim).margins(words, offset).min(axis=(1, 2))
    found = [Neighbour(place + 1, tuple(claim.alphabet[letter] for letter in words[row]), float(margins[row]))
             for row, (place, _) in enumerate(changed)]
    return sorted(found, key=lambda one: (one.margin, one.place))
