"""Certificates to draw: small ones of every kind, and one whose texts are hostile."""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

from certify.claims.formula.outcomes import Certified
from certify.claims.formula.pipeline import certify
from certify.claims.formula.sealed import Sealed, read_sealed, read_sealed_text
from certify.exports.pages.certificate.approximations import Study, study
from certify.exports.pages.certificate.page import certificate_page
from certify.exports.pages.softened.page import SealedSoftened, read_softened
from constructions.regimes import Regime, Sharpening

CORPUS = Path(__file__).parent.parent.parent / "corpus" / "accepted"
SOFTENED = "softened"
HOSTILE = "</script><script>alert(1)</script>\n\u202e\"'"
DRAWN = {
    "temporal": ("prev Q_a since (Q_b until next Q_c)", "abc", 14, Regime()),
    "by_position": ("Q_a since prev Q_b", "ab", 13, Regime(Sharpening.POSITION, causal=True)),
    "counting": ("ODD(#<[Q_1])", "01", 14, Regime()),
    "comparison": ("3*#<[Q_1] - #>[Q_0] >= 2", "01", 6, Regime()),
    "symbols": ("Q_start since (Q_stop | prev Q_go)", ("start", "stop", "go"), 6, Regime()),
    "predicates": ("PRIME & MOD(3,1) -> SQUARE(#<[Q_1]) & !LAST", "01", 7, Regime()),
    "sum": ("SQUARE(#<[Q_1] - #<[Q_0])", "01", 6, Regime()),
    "exact": ("Q_a & ODD", "ab", 5, Regime()),
}


def corpus() -> list[Path]:
    """Accepted certificates of formulas, of networks with softmax: only these have pages."""
    others = (SOFTENED, "trained", "weighting")
    return [path for path in sorted(CORPUS.glob("*.cert")) if not path.name.startswith(others)]


@cache
def drawn(name: str) -> Sealed:
    """One of the certificates above."""
    text, alphabet, last, regime = DRAWN[name]
    outcome = certify(text, tuple(alphabet), last, regime)
    assert isinstance(outcome, Certified)
    return read_sealed_text(outcome.certificate, name)


@cache
def studied(name: str) -> Study:
    """Return the drawn bounds of a certificate."""
    return study(drawn(name))


@cache
def page(name: str) -> str:
    """Its page."""
    return certificate_page(drawn(name), f"{name}.cert")


@cache
def page_of_corpus(path: Path) -> str:
    """Return the page of a certificate of the corpus."""
    return certificate_page(read_sealed(str(path)), path.name)


@cache
def softened(name: str) -> SealedSoftened:
    """Return a certificate of a softened transformer, of the corpus."""
    return read_softened((CORPUS / f"{SOFTENED}_{name}.cert").read_text(encoding="utf-8"), name)


def renamed(sealed: Sealed, name: str) -> Sealed:
    """Return the certificate with every free text replaced: no checker accepted it, but a page must be drawn."""
    network = sealed.transformer
    layers = tuple(replace(layer, heads=tuple(replace(head, name=name, source=name) for head in layer.heads))
                   for layer in network.layers)
    return replace(sealed, transformer=replace(network, layers=layers), claim={**sealed.claim, "formula": name})


def visible(text: str) -> str:
    """Return a page without style, script and data."""
    return re.sub(r"<(style|script)\b.*?</\1>", "", text, flags=re.DOTALL)
