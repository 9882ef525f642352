"""Neighbours of a word: one letter exchanged, two letters swapped, a factor reversed or rotated by one."""

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.integer]

STRETCHES = 64


def neighbours(word: Rows, letters: int, draw: np.random.Generator, most: int) -> Rows:
    """Return words [at most ``most``, n] near a word [n]: all its neighbours, or a random sample."""
    found = np.concatenate([_exchanged(word, letters), _swapped(word), _stretches(word, draw)])
    return found if len(found) <= most else found[draw.permutation(len(found))[:most]]


def shaken(word: Rows, letters: int, draw: np.random.Generator, times: int) -> Rows:
    """Return the word with several letters exchanged at random."""
    changed = word.copy()
    changed[draw.integers(0, len(word), times)] = draw.integers(0, letters, times)
    return changed


def _exchanged(word: Rows, letters: int) -> Rows:
    """Return the words with one letter replaced by each other letter."""
    n = len(word)
    found = np.tile(word, (n * (letters - 1), 1))
    places = np.repeat(np.arange(n), letters - 1)
    found[np.arange(len(found)), places] = (word[places] + np.tile(np.arange(1, letters), n)) % letters
    return found


def _swapped(word: Rows) -> Rows:
    """Return the words with two different letters swapped; the Parikh vector stays the same."""
    first, second = np.triu_indices(len(word), 1)
    differ = word[first] != word[second]
    first, second = first[differ], second[differ]
    found, rows = np.tile(word, (len(first), 1)), np.arange(len(first))
    found[rows, first], found[rows, second] = word[second], word[first]
    return found


def _stretches(word: Rows, draw: np.random.Generator) -> Rows:
    """Return words with random factors, half of them reversed, half rotated by one letter."""
    found = np.tile(word, (STRETCHES if len(word) > 1 else 0, 1))
    for index, row in enumerate(found):
        start, end = sorted(draw.integers(0, len(word) + 1, 2).tolist())
        row[start:end] = word[start:end][::-1] if index % 2 else np.roll(word[start:end], 1)
    return found
