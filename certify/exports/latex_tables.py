"""Numbers, linear forms and tables in LaTeX, with only amsmath and booktabs."""

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from unicodedata import normalize

from constructions.language.printer import latex_text

ROWS_ON_A_PAGE = 30
"""LaTeX does not break a tabular across pages, so longer tables are split."""
_NOT_OF_ALL_FONTS = {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "\u2026": r"\ldots{}"}
_GREEK = ["alpha", "beta", "gamma", "delta", "varepsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu",
          "nu", "xi", "o", "pi", "rho", "varsigma", "sigma", "tau", "upsilon", "varphi", "chi", "psi", "omega"]
_MATHEMATICS = {
    **{chr(0x3b1 + k): name if name == "o" else f"\\{name}" for k, name in enumerate(_GREEK)},
    **{c: f"\\{name}" for c, name in zip("\u0393\u0394\u0398\u039b\u039e\u03a0\u03a3\u03a6\u03a8\u03a9", (
        "Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Phi", "Psi", "Omega"), strict=True)},
    **{c: f"^{k}" for c, k in zip("\u00b2\u00b3\u2074", "234", strict=True)},
    "\u00b7": r"\cdot", "\u2016": r"\|", "\u221a": r"\surd", "\u00b1": r"\pm", "\u2213": r"\mp", "\u221e": r"\infty",
    "\u2308": r"\lceil", "\u2309": r"\rceil", "\u230a": r"\lfloor", "\u230b": r"\rfloor", "\u2260": r"\ne",
    "\u2208": r"\in", "\u2192": r"\to", "\u2113": r"\ell"}
_HATS = {ord(normalize("NFC", f"{c}\u0302")): f"{c}\u0302" for c in "acegijosuwyz"}
"""Letters with a hat, decomposed."""


def plain(text: str) -> str:
    r"""Convert text to ASCII that LaTeX prints; numbered formulas are set as mathematics.

    >>> print(plain("a_b < \u03c612 \u2026"), plain("\u03a9\u00b2, \u0177"))
    a\_b \textless{} $\varphi_{12}$ \ldots{} \ensuremath{\Omega}\ensuremath{^2}, \ensuremath{\hat{y}}
    """
    shown = "".join(_NOT_OF_ALL_FONTS.get(c, c) for c in latex_text(text.translate(_HATS)))
    shown = re.sub("\u03c6(\\d+)", r"$\\varphi_{\1}$", shown)
    shown = re.sub("([a-z])\u0302", r"\\ensuremath{\\hat{\1}}", shown)
    shown = "".join(rf"\ensuremath{{{_MATHEMATICS[c]}}}" if c in _MATHEMATICS else c for c in shown)
    return "".join(c if c.isascii() else latex_text(c.encode("ascii", "backslashreplace").decode()) for c in shown)


def typewriter(words: str) -> str:
    """Set a name of a model file, which may be broken after each of its words."""
    return rf"\texttt{{{latex_text(words)}}}"


def math(formula: str) -> str:
    """Set inline mathematics."""
    return f"${formula}$"


def number(x: Fraction) -> str:
    r"""Format an exact number.

    >>> number(Fraction(-3, 4)), number(Fraction(2))
    ('-\\tfrac{3}{4}', '2')
    """
    if x.denominator == 1:
        return str(x.numerator)
    return ("-" if x < 0 else "") + rf"\tfrac{{{abs(x.numerator)}}}{{{x.denominator}}}"


def decimal_number(written: str) -> str:
    r"""Format a decimal, its exponent as a power of ten.

    >>> decimal_number("1.5E-7"), decimal_number("0.25")
    ('1.5 \\cdot 10^{-7}', '0.25')
    """
    mantissa, _, exponent = written.partition("E")
    return mantissa + (rf" \cdot 10^{{{int(exponent)}}}" if exponent else "")


def linear_form(terms: Mapping[str, Fraction], constant: str = "") -> str:
    r"""Format a linear form of named variables; 0 if it is empty.

    >>> linear_form({"h_1": Fraction(-1), "h_2": Fraction(3, 2)}, "-1"), linear_form({})
    ('-h_1 + \\tfrac{3}{2} h_2 - 1', '0')
    """
    parts = [_multiple(weight, name) for name, weight in terms.items()] + ([constant] if constant else [])
    return " + ".join(parts).replace("+ -", "- ") or "0"


def _multiple(weight: Fraction, name: str) -> str:
    if abs(weight) == 1:
        return ("-" if weight < 0 else "") + name
    return f"{number(weight)} {name}"


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], shape: str = "") -> Iterator[str]:
    """Yield a titled table, or several if it is too long for a page; none if there are no rows."""
    for start in range(0, len(rows), ROWS_ON_A_PAGE):
        named, part = title + (" (continued)" if start else ""), rows[start:start + ROWS_ON_A_PAGE]
        yield "\n".join([
            rf"\paragraph{{{named}.}}", r"\mbox{}\par\nobreak\smallskip",
            r"\noindent{\small\renewcommand{\arraystretch}{1.2}"
            rf"\begin{{tabular}}{{@{{}}{shape or 'l' * len(columns)}@{{}}}}",
            r"\toprule", " & ".join(columns) + r" \\", r"\midrule", *(" & ".join(row) + r" \\" for row in part),
            r"\bottomrule", r"\end{tabular}}", r"\par\medskip",
        ])
