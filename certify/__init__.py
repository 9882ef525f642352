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

_HOMES = {
    "CoqMissing": ("proofs.every_n", "CoqMissing"),
    "FormulaError": ("constructions.errors", "FormulaError"),
    "InputError": ("constructions.errors", "InputError"),
    "Network": ("certify.network", "Network"),
    "Outcome": ("certify.claims.formula.outcomes", "Outcome"),
    "Refusal": ("proofs.check", "Refusal"),
    "Regime": ("constructions.regimes", "Regime"),
    "Sharpening": ("constructions.regimes", "Sharpening"),
    "Transformer": ("constructions.network.transformer", "Transformer"),
    "Unreadable": ("constructions.errors", "Unreadable"),
    "Unsupported": ("constructions.errors", "Unsupported"),
    "ablate": ("certify.trained_api", "ablate"),
    "audit": ("certify.auditing.api", "audit"),
    "audit_file": ("certify.auditing.api", "audit_file"),
    "build": ("certify.api", "build"),
    "card": ("certify.api", "card"),
    "certify": ("certify.claims.formula.pipeline", "certify"),
    "certify_transformer": ("certify.claims.formula.pipeline", "certify_transformer"),
    "check": ("certify.api", "check"),
    "compile_formula": ("constructions.compiler", "compile_formula"),
    "cross_entropy": ("certify.api", "cross_entropy"),
    "decide": ("certify.trained_api", "decide"),
    "equal": ("certify.trained_api", "equal"),
    "explain": ("certify.api", "explain"),
    "export": ("certify.api", "export"),
    "heads": ("certify.trained_api", "heads"),
    "import_network": ("certify.trained_api", "import_network"),
    "learn": ("certify.trained_api", "learn"),
    "margin": ("certify.api", "margin"),
    "parse_formula": ("constructions.language.parser", "parse_formula"),
    "prove": ("certify.api", "prove"),
    "run": ("certify.api", "run"),
    "sensitivity": ("certify.api", "sensitivity"),
    "soften": ("certify.claims.softened.pipeline", "soften_model"),
    "train": ("certify.trained_api", "train"),
}


def __getattr__(name: str) -> Any:
    """Import on first use, so that ``certify --help`` does not load the provers."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    from certify.common.shadowed_imports import expect_own_packages

    expect_own_packages()
    module, attribute = _HOMES[name]
    return getattr(importlib.import_module(module), attribute)


def _shown() -> Shown:
    from certify.exports.notebook import SHOWN

    return SHOWN


def _page(answer: object) -> str:
    from certify.exports.answer_pages import page_of_answer

    return page_of_answer(answer)


shown_by(_shown, _page)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
