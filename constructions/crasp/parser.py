"""Parser of C-RASP programs.

Grammar     grammar.lark (LALR, so no recursion however deep the nesting).
Limits      100,000 characters; expressions nested at most 200 deep (brackets do not count); integers of at most 1,000
            digits. Larger inputs raise a ProgramError.
"""

from collections.abc import Sequence
from functools import cache
from typing import Literal, cast

from lark import Lark, Token, v_args

from constructions.crasp import syntax
from constructions.crasp.grouping import SourceExpression, find_other_branch, find_other_grouping
from constructions.crasp.predicates import KNOWN, UNARY, distance_of
from constructions.crasp.types import TypedDefinition, check_statements
from constructions.errors import ProgramError, Unsupported
from constructions.language.alphabets import with_another
from constructions.language.diagnosis import describe_terminals, list_names, place_of, quote
from constructions.language.syntax import Relation
from constructions.language.terms import MAX_DIGITS
from constructions.rasp.reading import END, ProgramBuilder, begin, program_error, read_program

_OPERATOR = "an operator such as && or +"
_WORDS = {
    "NAME": "a name", "IMPORT": "a definition", "ASSIGN": "'='", "QUOTED": 'a value such as "a" or # "a"',
    "OPEN": "'('", "LSQB": "'['", "COMMA": "','", "CLOSE": "')'", "RSQB": "']'",
    **dict.fromkeys(("AND", "OR", "PLUS", "MINUS", "TIMES"), _OPERATOR), "RELATION": "a comparison such as ==",
    "IF": "if", "ELSE": "else", "_NEWLINE": "the end of the line", "$END": END,
}  # fmt: skip
_STARTERS_OF_VALUES = frozenset({"NAME", "OPEN", "MINUS", "TRUE", "FALSE", "INT", "NOT", "COUNT", "MIN", "MAX"})
_HINTS = {
    "=": "; equality is written ==", "&": "; conjunction is written &&", "|": "; disjunction is written ||",
    "<": '; a count is written # "a"', "'": '; a symbol is written "a"',
}  # fmt: skip


def parse_counting_program(text: str, alphabet: Sequence[str] | None = None) -> syntax.CountingProgram:
    """Parse a program. The default alphabet consists of the symbols that it mentions and one more.

    >>> parse_counting_program('more = (# "a") > (# "b")').alphabet
    ('a', 'b', '?')

    Raises:
        ProgramError: if the text does not parse or exceeds a limit, if its names or types do not fit, or if it needs
            brackets.
        Unsupported: if it imports an unknown predicate.
    """
    builder = _DefinitionBuilder(text, alphabet)
    statements = read_program(text, _parser(), builder, _explain)
    symbols = tuple(alphabet) if alphabet is not None else with_another(sorted(builder.mentioned))
    return syntax.CountingProgram(symbols, check_statements(text, statements, builder.imported), text)


def _explain(text: str, offset: int, found: str, accepted: frozenset[str]) -> ProgramError:
    if "QUOTED" in accepted:
        accepted -= _STARTERS_OF_VALUES
    if "IMPORT" in accepted:
        accepted -= {"NAME", "_NEWLINE"}
    if not text[offset:].strip(" \t\r").startswith("\n"):
        hint = _HINTS.get(text[offset : offset + 1], "") if "ASSIGN" not in accepted else ""
    else:
        found, hint = "the end of the line", ""
    return program_error(text, offset, f"found {found}, expected {describe_terminals(accepted, _WORDS)}{hint}")


@cache
def _parser() -> Lark:
    return Lark.open("grammar.lark", rel_to=__file__, parser="lalr", lexer="basic")


