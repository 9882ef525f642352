"""Expressions as text, as LaTeX and as sympy objects, each built from the postfix program without recursion."""

from collections.abc import Callable, Mapping
from typing import Any

from constructions.language.arithmetic import NEGATE, UNARY, Postfix
from constructions.language.functions import FUNCTIONS, NUMBER_TESTS

# Level of each operator, and the least level of each operand without parentheses.
_LEVELS: dict[str, tuple[int, int, int]] = {
    "or": (0, 0, 1), "and": (1, 1, 2),
    **dict.fromkeys(("<=", "<", ">=", ">", "==", "!="), (3, 4, 4)),
    "+": (4, 4, 5), "-": (4, 4, 5),
    **dict.fromkeys(("*", "/", "//", "%"), (5, 5, 6)),
    "^": (7, 8, 6),
}  # fmt: skip
_UNARY_LEVELS = {"not": 2, NEGATE: 6}
_ATOM = 8
_FRACTION = 7

_Piece = tuple[str, int]


def format_text(program: Postfix) -> str:
    """Return the canonical text: no redundant parentheses, and spaces only around comparisons and words.

    >>> format_text((1, "i", "^", NEGATE))
    '-1^i'
    >>> format_text((1, NEGATE, "i", "^"))
    '(-1)^i'
    """
    calls = {name: (f"{name}(", ")") for name in (*FUNCTIONS, *NUMBER_TESTS)}
    return _render(program, _binary_text, {"not": "not ", NEGATE: "-"}, calls, ("(", ")"))


def format_latex(program: Postfix) -> str:
    r"""Return the expression as LaTeX. In certified claims, ln and sqrt are the real functions.

    >>> format_latex(("i", "n", "/"))
    '\\frac{i}{n}'
    """
    return _render(program, _binary_latex, {"not": r"\lnot ", NEGATE: "-"}, _LATEX_CALLS, (r"\left(", r"\right)"))


def _render(program: Postfix, binary: Callable[[str, Callable[[_Piece, int], str], _Piece, _Piece], _Piece],
            prefixes: Mapping[str, str], calls: Mapping[str, tuple[str, str]], brackets: tuple[str, str]) -> str:
    def at_least(piece: _Piece, level: int) -> str:
        text, own = piece
        return text if own >= level else f"{brackets[0]}{text}{brackets[1]}"

    stack: list[_Piece] = []
    for item in program:
        if item in calls:
            before, after = calls[str(item)]
            stack.append((before + stack.pop()[0] + after, _ATOM))
        elif item in UNARY:
            level = _UNARY_LEVELS[str(item)]
            stack.append((prefixes[str(item)] + at_least(stack.pop(), level), level))
        elif item in _LEVELS:
            right, left = stack.pop(), stack.pop()
            stack.append(binary(str(item), at_least, left, right))
        else:
            stack.append((str(item), _ATOM))
    ((text, _),) = stack
    return text


def _binary_text(symbol: str, at_least: Callable[[_Piece, int], str], left: _Piece, right: _Piece) -> _Piece:
    level, left_level, right_level = _LEVELS[symbol]
    spaced = f" {symbol} " if level <= 3 else symbol
    return at_least(left, left_level) + spaced + at_least(right, right_level), level


_LATEX = {
    "or": r" \lor ", "and": r" \land ", "<=": r" \le ", ">=": r" \ge ", "==": " = ", "!=": r" \ne ",
    "*": r" \cdot ", "%": r" \bmod ",
}  # fmt: skip

_LATEX_CALLS = {
    "log2ceil": (r"\left\lceil\log_2\left(", r"\right)\right\rceil"),
    "log2floor": (r"\left\lfloor\log_2\left(", r"\right)\right\rfloor"),
    "ln": (r"\ln\left(", r"\right)"),
    "sqrt": (r"\sqrt{", "}"),
    **{name: (rf"\mathrm{{{name}}}\left(", r"\right)") for name in NUMBER_TESTS},
}


def _binary_latex(symbol: str, at_least: Callable[[_Piece, int], str], left: _Piece, right: _Piece) -> _Piece:
    level, left_level, right_level = _LEVELS[symbol]
    match symbol:
        case "/":
            return rf"\frac{{{left[0]}}}{{{right[0]}}}", _FRACTION
        case "//":
            return rf"\left\lfloor\frac{{{left[0]}}}{{{right[0]}}}\right\rfloor", _ATOM
        case "^":
            return f"{at_least(left, left_level)}^{{{right[0]}}}", level
    sign = _LATEX.get(symbol, f" {symbol} ")
    return at_least(left, left_level) + sign + at_least(right, right_level), level


def build_sympy(program: Postfix) -> Any:
    """Return the expression as an unevaluated sympy object; variables are positive integer symbols.

    Only unevaluated constructors are called: ``n^(9^9)`` stays as written. ln and sqrt are not rounded.
    """
    import sympy  # type: ignore[import-untyped, unused-ignore]

    constructors = _sympy_constructors(sympy)
    stack: list[Any] = []
    for item in program:
        if isinstance(item, int):
            stack.append(sympy.Integer(item))
        elif item in constructors:
            arity, construct = constructors[item]
            arguments = stack[-arity:]
            del stack[-arity:]
            stack.append(construct(*arguments))
        else:
            stack.append(sympy.Symbol(item, integer=True, positive=True))
    (result,) = stack
    return result


def _sympy_constructors(sympy: Any) -> dict[str, tuple[int, Callable[..., Any]]]:
    def lazily(constructor: Any) -> Callable[..., Any]:
        return lambda *arguments: constructor(*arguments, evaluate=False)

    add, multiply, power = lazily(sympy.Add), lazily(sympy.Mul), lazily(sympy.Pow)

    def negate(operand: Any) -> Any:
        return -operand if operand.is_Integer else multiply(sympy.S.NegativeOne, operand)

    def divide(left: Any, right: Any) -> Any:
        return multiply(left, power(right, sympy.S.NegativeOne))

    def is_one(test: Any) -> Callable[..., Any]:
        return lambda operand: lazily(sympy.Eq)(test(operand), sympy.S.One)

    def log2(operand: Any) -> Any:
        return divide(lazily(sympy.log)(operand), lazily(sympy.log)(sympy.Integer(2)))

    relations = {"<=": sympy.Le, "<": sympy.Lt, ">=": sympy.Ge, ">": sympy.Gt, "==": sympy.Eq, "!=": sympy.Ne}
    return {
        NEGATE: (1, negate),
        "not": (1, lazily(sympy.Not)),
        "log2ceil": (1, lambda operand: lazily(sympy.ceiling)(log2(operand))),
        "log2floor": (1, lambda operand: lazily(sympy.floor)(log2(operand))),
        "ln": (1, lazily(sympy.log)),
        "sqrt": (1, lambda operand: power(operand, sympy.Rational(1, 2))),
        **{name: (1, is_one(sympy.Function(name))) for name in NUMBER_TESTS},
        "+": (2, add),
        "-": (2, lambda left, right: add(left, negate(right))),
        "*": (2, multiply),
        "/": (2, divide),
        "//": (2, lambda left, right: lazily(sympy.floor)(divide(left, right))),
        "%": (2, lazily(sympy.Mod)),
        "^": (2, power),
        "and": (2, lazily(sympy.And)),
        "or": (2, lazily(sympy.Or)),
        **{symbol: (2, lazily(relation)) for symbol, relation in relations.items()},
    }
