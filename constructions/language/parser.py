"""From text to formulas, alphabets and words.

Grammar     grammar.lark (LALR, so no recursion however deep the nesting).
Limits      4,000,000 characters, of one definition 1,000,000; 200,000 different subformulas once abbreviations
            are expanded; integers of at most 1,000 digits. Whatever exceeds them is refused with an InputError.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, count
from typing import cast

from lark import Lark, ParseTree, Token, UnexpectedInput, v_args
from lark.exceptions import VisitError
from lark.visitors import Transformer_NonRecursive

from constructions.errors import FormulaError, InputError
from constructions.language.definitions import Part, split_definitions
from constructions.language.diagnosis import (
    describe_terminals,
    diagnose,
    list_names,
    offset_of,
    place_of,
    quote,
)
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
    subformulas,
    symbols_of,
    usual_since,
    usual_until,
)

MAX_LENGTH = 100_000
MAX_TEXT = 4_000_000
MAX_PART = 1_000_000
MAX_NODES = 200_000
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
                  predicates: Mapping[str, PredicateDefinition] | None = None,
                  table: Mapping[str, Formula] | None = None) -> Formula:
    """The formula that ``text`` denotes, abbreviations expanded and names replaced.

    ``MOD(3,1)`` applies a predicate to the position, ``MOD(3,1)(#<[Q_a])`` to a count; ``MOD(3,1,#<[Q_a])`` is
    another spelling of the latter. The nodes of the user's ``predicates`` carry their definitions. ``let p = ...; ...``
    gives formulas names before one that uses them. The ``table`` has what ``$1``, ``$2`` and so on stand for.

    >>> parse_formula("Q_a since Q_b & Q_c")
    parse_formula('Q_a since Q_b & Q_c')
    >>> parse_formula("let p = prev Q_a; q = p | Q_b; p since q")
    parse_formula('prev Q_a since (prev Q_a | Q_b)')
    >>> parse_formula("Q_a & Q_c", alphabet="ab")
    Traceback (most recent call last):
        ...
    constructions.errors.FormulaError: line 1, column 7: symbol 'c' is not in the alphabet a, b

    Raises:
        FormulaError: if the text does not parse or exceeds a limit, if it mentions a symbol outside ``alphabet``
            or a predicate that is neither built in nor among ``predicates``, or if a name is defined twice, or already
            means something.
    """
    if len(text) > MAX_TEXT:
        raise FormulaError(f"found {len(text)} characters, expected at most {MAX_TEXT}", 1, 1, text[:MAX_LENGTH])
    scope = _Scope(alphabet, predicates or {}, table or {})
    *definitions, last = parts = split_definitions(text)
    if (longest := max(len(part.text) for part in parts)) > MAX_PART:
        raise FormulaError(f"found {longest} characters in one formula, expected at most {MAX_PART}; let p = ...; "
                           "names what occurs again", 1, 1, text[:MAX_LENGTH])
    for part in definitions:
        _check_name(text, part, scope)
        scope.defined[part.name] = _parse_part(text, part, scope)
    formula = _parse_part(text, last, scope)
    if len(text) > MAX_NODES // 4 and (nodes := len(subformulas(formula))) > MAX_NODES:
        raise FormulaError(f"found {nodes} different subformulas, expected at most {MAX_NODES}", 1, 1, text)
    return formula


@dataclass(frozen=True)
class _Scope:
    """What words in a formula may stand for."""

    alphabet: Sequence[str] | None
    predicates: Mapping[str, PredicateDefinition]
    table: Mapping[str, Formula]
    defined: dict[str, Formula] = field(default_factory=dict)


def _check_name(text: str, part: Part, scope: _Scope) -> None:
    """Raise FormulaError if the name of a definition already means something."""
    kinds = [token.type for token in _parser().lex(part.name)]
    if part.name in scope.defined:
        problem = "is defined twice, expected distinct names"
    elif part.name in BUILTIN or part.name in scope.predicates:
        problem = "is a predicate, expected another name"
    elif kinds != ["NAME"] or part.name in ("Q", "let"):
        problem = "is taken by the language, expected another name"
    else:
        return
    raise FormulaError(f"{quote(part.name)} {problem}", *place_of(text, part.name_offset), text)


def _parse_part(text: str, part: Part, scope: _Scope) -> Formula:
    """The formula of one part of the text; places in complaints are those in the whole."""
    try:
        tree = _parse_tree(part.text)
        return _Builder(part.text, scope).transform(tree)
    except VisitError as error:
        problem = error.orig_exc
    except FormulaError as error:
        problem = error
    if not isinstance(problem, FormulaError) or part.text == text:
        raise problem from None
    offset = part.offset + offset_of(part.text, problem.line, problem.column)
    raise FormulaError(problem.message, *place_of(text, offset), text) from None


def parse_count(text: str, alphabet: Sequence[str] | None = None,
                predicates: Mapping[str, PredicateDefinition] | None = None,
                table: Mapping[str, Formula] | None = None) -> Count:
    """The count that ``text`` denotes.

    >>> parse_count("#>[Q_a]") is Count("right", Symbol("a"))
    True

    Raises:
        FormulaError: as ``parse_formula``, and if the text is not a single count.
    """
    match parse_formula(f"{text} == 0", alphabet, predicates, table):
        case Comparison("==", Term(((1, counted),), 0), Term((), 0)):
            return counted
    raise FormulaError(f"found {quote(text)}, expected {_COUNT}", 1, 1, text)


def parse_term(text: str, alphabet: Sequence[str] | None = None,
               predicates: Mapping[str, PredicateDefinition] | None = None,
               table: Mapping[str, Formula] | None = None) -> Term:
    """The sum of integer multiples of counts that ``text`` denotes, each count once.

    >>> parse_term("2*#<[Q_a] - #<[Q_b]").coefficients[1]
    (-1, Count(side='left', operand=parse_formula('Q_b')))

    Raises:
        FormulaError: as ``parse_formula``, and if the text is no such sum, or has a constant.
    """
    match parse_formula(f"{text} == 0", alphabet, predicates, table):
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

    def __init__(self, text: str, scope: _Scope) -> None:
        super().__init__()
        self._text = text
        self._scope = scope
        self._alphabet = scope.alphabet
        self._predicates = scope.predicates

    def _error(self, token: Token, message: str) -> FormulaError:
        return FormulaError(message, *place_of(self._text, token.start_pos or 0), self._text)

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
        return _UNARY[token.type](operand)

    def binary(self, left: Formula, token: Token, right: Formula) -> Formula:
        return _BINARY[token.type](left, right)

    def reference(self, token: Token) -> Formula:
        if token not in self._scope.table:
            known = len(self._scope.table)
            raise self._error(token, f"found {quote(token)}, expected "
                              + (f"one of $1 .. ${known}" if known else "a formula: only a file has a table of them"))
        return self._scope.table[token]

    def predicate(self, name: Token, numbers: Sequence[int] = ()) -> Formula:
        if name in self._scope.defined and not numbers:
            return self._scope.defined[name]
        return Predicate(str(name), self._checked_parameters(name, numbers), self._users_definition(name))

    def predicate_on_count(self, name: Token, *arguments: Sequence[int] | Count) -> Formula:
        *numbers, counted = arguments
        parameters = self._checked_parameters(name, cast("Sequence[int]", numbers[0] if numbers else ()))
        return PredicateOnCount(str(name), parameters, cast(Count, counted), self._users_definition(name))

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
        return Comparison(relation, self._build_term(token, left), self._build_term(token, right))

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
