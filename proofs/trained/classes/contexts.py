"""Contexts: suffixes by which words are told apart, longer where that is needed and short elsewhere.

Some suffixes are *split*: words that end in one and go on to the left are told apart by the letter before it. So each
word that is longer than all split suffixes ends in exactly one *context*, a suffix that is not split itself although
all its own suffixes are. What must be remembered of a word, to know its context and those of all that begin with it, is
the longest suffix of it that is the beginning of a context (Aho and Corasick, 1975).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

Suffix = tuple[int, ...]
JUST_LETTERS: frozenset[Suffix] = frozenset({()})  # the empty suffix is always split: a last letter is known


@dataclass(frozen=True)
class Contexts:
    """``split`` holds all suffixes of each of its members."""

    alphabet: int
    split: frozenset[Suffix] = JUST_LETTERS

    @cached_property
    def beginnings(self) -> frozenset[Suffix]:
        """All beginnings of all contexts, and of what is split."""
        ends = [(letter, *suffix) for suffix in self.split for letter in range(self.alphabet)]
        return frozenset(end[:length] for end in ends for length in range(len(end) + 1))

    def context(self, word: Suffix) -> Suffix:
        """Return the word's shortest suffix that is not split; the word itself, if all are."""
        lengths = (length for length in range(len(word)) if word[len(word) - length :] not in self.split)
        return word[len(word) - next(lengths, len(word)) :]

    def memory(self, word: Suffix) -> Suffix:
        """What is remembered of a word; of a word with one letter more, the memory and the letter are enough."""
        lengths = (length for length in range(len(word), 0, -1) if word[len(word) - length :] in self.beginnings)
        return word[len(word) - next(lengths, 0) :]


def with_suffixes(words: Iterable[Suffix]) -> frozenset[Suffix]:
    """Return the words and all their suffixes."""
    return frozenset(word[place:] for word in words for place in range(len(word) + 1))
