"""certify: proofs about concrete transformers. The whole public API is here.

>>> from certify import certify
>>> certify("Q_1 since Q_0", alphabet="01", max_n=4).verdict
'certified'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from certify.auditing.api import audit, audit_file
    from certify.network import Network
    from certify.pipeline import certify, certify_transformer
    from certify.softening.pipeline import soften_model as soften
    from constructions.compiler import compile_formula
    from constructions.errors import InputError
    from constructions.regimes import Regime, Sharpening
    from proofs.check import check_file as check

__version__ = "0.1.0"

__all__ = [
    "InputError",
    "Network",
    "Regime",
    "Sharpening",
    "audit",
    "audit_file",
    "certify",
    "certify_transformer",
    "check",
    "compile_formula",
    "soften",
]

_HOMES = {
    "InputError": ("constructions.errors", "InputError"),
    "Network": ("certify.network", "Network"),
    "Regime": ("constructions.regimes", "Regime"),
    "Sharpening": ("constructions.regimes", "Sharpening"),
    "audit": ("certify.auditing.api", "audit"),
    "audit_file": ("certify.auditing.api", "audit_file"),
    "certify": ("certify.pipeline", "certify"),
    "certify_transformer": ("certify.pipeline", "certify_transformer"),
    "check": ("proofs.check", "check_file"),
    "compile_formula": ("constructions.compiler", "compile_formula"),
    "soften": ("certify.softening.pipeline", "soften_model"),
}


def __getattr__(name: str) -> Any:
    """Import on first use, so that ``certify --help`` does not wait for the provers."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    module, attribute = _HOMES[name]
    return getattr(importlib.import_module(module), attribute)
