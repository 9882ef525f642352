"""Shares of all words, by which several processes check the words of a decision."""

from dataclasses import dataclass

from proofs.check.checker.chapters.trained.words.judge import Word


@dataclass(frozen=True)
class Share:
    """A share of all words, ``number`` (from 0) of ``shares``.

    Words are divided by their first letters, as many as make four groups a share or more; shorter ones are of share 0.
    So each word is in exactly one share, by `has`, and every prefix of it passes `has_some`.
    """

    number: int = 0
    shares: int = 1

    def has(self, word: Word, letters: int) -> bool:
        """Return whether a word over ``letters`` letters is in the share."""
        first = self._first(letters)
        return self.number == (0 if len(word) < first else rank(word[:first], letters) % self.shares)

    def has_some(self, word: Word, letters: int) -> bool:
        """Return whether a word with this prefix may be in the share."""
        return len(word) < self._first(letters) or self.has(word, letters)

    def _first(self, letters: int) -> int:
        if self.shares == 1 or letters == 1:
            return 0 if self.shares == 1 else 1
        return next(k for k in range(64) if letters**k >= 4 * self.shares)


def rank(word: Word, letters: int) -> int:
    """Return the number of a word among those of its length."""
    found = 0
    for letter in word:
        found = found * letters + letter
    return found
