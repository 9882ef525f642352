"""Tokens for the parser of formulas: names that users define, and operators written without spaces between them."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from lark import Token

GLUED: Mapping[str, str] = {
    "F": "EVENTUALLY", "G": "ALWAYS", "X": "LETTER_NEXT", "Y": "PREVIOUS", "O": "ONCE", "H": "HISTORICALLY",
    "Z": "WEAK_PREVIOUS", "N": "WEAK_NEXT",
}  # fmt: skip
_GLUED = re.compile(rf"([{''.join(GLUED)}]+)(Q_\w+|true|false|tt|ff|[01]|\w*)")
_CONSTANTS = {"true": "TRUE", "tt": "TRUE", "false": "FALSE", "ff": "FALSE", "0": "INT", "1": "INT"}


def name_tokens(token: Token, predicates: Collection[str], alphabet: Sequence[str] | None) -> Iterator[Token]:
    """Yield the token itself, or the operators that it consists of: ``GFa`` is ``G F a`` where a is a symbol.

    A name defined by the user is always a name.
    """
    if token in predicates:
        token.type = "NAME"
    if token.type != "NAME" or token in predicates or token in (alphabet or ()):
        yield token
        return
    glued = _GLUED.fullmatch(token)
    if glued is None or (rest := _type_of(glued[2], predicates, alphabet)) is None:
        yield token
        return
    start = token.start_pos or 0
    for place, letter in enumerate(glued[1]):
        yield Token(GLUED[letter], letter, start_pos=start + place, end_pos=start + place + 1)
    if glued[2]:
        yield Token(rest, glued[2], start_pos=start + len(glued[1]), end_pos=start + len(token))


def _type_of(rest: str, predicates: Collection[str], alphabet: Sequence[str] | None) -> str | None:
    """Return the terminal of the text after the operators; None if there is none, so that the whole is a name."""
    if rest.startswith("Q_"):
        return "SYMBOL"
    if rest in _CONSTANTS:
        return _CONSTANTS[rest]
    return "NAME" if not rest or rest in predicates or rest in (alphabet or ()) else None
