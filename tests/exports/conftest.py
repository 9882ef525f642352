"""Certificates, and the command line inside this process."""

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from certify.claims.formula.examples import load_examples
from certify.claims.formula.outcomes import Certified
from certify.claims.formula.pipeline import certify as prove
from certify.claims.formula.sealed import Sealed, read_sealed
from constructions.regimes import Regime
from tests.cli.conftest import Certify, certify

__all__ = ["certify"]

EXAMPLES = {example.name: example for example in load_examples()}


def write_certificate(path: Path, formula: str, alphabet: Iterable[str], max_n: int, regime: Regime = Regime()
                      ) -> Path:
    """Return the certificate of a formula, in a file."""
    outcome = prove(formula, tuple(alphabet), max_n, regime)
    assert isinstance(outcome, Certified)
    path.write_text(outcome.certificate, encoding="utf-8")
    return path


@pytest.fixture
def sealed(tmp_path: Path) -> Callable[..., Sealed]:
    """``sealed("Q_1 since Q_0", "01", 4)`` is an accepted certificate."""

    def make(formula: str, alphabet: str, max_n: int, regime: Regime = Regime()) -> Sealed:
        return read_sealed(str(write_certificate(tmp_path / "made.cert", formula, alphabet, max_n, regime)))

    return make


@pytest.fixture
def since(certify: Certify, tmp_path: Path) -> str:
    """The name of a small certificate in the folder where commands run."""
    return write_certificate(tmp_path / "since.cert", "Q_1 since Q_0", "01", 4).name
