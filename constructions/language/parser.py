"""Parser of formulas, counts and sums of counts.

Grammar     grammar.lark (LALR, so no recursion however deep the nesting); operators of other tools are expanded by
            spellings.py, sums and comparisons by terms.py. docs/reference/formulas.md has every spelling with its
            meaning.
Limits      4,000,000 characters, 1,000,000 in one definition; 200,000 different subformulas after expansion of
            abbreviations; integers of at most 1,000 digits. Larger inputs raise an InputError.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import cast

from lark import Lark, ParseTree, Token, UnexpectedCharacters, UnexpectedInput
from lark.exceptions import VisitError
from lark.parsers.lalr_interactive_parser import InteractiveParser

from constructions.arguments import typed
from constructions.errors import FormulaError
from constructions.language.alphabets import MAX_LENGTH
from constructions.language.builder import (
    EXPECTED_COUNT,
    EXPECTED_NUMBER,
    MAX_NODES,
    RESERVED_NAMES,
    Builder,
    Scope,
    is_known,
)
from constructions.language.definitions import DefinitionText, split_definitions
from constructions.language.diagnosis import describe_terminals, locate, offset_of, place_of, quote
from constructions.language.from_latex import from_latex
from constructions.language.grouping import check_grouping
from constructions.language.hints import character_hint, name_hint, operand_hint, operator_hint
from constructions.language.predicate_definition import PredicateDefinition
from constructions.language.predicates import BUILTIN, find_predicate
from constructions.language.spellings import Dialect
from constructions.language.syntax import Comparison, Count, Formula, Term, difference, subformulas
from constructions.language.tokens import name_tokens

MAX_TEXT = 4_000_000
MAX_PART = 1_000_000
_WORDS = {
    "SYMBOL": "a formula", "NUMBER": EXPECTED_NUMBER, "LPAR": "'('", "COMMA": "','", "RPAR": "')'", "RSQB": "']'",
    "PLUS": "'+' or '-'", "RELATION": "a comparison such as <=", "AND": "an operator such as & or since",
    "$END": "the end of the text",
}  # fmt: skip
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_OF_NUMBERS = frozenset({"PLUS", "MINUS", "TIMES", "REMAINDER", "RELATION"})


@typed
def parse_formula(text: str, alphabet: Sequence[str] | None = None,
                  predicates: Mapping[str, PredicateDefinition] | None = None,
                  dialect: Dialect = Dialect.SHA, table: Mapping[str, Formula] | None = None,
                  any_grouping: bool = False) -> Formula:
    """Parse a formula; expand abbreviations and replace names.

    ``MOD(3,1)`` applies a predicate to the position, ``MOD(3,1)(#<[Q_a])`` to a count; ``MOD(3,1,#<[Q_a])`` is another
    spelling of the latter. The nodes of the user's ``predicates`` carry their definitions. With an ``alphabet``, its
    symbols may be written bare if they are names. A name of a user's predicate always denotes the predicate. ``let p =
    ...; ...`` names formulas before one that uses them. The ``table`` gives the formulas of ``$1``, ``$2`` and so on.
    LaTeX as written by ``format_formula`` and papers is read. With ``any_grouping`` the operators of a text without
    brackets are grouped by our grammar, even if tools of the dialect group them differently.

    >>> parse_formula("Q_a since Q_b & Q_c")
    parse_formula('Q_a since Q_b & Q_c')
    >>> parse_formula("a W b", alphabet="ab")
    parse_formula('!(!Q_b until !(Q_a | Q_b))')
    >>> parse_formula("let p = prev Q_a; q = p | Q_b; p since q")
    parse_formula('prev Q_a since (prev Q_a | Q_b)')
    >>> parse_formula("Q_a & Q_c", alphabet="ab")
    Traceback (most recent call last):
        ...
    constructions.errors.FormulaError: line 1, column 7: symbol 'c' is not in the alphabet a, b

    Raises:
        FormulaError: if the text does not parse or exceeds a limit, if it mentions a symbol outside ``alphabet`` or an
            unknown predicate, if a name is defined twice or already has a meaning, or if tools of the dialect group the
            text differently.
        Unsupported: if it applies a predicate to a sum for which there is no construction.
    """
    if len(text) > MAX_TEXT:
        raise FormulaError(f"found {len(text)} characters, expected at most {MAX_TEXT}", 1, 1, text[:MAX_LENGTH])
    if (plain := from_latex(text)) != text:
        try:
            return parse_formula(plain, alphabet, predicates, dialect, table, any_grouping)
        except FormulaError as error:  # macros are padded with blanks, so that offsets are those of the text
            shown = text if len(plain) == len(text) else plain
            raise FormulaError(error.message, error.line, error.column, shown) from None
    scope = Scope(alphabet, predicates or {}, dialect, table or {}, names=set(predicates or ()),
                  any_grouping=any_grouping)
    *definitions, last = parts = split_definitions(text)
    if (longest := max(len(part.text) for part in parts)) > MAX_PART:
        raise FormulaError(f"found {longest} characters in one formula, expected at most {MAX_PART}; let p = ...; "
                           "names what occurs again", 1, 1, text[:MAX_LENGTH])
    for number, part in enumerate(definitions):
        _check_name(text, part, scope)
        scope.define(part.name, _parse_part(text, part, scope, definitions[number:]))
    formula = _parse_part(text, last, scope)
    if len(text) > MAX_NODES // 4 and (nodes := len(subformulas(formula))) > MAX_NODES:
        raise FormulaError(f"found {nodes} different subformulas, expected at most {MAX_NODES}", 1, 1, text)
    return formula


def _check_name(text: str, part: DefinitionText, scope: Scope) -> None:
    """Raise FormulaError if the name of a definition already has a meaning."""
    if part.name in scope.defined:
        problem = "is defined twice, expected distinct names"
    elif find_predicate(part.name, scope.predicates):
        problem = "is a predicate, expected another name"
    elif part.name in RESERVED_NAMES or [token.type for token in _parser().lex(part.name)] != ["NAME"]:
        problem = "is taken by the language, expected another name"
    else:
        return
    raise FormulaError(f"{quote(part.name)} {problem}", *place_of(text, part.name_offset), text)


def _parse_part(text: str, part: DefinitionText, scope: Scope, later: Sequence[DefinitionText] = ()) -> Formula:
    """Parse one part of the text; errors are located in the whole text.

    ``later`` are the definitions from this one on, whose names are not yet bound.
    """
    try:
        tree = _parse_tree(part.text, scope.names, scope.alphabet)
        if not scope.any_grouping:
            check_grouping(tree, part.text, scope.dialect)
        return cast(Formula, Builder(part.text, scope).transform(tree))
    except VisitError as error:
        problem = error.orig_exc
    except FormulaError as error:
        problem = error
    if not isinstance(problem, FormulaError) or part.text == text:
        raise problem from None
    offset = part.offset + offset_of(part.text, problem.line, problem.column)
    message = _describe_forward_use(text, offset, later) or problem.message
    raise FormulaError(message, *place_of(text, offset), text) from None


def _describe_forward_use(text: str, offset: int, later: Sequence[DefinitionText]) -> str:
    """Return the message about a name that is used before it is defined; empty if there is none at the offset."""
    used = _NAME.match(text, offset)
    bodies = {part.name: part.text for part in later}
    if used is None or used[0] not in bodies:
        return ""
    needed = [used[0]]
    for name in needed:  # grows in the loop
        needed += {*_NAME.findall(bodies[name])}.intersection(bodies).difference(needed)
    if later[0].name in needed:
        return f"found {quote(used[0])}, whose definition needs {quote(later[0].name)} itself, expected no cycle"
    return f"found {quote(used[0])}, which is defined below, expected its definition above"


def parse_count(text: str, alphabet: Sequence[str] | None = None,
                predicates: Mapping[str, PredicateDefinition] | None = None,
                table: Mapping[str, Formula] | None = None) -> Count:
    """Parse a single count.

    >>> parse_count("#>[Q_a]")
    Count(side='right', operand=parse_formula('Q_a'))

    Raises:
        FormulaError: as ``parse_formula``, and if the text is not a single count.
    """
    match parse_formula(f"{text} == 0", alphabet, predicates, table=table):
        case Comparison("==", Term(((1, counted),), 0), Term((), 0)):
            return counted
    raise FormulaError(f"found {quote(text)}, expected {EXPECTED_COUNT}", 1, 1, text)


def parse_term(text: str, alphabet: Sequence[str] | None = None,
               predicates: Mapping[str, PredicateDefinition] | None = None,
               table: Mapping[str, Formula] | None = None) -> Term:
    """Parse a sum of integer multiples of counts, each count once.

    >>> parse_term("2*#<[Q_a] - #<[Q_b]").coefficients[1]
    (-1, Count(side='left', operand=parse_formula('Q_b')))

    Raises:
        FormulaError: as ``parse_formula``, and if the text is not such a sum, or has a constant.
    """
    match parse_formula(f"{text} == 0", alphabet, predicates, table=table):
        case Comparison("==", Term(_, 0), Term((), 0)) as compared if difference(compared).coefficients:
            return difference(compared)
    raise FormulaError(f"found {quote(text)}, expected a sum of counts such as #<[Q_a] - #<[Q_b]", 1, 1, text)


def _parse_tree(text: str, predicates: Collection[str], alphabet: Sequence[str] | None) -> ParseTree:
    """Return the parse tree; names defined by the user are not operators in it."""
    interactive = _parser().parse_interactive(text, "whole")
    fed = deque[Token](maxlen=1)
    try:
        fed.extend(_feed(interactive, predicates, alphabet))
        return cast(ParseTree, interactive.feed_eof(*fed))  # type: ignore[no-untyped-call]
    except UnexpectedInput as error:
        raise _describe_failure(text, error, predicates, alphabet) from None


def _feed(interactive: InteractiveParser, predicates: Collection[str], alphabet: Sequence[str] | None,
          end: int = MAX_PART) -> Iterator[Token]:
    """Feed the parser all tokens that begin before the offset ``end``, one by one."""
    for token in interactive.lexer_thread.lex(interactive.parser_state):  # type: ignore[no-untyped-call]
        is_name = token.type == "NAME" or token in predicates
        for part in name_tokens(token, predicates, alphabet) if is_name else (token,):
            if (part.start_pos or 0) >= end:
                return
            interactive.feed_token(part)
            yield part


def _describe_failure(text: str, error: UnexpectedInput, predicates: Collection[str],
                      alphabet: Sequence[str] | None) -> FormulaError:
    """Return the error: what was found, what the preceding tokens allow, and a hint."""
    offset, found = locate(text, error, _WORDS["$END"])
    before, fed = _parser().parse_interactive(text, "whole"), deque[Token](maxlen=1)
    with suppress(UnexpectedCharacters):
        fed.extend(_feed(before, predicates, alphabet, offset))
    last = fed[0] if fed else None
    goes_on = last is not None and offset == last.end_pos and text[offset : offset + 1].isalnum()
    if last is not None and last.type == "NAME" and not (
            goes_on or last == "Q" or is_known(last, predicates, alphabet)):
        message = f"found {quote(last)}, expected a formula" + name_hint(last, [*BUILTIN, *predicates], alphabet)
        return FormulaError(message, *place_of(text, last.start_pos or 0), text)
    accepted = frozenset(before.accepts())  # type: ignore[no-untyped-call]
    message = f"found {found}, expected {describe_terminals(_expected(accepted, last), _WORDS)}"
    hint = _hint(text, offset, error, alphabet, "SYMBOL" in accepted)
    return FormulaError(message + hint, *place_of(text, offset), text)


def _hint(text: str, offset: int, error: UnexpectedInput, alphabet: Sequence[str] | None, operand_next: bool) -> str:
    if isinstance(error, UnexpectedCharacters):
        return character_hint(text, offset)
    word = str(getattr(error, "token", ""))
    if operand_next:
        return operand_hint(text, offset, word, alphabet)
    return operator_hint(text, offset, word)


def _expected(accepted: frozenset[str], last: Token | None) -> frozenset[str]:
    """Return the accepted terminals that make sense after the last token: for a number or for a formula."""
    if "SYMBOL" in accepted:
        return frozenset({"NUMBER" if last is not None and last.type in {*_OF_NUMBERS, "COMMA"} else "SYMBOL"})
    if last is not None and last.type == "RSQB":
        return accepted & _OF_NUMBERS
    return accepted - _OF_NUMBERS


@cache
def _parser() -> Lark:
    return Lark.open("grammar.lark", rel_to=__file__, parser="lalr", lexer="basic", start="whole")
