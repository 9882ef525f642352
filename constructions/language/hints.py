"""Hints for errors: our spelling for that of other tools, and the words nearest to a misspelled one."""

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

from constructions.language.diagnosis import list_names

SYMBOL_HINT = "; a symbol is written Q_a, or Q['a'] with any a"
_COUNT_HINT = "write #<[...] to count the positions up to here, #>[...] from here"
_QUOTE_HINT = "a symbol is written Q['a'] or \"a\""
_POSITIONS_HINT = "G and F range over the positions from here, H and O over those up to here"
_PATH_HINT = "a word is one path, which needs no quantifier"
_CASES = "write (c -> a) & (!c -> b)"

_WORDS: Mapping[str, str] = {
    "globally": "write G", "finally": "write F", "future": "write F", "sometimes": "write F, or O for the past",
    "sometime": "write F, or O for the past", "henceforth": "write G", "release": "write R", "releases": "write R",
    "unless": "write W", "weakuntil": "write W", "wuntil": "write W", "strongrelease": "write M",
    "trigger": "write T", "triggered": "write T", "backto": "write B", "weaksince": "write B",
    "yesterday": "write prev (Y)", "previous": "write prev (Y)", "previously": "write prev (Y)",
    "before": "write prev (Y), or O for any time before", "tomorrow": "write next (X)", "weaknext": "write wX",
    "strongnext": "write X[!]", "weakprevious": "write Z", "weakbefore": "write Z", "wn": "write wX",
    "nand": "write !(a & b)", "nor": "write !(a | b)", "neg": "write !", "if": _CASES, "else": _CASES,
    "ifthenelse": _CASES, "equiv": "write <->", "equals": "write <->, or == between numbers", "xnor": "write <->",
    "forall": _POSITIONS_HINT, "exists": _POSITIONS_HINT, "top": "write true", "bottom": "write false",
    "bot": "write false", "count": "write #<[Q_a]", "sum": "write #<[Q_a]", "len": "write n", "length": "write n",
    "pos": "write i", "position": "write i", "index": "write i", "end": "write last", "begin": "write first",
    "max": "write a case for each side, as in (#<[Q_a] >= #<[Q_b] & ...) | ...",
    "min": "write a case for each side, as in (#<[Q_a] <= #<[Q_b] & ...) | ...",
    "abs": "write both signs, as in -2 <= #<[Q_a] - #<[Q_b] <= 2",
    "majority": "write 2*#<[Q_a] > i", "maj": "write 2*#<[Q_a] > i", "parity": "write ODD(#<[Q_a])",
    "divisible": "write #<[Q_a] % 3 == 0",
}  # fmt: skip
"""Hints by the word in lower case, without _ and -."""
_LETTERS: Mapping[str, str] = {
    "A": _PATH_HINT, "E": _PATH_HINT, "P": "write O (once), or T (past release)", "D": "write F", "L": "write G",
}  # fmt: skip
_KEYWORDS = (
    "and", "or", "not", "xor", "iff", "implies", "then", "since", "until", "prev", "next", "once", "historically",
    "eventually", "always", "true", "false", "first", "last",
)  # fmt: skip
_CHARACTERS: Mapping[str, str] = {
    "#": _COUNT_HINT, "'": _QUOTE_HINT, "`": _QUOTE_HINT, "‘": _QUOTE_HINT, "’": _QUOTE_HINT, "“": _QUOTE_HINT,
    "[": "bounds are numbers, as in F[2,4] or X[3], a count is #<[Q_a], and formulas are grouped by ( and )",
    "∀": _POSITIONS_HINT, "∃": _POSITIONS_HINT, "{": "formulas are grouped by ( and )",
    "}": "formulas are grouped by ( and )", "/": "there is no division: multiply the other side",
    ".": "numbers are integers: multiply both sides", "?": _CASES, ":": _CASES, ";": "and is written '&'",
    "_": SYMBOL_HINT[2:], "⊢": "implication is written '->'", "⊃": "implication is written '->'",
}  # fmt: skip
_OPERATORS: Mapping[str, str] = {
    "-->": "implication is written '->'", "==>": "implication is written '->'", "|->": "implication is written '->'",
    "<-": "implication is written '->', with the sides exchanged", "=<": "at most is written '<='",
    "<>": "unequal is written '!='", "=/=": "unequal is written '!='", "/=": "unequal is written '!='",
    "~=": "unequal is written '!='", ":=": "definitions are written let p = ...;", "===": "equal is written '=='",
    "**": "only X^3 and Y^3 repeat", "++": "or is written '|'", "//": "there is no division: multiply the other side",
}  # fmt: skip
"""Operators of several characters, which the lexer would split."""
_BESIDE_NUMBERS: Mapping[str, str] = {
    "=>": "'=>' is implication, at least is written '>='", "<=>": "'<=>' is equivalence, equal is written '=='",
    "->": "'->' stands between formulas", "<->": "equal is written '=='", "^": "'^' is exclusive or",
}  # fmt: skip
_BESIDE_FORMULAS: Mapping[str, str] = {
    "=": "formulas are compared by '<->'", "==": "formulas are compared by '<->'", "!=": "formulas differ: '^' or xor",
    "+": "or is written '|'", "*": "and is written '&'", "·": "and is written '&'", "-": "not is written '!'",
    **dict.fromkeys(("<", ">", "<=", ">="), "implication is written '->'"),
}  # fmt: skip


