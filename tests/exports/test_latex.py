"""The tables in LaTeX: balanced, escaped, complete, and with the certificate's own numbers."""

import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify.claims.formula.sealed import Sealed
from certify.exports.latex import latex_of
from certify.exports.latex_audit import latex_of_audit
from certify.exports.latex_tables import linear_form, table
from constructions.language.printer import latex_text
from constructions.regimes import ALL_REGIMES, Regime
from tests.auditing.sample import HOSTILE, REPORT

FORMULAS = [("Q_1 since prev Q_0", "01"), ("ODD(#<[Q_1]) & #<[Q_1] > 2*#>[Q_0] - 3", "01"),
            ("O Q['%'] & !Q['\\\\'] & Q['_']", "%\\_^~{}#$&"), ("O Q['\n\n']", ("\n\n", "é"))]


def stripped(text: str) -> str:
    """Return the text without comments and escaped characters."""
    return re.sub(r"\\[\\{}#$%&_]", " ", re.sub(r"^%.*$", "", text, flags=re.MULTILINE))


def check_balanced(text: str) -> None:
    bare = stripped(text)
    depth = 0
    for character in bare:
        depth += (character == "{") - (character == "}")
        assert depth >= 0
    assert depth == 0
    open_environments: list[str] = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", bare):
        if kind == "begin":
            open_environments.append(name)
        else:
            assert open_environments.pop() == name
    assert open_environments == []
    assert all(paragraph.count("$") % 2 == 0 for paragraph in re.split(r"\n\n|\\\\\n", bare))
    assert bare.count(r"\left") - bare.count(r"\leftrightarrow") == bare.count(r"\right") - bare.count(r"\rightarrow")
    assert not re.search(r"[#%~]", bare) and set(re.findall(r"\\begin\{(\w+)\}", bare)) == {"tabular"}


@pytest.mark.parametrize(("formula", "alphabet"), FORMULAS)
def test_braces_environments_and_dollars_are_balanced(
        sealed: Callable[..., Sealed], formula: str, alphabet: str) -> None:
    check_balanced(latex_of(sealed(formula, alphabet, 3)))


@pytest.mark.parametrize("regime", ALL_REGIMES, ids=str)
def test_they_are_balanced_in_every_regime(sealed: Callable[..., Sealed], regime: Regime) -> None:
    check_balanced(latex_of(sealed("Q_1 since prev Q_0", "01", 3, regime)))


def test_every_row_has_as_many_cells_as_its_table_has_columns(sealed: Callable[..., Sealed]) -> None:
    text = latex_of(sealed("ODD(#<[Q_1]) & #<[Q_1] > #>[Q_0] & (Q_1 since Q_0)", "01", 3))
    tables = re.findall(r"\\begin\{tabular\}.*?\\end\{tabular\}", text, re.DOTALL)
    assert len(tables) > 10
    for found in tables:
        rows = [row.replace(r"\&", "") for row in found.splitlines() if row.endswith(r" \\")]
        assert len({row.count("&") for row in rows}) == 1 and len(rows) > 1


def test_the_parts_of_a_small_network_are_all_there(sealed: Callable[..., Sealed]) -> None:
    given_certificate = sealed("Q_1 since Q_0", "01", 4)
    text = latex_of(given_certificate)
    assert given_certificate.digest in text
    assert (r"For every $n$ with $n \le 4$, every word $w$ of length $n$ over \{\texttt{0}, \texttt{1}\}") in text
    assert r"the output $Q_{\texttt{1}} \mathbin{\mathbf{since}} Q_{\texttt{0}}$ of" in text
    for place, name in enumerate(given_certificate.transformer.directions, start=1):
        output = " (output)" if name == given_certificate.transformer.output else ""
        assert f"\n$h_{{{place}}}${output} & \\texttt{{{latex_text(name)}}} & " in text
    assert r"\paragraph{Head 1.1: rightmost deciding position (Theorem 15a), future-masked ($j \le i$), softmax, " \
           r"$\tau = \frac{1}{n}$.}" in text
    assert text.count(r"\operatorname{ReLU}(") == 2
    assert r"\operatorname{ReLU}(h_{" in text and r" - \tfrac{1}{4})$" in text and r" - \tfrac{3}{4})$" in text


def test_bounds_are_those_of_the_certificate_rounded_up(sealed: Callable[..., Sealed]) -> None:
    given_certificate = sealed("Q_1 since prev Q_0", "01", 4)
    _, _, tables = latex_of(given_certificate).partition("rounded up.}")
    shown = [tuple(Fraction(Decimal(re.sub(r" \\cdot 10\^\{(-?\d+)\}", r"E\1", cell))) for cell in cells)
             for cells in re.findall(r"& \$([^$h]+)\$ & \$([^$h]+)\$ \\\\", tables)]
    assert len(shown) == len(given_certificate.bounds) == 3
    for pair, bound in zip(shown, given_certificate.bounds, strict=True):
        for number, exact in zip(pair, (bound.error_if_false, bound.error_if_true), strict=True):
            assert exact <= number <= exact * (1 + Fraction(1, 10**5))


def test_a_long_table_becomes_several() -> None:
    parts = list(table("Many", ("n",), [(str(k),) for k in range(61)]))
    assert [part.count(r" \\") - 1 for part in parts] == [30, 30, 1]
    assert [part.splitlines()[0] for part in parts] == [
        r"\paragraph{Many.}", r"\paragraph{Many (continued).}", r"\paragraph{Many (continued).}"]
    assert list(table("None", ("n",), [])) == []


@given(st.text())
def test_any_text_is_escaped_onto_one_printable_line(text: str) -> None:
    escaped = latex_text(text)
    assert escaped.isprintable()
    bare = re.sub(r"\\(textbackslash|textasciitilde|textasciicircum)\{\}|\\[{}#$%&_]", "", escaped)
    assert not set(bare) & set("\\{}#$%&_~^")


@given(st.dictionaries(st.sampled_from("abc"), st.fractions(max_denominator=9).filter(bool)), st.integers(-9, 9))
def test_a_linear_form_reads_back_as_itself(terms: dict[str, Fraction], constant: int) -> None:
    text = linear_form(terms, str(constant) if constant else "")
    plain = re.sub(r"\\tfrac\{(\d+)\}\{(\d+)\}", r"\1/\2", text).replace("- ", "+ -").split(" + ")
    read: dict[str, Fraction] = {}
    for part in plain:
        sign, digits, name = re.fullmatch(r"(-?) ?([\d/]*) ?([abc]?)", part).groups()  # type: ignore[union-attr]
        read[name] = Fraction(digits or 1) * (-1 if sign else 1)
    expected = {**terms, **({"": Fraction(constant)} if constant else {})}
    assert read == (expected or {"": Fraction(0)})


def test_an_audit_is_tables_in_ascii_with_a_row_for_each_statement_claim_and_critical_constant() -> None:
    for report in (REPORT, HOSTILE):
        text = latex_of_audit(report)
        assert text.isascii()
        check_balanced(text)
        assert stripped(text).count("$") % 2 == 0 and "%" not in stripped(text)
        rows = len(re.findall(r" \\\\$", text, re.MULTILINE)) - text.count(r"\toprule")
        assert rows == len(report.statements) + sum(1 + len(claim.criticals) for claim in report.claims)
    assert (r"\texttt{theorem-15-a} & \raggedright Theorem 15 a & certified & $0.0497871$ & $0.25$ & 1..64 \\"
            in latex_of_audit(REPORT).splitlines())
