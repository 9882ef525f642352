"""From text to formulas, alphabets and words.

Grammar     grammar.lark (LALR, so no recursion however deep the nesting).
Limits      100,000 characters; formulas at most 200 deep once abbreviations are expanded (parentheses do not count);
            integers of at most 1,000 digits. Whatever exceeds them is refused with an InputError.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import chain, count
from typing import cast

from lark import Lark, ParseTree, Token, UnexpectedInput, v_args
from lark.exceptions import VisitError
from lark.visitors import Transformer_NonRecursive

from constructions.errors import FormulaError, InputError
from constructions.language.diagnosis import describe_terminals, diagnose, list_names, place_of, quote
from constructions.language.predicates import BUILTIN, PredicateDefinition, find_predicate
from constructions.language.syntax import (
    FALSE,
    TRUE,
    And,
    Comparison,
    Count,
    Formula,
    Iff,
    Implies,
    Next,
    Not,
    Or,
    Predicate,
    PredicateOnCount,
    Previous,
    Relation,
    Since,
    Symbol,
    Term,
    Until,
    always,
    difference,
    eventually,
    historically,
    once,
    symbols_of,
    usual_since,
    usual_until,
)

MAX_LENGTH = 100_000
MAX_DEPTH = 200
MAX_DIGITS = 1_000

_UNARY: Mapping[str, Callable[[Formula], Formula]] = {
    "NOT": Not, "PREVIOUS": Previous, "NEXT": Next,
    "ONCE": once, "HISTORICALLY": historically, "EVENTUALLY": eventually, "ALWAYS": always,
}  # fmt: skip
_BINARY: Mapping[str, Callable[[Formula, Formula], Formula]] = {
    "AND": And, "OR": Or, "IMPLIES": Implies, "IFF": Iff,
    "SINCE": Since, "UNTIL": Until, "USUAL_SINCE": usual_since, "USUAL_UNTIL": usual_until,
}  # fmt: skip
_RELATIONS = {"=": "==", "≤": "<=", "≥": ">=", "≠": "!="}

_COUNT = "a count such as #<[Q_a]"
_WORDS = {
    "SYMBOL": "a formula", "INT": "a number", "COUNT_LEFT": _COUNT, "COUNT_RIGHT": _COUNT, "LPAR": "'('",
    "COMMA": "','", "RPAR": "')'", "RSQB": "']'", "PLUS": "'+' or '-'", "RELATION": "a comparison such as <=",
    **dict.fromkeys(_BINARY, "an operator such as & or since"),
    "$END": "the end of the formula",
}  # fmt: skip
_STARTERS_OF_FORMULAS = frozenset({"INT", "COUNT_LEFT", "COUNT_RIGHT", "LPAR"})
_SYMBOL_HINT = "; a symbol is written Q_a, or Q['a'] with any a"


def parse_formula(text: str, alphabet: Sequence[str] | None = None,
                  predicates: Mapping[str, PredicateDefinition] | None = None) -> Formula:
    """The formula that ``text`` denotes, abbreviations expanded.

    ``MOD(3,1)`` applies a predicate to the position, ``MOD(3,1)(#<[Q_a])`` to a count; ``MOD(3,1,#<[Q_a])`` is
    another spelling of the latter. The nodes of the user's ``predicates`` carry their definitions.

    >>> parse_formula("Q_a since Q_b & Q_c")
    parse_formula('Q_a since Q_b & Q_c')
    >>> parse_formula("Q_a & Q_c", alphabet="ab")
    Traceback (most recent call last):
        ...
    constructions.errors.FormulaError: line 1, column 7: symbol 'c' is not in the alphabet a, b

    Raises:
        FormulaError: if the text does not parse or exceeds a limit, or if it mentions a symbol outside ``alphabet``
            or a predicate that is neither built in nor among ``predicates``.
    """
    if len(text) > MAX_LENGTH:
        raise FormulaError(f"found {len(text)} characters, expected at most {MAX_LENGTH}", 1, 1, text[:MAX_LENGTH])
    tree = _parse_tree(text)
    try:
        return _Builder(text, alphabet, predicates or {}).transform(tree)
    except VisitError as error:
        raise error.orig_exc from None


def parse_count(text: str, alphabet: Sequence[str] | None = None,
                predicates: Mapping[str, PredicateDefinition] | None = None) -> Count:
    """The count that ``text`` denotes.

    >>> parse_count("#>[Q_a]") is Count("right", Symbol("a"))
    True

    Raises:
        FormulaError: as ``parse_formula``, and if the text is not a single count.
    """
    match parse_formula(f"{text} == 0", alphabet, predicates):
        case Comparison("==", Term(((1, counted),), 0), Term((), 0)):
            return counted
    raise FormulaError(f"found {quote(text)}, expected {_COUNT}", 1, 1, text)


def parse_term(text: str, alphabet: Sequence[str] | None = None,
               predicates: Mapping[str, PredicateDefinition] | None = None) -> Term:
    """The sum of integer multiples of counts that ``text`` denotes, each count once.

    >>> parse_term("2*#<[Q_a] - #<[Q_b]").coefficients[1]
    (-1, Count(side='left', operand=parse_formula('Q_b')))

    Raises:
        FormulaError: as ``parse_formula``, and if the text is no such sum, or has a constant.
    """
    match parse_formula(f"{text} == 0", alphabet, predicates):
        case Comparison("==", Term(_, 0), Term((), 0)) as compared if difference(compared).coefficients:
            return difference(compared)
    raise FormulaError(f"found {quote(text)}, expected a sum of counts such as #<[Q_a] - #<[Q_b]", 1, 1, text)


def _parse_tree(text: str) -> ParseTree:
    try:
        return _parser().parse(text)
    except UnexpectedInput as error:
        offset, found, accepted = diagnose(_parser(), "start", text, error, _WORDS["$END"])
    if "SYMBOL" in accepted:
        accepted -= _STARTERS_OF_FORMULAS
    message = f"found {found}, expected {describe_terminals(accepted, _WORDS)}"
    hint = _SYMBOL_HINT if re.search(r"(?<!\w)Q_?$", text[max(0, offset - 3) : offset]) else ""
    raise FormulaError(message + hint, *place_of(text, offset), text)


@cache
def _parser() -> Lark:
    return Lark.open("grammar.lark", rel_to=__file__, parser="lalr", lexer="basic")


@v_args(inline=True)
class _Builder(Transformer_NonRecursive[Token, Formula]):
    """Formulas from parse trees, bottom up; what the grammar cannot say is checked here."""

    def __init__(self, text: str, alphabet: Sequence[str] | None,
                 predicates: Mapping[str, PredicateDefinition]) -> None:
        super().__init__()
        self._text = text
        self._alphabet = alphabet
        self._predicates = predicates

    def _error(self, token: Token, message: str) -> FormulaError:
        return FormulaError(message, *place_of(self._text, token.start_pos or 0), self._text)

    def _limited(self, token: Token, formula: Formula) -> Formula:
        if formula.depth > MAX_DEPTH:
            raise self._error(token, f"formula nested {formula.depth} deep, expected at most {MAX_DEPTH}")
        return formula

    def true(self, _: Token) -> Formula:
        return TRUE

    def false(self, _: Token) -> Formula:
        return FALSE

    def symbol(self, token: Token) -> Formula:
        name = read_symbol(token)
        if not name:
            raise self._error(token, "found an empty symbol, expected at least one character between the quotes")
        if self._alphabet is not None and name not in self._alphabet:
            raise self._error(token, f"symbol {quote(name)} is not in the alphabet {list_names(self._alphabet)}")
        return Symbol(name)

    def unary(self, token: Token, operand: Formula) -> Formula:
        return self._limited(token, _UNARY[token.type](operand))

    def binary(self, left: Formula, token: Token, right: Formula) -> Formula:
        return self._limited(token, _BINARY[token.type](left, right))

    def predicate(self, name: Token, numbers: Sequence[int] = ()) -> Formula:
        return Predicate(str(name), self._checked_parameters(name, numbers), self._users_definition(name))

    def predicate_on_count(self, name: Token, *arguments: Sequence[int] | Count) -> Formula:
        *numbers, counted = arguments
        parameters = self._checked_parameters(name, cast("Sequence[int]", numbers[0] if numbers else ()))
        return self._limited(name, PredicateOnCount(str(name), parameters, cast(Count, counted),
                                                    self._users_definition(name)))

    def _users_definition(self, name: Token) -> PredicateDefinition | None:
        return None if name in BUILTIN else self._predicates[name]

    def _checked_parameters(self, name: Token, numbers: Sequence[int]) -> tuple[int, ...]:
        definition = find_predicate(name, self._predicates)
        if definition is None:
            known = list_names([*BUILTIN, *self._predicates])
            raise self._error(name, f"found {quote(name)}, expected a predicate such as {known}{_SYMBOL_HINT}")
        problem = definition.find_problem(tuple(numbers))
        if problem is not None:
            raise self._error(name, problem)
        return tuple(numbers)

    def comparison(self, left: list[_Summand], token: Token, right: list[_Summand]) -> Formula:
        relation = cast(Relation, _RELATIONS.get(token, str(token)))
        comparison = Comparison(relation, self._build_term(token, left), self._build_term(token, right))
        return self._limited(token, comparison)

    def _build_term(self, token: Token, summands: list[_Summand]) -> Term:
        constant = sum(number for number, counted in summands if counted is None)
        if abs(constant) >= _TOO_LARGE:
            raise self._error(token, f"found a sum of more than {MAX_DIGITS} digits, expected at most {MAX_DIGITS}")
        return Term(tuple((number, counted) for number, counted in summands if counted is not None), constant)

    def term(self, summand: _Summand) -> list[_Summand]:
        return [summand]

    def add(self, summands: list[_Summand], sign: Token, summand: _Summand) -> list[_Summand]:
        summands.append(summand if sign == "+" else self.negative(sign, summand))
        return summands

    def negative(self, _: Token, summand: _Summand) -> _Summand:
        number, counted = summand
        return -number, counted

    def summand(self, *parts: Token | Count) -> _Summand:
        match parts:
            case (Token() as digits, Count() as counted):
                return self._integer(digits), counted
            case (Count() as counted,):
                return 1, counted
        return self._integer(cast(Token, parts[0])), None

    def numbers(self, digits: Token) -> list[int]:
        return [self._integer(digits)]

    def more_numbers(self, numbers: list[int], digits: Token) -> list[int]:
        numbers.append(self._integer(digits))
        return numbers

    def _integer(self, digits: Token) -> int:
        if len(digits) > MAX_DIGITS:
            raise self._error(digits, f"found an integer of {len(digits)} digits, expected at most {MAX_DIGITS}")
        return int(digits)

    def count(self, side: Token, operand: Formula) -> Count:
        return Count("left" if side.type == "COUNT_LEFT" else "right", operand)


_Summand = tuple[int, Count | None]
_TOO_LARGE = 10**MAX_DIGITS


def read_symbol(token: str) -> str:
    """The symbol that ``Q_a``, ``Q['a']`` or ``'a'`` names.

    >>> read_symbol("Q_1"), read_symbol(r"Q['\'']")
    ('1', "'")
    """
    if token.startswith("Q_"):
        return token[2:]
    return re.sub(r"\\(.)", r"\1", token[token.index("'") + 1 : token.rindex("'")])


def parse_alphabet(text: str) -> tuple[str, ...]:
    """The symbols: one per character, or separated by commas if there is a comma.

    >>> parse_alphabet("01"), parse_alphabet("a, bc")
    (('0', '1'), ('a', 'bc'))
    """
    if len(text) > MAX_LENGTH:
        raise InputError(f"alphabet of {len(text)} characters: expected at most {MAX_LENGTH}")
    symbols = tuple(symbol.strip() for symbol in text.split(",")) if "," in text else tuple(text)
    if not symbols:
        raise InputError("alphabet: found nothing, expected at least one symbol, such as 01 or a,b,c")
    seen: set[str] = set()
    for place, symbol in enumerate(symbols, 1):
        if not symbol:
            raise InputError(f"alphabet {quote(text)}: symbol {place} is empty, expected at least one character")
        if symbol in seen:
            raise InputError(f"alphabet {quote(text)}: {quote(symbol)} occurs twice, expected distinct symbols")
        seen.add(symbol)
    return symbols


def alphabet_of(formula: Formula) -> tuple[str, ...]:
    """The symbols of the formula, sorted, and one more that stands for any other symbol.

    >>> alphabet_of(parse_formula("Q_b & Q_a"))
    ('a', 'b', '?')
    """
    return with_another(symbols_of(formula))


def with_another(symbols: Sequence[str]) -> tuple[str, ...]:
    """The symbols, and one more that is not among them.

    >>> with_another("a?")
    ('a', '?', '*')
    """
    candidates = chain("?*_.#%", ("?" * length for length in count(2)))
    return (*symbols, next(symbol for symbol in candidates if symbol not in symbols))


def parse_word(text: str, alphabet: Sequence[str]) -> tuple[str, ...]:
    """The word: symbols side by side if all of the alphabet are single characters, else separated by commas.

    >>> parse_word("0110", "01")
    ('0', '1', '1', '0')
    """
    if len(text) > MAX_LENGTH:
        raise InputError(f"word of {len(text)} characters: expected at most {MAX_LENGTH}")
    side_by_side = not text or all(len(symbol) == 1 for symbol in alphabet)
    word = tuple(text) if side_by_side else tuple(symbol.strip() for symbol in text.split(","))
    check_word(word, alphabet)
    return word


def check_word(word: Sequence[str], alphabet: Sequence[str]) -> None:
    """Raise InputError if the word is empty or has a symbol outside the alphabet."""
    if not word:
        raise InputError("word: found nothing, expected at least one symbol (words are not empty)")
    known = set(alphabet)
    for position, symbol in enumerate(word, 1):
        if symbol not in known:
            expected = list_names(alphabet)
            raise InputError(f"word, position {position}: found {quote(symbol)}, expected one of {expected}")
