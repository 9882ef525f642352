"""What to write instead: spellings that this language does not have, and the words nearest to a misspelled one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

COUNT_HINT = "write #<[...] to count the positions up to here, #>[...] from here"
SYMBOL_HINT = "; a symbol is written Q_a, or Q['a'] with any a"

_WRITE: Mapping[str, str] = {
    "globally": "G", "finally": "F", "sometimes": "F, or O for the past", "henceforth": "G",
    "release": "R", "releases": "R", "unless": "W", "weakuntil": "W", "wuntil": "W", "strongrelease": "M",
    "trigger": "T", "triggered": "T", "backto": "B", "weaksince": "B",
    "yesterday": "prev (Y)", "previous": "prev (Y)", "previously": "prev (Y)", "before": "prev (Y), or O",
    "tomorrow": "next (X)", "weaknext": "wX", "strongnext": "X[!]", "weakprevious": "Z", "weakbefore": "Z",
    "p": "O (once), or T (past release)", "wn": "wX", "sx": "X[!]", "xs": "X[!]", "xw": "wX",
    "nand": "!(a & b)", "nor": "!(a | b)", "neg": "!", "ifthenelse": "(c -> a) & (!c -> b)",
    "if": "(c -> a) & (!c -> b)", "else": "(c -> a) & (!c -> b)",
    "equiv": "<->", "equals": "<->", "eq": "<->, or == between numbers", "xnor": "<->",
    "forall": "G and H over positions", "exists": "F and O over positions", "all": "G and H over positions",
    "ex": "F and O over positions", "e": "a word is one path: no quantifier is needed", "a": "",
    "top": "true", "bottom": "false", "bot": "false", "yes": "true", "no": "false",
    "count": "#<[Q_a]", "sum": "#<[Q_a]", "len": "n", "length": "n", "pos": "i", "position": "i", "index": "i",
    "end": "last", "begin": "first", "beginning": "first",
    "max": "a case for each side, as in (#<[Q_a] >= #<[Q_b] & ...)",
    "min": "a case for each side, as in (#<[Q_a] <= #<[Q_b] & ...)",
    "abs": "a comparison for each sign, as in -2 <= #<[Q_a] - #<[Q_b] <= 2",
    "majority": "2*#<[Q_a] > i", "maj": "2*#<[Q_a] > i", "parity": "ODD(#<[Q_a])", "divisible": "#<[Q_a] % 3 == 0",
}  # fmt: skip
"""By the word in small letters without _ and -, what to write."""
_KEYWORDS = (
    "and", "or", "not", "xor", "iff", "implies", "then", "since", "until", "prev", "next", "once", "historically",
    "eventually", "always", "true", "false", "first", "last",
)  # fmt: skip
_CHARACTERS: Mapping[str, str] = {
    "#": COUNT_HINT, "'": "a symbol is written Q['a'] or \"a\"", "`": "a symbol is written Q['a'] or \"a\"",
    "∀": "G and H range over positions", "∃": "F and O range over positions", "{": "brackets are ( and )",
    "}": "brackets are ( and )", "/": "conjunction is & or /\\, and there is no division: multiply the other side",
    "\\": "disjunction is | or \\/", ".": "numbers are integers: multiply both sides", "?": "(c -> a) & (!c -> b)",
    ":": "(c -> a) & (!c -> b)", "@": "", "$": "", ";": "", "⨁": "xor is written ^ or xor", "|": "",
}  # fmt: skip
_OPERATORS_OF_NUMBERS: Mapping[str, str] = {
    "=>": "'=>' is implication: at least is written '>='", "<=>": "'<=>' is equivalence: numbers are compared by '=='",
    "->": "'->' is implication, between formulas", "<->": "numbers are compared by '=='",
    "^": "'^' is exclusive or: only X^3 and Y^3 repeat",
}  # fmt: skip
_OPERATORS_OF_FORMULAS: Mapping[str, str] = {
    "=": "formulas are compared by '<->'", "==": "formulas are compared by '<->'", "!=": "formulas differ: '^' or xor",
    "+": "or is written '|'", "*": "and is written '&'", "·": "and is written '&'", "-": "not is written '!'",
    "<": "implication is written '->'", ">": "implication is written '->'",
}  # fmt: skip


def name_hint(name: str, predicates: Iterable[str], alphabet: Sequence[str] | None) -> str:
    """What may have been meant by a name that is none here: an operator, a predicate, a symbol.

    >>> name_hint("globally", [], None), name_hint("od", ["ODD"], None), name_hint("a", [], None)
    ('; write G', "; did you mean 'ODD'?", '; write Q_a, or give --alphabet, whose symbols may be written bare')
    """
    if written := _WRITE.get(re.sub("[_-]", "", name.lower())):
        return f"; write {written}"
    known = {word.lower(): word for word in (*_KEYWORDS, *(alphabet or ()), *predicates)}
    if near := get_close_matches(name.lower(), known, n=1, cutoff=0.66 if len(name) > 2 else 0.8):
        return f"; did you mean {known[near[0]]!r}?"
    if alphabet is None and name != "Q":
        return f"; write Q_{name}, or give --alphabet, whose symbols may be written bare"
    return SYMBOL_HINT


def word_hint(word: str) -> str:
    """What may have been meant by a word that stands where an operator should.

    >>> word_hint("Until"), word_hint("releases"), word_hint("Q_b")
    ("; did you mean 'until'?", '; write R', '')
    """
    if written := _WRITE.get(re.sub("[_-]", "", word.lower())):
        return f"; write {written}"
    near = get_close_matches(word.lower(), _KEYWORDS, n=1, cutoff=0.66)
    return f"; did you mean {near[0]!r}?" if near and word[:1].isalpha() and not word.startswith("Q_") else ""


def character_hint(text: str, offset: int) -> str:
    """What may have been meant where a character begins nothing of the language."""
    if re.match(r"#\s*[<>]?\s*\(?", text[offset:]) and text[offset] == "#":
        return f"; {COUNT_HINT}"
    if re.search(r"(?<!\w)Q_?$", text[max(0, offset - 3) : offset]):
        return SYMBOL_HINT
    hint = _CHARACTERS.get(text[offset], "")
    return f"; {hint}" if hint else ""


def number_hint(operator: str) -> str:
    """What may have been meant by an operator of formulas beside a number."""
    hint = _OPERATORS_OF_NUMBERS.get(operator, "")
    return f"; {hint}" if hint else ""


def formula_hint(operator: str) -> str:
    """What may have been meant by an operator of numbers beside a formula."""
    hint = _OPERATORS_OF_FORMULAS.get(operator, "")
    return f"; {hint}" if hint else ""


def symbol_hint(symbol: str, alphabet: Sequence[str]) -> str:
    """The symbol of the alphabet that differs in case, or is near."""
    known = {one.lower(): one for one in alphabet}
    near = known.get(symbol.lower()) or next(iter(get_close_matches(symbol, alphabet, n=1, cutoff=0.75)), None)
    return f"; did you mean {near!r}?" if near else ""