@v_args(inline=True)
class _DefinitionBuilder(ProgramBuilder):
    """Transformer from parse trees to statements, bottom up; types.py checks them."""

    def __init__(self, text: str, alphabet: Sequence[str] | None) -> None:
        super().__init__(text)
        self._alphabet = alphabet
        self.mentioned: set[str] = set()
        self.imported: dict[str, int] = {}

    # -- statements ----------------------------------------------------------------------------------------------------

    def definition(self, name: Token, _: Token, value: SourceExpression) -> TypedDefinition:
        return TypedDefinition(str(name), value.expression, begin(name))

    def import_statement(self, _: Token, name: Token) -> None:
        if name not in UNARY and distance_of(name) is None:
            line, column = place_of(self._text, begin(name))
            raise Unsupported(f"program, line {line}, column {column}: the predicate {quote(name)} is unknown, "
                              f"expected {' or '.join((', '.join(KNOWN[:-1]), KNOWN[-1]))}")
        self.imported.setdefault(str(name), begin(name))

    # -- expressions ---------------------------------------------------------------------------------------------------

    def bracketed(self, opening: Token, inner: SourceExpression, closing: Token) -> SourceExpression:
        return SourceExpression(inner.expression, begin(opening), _end(closing), is_bracketed=True)

    def _atom(self, token: Token, expression: syntax.RaspExpression) -> SourceExpression:
        return SourceExpression(expression, begin(token), _end(token))

    def true(self, token: Token) -> SourceExpression:
        return self._atom(token, syntax.TruthValue(True, place=begin(token)))

    def false(self, token: Token) -> SourceExpression:
        return self._atom(token, syntax.TruthValue(False, place=begin(token)))

    def symbol(self, token: Token) -> SourceExpression:
        symbol = str(token)[1:-1]
        if not symbol:
            self._refuse(token, "found an empty symbol, expected at least one character between the quotes")
        if self._alphabet is not None and symbol not in self._alphabet:
            self._refuse(token, f"symbol {quote(symbol)} is not in the alphabet {list_names(self._alphabet)}")
        self.mentioned.add(symbol)
        return self._atom(token, syntax.SymbolTest(symbol, place=begin(token)))

    def integer(self, token: Token) -> SourceExpression:
        if len(token) > MAX_DIGITS:
            self._refuse(token, f"found an integer of {len(token)} digits, expected at most {MAX_DIGITS}")
        return self._atom(token, syntax.Integer(int(token), place=begin(token)))

    def name(self, token: Token) -> SourceExpression:
        return self._atom(token, syntax.Name(str(token), place=begin(token)))

    def extreme(self, choice: Token, left: SourceExpression, right: SourceExpression,
                closing: Token) -> SourceExpression:
        chosen = cast("Literal['min', 'max']", str(choice))
        found = syntax.Extreme(chosen, left.expression, right.expression, place=begin(choice))
        return SourceExpression(found, begin(choice), _end(closing))

    def _prefixed(self, first: int, expression: syntax.RaspExpression, operand: SourceExpression) -> SourceExpression:
        return SourceExpression(expression, first, operand.end, operand)

    def negation(self, token: Token, operand: SourceExpression) -> SourceExpression:
        return self._prefixed(begin(token), syntax.Not(operand.expression, place=begin(token)), operand)

    def negative(self, token: Token, operand: SourceExpression) -> SourceExpression:
        return self._prefixed(begin(token), syntax.Negative(operand.expression, place=begin(token)), operand)

    def count(self, token: Token, operand: SourceExpression) -> SourceExpression:
        return self._prefixed(begin(token), syntax.CountTerm(None, operand.expression, place=begin(token)), operand)

    def guarded_count(self, token: Token, guard: Token, operand: SourceExpression) -> SourceExpression:
        if distance_of(guard) is None or guard not in self.imported:
            known = [name for name in self.imported if distance_of(name) is not None]
            self._refuse(guard, f"found {quote(guard)}, expected an imported predicate of two positions"
                                f"{', such as ' if known else '; #import pred imports one'}"
                                f"{list_names(known)}")
        counted = syntax.CountTerm(str(guard), operand.expression, place=begin(token))
        return self._prefixed(begin(token), counted, operand)

    def _joined(self, expression: syntax.RaspExpression, left: SourceExpression,
                right: SourceExpression) -> SourceExpression:
        written = SourceExpression(expression, left.first, right.end, right, left.end)
        self._check_grouping(written, find_other_grouping(self._text, written, left))
        return written

    def _check_grouping(self, written: SourceExpression, groupings: tuple[str, str] | None) -> None:
        if groupings is not None:
            usual, other = (" ".join(grouping.split()) for grouping in groupings)
            raise program_error(self._text, written.first,
                                f"found no brackets where readings differ, expected {usual} or {other}")

    def connective(self, left: SourceExpression, token: Token, right: SourceExpression) -> SourceExpression:
        connector = cast(syntax.Connector, str(token))
        both = syntax.Connective(connector, left.expression, right.expression, place=left.first)
        return self._joined(both, left, right)

    def comparison(self, left: SourceExpression, token: Token, right: SourceExpression) -> SourceExpression:
        relation = cast(Relation, str(token))
        both = syntax.ComparisonTerm(relation, left.expression, right.expression, place=left.first)
        return self._joined(both, left, right)

    def sum(self, left: SourceExpression, token: Token, right: SourceExpression) -> SourceExpression:
        sign: Literal["+", "-"] = "+" if token == "+" else "-"
        return self._joined(syntax.SumTerm(sign, left.expression, right.expression, place=left.first), left, right)

    def product(self, left: SourceExpression, _: Token, right: SourceExpression) -> SourceExpression:
        return self._joined(syntax.ProductTerm(left.expression, right.expression, place=left.first), left, right)

    def conditional(self, chosen: SourceExpression, _if: Token, condition: SourceExpression, _else: Token,
                    otherwise: SourceExpression) -> SourceExpression:
        found = syntax.Conditional(condition.expression, chosen.expression, otherwise.expression, place=chosen.first)
        written = self._joined(found, chosen, otherwise)
        self._check_grouping(written, find_other_branch(self._text, written, otherwise))
        return written


def _end(token: Token) -> int:
    return token.end_pos or 0
