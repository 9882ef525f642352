"""What the exports that run share: the certificate's weights in a precision, and what is said about them."""

import json
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from certify.formula.sealed import Sealed
from constructions.errors import Unsupported, install
from constructions.running.weights import Weights, weights_of

NOTE = "proved of the exact weights in real arithmetic; the weights here are rounded, and what runs them rounds, too"


def rounded_weights(sealed: Sealed, precision: str) -> Weights:
    """The weights for the lengths of the claim.

    Raises:
        Unsupported: if a number is too large for the precision, or the transformer has no float program.
    """
    return weights_of(sealed.transformer, sealed.lengths, precision)


def about(sealed: Sealed) -> dict[str, Any]:
    """Claim, certificate and network in plain values."""
    claim = sealed.statement[-1]
    return {
        "formula": sealed.claim["formula"],
        "regime": sealed.regime,
        "claim": claim.removeprefix("claim").strip(),
        "note": NOTE,
        "certificate_sha256": sealed.digest,
        "output_direction": sealed.transformer.output,
        "predicates": [definition.description for definition in sealed.transformer.predicates()],
    }


def metadata(sealed: Sealed, weights: Weights) -> Mapping[str, str]:
    """The same as texts for formats whose metadata are texts; lists are JSON."""
    values = about(sealed) | {
        "precision": weights.precision,
        "lengths": [weights.lengths.first, weights.lengths.last],
        "alphabet": list(weights.alphabet),
        "truths": list(weights.truths),
    }
    return {name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            for name, value in values.items()}


def require_package(name: str, extra: str) -> None:
    """Raise Unsupported if this Python cannot import the package, saying what installs it."""
    if find_spec(name) is None:
        raise Unsupported(f"this export needs the package {name}, which is not installed: {install(extra)}")


