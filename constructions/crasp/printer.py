"""Text of a C-RASP program whose definitions are formulas of the past with counts, fully bracketed."""

from collections.abc import Mapping, Sequence

from constructions.errors import Unsupported
from constructions.language import syntax

_JOINED = {syntax.And: "&&", syntax.Or: "||"}


def format_counting_program(formulas: Mapping[str, syntax.Formula], alphabet: Sequence[str]) -> str:
    """Return the program with a definition for each formula.

    >>> from constructions.language.parser import parse_formula
    >>> print(format_counting_program({"more": parse_formula("Q_a & #<[Q_a] > 2*#<[Q_b]")}, "ab"), end="")
    // --alphabet a,b
    more = "a" && ((# "a") > (2 * (# "b")))

    Raises:
        Unsupported: if a formula is not one of letters, connectives, ``prev``, ``O`` and comparisons of counts.
    """
    lines = [f"{name} = {_text(formula)}" for name, formula in formulas.items()]
    imports = ["#import pred"] * any("#[pred]" in line for line in lines)
    return "\n".join([f"// --alphabet {','.join(alphabet)}", *imports, *lines]) + "\n"


def _text(formula: syntax.Formula) -> str:
    match formula:
        case syntax.Constant(value):
            return "true" if value else "false"
        case syntax.Symbol(symbol) if '"' not in symbol:
            return f'"{symbol}"'
        case syntax.Not(operand):
            return f"!{_inside(operand)}"
        case syntax.And(left, right) | syntax.Or(left, right):
            return f"{_inside(left)} {_JOINED[type(formula)]} {_inside(right)}"
        case syntax.Previous(operand):
            return f"(#[pred] {_inside(operand)}) == 1"
        case syntax.Since(syntax.Constant(True), operand):
            return f"(# {_inside(operand)}) >= 1"
        case syntax.Comparison(relation, left, right):
            return f"{_sum(left)} {relation} {_sum(right)}"
    raise Unsupported(f"{formula}: not in C-RASP")


def _inside(formula: syntax.Formula) -> str:
    text = _text(formula)
    return text if isinstance(formula, syntax.Symbol | syntax.Constant) else f"({text})"


def _sum(term: syntax.Term) -> str:
    counts = [f"(# {_inside(count.operand)})" if number == 1 else f"({number} * (# {_inside(count.operand)}))"
              for number, count in term.coefficients if count.side == "left" and number > 0]
    if len(counts) < len(term.coefficients):
        raise Unsupported("a count to the right, or that is subtracted: not printed in C-RASP")
    return " + ".join([*counts, *[str(term.constant)] * (term.constant != 0 or not counts)])
