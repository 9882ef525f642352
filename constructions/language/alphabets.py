"""Alphabets and words from text: how symbols are separated."""

import re
from collections.abc import Sequence
from itertools import chain, count

from constructions.errors import InputError
from constructions.language.diagnosis import list_names, quote
from constructions.language.syntax import Formula, symbols_of

MAX_LENGTH = 100_000


def parse_alphabet(text: str | Sequence[str]) -> tuple[str, ...]:
    """Return the symbols: separated by commas if there is a comma, else by blanks if there is one, else characters.

    A sequence other than a string gives its elements as symbols.

    >>> parse_alphabet("01"), parse_alphabet("a, bc"), parse_alphabet("go stop")
    (('0', '1'), ('a', 'bc'), ('go', 'stop'))

    Raises:
        InputError: if there is no symbol, or one is empty or occurs twice.
    """
    if len(text) > MAX_LENGTH:
        raise InputError(f"alphabet of {len(text)} characters: expected at most {MAX_LENGTH}")
    symbols = split_symbols(text) if isinstance(text, str) else tuple(text)
    if not symbols:
        raise InputError("alphabet: found nothing, expected at least one symbol, such as 01 or a,b,c")
    seen: set[str] = set()
    for place, symbol in enumerate(symbols, 1):
        if not symbol:
            raise InputError(f"alphabet {quote(str(text))}: symbol {place} is empty, expected at least one character")
        if symbol in seen:
            raise InputError(f"alphabet {quote(str(text))}: {quote(symbol)} occurs twice, expected distinct symbols")
        seen.add(symbol)
    return symbols


def split_symbols(text: str) -> tuple[str, ...]:
    """Split at commas and strip blanks; without a comma split at blanks, or else into characters."""
    if "," in text:
        return tuple(part.strip() for part in text.split(","))
    return tuple(text.split() if re.search(r"\s", text) else text)


def alphabet_of(formula: Formula) -> tuple[str, ...]:
    """Return the symbols of the formula, sorted, and one more for all other symbols.

    >>> from constructions.language.parser import parse_formula
    >>> alphabet_of(parse_formula("Q_b & Q_a"))
    ('a', 'b', '?')
    """
    return with_another(symbols_of(formula))


def with_another(symbols: Sequence[str]) -> tuple[str, ...]:
    """Return the symbols and one more that is not among them.

    >>> with_another("a?")
    ('a', '?', '*')
    """
    candidates = chain("?*_.#%", ("?" * length for length in count(2)))
    return (*symbols, next(symbol for symbol in candidates if symbol not in symbols))


def parse_word(text: str, alphabet: Sequence[str], is_default: bool = False) -> tuple[str, ...]:
    """Parse a word. Its symbols are separated by commas or blanks, or adjacent if all are single characters.

    A comma or a blank that is itself a symbol of the alphabet does not separate. If the alphabet is a default (the
    symbols of a formula and one for all others), the error about an unknown symbol says how to give another alphabet.

    >>> parse_word("0110", "01"), parse_word("0,1,1", "01"), parse_word("go stop", ("go", "stop"))
    (('0', '1', '1', '0'), ('0', '1', '1'), ('go', 'stop'))

    Raises:
        InputError: as ``check_word``.
    """
    if len(text) > MAX_LENGTH:
        raise InputError(f"word of {len(text)} characters: expected at most {MAX_LENGTH}")
    word = _split_word(text, alphabet)
    check_word(word, alphabet, is_default)
    return word


def _split_word(text: str, alphabet: Sequence[str]) -> tuple[str, ...]:
    are_single = all(len(symbol) == 1 for symbol in alphabet)
    if "," in text and not (are_single and "," in alphabet):
        return tuple(symbol.strip() for symbol in text.split(","))
    blanks_separate = not any(re.search(r"\s", symbol) for symbol in alphabet)
    parts = text.split() if blanks_separate else [text]
    return tuple("".join(parts)) if are_single else tuple(parts)


def check_word(word: Sequence[str], alphabet: Sequence[str], is_default: bool = False) -> None:
    """Raise InputError if the word is empty or has a symbol outside the alphabet."""
    if not word:
        raise InputError("word: found nothing, expected at least one symbol (words are not empty)")
    known = set(alphabet)
    for position, symbol in enumerate(word, 1):
        if symbol not in known:
            expected = list_names(alphabet)
            raise InputError(f"word, position {position}: found {quote(symbol)}, expected one of {expected}"
                             + (_how_to_add(symbol, alphabet) if is_default else ""))


def _how_to_add(symbol: str, alphabet: Sequence[str]) -> str:
    """Return the option that adds the symbol to a default alphabet, whose last symbol represents all others."""
    *named, other = alphabet
    symbols = sorted({*named, symbol})
    joined = ("" if all(len(one) == 1 and one not in ", " for one in symbols) else ",").join(symbols)
    return (f"; this alphabet is that of the formula, with {quote(other)} for any other symbol: name them all, as in "
            f"--alphabet {joined}" if joined.isprintable() and len(joined) <= 40 else "")