def name_hint(name: str, predicates: Iterable[str], alphabet: Sequence[str] | None) -> str:
    """Return the hint for an unknown name: an operator, a predicate, a symbol.

    >>> name_hint("globally", [], None), name_hint("od", ["ODD"], None), name_hint("c", [], "ab")
    ('; write G', "; did you mean 'ODD'?", '; the symbols are a, b')
    """
    if hint := _LETTERS.get(name) or _WORDS.get(re.sub("[_-]", "", name.lower())):
        return f"; {hint}"
    known = {word.lower(): word for word in (*_KEYWORDS, *(alphabet or ()), *predicates)}
    if near := get_close_matches(name.lower(), known, n=1, cutoff=2 / 3 if len(name) > 2 else 4 / 5):
        return f"; did you mean {known[near[0]]!r}?"
    if name.startswith("Q"):
        return SYMBOL_HINT
    if alphabet is None:
        return f"; write Q_{name}, or give --alphabet, whose symbols may be written bare"
    return f"; the symbols are {list_names(alphabet)}"


def operator_hint(text: str, offset: int, word: str) -> str:
    """Return the hint for a word or a sign found where an operator is expected.

    >>> operator_hint("Q_a Until Q_b", 4, "Until"), operator_hint("Q_a(1)", 3, "(")
    ("; did you mean 'until'?", '; Q_a is about this position, without brackets')
    """
    if hint := _foreign_operator(text, offset) or _WORDS.get(re.sub("[_-]", "", word.lower())):
        return f"; {hint}"
    if symbol := re.search(r"Q_\w+$", text[max(0, offset - 40) : offset] if word == "(" else ""):
        return f"; {symbol[0]} is about this position, without brackets"
    if word == ",":
        return "; bounds are written in brackets, as in F[2,4]"
    near = get_close_matches(word.lower(), _KEYWORDS, n=1, cutoff=2 / 3)
    return f"; did you mean {near[0]!r}?" if near and word[:1].isalpha() and not word.startswith("Q_") else ""


def operand_hint(text: str, offset: int, word: str, alphabet: Sequence[str] | None) -> str:
    """Return the hint for an operator found where a formula or a number is expected.

    >>> operand_hint("B", 0, "B", "AB"), operand_hint("U(Q_a,Q_b)", 0, "U", None)
    ('; the symbol is written Q_B', "; 'U' stands between its operands")
    """
    if word in (alphabet or ()):
        return f"; the symbol is written Q_{word}"
    if hint := _foreign_operator(text, offset):
        return f"; {hint}"
    if word in ("^", "mod"):
        return "; only X^3 and Y^3 repeat" if word == "^" else "; did you mean 'MOD'?"
    return f"; {word!r} stands between its operands" if word[:1].isalpha() else ""


def _foreign_operator(text: str, offset: int) -> str:
    """Return the hint for an operator of several characters around the offset."""
    around = ((start, operator) for operator in _OPERATORS for start in range(offset - len(operator) + 1, offset + 1))
    found = next((operator for start, operator in around if start >= 0 and text.startswith(operator, start)), None)
    return "" if found is None else _OPERATORS[found]


def character_hint(text: str, offset: int) -> str:
    """Return the hint for a character that does not begin a token of the language."""
    if re.search(r"(?<!\w)Q_?$", text[max(0, offset - 3) : offset]):
        return SYMBOL_HINT
    hint = _foreign_operator(text, offset) or _CHARACTERS.get(text[offset], "")
    return f"; {hint}" if hint else ""


def number_hint(operator: str) -> str:
    """Return the hint for an operator of formulas beside a number."""
    hint = _BESIDE_NUMBERS.get(operator, "")
    return f"; {hint}" if hint else ""


def formula_hint(text: str, offset: int, operator: str) -> str:
    """Return the hint for an operator of numbers beside a formula."""
    hint = _foreign_operator(text, offset) or _BESIDE_FORMULAS.get(operator, "")
    return f"; {hint}" if hint else ""


def symbol_hint(symbol: str, alphabet: Sequence[str]) -> str:
    """Return the hint with the symbol of the alphabet that differs in case only, or is nearest."""
    known = {one.lower(): one for one in alphabet}
    near = known.get(symbol.lower()) or next(iter(get_close_matches(symbol, alphabet, n=1, cutoff=3 / 4)), None)
    return f"; did you mean {near!r}?" if near else ""
