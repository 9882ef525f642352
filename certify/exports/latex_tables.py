"""Numbers, linear forms and tables in LaTeX, with nothing but amsmath and booktabs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from constructions.language.printer import latex_text

ROWS_ON_A_PAGE = 30
"""A tabular is never broken by LaTeX, so longer tables become several."""


def text(words: str) -> str:
    """Plain text, escaped."""
    return latex_text(words)


def typewriter(words: str) -> str:
    """A name as it is written in a model file, which may be broken after each of its words."""
    return rf"\texttt{{{latex_text(words)}}}"


def math(formula: str) -> str:
    """Inline mathematics."""
    return f"${formula}$"


def number(x: Fraction) -> str:
    """An exact number.

    >>> number(Fraction(-3, 4)), number(Fraction(2))
    ('-\\\\tfrac{3}{4}', '2')
    """
    if x.denominator == 1:
        return str(x.numerator)
    return ("-" if x < 0 else "") + rf"\tfrac{{{abs(x.numerator)}}}{{{x.denominator}}}"


def decimal_number(written: str) -> str:
    """A decimal, with its power of ten as one.

    >>> decimal_number("1.5E-7"), decimal_number("0.25")
    ('1.5 \\\\cdot 10^{-7}', '0.25')
    """
    mantissa, _, exponent = written.partition("E")
    return mantissa + (rf" \cdot 10^{{{int(exponent)}}}" if exponent else "")


def linear_form(terms: Mapping[str, Fraction], constant: str = "") -> str:
    """The sum of multiples of named things; 0 if there are none.

    >>> linear_form({"h_1": Fraction(-1), "h_2": Fraction(3, 2)}, "-1"), linear_form({})
    ('-h_1 + \\\\tfrac{3}{2} h_2 - 1', '0')
    """
    parts = [_multiple(weight, name) for name, weight in terms.items()] + ([constant] if constant else [])
    return " + ".join(parts).replace("+ -", "- ") or "0"


def _multiple(weight: Fraction, name: str) -> str:
    if abs(weight) == 1:
        return ("-" if weight < 0 else "") + name
    return f"{number(weight)} {name}"


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], shape: str = "") -> Iterator[str]:
    """A titled table, or several if it is too long for a page; none if there are no rows."""
    for start in range(0, len(rows), ROWS_ON_A_PAGE):
        named, part = title + (" (continued)" if start else ""), rows[start:start + ROWS_ON_A_PAGE]
        yield "\n".join([
            rf"\paragraph{{{named}.}}", r"\mbox{}\par\nobreak", r"\noindent",
            rf"\begin{{tabular}}{{@{{}}{shape or 'l' * len(columns)}@{{}}}}",
            r"\toprule", " & ".join(columns) + r" \\", r"\midrule", *(" & ".join(row) + r" \\" for row in part),
            r"\bottomrule", r"\end{tabular}", r"\par\medskip",
        ])
