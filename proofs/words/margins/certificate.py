"""Writer of certificates of claims by margins: docs/reference/margins.md, section 2, canonical to the byte."""

from typing import Any

from constructions.language.predicates import definitions_of
from constructions.language.printer import format_formula
from constructions.network.json_form import transformer_to_json, write_canonical
from constructions.network.transformer import Transformer
from proofs.words.classes.norms import NO_NORMS, Epsilon, Norms
from proofs.words.margins.claim import MarginClaim

FORMAT = "certify-margin"
VERSION = 1


def seal_margin(transformer: Transformer, claim: MarginClaim, norms: Norms = NO_NORMS) -> str:
    """Return the text of the certificate. It is not a proof: the checker recomputes every class."""
    certificate: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "claim": {
            "formula": format_formula(claim.formula),
            "predicates": [definition.description for definition in definitions_of([claim.formula])],
            "alphabet": list(claim.letters),
            "before": list(claim.before),
            "after": list(claim.after),
            "min_n": claim.lengths.first,
            "max_n": claim.lengths.last,
            "at": claim.at,
            "threshold": str(claim.threshold),
            "margin": str(claim.margin),
        },
        "transformer": transformer_to_json(transformer),
    }
    if norms.epsilons:
        certificate["norms"] = [{"attention": _epsilon(attention), "feedforward": _epsilon(feedforward)}
                                for attention, feedforward in norms.epsilons]
    return write_canonical(certificate)


def _epsilon(epsilon: Epsilon) -> str | None:
    return None if epsilon is None else str(epsilon)
