"""The index of the site's search: the entries, their addresses, and their words."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

LEAST_LETTERS = 3
"""Shorter words are found only in titles."""
COMMON = 2
"""Words in more than 1/COMMON of the entries are not indexed, either."""


@dataclass(frozen=True)
class SearchEntry:
    """A page or a section of one: its title, where it belongs, its address relative to the top, and its text."""

    title: str
    where: str
    address: str
    text: str


def words_of(text: str) -> set[str]:
    """Return the words by which a text is found.

    >>> sorted(words_of("The *softmax* of n: prev Q_a, 64 times"))
    ['prev', 'q_a', 'softmax', 'the', 'times']
    """
    return {word for word in re.findall(r"\w+", text.lower()) if len(word) >= LEAST_LETTERS and not word.isdigit()}


def write_index(entries: Sequence[SearchEntry]) -> str:
    """Return a script with two constants: the common words, and the entries, each with the words of its text."""
    words = [words_of(entry.text) for entry in entries]
    common = set(_common(words, len(entries)))
    found = [(entry.title, entry.where, entry.address, " ".join(sorted(mine - common - words_of(entry.title))))
             for entry, mine in zip(entries, words, strict=True)]
    return f"const COMMON = {_script(sorted(common))};\nconst INDEX = {_script(found)};\n"


def _common(words: Iterable[set[str]], entries: int) -> Iterable[str]:
    counts = Counter(word for mine in words for word in mine)
    return (word for word, count in counts.items() if count * COMMON > entries > COMMON)


def _script(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
