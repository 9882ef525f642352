"""From programs to text, in one spelling, which parses back to the same program."""

from __future__ import annotations

from constructions.language.printer import quote_symbol, symbol_text
from constructions.rasp.syntax import (
    Attention,
    Body,
    Call,
    Comparison,
    Conditional,
    Connective,
    Entry,
    Expression,
    Function,
    Integer,
    Letter,
    Literally,
    Negative,
    Not,
    Parameter,
    PrefixSum,
    Program,
    Sum,
    Truth,
    Vector,
)

# How tightly each connective binds, and how tightly its operands must bind to go without parentheses.
_CONNECTIVES = {"<->": (1, 1, 2), "->": (2, 3, 2), "|": (3, 3, 4), "&": (4, 4, 5)}
_CONDITIONAL, _IFF, _NOT, _COMPARISON, _SUM, _NEGATIVE, _ATOM = 0, 1, 5, 6, 7, 8, 9


def format_program(program: Program) -> str:
    """The program as text, a definition per line, functions first.

    >>> from constructions.rasp.parser import parse_program
    >>> print(format_program(parse_program("alphabet ab  P(i) := ▶_j [j<i, ⊤] Q_a(j) : ⊥")), end="")
    alphabet 'a', 'b'
    P(i) := rightmost j [j<i, true] Q_a(j) : false
    """
    headers = [f"{keyword} {', '.join(map(quote_symbol, symbols))}"
               for keyword, symbols in (("alphabet", program.alphabet), ("auxiliary", program.auxiliary)) if symbols]
    functions = map(format_definition, program.functions)
    return "\n".join([*headers, *functions, *map(format_definition, program.vectors)]) + "\n"


def format_definition(definition: Function | Vector) -> str:
    """The definition on one line."""
    match definition:
        case Function(name, parameters, body):
            return f"func {name}({', '.join(parameters)}) := {format_body(body)}"
        case Vector(name, body):
            return f"{name}(i) := {format_body(body)}"


def format_body(body: Body) -> str:
    """What stands on the right of a definition.

    >>> format_body(Sum("-", Integer(1), Sum("-", Integer(2), Negative(Integer(3)))))
    '1 - (2 - -3)'
    """
    match body:
        case Attention(choice, mask, score, value, default):
            return f"{choice} j [{mask}, {_text(score)}] {_text(value)} : {_text(default)}"
        case PrefixSum(value):
            return f"psum j [j<=i] {_text(value)}"
        case Expression():
            return _text(body)


def _text(expression: Expression) -> str:
    return _text_and_level(expression)[0]


def _at_least(level: int, expression: Expression) -> str:
    text, own = _text_and_level(expression)
    return text if own >= level else f"({text})"


def _text_and_level(expression: Expression) -> tuple[str, int]:
    match expression:
        case Not(operand):
            return f"!{_at_least(_NOT, operand)}", _NOT
        case Connective(connector, left, right):
            level, on_left, on_right = _CONNECTIVES[connector]
            return f"{_at_least(on_left, left)} {connector} {_at_least(on_right, right)}", level
        case Comparison(relation, left, right):
            return f"{_at_least(_SUM, left)} {relation} {_at_least(_SUM, right)}", _COMPARISON
        case Negative(operand):
            return f"-{_at_least(_NEGATIVE, operand)}", _NEGATIVE
        case Sum(sign, left, right):
            return f"{_at_least(_SUM, left)} {sign} {_at_least(_NEGATIVE, right)}", _SUM
        case Conditional(condition, chosen, otherwise):
            return (f"{_at_least(_IFF, chosen)} if {_at_least(_IFF, condition)} else {_text(otherwise)}",
                    _CONDITIONAL)
    return _atom(expression), _ATOM


def _atom(atom: Expression) -> str:
    match atom:
        case Truth(value):
            return "true" if value else "false"
        case Integer(value):
            return str(value)
        case Literally(symbol):
            return quote_symbol(symbol)
        case Letter(symbol, variable):
            return f"{symbol_text(symbol)}({variable})"
        case Entry(vector, variable):
            return f"{vector}({variable})"
        case Parameter(name):
            return name
        case Call(function, arguments):
            return f"{function}({', '.join(map(_text, arguments))})"
    raise TypeError(f"not an expression: {type(atom).__name__}")
