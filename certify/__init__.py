"""certify: proofs about concrete transformers; the public API.

>>> from certify import certify
>>> bool(certify("(Q_0 | Q_1) since Q_0", alphabet="01", max_n=4))  # since the last 0, at every position
True
"""

from typing import TYPE_CHECKING, Any

from certify.common.readable import Shown, shown_by

if TYPE_CHECKING:
    from certify.api import build, card, check, cross_entropy, explain, export, margin, prove, run, sensitivity
    from certify.auditing.api import audit, audit_file
    from certify.claims.formula.outcomes import Outcome
    from certify.claims.formula.pipeline import certify, certify_transformer
    from certify.claims.softened.pipeline import soften_model as soften
    from certify.network import Network
    from certify.trained_api import decide, equal, import_network, learn, train
    from constructions.compiler import compile_formula
    from constructions.errors import FormulaError, InputError, Unreadable, Unsupported
    from constructions.language.parser import parse_formula
    from constructions.network.transformer import Transformer
    from constructions.regimes import Regime, Sharpening
    from proofs.check import Refusal
    from proofs.every_n import CoqMissing

__version__ = "0.1.0"

__all__ = [
    "CoqMissing",
    "FormulaError",
    "InputError",
    "Network",
    "Outcome",
    "Refusal",
    "Regime",
    "Sharpening",
    "Transformer",
    "Unreadable",
    "Unsupported",
    "ablate",
    "audit",
    "audit_file",
    "build",
    "card",
    "certify",
    "certify_transformer",
    "check",
    "compile_formula",
    "cross_entropy",
    "decide",
    "equal",
    "explain",
    "export",
    "harden",
    "heads",
    "import_network",
    "learn",
    "margin",
    "parse_formula",
    "prove",
    "run",
    "sensitivity",
    "soften",
    "train",
]

_HOMES = {name: module for module, names in {
    "certify.api": "build card check cross_entropy explain export margin prove run sensitivity",
    "certify.auditing.api": "audit audit_file",
    "certify.claims.formula.outcomes": "Outcome",
    "certify.claims.formula.pipeline": "certify_transformer certify",
    "certify.claims.softened.pipeline": "soften",
    "certify.network": "Network",
    "certify.trained_api": "ablate decide equal harden heads import_network learn train",
    "constructions.compiler": "compile_formula",
    "constructions.errors": "FormulaError InputError Unreadable Unsupported",
    "constructions.language.parser": "parse_formula",
    "constructions.network.transformer": "Transformer",
    "constructions.regimes": "Regime Sharpening",
    "proofs.check": "Refusal",
    "proofs.every_n": "CoqMissing",
}.items() for name in names.split()}
_NAMES_THERE = {"soften": "soften_model"}


def __getattr__(name: str) -> Any:
    """Import on first use, so that ``certify --help`` does not load the provers."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    from certify.common.shadowed_imports import expect_own_packages

    expect_own_packages()
    return getattr(importlib.import_module(_HOMES[name]), _NAMES_THERE.get(name, name))


def _shown() -> Shown:
    from certify.exports.notebook import SHOWN

    return SHOWN


def _page(answer: object) -> str:
    from certify.exports.answer_pages import page_of_answer

    return page_of_answer(answer)


shown_by(_shown, _page)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
