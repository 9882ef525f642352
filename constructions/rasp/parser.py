"""Parser of B-RASP and S-RASP programs.

Grammar     grammar.lark (LALR, so no recursion however deep the nesting).
Limits      100,000 characters; values nested at most 200 deep, functions that they call included (parentheses do not
            count); integers of at most 1,000 digits. Larger inputs raise a ProgramError.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import cast

from lark import Lark, Token, v_args

from constructions.errors import InputError, ProgramError
from constructions.language.alphabets import parse_alphabet, with_another
from constructions.language.builder import RELATIONS_SPELLED, read_symbol
from constructions.language.diagnosis import describe_terminals, list_names, quote
from constructions.language.syntax import Relation
from constructions.language.terms import MAX_DIGITS
from constructions.rasp import syntax
from constructions.rasp.reading import END, ProgramBuilder, begin, program_error, read_program
from constructions.rasp.types import Definition, check_definitions

_CONNECTORS: dict[str, syntax.Connector] = {"AND": "&", "OR": "|", "IMPLIES": "->", "IFF": "<->"}
_CHOICES: dict[str, syntax.Choice] = {"LEFTMOST": "leftmost", "RIGHTMOST": "rightmost"}
_MASKS = ("1", "j<i", "j<=i", "j>i", "j>=i")
_MIRRORED = {"i>j": "j<i", "i>=j": "j<=i", "i<j": "j>i", "i<=j": "j>=i"}

_OPEN_MASK = re.compile(r"(\bpsum\s*\w*\s*)?\[(?!\s*(?:1|true|[ij]\s*(?:[<>]=?|[≤≥])\s*[ij])\s*\Z)[^][,#'\"\n]*\Z")
"""A text that ends within a mask: in programs, only masks are in square brackets."""
_HEADER = "an alphabet"
_OPERATOR = "an operator such as & or +"
_WORDS = {
    "ALPHABET": _HEADER, "AUXILIARY": _HEADER, "BARE_SYMBOLS": _HEADER, "LETTER": "a value", "NAME": "a name",
    "INT": "a number", "TRUE": "true", "QUOTED": "a quoted symbol such as 'a'", "RIGHTMOST": "attention or psum",
    "LPAR": "'('", "LSQB": "'['", "COMMA": "','", "RPAR": "')'", "RSQB": "']'", "RELATION": "a comparison such as <=",
    "COLON": "':'", "_DEFINE": "':='", "ELSE": "else",
    **dict.fromkeys((*_CONNECTORS, "PLUS", "MINUS"), _OPERATOR),
    "IF": "if", "FUNC": "a definition", "$END": END,
}  # fmt: skip
_INPUT_HINT = "; rows such as Q_a(i) are the input and have no definition"
_STARTERS_OF_VALUES = frozenset({"TRUE", "FALSE", "INT", "QUOTED", "NAME", "LPAR", "MINUS", "NOT"})


def parse_program(text: str, alphabet: Sequence[str] | None = None) -> syntax.RaspProgram:
    """Parse a program.

    ``alphabet`` is for programs that do not state theirs. The default consists of the symbols of the program and one
    more for all others.

    >>> parse_program("P(i) := Q_a(i) & !Q_b(i)").alphabet
    ('a', 'b', '?')

    Raises:
        ProgramError: if the text does not parse or exceeds a limit, or if its names or types do not fit.
        InputError: if both the program and the caller state an alphabet.
    """
    builder = _ProgramBuilder(text)
    definitions = read_program(text, _parser(), builder, _explain)
    symbols, auxiliary = builder.find_symbols(alphabet)
    alone = syntax.Type.BOOLEAN if builder.leaves_out_variables else syntax.Type.INTEGER
    return check_definitions(text, symbols, auxiliary, definitions, alone)


def _explain(text: str, offset: int, found: str, accepted: frozenset[str]) -> ProgramError:
    if mask := _OPEN_MASK.search(text, 0, offset):
        masks = ("j<=i",) if mask[1] else _MASKS
        return program_error(text, offset, f"found {found}, expected the mask {' or '.join(masks)}")
    if "FUNC" in accepted:
        accepted -= {"NAME", "LETTER"}
    if "LETTER" in accepted:
        accepted -= _STARTERS_OF_VALUES
    hint = _INPUT_HINT if found == quote(":=") and "FUNC" in accepted else ""
    return program_error(text, offset, f"found {found}, expected {describe_terminals(accepted, _WORDS)}{hint}")


@cache
def _parser() -> Lark:
    return Lark.open("grammar.lark", rel_to=__file__, parser="lalr", lexer="basic")


@v_args(inline=True)
class _ProgramBuilder(ProgramBuilder):
    """Transformer from parse trees to definitions, bottom up; types.py checks them."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._stated: dict[str, tuple[str, ...]] = {}
        self._mentioned: set[str] = set()
        self._initial: dict[str, None] = {}
        self.leaves_out_variables = False

    # -- alphabets -----------------------------------------------------------------------------------------------------

    def bare_symbols(self, token: Token) -> None:
        keyword, listed = token.split(maxsplit=1)
        try:
            symbols = parse_alphabet(listed)
        except InputError as error:
            raise program_error(self._text, begin(token), str(error)) from None
        self._state(token, keyword, symbols)

    def quoted_symbols(self, keyword: Token, *quoted: Token) -> None:
        symbols = dict.fromkeys(read_symbol(token) for token in quoted)
        if len(symbols) < len(quoted):
            self._refuse(keyword, "found a symbol twice, expected distinct symbols")
        if "" in symbols:
            self._refuse(keyword, "found an empty symbol, expected at least one character between the quotes")
        self._state(keyword, str(keyword), tuple(symbols))

    def _state(self, token: Token, keyword: str, symbols: tuple[str, ...]) -> None:
        if keyword in self._stated:
            self._refuse(token, f"found a second line {quote(keyword)}, expected one")
        earlier = {symbol for stated in self._stated.values() for symbol in stated}
        for symbol in symbols:
            if symbol in earlier:
                self._refuse(token, f"found {quote(symbol)} in the alphabet and auxiliary, expected it in one")
        self._stated[keyword] = symbols

    def initial_row(self, letter: Token, variable: Token) -> None:
        self._check_variable(variable, "i")
        self._initial[self._symbol(letter)] = None

    def find_symbols(self, alphabet: Sequence[str] | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the alphabet and the auxiliary symbols."""
        stated, auxiliary = self._stated.get("alphabet", tuple(self._initial)), self._stated.get("auxiliary", ())
        if stated and alphabet is not None:
            raise InputError(f"alphabet {quote(list_names(alphabet))}: the program states its own, expected only one")
        for symbol in set(alphabet or ()).intersection(auxiliary):
            raise InputError(f"alphabet: {quote(symbol)} is an auxiliary symbol of the program, expected others")
        mentioned = sorted(self._mentioned.difference(auxiliary))
        *_, another = with_another([*mentioned, *auxiliary])
        return stated or tuple(alphabet or (*mentioned, another)), auxiliary

    # -- definitions ---------------------------------------------------------------------------------------------------

    def vector(self, name: Token, variable: Token, body: syntax.Body) -> Definition:
        self._check_variable(variable, "i")
        return Definition(str(name), None, body, begin(name))

    def function(self, _: Token, name: Token, parameters: tuple[Token, ...], body: syntax.RaspExpression) -> Definition:
        for place, parameter in enumerate(parameters):
            if parameter in ("i", "j", *parameters[:place]):
                self._refuse(parameter, f"found {quote(parameter)}, expected parameters with distinct names other "
                                        "than i and j")
        return Definition(str(name), tuple(map(str, parameters)), body, begin(name))

    def parameters(self, *names: Token) -> tuple[Token, ...]:
        return names

    def attention(self, choice: Token, variable: Token | None, mask: tuple[Token, str], score: syntax.RaspExpression,
                  value: syntax.RaspExpression, default: syntax.RaspExpression) -> syntax.AttentionTerm:
        if variable is None:
            self.leaves_out_variables = True
        else:
            self._check_variable(variable, "j")
        return syntax.AttentionTerm(_CHOICES[choice.type], self._mask(mask, _MASKS), score, value, default)

    def prefix_sum(self, _: Token, variable: Token, mask: tuple[Token, str],
                   value: syntax.RaspExpression) -> syntax.PrefixSum:
        self._check_variable(variable, "j")
        self._mask(mask, ("j<=i",))
        return syntax.PrefixSum(value)

    def mask(self, first: Token, relation: str = "", second: str = "") -> tuple[Token, str]:
        spelling = "1" if first.type == "TRUE" else f"{first}{RELATIONS_SPELLED.get(relation, relation)}{second}"
        return first, _MIRRORED.get(spelling, spelling)

    def _mask(self, mask: tuple[Token, str], expected: Sequence[str]) -> syntax.Mask:
        first, spelling = mask
        if spelling not in expected:
            self._refuse(first, f"found {quote(spelling)}, expected the mask {' or '.join(expected)}")
        return cast(syntax.Mask, spelling)

    def _check_variable(self, token: Token, expected: syntax.Variable) -> None:
        if token != expected:
            self._refuse(token, f"found {quote(token)}, expected {expected}")

    # -- expressions ---------------------------------------------------------------------------------------------------

    def true(self, token: Token) -> syntax.RaspExpression:
        return syntax.TruthValue(True, place=begin(token))

    def false(self, token: Token) -> syntax.RaspExpression:
        return syntax.TruthValue(False, place=begin(token))

    def integer(self, digits: Token) -> syntax.RaspExpression:
        if len(digits) > MAX_DIGITS:
            self._refuse(digits, f"found an integer of {len(digits)} digits, expected at most {MAX_DIGITS}")
        return syntax.Integer(int(digits), place=begin(digits))

    def _symbol(self, token: Token) -> str:
        symbol = read_symbol(token)
        if not symbol:
            self._refuse(token, "found an empty symbol, expected at least one character between the quotes")
        self._mentioned.add(symbol)
        return symbol

    def literal(self, token: Token) -> syntax.RaspExpression:
        return syntax.Literally(self._symbol(token), place=begin(token))

    def letter(self, token: Token, variable: Token) -> syntax.RaspExpression:
        return syntax.SymbolTest(self._symbol(token), cast(syntax.Variable, str(variable)), place=begin(token))

    def name(self, token: Token) -> syntax.RaspExpression:
        return syntax.Parameter(str(token), place=begin(token))

    def application(self, name: Token, *arguments: syntax.RaspExpression) -> syntax.RaspExpression:
        match arguments:
            case [syntax.Parameter("i" | "j" as variable)]:
                return syntax.VectorEntry(str(name), variable, place=begin(name))
        return syntax.Call(str(name), arguments, place=begin(name))

    def negation(self, token: Token, operand: syntax.RaspExpression) -> syntax.RaspExpression:
        return syntax.Not(operand, place=begin(token))

    def negative(self, token: Token, operand: syntax.RaspExpression) -> syntax.RaspExpression:
        return syntax.Negative(operand, place=begin(token))

    def connective(self, left: syntax.RaspExpression, token: Token,
                   right: syntax.RaspExpression) -> syntax.RaspExpression:
        return syntax.Connective(_CONNECTORS[token.type], left, right, place=left.place)

    def comparison(self, left: syntax.RaspExpression, token: Token,
                   right: syntax.RaspExpression) -> syntax.RaspExpression:
        relation = cast(Relation, RELATIONS_SPELLED.get(token, str(token)))
        return syntax.ComparisonTerm(relation, left, right, place=left.place)

    def arithmetic(self, left: syntax.RaspExpression, token: Token,
                   right: syntax.RaspExpression) -> syntax.RaspExpression:
        return syntax.SumTerm("+" if token.type == "PLUS" else "-", left, right, place=left.place)

    def conditional(self, chosen: syntax.RaspExpression, _if: Token, condition: syntax.RaspExpression, _else: Token,
                    otherwise: syntax.RaspExpression) -> syntax.RaspExpression:
        return syntax.Conditional(condition, chosen, otherwise, place=chosen.place)

    def question(self, condition: syntax.RaspExpression, chosen: syntax.RaspExpression,
                 otherwise: syntax.RaspExpression) -> syntax.RaspExpression:
        return syntax.Conditional(condition, chosen, otherwise, place=condition.place)
