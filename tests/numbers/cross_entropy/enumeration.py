"""Both languages' prefixes by enumeration of all words, written apart from the formulas that they are held against."""

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction

PROBABILITIES = (Fraction(1, 10), Fraction(1, 2), Fraction(9, 10))
CLOSES = {"(": ")", "[": "]"}
OTHER_TYPE = str.maketrans("()[]", "[]()")


def parity_prefixes(n: int, p: Fraction) -> dict[str, Fraction]:
    """Return the probability of every prefix of length n."""
    found = {}
    for letters in itertools.product("01", repeat=n):
        mass, ones = Fraction(1), 0
        for letter in letters:
            mass *= (1 - p) / 2 if ones % 2 == 0 else Fraction(1, 2)
            ones += letter == "1"
        found["".join(letters)] = mass
    return found


def is_even(word: str) -> bool:
    return word.count("1") % 2 == 0


def bracket_prefixes(n: int, p: Fraction) -> dict[str, Fraction]:
    """Return the probability of every prefix of 2DYCK, except those of probability 0."""
    found = {"": Fraction(1)}
    for _ in range(n):
        found = {word + letter: mass * share for word, mass in found.items() for letter, share in following(word, p)}
    return found


def following(word: str, p: Fraction) -> Iterator[tuple[str, Fraction]]:
    """Yield the symbols that may follow, except the end."""
    yield from (("(", p / 2), ("[", p / 2))
    if stack := open_brackets(word):
        yield CLOSES[stack[-1]], 1 - p


def open_brackets(word: str) -> list[str]:
    stack: list[str] = []
    for letter in word:
        if letter in CLOSES:
            stack.append(letter)
        else:
            stack.pop()
    return stack


def with_other_bit(word: str, place: int) -> str:
    return word[:place] + ("0" if word[place] == "1" else "1") + word[place + 1:]


def with_other_bracket(word: str, place: int) -> str:
    return word[:place] + word[place].translate(OTHER_TYPE) + word[place + 1:]


def softplus(x: float) -> float:
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))
