"""Words, alphabets and counted things, as people read them."""

from collections.abc import Iterable
from itertools import groupby

from proofs.trained.runs import runs

SHOWN_SYMBOLS = 40


def show_word(word: Iterable[str]) -> str:
    """Return the word as users type it: run together if all symbols are single characters, else separated by commas."""
    symbols = list(word)
    return ("" if all(len(symbol) == 1 for symbol in symbols) else ",").join(symbols)


def show_powers(word: Iterable[str], longest: int = 24) -> str:
    """Return the word, if it is not longer; else its runs as powers, without the middle if there are many.

    >>> show_powers("abba"), show_powers("a" * 30 + "b")
    ('abba', 'a^30 b')
    """
    symbols = list(word)
    if len(symbols) <= longest:
        return show_word(symbols)
    lengths = [(symbol, len(list(run))) for symbol, run in groupby(symbols)]
    powers = [f"{symbol}^{length}" if length > 1 else symbol for symbol, length in lengths]
    return " ".join(powers if len(powers) <= longest // 2 else [*powers[:longest // 4], "...", *powers[-longest // 4:]])


def type_word(word: Iterable[str], alphabet: Iterable[str]) -> str:
    """Return the word so that a command reads it over this alphabet: with commas if any symbol there is long.

    >>> type_word("ab", "ab"), type_word("ab", ("a", "b", "go"))
    ('ab', 'a,b')
    """
    return show_word(word) if all(len(symbol) == 1 for symbol in alphabet) else ",".join(word)


def show_alphabet(alphabet: Iterable[str]) -> str:
    """Return the alphabet as a set; of a large one, the beginning and the size.

    >>> show_alphabet(["0", "1"])
    '{0, 1}'
    """
    symbols = list(alphabet)
    shown = ", ".join(symbols[:SHOWN_SYMBOLS])
    return f"{{{shown}}}" if len(symbols) <= SHOWN_SYMBOLS else f"{{{shown}, ...}} ({len(symbols)} symbols)"


def counted(number: int, noun: str) -> str:
    """Return the number and the noun.

    >>> counted(1, "head"), counted(2, "head")
    ('1 head', '2 heads')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def show_lengths(numbers: Iterable[int]) -> str:
    """Format numbers, with consecutive ones as ranges.

    >>> show_lengths([1, 3, 4])
    '1, 3..4'
    """
    return ", ".join(f"{first}..{last}" if first < last else str(first) for first, last in runs(numbers))


def describe_uncovered(n: int, first: int, last: int) -> str:
    """Say that a word of n letters is outside the certificate's lengths; empty if it is inside.

    >>> describe_uncovered(70, 1, 64)
    'the word has 70 letters, and the certificate is about words of 1 to 64: nothing here is certified'
    >>> describe_uncovered(64, 1, 64)
    ''
    """
    if first <= n <= last:
        return ""
    return (f"the word has {counted(n, 'letter')}, and the certificate is about words of {first} to {last}: nothing "
            "here is certified")
