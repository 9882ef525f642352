"""Contexts: suffixes by which words are distinguished, of varying length (a suffix automaton of split suffixes).

Some suffixes are *split*: words that end in one, and are longer, are distinguished by the letter before it. So each
word longer than all split suffixes ends in exactly one *context*: a suffix that is not split although all its own
suffixes are. To determine the context of a word and of all its extensions, its longest suffix that is a prefix of a
context suffices (Aho and Corasick, 1975).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

Suffix = tuple[int, ...]
JUST_LETTERS: frozenset[Suffix] = frozenset({()})  # the empty suffix is always split: keys contain a last letter


@dataclass(frozen=True)
class Contexts:
    """Contexts of an alphabet; ``split`` contains all suffixes of each of its members."""

    alphabet: int
    split: frozenset[Suffix] = JUST_LETTERS

    @cached_property
    def beginnings(self) -> frozenset[Suffix]:
        """All prefixes of all contexts and split suffixes."""
        ends = [(letter, *suffix) for suffix in self.split for letter in range(self.alphabet)]
        return frozenset(end[:length] for end in ends for length in range(len(end) + 1))

    def context(self, word: Suffix) -> Suffix:
        """Return the word's shortest suffix that is not split; the word itself, if all are."""
        lengths = (length for length in range(len(word)) if word[len(word) - length :] not in self.split)
        return word[len(word) - next(lengths, len(word)) :]

    def memory(self, word: Suffix) -> Suffix:
        """Return the longest suffix that is a prefix of a context: an extension's follows from it and the letter."""
        lengths = (length for length in range(len(word), 0, -1) if word[len(word) - length :] in self.beginnings)
        return word[len(word) - next(lengths, 0) :]


def with_suffixes(words: Iterable[Suffix]) -> frozenset[Suffix]:
    """Return the words and all their suffixes."""
    return frozenset(word[place:] for word in words for place in range(len(word) + 1))
