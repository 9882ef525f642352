"""Printer of programs, in one spelling, which parses back to the same program."""

from constructions.language.printer import quote_symbol, symbol_text
from constructions.rasp import syntax

# Level of each connective, and the least level of each operand without parentheses.
_CONNECTIVES = {"<->": (1, 1, 2), "->": (2, 3, 2), "|": (3, 3, 4), "&": (4, 4, 5)}
_CONDITIONAL, _IFF, _NOT, _COMPARISON, _SUM, _NEGATIVE, _ATOM = 0, 1, 5, 6, 7, 8, 9


def format_program(program: syntax.RaspProgram) -> str:
    """Return the program as text, a definition per line, functions first.

    >>> from constructions.rasp.parser import parse_program
    >>> print(format_program(parse_program("alphabet ab  P(i) := ▶_j [j<i, ⊤] Q_a(j) : ⊥")), end="")
    alphabet 'a', 'b'
    P(i) := rightmost j [j<i, true] Q_a(j) : false
    """
    headers = [f"{keyword} {', '.join(map(quote_symbol, symbols))}"
               for keyword, symbols in (("alphabet", program.alphabet), ("auxiliary", program.auxiliary)) if symbols]
    functions = map(format_definition, program.functions)
    return "\n".join([*headers, *functions, *map(format_definition, program.vectors)]) + "\n"


def format_definition(definition: syntax.Function | syntax.Vector) -> str:
    """Return the definition on one line."""
    match definition:
        case syntax.Function(name, parameters, body):
            return f"func {name}({', '.join(parameters)}) := {format_body(body)}"
        case syntax.Vector(name, body):
            return f"{name}(i) := {format_body(body)}"


def format_body(body: syntax.Body) -> str:
    """Return the right side of a definition.

    >>> difference = syntax.SumTerm("-", syntax.Integer(2), syntax.Negative(syntax.Integer(3)))
    >>> format_body(syntax.SumTerm("-", syntax.Integer(1), difference))
    '1 - (2 - -3)'
    """
    match body:
        case syntax.AttentionTerm(choice, mask, score, value, default):
            return f"{choice} j [{mask}, {_text(score)}] {_text(value)} : {_text(default)}"
        case syntax.PrefixSum(value):
            return f"psum j [j<=i] {_text(value)}"
        case syntax.RaspExpression():
            return _text(body)


def _text(expression: syntax.RaspExpression) -> str:
    return _text_and_level(expression)[0]


def _at_least(level: int, expression: syntax.RaspExpression) -> str:
    text, own = _text_and_level(expression)
    return text if own >= level else f"({text})"


def _text_and_level(expression: syntax.RaspExpression) -> tuple[str, int]:
    match expression:
        case syntax.Not(operand):
            return f"!{_at_least(_NOT, operand)}", _NOT
        case syntax.Connective(connector, left, right):
            level, on_left, on_right = _CONNECTIVES[connector]
            return f"{_at_least(on_left, left)} {connector} {_at_least(on_right, right)}", level
        case syntax.ComparisonTerm(relation, left, right):
            return f"{_at_least(_SUM, left)} {relation} {_at_least(_SUM, right)}", _COMPARISON
        case syntax.Negative(operand):
            return f"-{_at_least(_NEGATIVE, operand)}", _NEGATIVE
        case syntax.SumTerm(sign, left, right):
            return f"{_at_least(_SUM, left)} {sign} {_at_least(_NEGATIVE, right)}", _SUM
        case syntax.Conditional(condition, chosen, otherwise):
            return (f"{_at_least(_IFF, chosen)} if {_at_least(_IFF, condition)} else {_text(otherwise)}",
                    _CONDITIONAL)
    return _atom(expression), _ATOM


def _atom(atom: syntax.RaspExpression) -> str:
    match atom:
        case syntax.TruthValue(value):
            return "true" if value else "false"
        case syntax.Integer(value):
            return str(value)
        case syntax.Literally(symbol):
            return quote_symbol(symbol)
        case syntax.SymbolTest(symbol, variable):
            return f"{symbol_text(symbol)}({variable})"
        case syntax.VectorEntry(vector, variable):
            return f"{vector}({variable})"
        case syntax.Parameter(name):
            return name
        case syntax.Call(function, arguments):
            return f"{function}({', '.join(map(_text, arguments))})"
    raise TypeError(f"not an expression: {type(atom).__name__}")
