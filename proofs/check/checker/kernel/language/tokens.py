"""Tokens of the language: their spellings, and the precedence of operators."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..functions import FUNCTIONS
from .positions import OF_NUMBERS, PREDICATES
from .table import COUNTS, RELATIONS

TOKEN = re.compile(r"""
    (?P<operand> Q_[A-Za-z0-9_]+ | Q\['(?:[^'\\]|\\['\\])+'\]           # a symbol
               | MOD\ *\(\ *[1-9][0-9]{0,8}\ *,\ *[0-9]{1,9}\ *\)       # a predicate with parameters
               | \$[1-9][0-9]{0,5}                                      # an entry of the table of formulas
               | (?:since|until|prev|next)!(?!=)                        # not a word here, but one in other tools
               | [0-9]{1,1000} | [A-Za-z][A-Za-z0-9_]* )                # a number, a word
      (?: (?=\ *(?P<applied>\()) )?                                     # whether a bracket follows
  | (?P<space> [ \t\r\n]+ )
  | \#[<>]\ *\[ | [←→]\ *\#\ *\[                                        # opening a count
  | <-> | -> | &&? | \|\|? | \*\* | // | [<>=!]= | [-+*/%^<>=!~()\]¬∧∨→↔⊖⊕≤≥≠]
  | (?P<unknown> . )""", re.DOTALL | re.VERBOSE)

SPELLINGS = {
    "~": "!", "not": "!", "¬": "!", "&&": "&", "and": "&", "∧": "&", "||": "|", "or": "|", "∨": "|", "→": "->",
    "↔": "<->", "Y": "prev", "⊖": "prev", "X": "next", "⊕": "next", "=": "==", "≤": "<=", "≥": ">=", "≠": "!=",
    "**": "^", "#<[": "#<", "←#[": "#<", "#>[": "#>", "→#[": "#>"}

STRENGTH_OF_BINARY = {"<->": 1, "->": 2, "|": 3, "&": 4, "since": 5, "until": 5, "S": 5, "U": 5}
STRENGTH_OF_BINARY |= dict.fromkeys(RELATIONS, 7) | {"+": 8, "-": 8, "*": 9, "/": 9, "//": 9, "%": 9, "^": 11}
GROUP_TO_THE_RIGHT = frozenset({"->", "since", "until", "S", "U", "^"})
CALLED = frozenset({*FUNCTIONS, *OF_NUMBERS})  # need brackets; in expressions and conditions only
STRENGTH_OF_PREFIX = dict.fromkeys(("!", "prev", "next", "O", "F", "H", "G"), 6) | {"-": 10}
STRENGTH_OF_PREFIX |= dict.fromkeys(CALLED, 12) | dict.fromkeys(("(", *COUNTS), 0)
STRENGTH_OF_APPLICATION = 12  # of a predicate to a count
RESERVED = frozenset({*STRENGTH_OF_BINARY, *STRENGTH_OF_PREFIX, *SPELLINGS, *PREDICATES, "true", "false", "Q",
                       "let"})


@dataclass(frozen=True)
class Token:
    """A token: its text, its canonical spelling, and whether it is an operand or a space."""

    column: int
    written: str
    word: str
    is_operand: bool
    is_applied: bool
    is_space: bool

    @property
    def name_and_parameters(self) -> tuple[str, tuple[int, ...]]:
        """The name and the parameters of an operand: MOD(3, 1) is MOD with 3 and 1."""
        if not self.written.endswith(")"):
            return self.written, ()
        name, *parameters = re.findall(r"\w+", self.written)
        return name, tuple(map(int, parameters))

    @property
    def symbol(self) -> str | None:
        """The symbol of Q_a or Q['a'], or None."""
        if self.written.startswith("Q_") and self.written != "Q_":
            return self.written[2:]
        return re.sub(r"\\(.)", r"\1", self.written[3:-2], flags=re.DOTALL) if self.written.startswith("Q[") else None


def read_tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of a text, including spaces."""
    for match in TOKEN.finditer(text):
        written = match[0]
        yield Token(match.start() + 1, written, SPELLINGS.get(written.replace(" ", ""), written),
                    match["operand"] is not None, match["applied"] is not None, match["space"] is not None)
