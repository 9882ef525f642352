"""Exports of a network with ln: what is proved is said of the real function, and constants are true logarithms."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from certify.claims.formula.outcomes import Certified
from certify.claims.formula.pipeline import certify
from certify.claims.formula.real_functions import functions_in, sentence
from certify.claims.formula.sealed import Sealed, read_sealed_text
from certify.exports.latex import latex_of
from certify.exports.manifest import MANIFEST
from certify.exports.pages.certificate.page import certificate_page
from certify.exports.proof.document import proof_of
from certify.exports.smt2 import export_smt2
from constructions.compiler import compile_formula
from constructions.language.expressions import parse_expression
from constructions.language.parser import parse_formula
from constructions.language.predicates import parse_predicate_definitions
from constructions.regimes import Regime

MODELS = Path(__file__).parents[2] / "examples" / "models"
LONG = re.compile(r"[0-9]{22}")
"""Digits of a rounded logarithm; digests have letters in between."""


@pytest.fixture(scope="module")
def logarithm() -> tuple[str, Sealed]:
    outcome = certify(str(MODELS / "first_by_logarithm.json"), min_n=2, max_n=4)
    assert isinstance(outcome, Certified)
    return outcome.certificate, read_sealed_text(outcome.certificate, "log.cert")


@pytest.fixture(scope="module")
def rational() -> tuple[str, Sealed]:
    outcome = certify("O Q_1", "01", 3)
    assert isinstance(outcome, Certified)
    return outcome.certificate, read_sealed_text(outcome.certificate, "once.cert")


def page(sealed: Sealed) -> str:
    return certificate_page(sealed, "x.cert")


@pytest.mark.parametrize(("export", "printed"), [
    (latex_of, r"exactly $0$ if not. Here $\ln$ is the real function."),
    (page, "in real arithmetic with real softmax. Here ln is the real function.</p>"),
])
def test_tables_and_the_page_say_that_the_logarithm_is_the_real_one(
        export: Callable[[Sealed], str], printed: str, logarithm: tuple[str, Sealed],
        rational: tuple[str, Sealed]) -> None:
    text = export(logarithm[1])
    assert printed in text and (export is not latex_of or not LONG.search(text))
    assert "real function" not in export(rational[1])


def test_a_proof_for_people_writes_true_logarithms(logarithm: tuple[str, Sealed], rational: tuple[str, Sealed]) -> None:
    text = proof_of(logarithm[1], logarithm[0])
    assert r"with real softmax. Here $\ln$ is the real function." in text
    assert r"\[ \frac{e^{-2 \ln{\left(2 \right)}}}{1 + e^{-2 \ln{\left(2 \right)}}}. \]" in text
    assert r"The head reads irrational numbers. The numbers above were computed with $\ln$ and $\sqrt{\cdot}$" in text
    assert not LONG.search(text.replace(logarithm[1].digest, ""))
    assert "irrational" not in proof_of(rational[1], rational[0])


def test_scripts_for_solvers_say_that_they_round(logarithm: tuple[str, Sealed], tmp_path: Path) -> None:
    path = tmp_path / "log.cert"
    path.write_text(logarithm[0], encoding="utf-8")
    export_smt2(str(path), str(tmp_path / "scripts"))
    assert json.loads((tmp_path / "scripts" / MANIFEST).read_text())["note"] == (
        "in these scripts ln and sqrt are rounded down to multiples of 10^-30; the certificate is about the real "
        "functions")
    (first, *_) = sorted((tmp_path / "scripts").glob("*.smt2"))
    assert "; note      in these scripts ln and sqrt are rounded down to multiples of 10^-30;" in first.read_text()


def test_functions_are_found_in_embeddings_temperatures_and_predicates() -> None:
    table = parse_predicate_definitions(["P(k) := sqrt(k) > 2"])
    by_predicate = compile_formula(parse_formula("P & prev Q_1", None, table), "01", Regime())
    assert functions_in(by_predicate) == ["sqrt"]
    assert sentence(by_predicate) == "Here sqrt is the real function."
    assert sentence(by_predicate, parse_expression("ln(n+1)")) == "Here ln and sqrt are the real functions."
    assert sentence(compile_formula(parse_formula("prev Q_1"), "01", Regime())) == ""
